"""Matches in the store: claimed, reported once, and read back in the order of the schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from referee.chain_head import ChainHead
from referee.store import journal
from referee.store import tables as t
from referee.store.bot_logs import check_logs, read_logs
from referee.store.connections import Connections, plain
from referee.store.errors import NotAllowed, Refused, Unknown, no_tournament
from referee.store.match_results import PackedResult, Scorers
from referee.store.match_rows import pages, read_faulty_seats, read_match, read_matches, read_ranks, read_records
from referee.store.match_search import PRACTICE, MatchQuery, NamedMatch, count, has_played, read_name, search
from referee.store.schedule_rows import check_bots, settings_json
from referee.store.snapshots import forget
from referee.store.tournaments import OVER
from referee.store.values import FaultySeat, MatchResult, MatchState, NewEntrant, Settings, StoredLog, StoredMatch

OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)
SET_ASIDE = (MatchState.ABSENT, MatchState.VOID)


class Matches:
    """The matches of all tournaments, and practice matches."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._scorers = Scorers(connections.now)

    def claim(self, match: int) -> int | None:
        """Start a scheduled match of a running tournament: its attempt, or None if it cannot be started."""
        return self.claim_later(match).result()

    def claim_later(self, match: int) -> Future[int | None]:
        """Like `claim`, without waiting: the future resolves once the claim is on disk."""
        return self._connections.writer.submit_item(self._scorers.claim, match)

    def report(self, result: MatchResult) -> bool:
        """Store a result, its ranks and its record in one transaction; False if the match is not waiting for it.

        A match waits for the result of its present attempt while it is being played, so a second report, or one
        of an attempt that was given up, changes nothing.
        """
        return self.report_later(result).result() is not None

    def report_later(self, result: MatchResult | PackedResult) -> Future[ChainHead | None]:
        """Like `report`, without waiting: the future resolves once the result is on disk.

        It holds the head of the hash chain that has the result, or None if the match is not waiting for it.
        """
        packed = result if isinstance(result, PackedResult) else PackedResult.of(result)
        return self._connections.writer.submit_item(self._scorers.report, packed)

    def set_aside(self, match: int, state: MatchState, reason: str) -> bool:
        """End an open match without a result, as absent or void; False if it is not open."""
        return self.set_all_aside({match: reason}, state) == 1

    def set_all_aside(self, reasons: Mapping[int, str], state: MatchState) -> int:
        """End open matches without a result, each for its reason, all at once; returns how many were open."""
        if state not in SET_ASIDE:
            raise Refused(f"a match is set aside as absent or void, not as {state}")
        now = self._connections.now()

        def work(connection: Connection) -> int:
            c = t.matches.c
            told = select(c.id, c.state, c.tournament_id, c.ordinal, c.started).where(c.id.in_(reasons))
            found = {row.id: row for row in connection.execute(told)}
            entries = []
            for match, reason in reasons.items():
                if match not in found:
                    raise Unknown(f"there is no match number {match}")
                if (row := found[match]).state in OPEN:
                    values = {"state": state.value, "reason": plain(reason), "finished": now}
                    connection.execute(update(t.matches).where(c.id == match).values(values))
                    chain, number = _place(row)
                    aside = {"state": state.value, "reason": plain(reason), "started": row.started}
                    entries.append((chain, journal.entry("aside", now, match=number, **aside)))
            journal.append_all(connection, entries)
            return len(entries)

        return self._connections.write(work)

    def last_set_aside(self, tournament: int, limit: int = 10) -> list[StoredMatch]:
        """The matches that were set aside, the latest in the schedule first."""
        c = t.matches.c
        query = select(t.matches).where(c.tournament_id == tournament).order_by(c.ordinal.desc()).limit(limit)
        with self._connections.readers.connect() as connection:
            # One look per state: each is the end of an index. Of both at once, the whole schedule would be walked back.
            found = [match for state in SET_ASIDE for match in read_matches(connection, query.where(c.state == state))]
        return sorted(found, key=lambda match: -(match.ordinal or 0))[:limit]

    def dealt_anew(self, tournament: int) -> list[int]:
        """The places in the schedule of matches that were dealt more than once."""
        c = t.matches.c
        query = select(c.ordinal).where(c.tournament_id == tournament, c.attempt > 1).order_by(c.ordinal)
        with self._connections.readers.connect() as connection:
            return [row.ordinal for row in connection.execute(query)]

    def interrupted(self, tournament: int | None) -> list[StoredMatch]:
        """The matches of a tournament (None: practice) that are marked as being played, in schedule order."""
        return list(self.in_schedule_order(tournament, [MatchState.PLAYING]))

    def put_back(self, matches: Mapping[int, bool], *, void: bool = True) -> int:
        """Schedule matches again that have no result; the flag says if on a new deal (attempt + 1).

        Without `void`, those that were declared void meanwhile stay so; annulled ones do in any case.
        """
        states = [MatchState.PLAYING, *(SET_ASIDE if void else [MatchState.ABSENT])]
        now = self._connections.now()

        def work(connection: Connection) -> int:
            c = t.matches.c
            query = (
                select(
                    *(c.id, c.state, c.attempt, c.tournament_id, c.ordinal),
                    *(t.tournaments.c.name, t.tournaments.c.state.label("stage")),
                )
                .select_from(t.matches.outerjoin(t.tournaments, t.tournaments.c.id == c.tournament_id))
                .where(c.id.in_(list(matches)), c.state.in_(states), c.seed.is_(None))
            )
            rows = connection.execute(query).all()
            entries = []
            for row in rows:
                if row.stage in OVER:
                    raise NotAllowed(f"{row.name} is {row.stage}: none of its matches can be played again")
                attempt = row.attempt + bool(matches[row.id])
                chain, number = _place(row)
                entries.append((chain, journal.entry("again", now, match=number, attempt=attempt)))
                values = {
                    "state": MatchState.SCHEDULED.value,
                    "attempt": attempt,
                    "reason": "",
                    "started": None,
                    "finished": None,
                }
                connection.execute(update(t.matches).where(c.id == row.id).values(values))
            journal.append_all(connection, entries)
            settled = [row for row in rows if row.tournament_id is not None and row.state in SET_ASIDE]
            for tournament in {row.tournament_id for row in settled}:
                forget(connection, tournament, [row.ordinal for row in settled if row.tournament_id == tournament])
            return len(rows)

        return self._connections.write(work)

    def get(self, match: int) -> StoredMatch:
        """The match of that number; unknown ones are refused."""
        with self._connections.readers.connect() as connection:
            found = read_match(connection, match)
        if found is None:
            raise Unknown(f"there is no match number {match}")
        return found

    def page(self, tournament: int, first: int, limit: int) -> list[StoredMatch]:
        """So many matches from that ordinal on, in any state: what it costs depends on the limit alone."""
        c = t.matches.c
        query = select(t.matches).where(c.tournament_id == tournament, c.ordinal >= first).order_by(c.ordinal)
        with self._connections.readers.connect() as connection:
            return read_matches(connection, query.limit(limit))

    def total(self, tournament: int) -> int:
        """How many matches a tournament has; their ordinals leave no gaps, so nothing needs to be counted."""
        query = select(func.max(t.matches.c.ordinal)).where(t.matches.c.tournament_id == tournament)
        with self._connections.readers.connect() as connection:
            last = connection.execute(query).scalar()
        return 0 if last is None else last + 1

    def practice_page(self, first: int, limit: int) -> list[StoredMatch]:
        """So many practice matches, newest first, behind the first so many; in whatever state."""
        c = t.matches.c
        query = select(t.matches).where(c.tournament_id.is_(None)).order_by(c.id.desc()).offset(first).limit(limit)
        with self._connections.readers.connect() as connection:
            return read_matches(connection, query)

    def practice_total(self) -> int:
        """How many practice matches there are."""
        query = select(func.count()).select_from(t.matches).where(t.matches.c.tournament_id.is_(None))
        with self._connections.readers.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def in_schedule_order(
        self, tournament: int | None, states: Sequence[MatchState] = tuple(MatchState), after: int = -1
    ) -> Iterator[StoredMatch]:
        """Stream the matches in the given states; `after` is the ordinal (practice: the number) to start behind."""
        for found in pages(self._connections.readers, tournament, states, after):
            yield from found

    def results_in_schedule_order(self, tournament: int, after: int = -1) -> Iterator[StoredMatch]:
        """Stream the finished matches; with `first_open`, all that a rating in schedule order needs."""
        return self.in_schedule_order(tournament, [MatchState.FINISHED], after)

    def ranks_before(self, tournament: int, before: int) -> dict[int, tuple[tuple[str, ...], tuple[int, ...]]]:
        """Of the finished matches before an ordinal, in their order: the names of the bots and their ranks, by seat."""
        with self._connections.readers.connect() as connection:
            return read_ranks(connection, tournament, before)

    def faulty_seats(self, tournament: int) -> list[FaultySeat]:
        """Every seat that did not finish, in schedule order: for the few seats among many matches that did not."""
        with self._connections.readers.connect() as connection:
            return read_faulty_seats(connection, tournament)

    def first_open(self, tournament: int) -> int | None:
        """The lowest ordinal still to be played or being played: before it, results are complete."""
        c = t.matches.c
        query = select(func.min(c.ordinal)).where(c.tournament_id == tournament)
        with self._connections.readers.connect() as connection:
            # One look per state: each is the first entry of an index, however many matches there are.
            lowest = [connection.execute(query.where(c.state == state.value)).scalar() for state in OPEN]
        return min((ordinal for ordinal in lowest if ordinal is not None), default=None)

    def latest(self, tournament: int, limit: int = 10) -> list[StoredMatch]:
        """The results that came in last, newest first."""
        c = t.matches.c
        query = (
            select(t.matches)
            .where(c.tournament_id == tournament, c.state == MatchState.FINISHED.value, c.finished.is_not(None))
            .order_by(c.finished.desc(), c.id.desc())
            .limit(limit)
        )
        with self._connections.readers.connect() as connection:
            return read_matches(connection, query)

    def record(self, match: int) -> bytes | None:
        """The record of a finished match, as it was reported."""
        with self._connections.readers.connect() as connection:
            return read_records(connection, [match]).get(match)

    def records(self, matches: Sequence[int]) -> dict[int, bytes]:
        """The records of those of the matches that have one, at most a page of them; a damaged one is an error."""
        with self._connections.readers.connect() as connection:
            return read_records(connection, matches)

    def logs(self, match: int) -> list[StoredLog]:
        """What hosted bots wrote to stderr during a match, by seat: for their authors and the host."""
        with self._connections.readers.connect() as connection:
            return read_logs(connection, match)

    def check_logs(self) -> None:
        """Read what hosted bots wrote in all matches; DamagedRow if any of it is not what was stored."""
        with self._connections.readers.connect() as connection:
            check_logs(connection)

    def search(self, query: MatchQuery, offset: int = 0, limit: int = 100) -> tuple[list[NamedMatch], int]:
        """Matches that were scheduled last first, so many of them, and how many there are in all.

        Unknown if there is no such tournament, or no bot of that name in it.
        """
        query = query.plain()
        with self._connections.readers.connect() as connection:
            tournament = query.tournament
            if tournament and tournament != PRACTICE:
                known = select(t.tournaments.c.id).where(t.tournaments.c.name == tournament)
                if connection.execute(known).first() is None:
                    raise Unknown(no_tournament(tournament))
            total = count(connection, query)
            if total == 0 and query.bot and not has_played(connection, query.bot, tournament):
                where = tournament or "any match"
                raise Unknown(f"there is no bot named {query.bot} in {where}: check the name")
            return search(connection, query, offset, limit) if total else [], total

    def named(self, name: str) -> NamedMatch | None:
        """The match of that name, `league/12` or `practice/5`, if there is one."""
        read = read_name(name)
        if read is None:
            return None
        where, number = read
        c = t.matches.c
        if where == PRACTICE:
            query = select(t.matches).where(c.tournament_id.is_(None), c.id == number)
        else:
            found = select(t.tournaments.c.id).where(t.tournaments.c.name == where).scalar_subquery()
            query = select(t.matches).where(c.tournament_id == found, c.ordinal == number)
        with self._connections.readers.connect() as connection:
            matches = read_matches(connection, query)
        return NamedMatch(name, "" if where == PRACTICE else where, matches[0]) if matches else None

    def add_practice(
        self, game: str, game_version: str, players: Sequence[NewEntrant], settings: Settings
    ) -> StoredMatch:
        """Store a match outside any tournament; it is being played from the start."""
        now = self._connections.now()
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

        def work(connection: Connection) -> StoredMatch:
            check_bots(connection, players)
            made = connection.execute(insert(t.matches).values(row)).inserted_primary_key
            assert made is not None
            seats = [
                {"match_id": made[0], "seat": seat, "bot_id": player.bot, "name": plain(player.name)}
                | {"strikes": 0, "decisions": 0, "time_ms": 0}
                for seat, player in enumerate(players)
            ]
            connection.execute(insert(t.seats), seats)
            told = journal.entry(
                "practice",
                now,
                match=made[0],
                game=game,
                game_version=game_version,
                settings=row["settings"],
                seats=[[seat["bot_id"], seat["name"]] for seat in seats],
            )
            journal.append(connection, journal.INSTALLATION, [told])
            match = read_match(connection, made[0])
            assert match is not None
            return match

        return self._connections.write(work)


def _place(row: Row[*tuple[Any, ...]]) -> tuple[int, int]:
    """Where the journal has a match: its chain, and its number there. Practice is known by the number of its row."""
    return (journal.INSTALLATION, row.id) if row.tournament_id is None else (row.tournament_id, row.ordinal)
