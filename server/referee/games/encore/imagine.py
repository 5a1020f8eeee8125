"""A match of Encore et Encore! imagined from a view: all sheets and dice are open, so only later rolls are drawn."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.choices import ACTIVE, BOMBS, EVERYBODY, OTHERS
from referee.games.encore.dice import Rolls
from referee.games.encore.events import COLOUR, COLUMN, ENDED, MOVED, ROLLED, ROW, Event
from referee.games.encore.moves import ACTION_WORDS, PASS, PASSING, Move, pair
from referee.games.encore.paper import Paper
from referee.games.encore.shapes import BOXES, HEIGHT, beside
from referee.games.encore.sheet import Sheet, sheet_for
from referee.games.encore.sheet_file import STANDARD, check_sheet, standard_sheet
from referee.games.encore.state import SHARED_ROLLS, EncoreState
from referee.rules.chance import Chance
from referee.rules.game import Result
from referee.rules.log import Log


def imagine(view: pb.View, chance: Chance) -> EncoreState:
    """A match that looks like this view; it goes on with rolls drawn from `chance`."""
    sheet = _sheet(view.sheet.SerializeToString())
    players = len(view.players)
    state = EncoreState.__new__(EncoreState)
    state.players = players
    state.sheet = sheet
    state.chance = chance
    state.papers = [_paper(sheet, player) for player in view.players]
    state.rolls = Rolls(sheet.colour_names, len(view.rolled.colours))
    state.roll_limit = view.roll_limit
    state.rows_taken = _bits(sheet.row_letters, view.rows_taken)
    state.columns_taken = _bits(sheet.column_letters, view.columns_taken)
    state.colours_taken = _bits(sheet.colour_letters, view.colours_taken)
    state.log = Log.told(players, [_event(sheet, event) for event in view.events])
    state.ended = Result(tuple(view.ranks), tuple(view.scores), view.reason) if view.ranks else None
    state.shown = b""
    state.roll = view.roll
    state.rolled = (*view.rolled.colours, *view.rolled.numbers, view.rolled.special)
    state.colour_dice = tuple([sheet.colour_faces[word] for word in view.dice.colours])
    state.number_dice = tuple([sheet.number_faces[word] for word in view.dice.numbers])
    state.special_die = ACTION_WORDS[view.dice.special] if view.dice.special else PASS
    state.taken = _taken(sheet, view)
    state.asked = tuple(view.asked)
    state.active = view.active
    state.phase = _phase(view)
    return state


def _phase(view: pb.View) -> int:
    if view.question == pb.QUESTION_BOMB:
        return BOMBS
    if view.roll <= SHARED_ROLLS:
        return EVERYBODY
    return ACTIVE if list(view.asked) == [view.active] else OTHERS


def _taken(sheet: Sheet, view: pb.View) -> Move:
    """Which dice the active player has removed; which boxes he marked with them, nobody asks any more."""
    if view.rolled.special != view.dice.special:
        return Move(ACTION_WORDS[view.rolled.special], 0)
    colours, numbers = list(view.rolled.colours), list(view.rolled.numbers)
    for word in view.dice.colours:
        colours.remove(word)
    for word in view.dice.numbers:
        numbers.remove(word)
    return Move(pair(sheet.colour_faces[colours[0]], sheet.number_faces[numbers[0]]), 0) if colours else PASSING


def _paper(sheet: Sheet, player: pb.Player) -> Paper:
    paper = Paper(sheet)
    if len(player.marked) != BOXES:
        raise ValueError(f"a sheet has {BOXES} boxes, not {len(player.marked)}")
    paper.marked = marked = int(player.marked[::-1], 2)
    paper.near = beside(marked) & ~marked
    paper.marks = player.exclamation_marks
    paper.circled = player.special_dice + player.special_dice_used
    paper.used = player.special_dice_used
    paper.hearts = player.hearts
    paper.bombs_owed = player.bombs_owed
    paper.rows = _bits(sheet.row_letters, player.rows)
    paper.columns = _bits(sheet.column_letters, player.columns)
    paper.colours = _bits(sheet.colour_letters, player.colours)
    paper.row_points = player.row_points
    paper.column_points = player.column_points
    paper.heart_points = player.heart_points
    paper.colour_points = player.colour_points
    paper.unused_roll_points = player.unused_roll_points
    return paper


def _bits(letters: str, some: str) -> int:
    return sum(1 << letters.index(letter) for letter in some)


def _event(sheet: Sheet, event: pb.Event) -> Event:
    kind, seat, text = event.kind, event.seat, event.text
    if kind == MOVED:
        return kind, seat, sheet.notation.parse(text)
    if kind == ROLLED:
        return kind, seat, event.roll, tuple(text.split(" "))
    if kind == ROW:
        return kind, seat, sheet.row_letters.index(text), event.points, event.bonus
    if kind == COLUMN:
        return kind, seat, sheet.column_letters.index(text), event.points, event.bonus, event.heart_points
    if kind == COLOUR:
        return kind, seat, sheet.colour_letters.index(text), event.points
    if kind != ENDED:
        raise ValueError(f"it tells an event of the unknown kind {kind}")
    return (kind,)


@lru_cache(maxsize=16)
def _sheet(shown: bytes) -> Sheet:
    """The printed sheet that views show; the usual one is the one that all matches share."""
    printed = pb.Sheet.FromString(shown)
    content = {
        "name": printed.name,
        "columns": printed.columns,
        "rows": printed.rows,
        "start_column": printed.start_column,
        "colours": dict(zip(printed.colours, printed.colour_names, strict=True)),
        "grid": [printed.boxes[row::HEIGHT] for row in range(HEIGHT)],
        "stars": _names(printed, printed.stars),
        "golden_dice": _names(printed, printed.golden_dice),
        "column_first": list(printed.column_first),
        "column_later": list(printed.column_later),
        "column_bonus": _bonuses(printed.columns, printed.column_bonus),
        "row_bonus": _bonuses(printed.rows, printed.row_bonus),
        "row_points": printed.row_points,
        "colour_first": printed.colour_first,
        "colour_later": printed.colour_later,
        "exclamation_marks": printed.exclamation_marks,
        "special_dice": printed.special_dice,
        "special_dice_circled": 0,  # matters at the beginning only: later every player's sheet tells it
        "hearts": printed.hearts,
        "star_penalty": printed.star_penalty,
        "unused_mark_points": printed.unused_mark_points,
        "unused_die_points": printed.unused_die_points,
    }
    if _sorted(content) == _sorted(standard_sheet() | {"special_dice_circled": 0}):
        return sheet_for(STANDARD)
    return sheet_for(check_sheet(content))


def _sorted(content: dict[str, Any]) -> dict[str, Any]:
    """The same content, with lists whose order means nothing in order."""
    return content | {key: sorted(content[key]) for key in ("stars", "golden_dice")}


def _names(printed: pb.Sheet, bits: str) -> list[str]:
    return [
        printed.columns[number // HEIGHT] + printed.rows[number % HEIGHT]
        for number, bit in enumerate(bits)
        if bit == "1"
    ]


def _bonuses(letters: str, bonuses: Iterable[str]) -> dict[str, str]:
    return {letter: bonus for letter, bonus in zip(letters, bonuses, strict=True) if bonus}
