"""Laws of a match: whatever happens, in whatever order."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Rejected
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.rules.record import Record, replayed

from .conftest import Room, Scripted

TABLES = [("flip7", 3), ("stop_me_go", 3), ("stop", 3), ("encore", 1)]
EVENT = st.one_of(
    st.tuples(st.just("send"), st.integers(0, 2)),
    st.tuples(st.just("move"), st.integers(0, 2), st.integers(0, 5)),
    st.tuples(st.just("move"), st.integers(0, 2), st.integers(0, 5)),
    st.tuples(st.just("move"), st.integers(0, 2), st.integers(0, 5)),
    st.tuples(st.just("say"), st.integers(0, 2), st.text(max_size=8)),
    st.tuples(st.just("number"), st.integers(0, 2), st.integers(0, 12)),
    st.tuples(st.just("wait"), st.sampled_from([0.1, 1.1, 4.0])),
    st.tuples(st.just("sleep"), st.sampled_from([0.3, 2.0])),
    st.tuples(st.just("away"), st.integers(0, 2)),
    st.tuples(st.just("back"), st.integers(0, 2)),
    st.tuples(st.just("resign"), st.integers(0, 2)),
    st.tuples(st.just("break_off")),
)


class Honest(Scripted):
    """Checks that a refused answer has changed nothing."""

    room: Room | None = None
    before: list[bytes]

    def rejected(self, match: Match, rejected: Rejected) -> None:
        super().rejected(match, rejected)
        assert self.room is not None
        assert self.room.views() == self.before


def carry_out(room: Room, event: tuple[Any, ...]) -> None:
    kind, *rest = event
    seat = rest[0] % len(room.players) if rest and isinstance(rest[0], int) else 0
    player = room.players[seat]
    match = room.match
    if kind == "send" and player.questions:
        room.send(seat)
    elif kind == "move" and player.questions and player.question.legal:
        room.send(seat)
        room.say(seat, player.question.legal[rest[1] % len(player.question.legal)])
    elif kind == "say" and player.questions:
        room.say(seat, rest[1])
    elif kind == "number":
        room.say(seat, "go", rest[1])
    elif kind == "wait":
        room.wait(rest[0])
    elif kind == "sleep":
        room.wait(rest[0], beats=False)
        room.wake()
    elif kind == "away":
        match.away(seat, room.now)
    elif kind == "back":
        match.back(seat, room.now)
    elif kind == "resign":
        match.resign(seat)
    elif kind == "break_off":
        match.break_off("enough")


def keeps_the_laws(room: Room) -> None:
    for chair in room.match._chairs:
        assert chair.bank >= 0
        assert chair.strikes <= 3
    ending = room.match.ending
    if ending is not None:
        assert room.match.deadline is None
        assert room.asked == ()


def is_well_formed(ending: Ending) -> None:
    for rank in ending.ranks:
        assert rank == 1 + sum(other < rank for other in ending.ranks)
    if not ending.void:
        finished = [ending.ranks[s] for s, how in enumerate(ending.terminations) if how is Termination.FINISHED]
        others = [ending.ranks[s] for s, how in enumerate(ending.terminations) if how is not Termination.FINISHED]
        assert max(finished, default=0) < min(others, default=99)
    for how, text in zip(ending.terminations, ending.texts, strict=True):
        assert bool(text) == (how is not Termination.FINISHED)


def let_time_pass(room: Room) -> Ending:
    """Nobody says anything any more."""
    for _ in range(3000):
        if room.match.ending is not None:
            return room.match.ending
        for seat in room.asked:
            room.send(seat)
        room.now += 3.0
        room.lag._expected = room.now  # the heartbeat was in time all along
        room.wake()
    raise AssertionError("the match does not end")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TABLES), st.lists(EVENT, max_size=60))
def test_whatever_happens_a_match_ends_with_a_well_formed_result(
    table: tuple[str, int], events: list[tuple[Any, ...]]
) -> None:
    game = registry.find(table[0])
    players = [Honest(f"bot{seat}") for seat in range(table[1])]
    room = Room(game, list(players), TimeControl(1.0, 3.0, 3, 5.0))
    for player in players:
        player.room = room
    for event in events:
        views = room.views()
        for player in players:
            player.before = views
        carry_out(room, event)
        keeps_the_laws(room)
    ending = let_time_pass(room)
    is_well_formed(ending)
    keeps_the_laws(room)
    assert all(len(player.endings) == 1 for player in players)
    paper = json.loads(room.match.record())
    record = Record.from_bytes(json.dumps(paper["record"]).encode())
    if not ending.void:
        assert replayed(game, record).to_bytes() == record.to_bytes()
        decided = sum(len(times) for times in paper["times_ms"])
        assert decided == sum(log.decisions for log in room.match.transcript.seats)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(TABLES[:3]), st.lists(st.integers(0, 2), max_size=40), st.floats(0, 0.9))
def test_interruptions_within_the_grace_change_nothing(
    table: tuple[str, int], interruptions: list[int], thought: float
) -> None:
    """The same moves give the same record, however often connections break."""

    def play(breaks: list[int]) -> bytes:
        room = Room(
            registry.find(table[0]),
            [Scripted(f"bot{seat}") for seat in range(table[1])],
            TimeControl(1.0, 1.0, 3, 5.0),
        )
        rest = iter(breaks)
        while room.match.ending is None:
            for seat in room.asked:
                lost = next(rest, None)
                if lost is not None:
                    room.send(seat)
                    room.match.away(lost, room.now)
                    room.now += 0.01
                    room.match.back(lost, room.now)
                if room.is_asked(seat):
                    room.answer(seat, after=thought if lost is not None else 0.0)
        assert set(room.match.ending.terminations) == {Termination.FINISHED}
        return room.match.table.record().to_bytes()

    assert play(interruptions) == play([])
