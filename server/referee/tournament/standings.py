"""Standings of a tournament from what is stored of it: the same value, to the last bit, that the one who plays it
shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee_leaderboard.standings import Playing, Standings, State

from referee.rules import registry
from referee.store import Fault, Match, MatchState, Store, Tournament
from referee.tournament.plan import Plan
from referee.tournament.ratings import RatingSettings
from referee.tournament.scoreboard import Score, Scoreboard

SETTLED = [MatchState.FINISHED, MatchState.ABSENT, MatchState.VOID]


def empty_board(plan: Plan, bots: Sequence[str]) -> Scoreboard:
    """A scoreboard for this tournament, before its first result."""
    game = registry.find(plan.game)
    return Scoreboard(RatingSettings(draw_probability=game.draw_probability), bots, plan.players)


def fill(board: Scoreboard, store: Store, tournament: Tournament) -> int:
    """Put all stored results on a board; returns how many matches were set aside without one."""
    aside = 0
    for match in store.matches.in_schedule_order(tournament.id, SETTLED):
        aside += _enter(board, match, tournament.name)
    return aside


def from_store(store: Store, name: str) -> Standings:
    """The standings of a tournament that is not being played by this program."""
    return Follower(store, name).update()


class Follower:
    """Follows a tournament that another program plays: every `update` reads only what is new since the last."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = store.tournaments.get(name).name
        tournament = store.tournaments.get(name)
        self._plan = Plan.of(tournament)
        self._board = empty_board(self._plan, ())
        self._aside = 0
        self._complete = -1  # up to this ordinal everything is entered
        self._entered: set[int] = set()

    def update(self) -> Standings:
        """The standings now."""
        store = self._store
        tournament = store.tournaments.get(self._name)
        for entrant in store.tournaments.entrants(tournament.id):
            self._board.join(entrant.name)
        first_open = store.matches.first_open(tournament.id)
        for match in store.matches.in_schedule_order(tournament.id, SETTLED, after=self._complete):
            assert match.ordinal is not None
            if match.ordinal not in self._entered:
                self._entered.add(match.ordinal)
                self._aside += _enter(self._board, match, self._name)
        counts = store.tournaments.counts(tournament.id)
        self._complete = (counts.total if first_open is None else first_open) - 1
        self._entered = {ordinal for ordinal in self._entered if ordinal > self._complete}
        playing = [
            Playing(f"{self._name}/{match.ordinal}", match.round or 0, tuple(seat.name for seat in match.seats))
            for match in store.matches.in_schedule_order(tournament.id, [MatchState.PLAYING])
        ]
        absent = list(store.matches.in_schedule_order(tournament.id, [MatchState.ABSENT]))[-5:]
        elapsed = None
        if tournament.started is not None and tournament.finished is not None:
            elapsed = (tournament.finished - tournament.started) / 1000
        return assemble(
            tournament,
            self._plan,
            self._board,
            total=counts.total,
            aside=self._aside,
            playing=playing,
            elapsed=elapsed,
            notices=[absence_note(match) for match in absent],
        )


def _enter(board: Scoreboard, match: Match, tournament: str) -> int:
    """Put a settled match on a board; 1 if it has no result."""
    assert match.ordinal is not None
    if match.state is MatchState.FINISHED:
        board.add(score_of(match, tournament))
        return 0
    board.skip(match.ordinal)
    return 1


def assemble(
    tournament: Tournament,
    plan: Plan,
    board: Scoreboard,
    *,
    total: int,
    aside: int,
    playing: Sequence[Playing] = (),
    elapsed: float | None = None,
    speed: float | None = None,
    absent: Mapping[str, float] | None = None,
    notices: Sequence[str] = (),
) -> Standings:
    """The standings value of a tournament at this moment."""
    done = board.matches + aside
    open_matches = total - done
    state = State(tournament.state.value)
    return Standings(
        tournament=tournament.name,
        game=plan.game,
        players=plan.players,
        state=state,
        provisional=open_matches > 0,
        rounds=plan.rounds or 0,
        matches_done=done,
        matches_total=total,
        started=tournament.started / 1000 if tournament.started else None,
        elapsed=elapsed,
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


def score_of(match: Match, tournament: str) -> Score:
    """A stored result as the scoreboard takes it."""
    assert match.ordinal is not None
    return Score(
        match.ordinal,
        f"{tournament}/{match.ordinal}",
        match.round or 0,
        tuple(seat.name for seat in match.seats),
        tuple(seat.rank or 0 for seat in match.seats),
        tuple(seat.score or 0 for seat in match.seats),
        tuple("" if seat.fault in (None, Fault.FINISHED) else str(seat.fault) for seat in match.seats),
        match.reason,
    )


def absence_note(match: Match) -> str:
    return f"match {match.ordinal} of round {match.round} was not played: {match.reason}"
