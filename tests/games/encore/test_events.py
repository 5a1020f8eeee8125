"""What is told of a match: the kinds of events, from when they are news, and what they say."""

from __future__ import annotations

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore import GAME, events
from referee.games.encore.sheet import sheet_for
from referee.games.encore.state import EncoreState
from referee.rules.chance import Scripted

SHEET = sheet_for("standard")


def seen(state: EncoreState, seat: int | None) -> pb.View:
    view = state.view(seat)
    assert isinstance(view, pb.View)
    return view


def started(players: int, *rolls: str, first: int = 0) -> EncoreState:
    state = GAME.start(players, chance=Scripted({"rolls": rolls, "first": [first]}, GAME.labels))
    assert isinstance(state, EncoreState)
    return state


def play(state: EncoreState, *moves: str) -> None:
    state.play({seat: state.parse(text) for seat, text in zip(state.pending(), moves, strict=True)})


def test_every_kind_of_event_has_its_name() -> None:
    kinds = {name.removeprefix("EVENT_KIND_"): kind for name, kind in pb.EventKind.items() if kind}
    assert {name: getattr(events, name) for name in kinds} == kinds


def test_an_event_is_written_as_a_view_that_tells_nothing_else() -> None:
    written = pb.View.FromString(events.wire(SHEET, (events.MOVED, 1, SHEET.notation.parse("green 2 HP IP"))))
    assert written == pb.View(events=[pb.Event(kind=pb.EVENT_KIND_MOVED, seat=1, text="green 2 HP IP")])


def test_events_tell_what_happened_since_the_seat_decided() -> None:
    rolls = ["green pink pink 1 2 3 heart", "orange blue blue 1 2 3 bomb"]
    state = started(2, *rolls)
    [rolled] = seen(state, 0).events
    assert (rolled.kind, rolled.seat, rolled.roll, rolled.text) == (pb.EVENT_KIND_ROLLED, 0, 1, rolls[0])
    play(state, "green 2 HP IP", "pass")
    told = [(event.kind, event.seat, event.text) for event in seen(state, 1).events]
    assert told == [
        (pb.EVENT_KIND_MOVED, 0, "green 2 HP IP"),
        (pb.EVENT_KIND_MOVED, 1, "pass"),
        (pb.EVENT_KIND_ROLLED, 1, rolls[1]),
    ]
    assert seen(state, None).events == seen(state, 1).events


def test_events_tell_what_a_roll_brought() -> None:
    state = started(2, "pink pink pink 1 1 1 heart")
    state.papers[0].mark(SHEET.rows[0][2] | SHEET.columns[7][2] | SHEET.colours[0][2] | SHEET.colours[1][2])
    state.papers[0].hearts = 2
    play(state, "pass", "pass")
    view = seen(state, 1)
    brought = [event for event in view.events if event.kind not in (pb.EVENT_KIND_MOVED, pb.EVENT_KIND_ROLLED)]
    assert [(e.kind, e.text, e.points, e.bonus, e.heart_points) for e in brought] == [
        (pb.EVENT_KIND_ROW, "P", 5, "special_die", 0),
        (pb.EVENT_KIND_COLUMN, "H", 2, "special_die", 2),
        (pb.EVENT_KIND_COLOUR, "P", 5, "", 0),
        (pb.EVENT_KIND_COLOUR, "O", 5, "", 0),
        (pb.EVENT_KIND_ENDED, "", 0, "", 0),
    ]
    assert view.reason == "two_colours"
    assert list(view.ranks) == [1, 2]
    assert list(view.asked) == []
    assert view.question == pb.QUESTION_UNSPECIFIED
    assert not view.events[-1].HasField("seat")
