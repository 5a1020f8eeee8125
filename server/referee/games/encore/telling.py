"""The words of Encore et Encore!: what happened, what is asked, how it ended, as boards and replays say it."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore import events
from referee.rules.boards.seats import Names, ending
from referee.rules.boards.text import clean, listed, plural

BONUS_WORDS = {"special_die": "a special die", "heart": "a heart", "bomb": "a bomb"}


def told(view: pb.View, names: Sequence[str] | None = None) -> list[str]:
    """What happened, one line for each event."""
    called = Names(names)
    colours = dict(zip(view.sheet.colours, view.sheet.colour_names, strict=False))
    return [clean(_event(event, called, colours)) for event in view.events]


def standing(view: pb.View, names: Names) -> str:
    """Who is asked what, or how the match ended."""
    if view.ranks:
        return ending(view.ranks, view.reason, names)
    asked = names.all(view.asked)
    if view.question == pb.QUESTION_BOMB:
        return f"{asked}: a bomb to place"
    return f"{asked}: which dice?" if asked else ""


def about(view: pb.View, names: Names) -> str:
    """The roll and who is active."""
    if view.ranks:
        return plural(view.roll, "roll")
    return f"roll {view.roll} of {view.roll_limit} · {names[view.active]} is active"


def marked_lately(view: pb.View, seat: int) -> set[int]:
    """The boxes that a seat marked in the events of this view."""
    columns, rows = view.sheet.columns, view.sheet.rows
    lately = set()
    for event in view.events:
        if event.kind == events.MOVED and event.seat == seat:
            for word in event.text.split()[1:]:
                if len(word) == 2 and word[0] in columns and word[1] in rows:
                    lately.add(columns.index(word[0]) * len(rows) + rows.index(word[1]))
    return lately


def dice_taken(view: pb.View) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]], tuple[str, bool]]:
    """All dice as they were rolled, colours, numbers and the special one, each with whether it was taken."""
    special = view.rolled.special
    return (
        _taken(view.rolled.colours, view.dice.colours),
        _taken(view.rolled.numbers, view.dice.numbers),
        (special, special != view.dice.special),
    )


def complete(view: pb.View) -> bool:
    """Whether the view has a sheet that can be drawn: every view of a match has."""
    boxes = len(view.sheet.columns) * len(view.sheet.rows)
    masks = (view.sheet.stars, view.sheet.golden_dice, *(player.marked for player in view.players))
    per_column = (view.sheet.column_first, view.sheet.column_later, view.sheet.column_bonus)
    return (
        boxes > 0
        and len(view.sheet.boxes) == boxes
        and set(view.sheet.boxes) <= set(view.sheet.colours)
        and all(len(mask) == boxes and not mask.strip("01") for mask in masks)
        and all(len(values) == len(view.sheet.columns) for values in per_column)
        and len(view.sheet.row_bonus) == len(view.sheet.rows)
        and len(view.scores) == len(view.players)
    )


def _taken(rolled: Sequence[str], left: Sequence[str]) -> list[tuple[str, bool]]:
    remaining = list(left)
    shown = []
    for face in rolled:
        there = face in remaining
        if there:
            remaining.remove(face)
        shown.append((face, not there))
    return shown


def _event(event: pb.Event, names: Names, colours: dict[str, str]) -> str:
    who = names[event.seat] if event.HasField("seat") else ""
    match event.kind:
        case events.ROLLED:
            return f"roll {event.roll}: {who} rolls {event.text}"
        case events.MOVED:
            return f"{who} passes" if event.text == "pass" else f"{who}: {event.text}"
        case events.ROW:
            return f"{who} completes row {event.text}: {_gains(event)}"
        case events.COLUMN:
            return f"{who} completes column {event.text}: {_gains(event)}"
        case events.COLOUR:
            return f"{who} completes {colours.get(event.text, event.text)}: {_gains(event)}"
        case events.ENDED:
            return "the match is over"
    return f"{who} {event.kind}".strip()


def _gains(event: pb.Event) -> str:
    gains = [plural(event.points, "point")]
    if event.heart_points:
        gains.append(f"{event.heart_points} for hearts")
    if event.bonus:
        gains.append(BONUS_WORDS.get(event.bonus, event.bonus))
    return listed(gains)
