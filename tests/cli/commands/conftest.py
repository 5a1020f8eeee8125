"""A database with matches that were played: a tournament with a forfeit in it, practice, and a log of a hosted bot."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from referee.match.match import Match
from referee.match.player import Question
from referee.match.seat_log import Chunk, SeatLog
from referee.rules import registry
from referee.rules.game import Seat
from referee.store import MatchState, NewEntrant, NewTournament, Store, StoredMatch, TournamentState
from referee.tournament.running.ended import result_of
from referee.tournament.running.played import Played

BOTS = ("ada", "bob", "cy")


class Player:
    """Answers from outside."""

    wants_legal = True

    def __init__(self, name: str, asked: list[Question]) -> None:
        self.name = name
        self._asked = asked

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None:
        self._asked.append(question)

    def rejected(self, match: Match, rejected: object) -> None: ...

    def ended(self, match: Match, ending: object) -> None: ...


def play(id: str, game: str, names: list[str], *, blunder: bool = False) -> Match:
    """A whole match; with `blunder`, seat 1 first tries a move that is none, and resigns at the ninth question."""
    asked: list[Question] = []
    chosen, now = registry.find(game), 10.0
    players: Any = [Player(name, asked) for name in names]
    match = Match(id, chosen, players, chosen.resolve_options({}), id.encode().ljust(32, b"."))
    match.start()
    tried = False
    while match.ending is None:
        question = asked.pop(0)
        if not question.open:
            continue
        question.left(now)
        now += 0.004
        if blunder and question.seat == 1 and not tried:
            tried = True
            match.answer(1, question.number, "dance", now)
        if blunder and question.seat == 1 and question.number > 8:
            match.resign(1, "lost heart")
            continue
        move = question.legal[0 if question.number % 5 < 3 else -1]
        match.answer(question.seat, question.number, move, now)
    return match


@pytest.fixture
def league(tmp_path: Path, played_once: Path) -> Path:
    """A database with `league` (0 and 1 finished, bob resigned in 1; 2 absent; 3 open) and a practice match of STOP!"""
    return Path(shutil.copy(played_once, tmp_path / "league.db"))


@pytest.fixture(scope="session")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("league") / "league.db"
    with Store.open(path) as store:
        entrants = [NewEntrant(store.bots.ensure_house(name).id, name) for name in BOTS]
        new = NewTournament("league", "flip7", "1", 3, {}, bytes(32))
        made = store.tournaments.create(new, entrants, [_Table(round, 1, (0, 1, 2)) for round in range(1, 5)])
        store.tournaments.set_state(made.id, TournamentState.RUNNING)
        rows = list(store.matches.in_schedule_order(made.id))
        for row in rows[:2]:
            assert store.matches.claim(row.id) == 1
            _report(store, row, f"league/{row.ordinal}", "flip7", blunder=row.ordinal == 1)
        store.matches.set_aside(rows[2].id, MatchState.ABSENT, "cy was not there")
        practice = store.matches.add_practice("stop", "1", entrants, {})
        _report(store, practice, f"practice/{practice.id}", "stop")
    return path


def _report(store: Store, row: StoredMatch, id: str, game: str, *, blunder: bool = False) -> None:
    match = play(id, game, list(BOTS), blunder=blunder)
    assert match.ending is not None
    logs = (SeatLog.of_chunks(1, [Chunk(1, 1, b"what to do?\n  no idea\n")]).pack(),) if blunder else ()
    own = Played.of(match, match.ending)
    played = Played(own.ending, own.record, own.seats, logs=logs)
    assert store.matches.report(result_of(row.id, 1, match.seed, played))


class _Table:
    def __init__(self, round: int, table: int, seats: tuple[int, ...]) -> None:
        self.round = round
        self.table = table
        self.seats = seats
