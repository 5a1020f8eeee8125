"""Standings of a tournament from what is stored of it: to the last bit the same as those of the running one."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.chain_head import ChainHead
from referee.store import Counts, MatchState, StoredMatch, Tournament, TournamentState
from referee.tournament.formats.settled import missing_from
from referee.tournament.moderation import told
from referee.tournament.plan import NONE_SHARED, Plan, is_final
from referee.tournament.repeated_matches import Repeats
from referee.tournament.standings import kept_table
from referee.tournament.standings.boards import draw_probability, empty_board, rating_settings
from referee.tournament.standings.by_format import by_places, format_view
from referee.tournament.standings.length import expected, most
from referee.tournament.standings.ordering import LADDER, by_score, by_strength, order_of, with_strengths
from referee.tournament.standings.same_bot import entries_by_bot, pooled
from referee.tournament.standings.score import Score, outcome
from referee.tournament.standings.scoreboard import Scoreboard
from referee.tournament.standings.snapshots import Snapshots
from referee_leaderboard.format import FormatStanding
from referee_leaderboard.standings import Head, Order, Outcome, Playing, Standings, State

if TYPE_CHECKING:
    from referee.store import Store

__all__ = [
    "Follower",
    "assemble",
    "draw_probability",
    "empty_board",
    "enter",
    "fill",
    "from_store",
    "keep_final",
    "lasted",
    "never_came",
    "not_played",
    "notices",
    "rating_settings",
    "score_of",
]

SET_ASIDE = [MatchState.ABSENT, MatchState.VOID]
SETTLED = [MatchState.FINISHED, *SET_ASIDE]
NOTICES = 5
"""Matches set aside that are mentioned, the latest ones."""


def fill(board: Scoreboard, store: Store, tournament: Tournament) -> None:
    """Put all stored results on a board, from where it begins."""
    for match in store.matches.in_schedule_order(tournament.id, SETTLED, after=board.settled - 1):
        enter(board, match, tournament.name)
    _note_latest(board, store, tournament)


def enter(board: Scoreboard, match: StoredMatch, tournament: str) -> None:
    """Put a settled match on a board."""
    assert match.ordinal is not None
    if match.state is MatchState.FINISHED:
        board.add(score_of(match, tournament))
    else:
        board.skip(match.ordinal)


def _note_latest(board: Scoreboard, store: Store, tournament: Tournament) -> None:
    """The results that came last, though they were read in schedule order."""
    board.latest.clear()
    board.latest.extend(_latest(store, tournament, board.latest.maxlen or NOTICES))


def _latest(store: Store, tournament: Tournament, limit: int) -> list[Outcome]:
    return [outcome(score_of(match, tournament.name)) for match in store.matches.latest(tournament.id, limit)]


def from_store(store: Store, name: str, *, keep: bool = True) -> Standings:
    """The standings of a tournament that is not being played by this program; unless it is told not to, it `keep`s
    what took long to work out.
    """
    tournament = store.tournaments.get(name)
    before = store.journal.head(tournament.id)
    found = Follower(store, name, keep=keep).update()
    if keep:
        kept_table.keep(store, tournament, found, before)
    return found


def keep_final(store: Store, tournament: Tournament, standings: Standings) -> None:
    """Keep the standings that a runner has at the end, as `from_store` would work them out.

    It knows no pace, and results of the same millisecond it takes in schedule order.
    """
    head = store.journal.head(tournament.id)
    latest = tuple(_latest(store, tournament, len(standings.latest)))
    kept_table.keep(store, tournament, replace(standings, matches_per_second=None, latest=latest), head)


class Follower:
    """Follows a tournament that another program plays: every `update` reads only what is new since the last."""

    def __init__(self, store: Store, name: str, board: Scoreboard | None = None, *, keep: bool = True) -> None:
        """`board`, if there is one, holds results of this tournament already; it belongs to the follower then.

        With `keep`, snapshots of what it works out are stored.
        """
        self._store = store
        self._name = name
        self._keep = keep
        tournament = store.tournaments.get(name)
        self._plan = Plan.of(tournament)
        self._began: tuple[float, int] | None = None
        self._format = format_view(store, tournament, self._plan)
        shared = NONE_SHARED if self._format is None else self._format.shared_deals
        self._snapshots = Snapshots(store, tournament.id, self._plan, shared)
        self._rulings = 0 if board is not None else -1
        self._board = empty_board(self._plan, ()) if board is None else board
        self._complete = self._board.settled - 1  # up to this ordinal everything is entered
        self._repeats = Repeats(store, tournament.id, keep=keep)
        self._missing: tuple[tuple[int, int], dict[str, float | None]] = ((0, 0), {})

    def update(self) -> Standings:
        """The standings now."""
        store = self._store
        tournament = store.tournaments.get(self._name)
        entrants = store.tournaments.entrants(tournament.id)
        for entrant in entrants:
            self._board.join(entrant.name)
        # Before the results: it knows which of them were played on shared deals.
        shown = None if self._format is None else self._format.update()
        before, board = self._board.matches, self._board
        self._snapshots.writes = self._keep and tournament.state is not TournamentState.RUNNING
        counts = self._read(tournament)
        self._snapshots.keep(self._board)
        if self._board.matches != before or self._board is not board:
            _note_latest(self._board, store, tournament)
        total = counts.total
        now, done = time.monotonic(), self._board.matches + self._board.aside
        if self._began is None:
            self._began = (now, done)
        watched, fresh = now - self._began[0], done - self._began[1]
        final = is_final(self._plan, tournament.state.value, max(0, total - done))
        repeated = self._repeats.told(self._board.matches, now=final)
        return assemble(
            tournament,
            self._plan,
            self._board,
            total=total,
            playing=[
                Playing(f"{self._name}/{match.ordinal}", match.round or 0, tuple(seat.name for seat in match.seats))
                for match in store.matches.in_schedule_order(tournament.id, [MatchState.PLAYING])
            ],
            speed=fresh / watched if fresh and watched > 0 else None,
            absent=self._never_came(counts.absent),
            notices=notices(
                store,
                tournament.id,
                counts.absent + counts.void,
                store.matches.dealt_anew(tournament.id),
                repeated,
            ),
            format=shown,
            entries=entries_by_bot(self._plan, entrants),
            head=store.journal.head(tournament.id),
        )

    def _read(self, tournament: Tournament) -> Counts:
        """Enter what is new. A bot that came back gets its matches back: then everything is read again."""
        store = self._store
        rulings = store.rulings.count(tournament.id)
        if rulings != self._rulings:  # a result that was counted may count no longer
            self._begin()
            self._rulings = rulings
        while True:
            first_open = store.matches.first_open(tournament.id)
            for match in store.matches.in_schedule_order(tournament.id, SETTLED, after=self._complete):
                enter(self._board, match, self._name)
            counts = store.tournaments.counts(tournament.id)
            complete = (counts.total if first_open is None else first_open) - 1
            settled = counts.finished + counts.absent + counts.void
            missed = first_open is None and self._board.matches + self._board.aside < settled
            if complete >= self._complete and self._board.aside <= counts.absent + counts.void and not missed:
                self._complete = complete
                return counts
            self._begin()

    def _never_came(self, aside: int) -> dict[str, float | None]:
        """Bots without a result for want of which matches were set aside; for how long is not known here."""
        if self._missing[0] != (aside, self._board.matches):
            waiting = {bot for bot in self._board.bots if not self._board.totals(bot)["matches"]} if aside else set()
            tournament = self._store.tournaments.get(self._name).id
            found = never_came(self._store, tournament, waiting) if waiting else frozenset()
            self._missing = ((aside, self._board.matches), dict.fromkeys(sorted(found)))
        return self._missing[1]

    def _begin(self) -> None:
        self._board = self._snapshots.begin()
        self._complete = self._board.settled - 1


def assemble(
    tournament: Tournament,
    plan: Plan,
    board: Scoreboard,
    *,
    total: int,
    playing: Sequence[Playing] = (),
    busy: int = 0,
    speed: float | None = None,
    absent: Mapping[str, float | None] | None = None,
    notices: Sequence[str] = (),
    entries: Mapping[str, Sequence[str]] | None = None,
    format: FormatStanding | None = None,
    head: ChainHead | None = None,
) -> Standings:
    """The standings value of a tournament at this moment; `busy` matches are being played, some of them shown.

    `entries` names the entrants of every bot that was entered more than once; `head` is that of the hash chain.
    """
    done = board.matches + board.aside
    state = State(tournament.state.value)
    # What a cancelled tournament has not played, it never will: its standings are final too.
    open_matches = 0 if state is State.CANCELLED else max(0, total - done)
    final = is_final(plan, state, open_matches)
    shown, total = format or FormatStanding(), expected(plan, state, total, len(board.bots))
    shown = replace(shown, most=most(plan, state, len(board.bots)))
    left = 0 if state is State.CANCELLED else max(0, total - done)
    order = order_of(plan, final=final)
    found = board.strengths(now=final, early=order is Order.STRENGTH)
    if order is Order.STRENGTH and not found.rows:
        order = Order.TRUESKILL  # too few results for another one
    rows = with_strengths(board.rows(absent, final=final), found)
    if order is Order.PLACES:
        ordered = by_places(rows, shown, moving=shown.name == LADDER and not final)
    elif order is Order.STRENGTH:
        ordered = by_strength(rows)
    else:
        ordered = by_score(rows) if final and order is Order.TRUESKILL and board.matches else rows
    return Standings(
        tournament=tournament.name,
        game=plan.game,
        players=plan.players,
        state=state,
        provisional=not final,
        rounds=plan.rounds or 0,
        matches_done=done,
        matches_total=total,
        matches_set_aside=board.aside,
        matches_playing=max(busy, len(playing)),
        started=tournament.started / 1000 if tournament.started else None,
        elapsed=lasted(tournament),
        matches_per_second=speed,
        eta=left / speed
        if speed and state is State.RUNNING and (left or not plan.format) and shown.most is None
        else None,
        digest=board.digest() if final else "",
        rows=ordered,
        playing=tuple(playing),
        latest=tuple(board.latest),
        crosstable=board.crosstable(),
        seats=board.seats(),
        notices=tuple(notices),
        strengths=found,
        format=shown,
        pooled=pooled(entries or {}, rows),
        head=Head() if head is None else Head(head.entries, head.hash),
        order=order,
    )


def lasted(tournament: Tournament) -> float | None:
    """Seconds since its first start: a server that was killed and came back does not begin anew."""
    if tournament.started is None or tournament.state is TournamentState.PAUSED:
        return None
    end = tournament.finished / 1000 if tournament.finished is not None else time.time()
    return max(0.0, end - tournament.started / 1000)


def never_came(store: Store, tournament: int, bots: Collection[str]) -> frozenset[str]:
    """Those of these bots, all without a result, for want of which a match was set aside."""
    found: set[str] = set()
    for match in store.matches.in_schedule_order(tournament, [MatchState.ABSENT]):
        found |= missing_from(match.reason).intersection(bots)
        if len(found) == len(bots):
            break
    return frozenset(found)


def score_of(match: StoredMatch, tournament: str) -> Score:
    """A stored result as the scoreboard takes it."""
    assert match.ordinal is not None
    return Score.of(
        tournament,
        match.ordinal,
        match.round or 0,
        tuple(seat.name for seat in match.seats),
        tuple(seat.rank or 0 for seat in match.seats),
        tuple(seat.score or 0 for seat in match.seats),
        [seat.fault for seat in match.seats],
        match.reason,
        tuple(seat.version for seat in match.seats),
    )


def notices(store: Store, tournament: int, aside: int, anew: Collection[int], repeated: str = "") -> list[str]:
    """What the host has ruled, which matches were dealt anew, the latest that were set aside, and that matches repeat,
    each in a sentence.
    """
    ruled = [told(ruling) for ruling in reversed(store.rulings.all(tournament))]
    said = [*ruled, dealt_anew(anew)] if anew else ruled
    last = [repeated] if repeated else []
    if not aside:
        return said + last
    missing = store.matches.last_set_aside(tournament, NOTICES)
    return said + [not_played(match) for match in missing if not (ruled and match.state is MatchState.VOID)] + last


def dealt_anew(ordinals: Collection[int]) -> str:
    """A sentence about matches that were dealt more than once."""
    first = sorted(ordinals)[:NOTICES]
    more = f" and {len(ordinals) - len(first)} more" if len(ordinals) > len(first) else ""
    which = f"match {first[0]} was" if len(ordinals) == 1 else f"matches {', '.join(map(str, first))}{more} were"
    return f"{which} dealt more than once: an earlier deal came to nothing"


def not_played(match: StoredMatch) -> str:
    """By the number that its name has, which counts from 0; rounds count from 1, so they are left out beside it."""
    return f"match {match.ordinal} was not played: {match.reason}"
