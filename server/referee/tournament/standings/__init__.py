"""Standings of a tournament from what is stored of it: to the last bit the same that the one who plays it shows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from referee.rules import registry
from referee.store import Counts, Match, MatchState, Store, Tournament, TournamentState
from referee.tournament.plan import Plan
from referee.tournament.ratings import RatingSettings
from referee.tournament.standings.scoreboard import Score, Scoreboard, outcome
from referee_leaderboard.standings import Playing, Standings, State

SET_ASIDE = [MatchState.ABSENT, MatchState.VOID]
SETTLED = [MatchState.FINISHED, *SET_ASIDE]
NOTICES = 5
"""Matches set aside that are mentioned, the latest ones."""


def empty_board(plan: Plan, bots: Sequence[str]) -> Scoreboard:
    """A scoreboard for this tournament, before its first result."""
    draws = plan.draw_probability
    if draws is None:  # created before it was noted
        draws = registry.find(plan.game).draw_probability
    return Scoreboard(RatingSettings(draw_probability=draws), bots, plan.players)


def fill(board: Scoreboard, store: Store, tournament: Tournament) -> None:
    """Put all stored results on a board."""
    for match in store.matches.in_schedule_order(tournament.id, SETTLED):
        enter(board, match, tournament.name)
    _note_latest(board, store, tournament)


def enter(board: Scoreboard, match: Match, tournament: str) -> None:
    """Put a settled match on a board."""
    assert match.ordinal is not None
    if match.state is MatchState.FINISHED:
        board.add(score_of(match, tournament))
    else:
        board.skip(match.ordinal)


def _note_latest(board: Scoreboard, store: Store, tournament: Tournament) -> None:
    """The results that came last, though they were read in schedule order."""
    board.latest.clear()
    for match in store.matches.latest(tournament.id, board.latest.maxlen or NOTICES):
        board.latest.append(outcome(score_of(match, tournament.name)))


def from_store(store: Store, name: str) -> Standings:
    """The standings of a tournament that is not being played by this program."""
    return Follower(store, name).update()


class Follower:
    """Follows a tournament that another program plays: every `update` reads only what is new since the last."""

    def __init__(self, store: Store, name: str, board: Scoreboard | None = None) -> None:
        """`board`, if there is one, holds results of this tournament already; it belongs to the follower then."""
        self._store = store
        self._name = name
        self._plan = Plan.of(store.tournaments.get(name))
        self._board = board or empty_board(self._plan, ())
        self._complete = -1  # up to this ordinal everything is entered
        self._began: tuple[float, int] | None = None

    def update(self) -> Standings:
        """The standings now."""
        store = self._store
        tournament = store.tournaments.get(self._name)
        for entrant in store.tournaments.entrants(tournament.id):
            self._board.join(entrant.name)
        before = self._board.matches
        counts = self._read(tournament)
        if self._board.matches != before:
            _note_latest(self._board, store, tournament)
        total = counts.total
        now, done = time.monotonic(), self._board.matches + self._board.aside
        if self._began is None:
            self._began = (now, done)
        watched, fresh = now - self._began[0], done - self._began[1]
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
            notices=notices(store, tournament.id) if counts.absent or counts.void else (),
        )

    def _read(self, tournament: Tournament) -> Counts:
        """Enter what is new. A bot that came back gets its matches back: then everything is read again."""
        store = self._store
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
            bots = [entrant.name for entrant in store.tournaments.entrants(tournament.id)]
            self._board, self._complete = empty_board(self._plan, bots), -1


def assemble(
    tournament: Tournament,
    plan: Plan,
    board: Scoreboard,
    *,
    total: int,
    playing: Sequence[Playing] = (),
    busy: int = 0,
    speed: float | None = None,
    absent: Mapping[str, float] | None = None,
    notices: Sequence[str] = (),
) -> Standings:
    """The standings value of a tournament at this moment; `busy` matches are being played, some of them shown."""
    done = board.matches + board.aside
    state = State(tournament.state.value)
    # What a cancelled tournament has not played, it never will: its standings are final too.
    open_matches = 0 if state is State.CANCELLED else max(0, total - done)
    return Standings(
        tournament=tournament.name,
        game=plan.game,
        players=plan.players,
        state=state,
        provisional=open_matches > 0,
        rounds=plan.rounds or 0,
        matches_done=done,
        matches_total=total,
        matches_set_aside=board.aside,
        matches_playing=max(busy, len(playing)),
        started=tournament.started / 1000 if tournament.started else None,
        elapsed=lasted(tournament),
        matches_per_second=speed,
        eta=open_matches / speed if speed and state is State.RUNNING else None,
        digest="" if open_matches > 0 else board.digest(),
        rows=board.rows(absent),
        playing=tuple(playing),
        latest=tuple(board.latest),
        crosstable=board.crosstable(),
        seats=board.seats(),
        notices=tuple(notices),
    )


def lasted(tournament: Tournament) -> float | None:
    """Seconds since its first start: a server that was killed and came back does not begin anew."""
    if tournament.started is None or tournament.state is TournamentState.PAUSED:
        return None
    end = tournament.finished / 1000 if tournament.finished is not None else time.time()
    return max(0.0, end - tournament.started / 1000)


def score_of(match: Match, tournament: str) -> Score:
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
    )


def notices(store: Store, tournament: int) -> list[str]:
    """The latest matches that were set aside, each in a sentence."""
    return [not_played(match) for match in store.matches.last_set_aside(tournament, NOTICES)]


def not_played(match: Match) -> str:
    return f"match {match.ordinal} of round {match.round} was not played: {match.reason}"
