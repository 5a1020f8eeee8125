"""Matches: claimed, reported once, and read back in the order of the schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future

from sqlalchemy import Connection, func, insert, select, update

from referee.store import tables as t
from referee.store.connections import Desk, plain
from referee.store.errors import NotAllowed, Refused, Unknown
from referee.store.match_results import PackedResult, Scorers
from referee.store.match_rows import pages, read_match, read_matches, read_records
from referee.store.schedule_rows import check_bots, settings_json
from referee.store.tournaments import OVER
from referee.store.values import Match, MatchResult, MatchState, NewEntrant, Settings

OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)
SET_ASIDE = (MatchState.ABSENT, MatchState.VOID)


class Matches:
    """The matches of all tournaments, and practice matches."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._scorers = Scorers(desk.now)

    def claim(self, match: int) -> int | None:
        """Start a scheduled match of a running tournament: its attempt, or None if it cannot be started."""
        return self.claim_later(match).result()

    def claim_later(self, match: int) -> Future[int | None]:
        """Like `claim`, without waiting: the future resolves once the claim is on disk."""
        return self._desk.writer.submit_item(self._scorers.claim, match)

    def report(self, result: MatchResult) -> bool:
        """Store a result, its ranks and its record in one transaction; False if the match is not waiting for it.

        A match waits for the result of its present attempt while it is being played, so a second report, or one
        of an attempt that was given up, changes nothing.
        """
        return self.report_later(result).result()

    def report_later(self, result: MatchResult | PackedResult) -> Future[bool]:
        """Like `report`, without waiting: the future resolves once the result is on disk."""
        packed = result if isinstance(result, PackedResult) else PackedResult.of(result)
        return self._desk.writer.submit_item(self._scorers.report, packed)

    def set_aside(self, match: int, state: MatchState, reason: str) -> bool:
        """End an open match without a result, as absent or void; False if it is not open."""
        return self.set_all_aside({match: reason}, state) == 1

    def set_all_aside(self, reasons: Mapping[int, str], state: MatchState) -> int:
        """End open matches without a result, each for its reason, all at once; returns how many were open."""
        if state not in SET_ASIDE:
            raise Refused(f"A match is set aside as absent or void, not as {state}.")
        now = self._desk.now()

        def work(connection: Connection) -> int:
            c = t.matches.c
            found = {row.id: row.state for row in connection.execute(select(c.id, c.state).where(c.id.in_(reasons)))}
            ended = 0
            for match, reason in reasons.items():
                if match not in found:
                    raise Unknown(f"There is no match number {match}.")
                if found[match] in OPEN:
                    values = {"state": state.value, "reason": plain(reason), "finished": now}
                    connection.execute(update(t.matches).where(c.id == match).values(values))
                    ended += 1
            return ended

        return self._desk.write(work)

    def last_set_aside(self, tournament: int, limit: int = 10) -> list[Match]:
        """The matches that were set aside, the latest in the schedule first."""
        c = t.matches.c
        query = (
            select(t.matches)
            .where(c.tournament_id == tournament, c.state.in_([state.value for state in SET_ASIDE]))
            .order_by(c.ordinal.desc())
            .limit(limit)
        )
        with self._desk.readers.connect() as connection:
            return read_matches(connection, query)

    def interrupted(self, tournament: int | None) -> list[Match]:
        """The matches of a tournament (None: practice) that are marked as being played, in schedule order."""
        return list(self.in_schedule_order(tournament, [MatchState.PLAYING]))

    def put_back(self, matches: Mapping[int, bool]) -> int:
        """Schedule matches again that have no result; the flag says if on a new deal (attempt + 1)."""

        def work(connection: Connection) -> int:
            c = t.matches.c
            query = (
                select(c.id, c.state, c.attempt, t.tournaments.c.name, t.tournaments.c.state.label("stage"))
                .select_from(t.matches.outerjoin(t.tournaments, t.tournaments.c.id == c.tournament_id))
                .where(c.id.in_(list(matches)), c.state.in_([MatchState.PLAYING, *SET_ASIDE]))
            )
            rows = connection.execute(query).all()
            for row in rows:
                if row.stage in OVER:
                    raise NotAllowed(f"{row.name} is {row.stage}: none of its matches can be played again.")
                values = {
                    "state": MatchState.SCHEDULED.value,
                    "attempt": row.attempt + bool(matches[row.id]),
                    "reason": "",
                    "started": None,
                    "finished": None,
                }
                connection.execute(update(t.matches).where(c.id == row.id).values(values))
            return len(rows)

        return self._desk.write(work)

    def get(self, match: int) -> Match:
        """The match of that number; unknown ones are refused."""
        with self._desk.readers.connect() as connection:
            found = read_match(connection, match)
        if found is None:
            raise Unknown(f"There is no match number {match}.")
        return found

    def numbered(self, tournament: int, ordinal: int) -> Match | None:
        """The match with that ordinal, if there is one."""
        found = self.page(tournament, ordinal, 1)
        return found[0] if found and found[0].ordinal == ordinal else None

    def page(self, tournament: int, first: int, limit: int) -> list[Match]:
        """So many matches from that ordinal on, in whatever state: what it costs depends on the limit alone."""
        c = t.matches.c
        query = select(t.matches).where(c.tournament_id == tournament, c.ordinal >= first).order_by(c.ordinal)
        with self._desk.readers.connect() as connection:
            return read_matches(connection, query.limit(limit))

    def total(self, tournament: int) -> int:
        """How many matches a tournament has; their ordinals leave no gaps, so nothing needs to be counted."""
        query = select(func.max(t.matches.c.ordinal)).where(t.matches.c.tournament_id == tournament)
        with self._desk.readers.connect() as connection:
            last = connection.execute(query).scalar()
        return 0 if last is None else last + 1

    def in_schedule_order(
        self, tournament: int | None, states: Sequence[MatchState] = tuple(MatchState), after: int = -1
    ) -> Iterator[Match]:
        """Stream the matches in the given states; `after` is the ordinal (practice: the number) to start behind."""
        for found in pages(self._desk.readers, tournament, states, after):
            yield from found

    def results_in_schedule_order(self, tournament: int, after: int = -1) -> Iterator[Match]:
        """Stream the finished matches; with `first_open`, all that a rating in schedule order needs."""
        return self.in_schedule_order(tournament, [MatchState.FINISHED], after)

    def first_open(self, tournament: int) -> int | None:
        """The lowest ordinal still to be played or being played: before it, results are complete."""
        c = t.matches.c
        query = select(func.min(c.ordinal)).where(c.tournament_id == tournament)
        with self._desk.readers.connect() as connection:
            # One look per state: each is the first entry of an index, however many matches there are.
            lowest = [connection.execute(query.where(c.state == state.value)).scalar() for state in OPEN]
        return min((ordinal for ordinal in lowest if ordinal is not None), default=None)

    def latest(self, tournament: int, limit: int = 10) -> list[Match]:
        """The results that came in last, newest first."""
        c = t.matches.c
        query = (
            select(t.matches)
            .where(c.tournament_id == tournament, c.state == MatchState.FINISHED.value, c.finished.is_not(None))
            .order_by(c.finished.desc(), c.id.desc())
            .limit(limit)
        )
        with self._desk.readers.connect() as connection:
            return read_matches(connection, query)

    def record(self, match: int) -> bytes | None:
        """The record of a finished match, as it was reported."""
        with self._desk.readers.connect() as connection:
            return read_records(connection, [match]).get(match)

    def add_practice(self, game: str, game_version: str, players: Sequence[NewEntrant], settings: Settings) -> Match:
        """Store a match outside any tournament; it is being played from the start."""
        now = self._desk.now()
        row = {
            "game": game,
            "game_version": game_version,
            "players": len(players),
            "settings": settings_json(settings),
            "state": MatchState.PLAYING.value,
            "attempt": 1,
            "reason": "",
            "created": now,
            "started": now,
        }

        def work(connection: Connection) -> Match:
            check_bots(connection, players)
            made = connection.execute(insert(t.matches).values(row)).inserted_primary_key
            assert made is not None
            seats = [
                {"match_id": made[0], "seat": seat, "bot_id": player.bot, "name": plain(player.name)}
                | {"strikes": 0, "decisions": 0, "time_ms": 0}
                for seat, player in enumerate(players)
            ]
            connection.execute(insert(t.seats), seats)
            match = read_match(connection, made[0])
            assert match is not None
            return match

        return self._desk.write(work)
