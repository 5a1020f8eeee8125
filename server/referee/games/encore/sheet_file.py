"""Reading a sheet: from a file or a table, checked so that every fault is named with its place.

The option `sheet` resolves to plain JSON: the word `standard` for the sheet that ships with the game, else the whole
content, so that a record replays anywhere. A table may come from a stranger: every length is checked before what is in
it, so that any table is judged quickly.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from referee.games.encore.moves import COLOURS, RESERVED
from referee.games.encore.shapes import BOXES, HEIGHT, WIDTH, numbers, regions
from referee.rules.files import NO_FILES, Files, Missing
from referee.rules.spelling import brief

STANDARD = "standard"
BONUSES = ("special_die", "bomb", "heart")
"""The kinds of bonus a row or a column may carry."""
MOST = 1000
"""No count and no value on a sheet is larger."""
LONGEST_NAME = 64
"""Characters in the name of a sheet."""
LONGEST_COLOUR = 24
"""Characters in the name of a colour."""
LARGEST_FILE = 64 << 10
"""Bytes of a sheet file; the one that ships with the game has about a thousand."""

WHOLE_NUMBERS = (
    "row_points",
    "colour_first",
    "colour_later",
    "exclamation_marks",
    "special_dice",
    "special_dice_circled",
    "hearts",
    "star_penalty",
    "unused_mark_points",
    "unused_die_points",
)
KEYS = (
    "name",
    "columns",
    "rows",
    "start_column",
    "colours",
    "grid",
    "stars",
    "golden_dice",
    "column_first",
    "column_later",
    "column_bonus",
    "row_bonus",
    *WHOLE_NUMBERS,
)


def read_sheet(value: Any, files: Files) -> Any:
    """The resolved value of the option `sheet`, or ValueError with one sentence about what is wrong and where."""
    if value == STANDARD:
        return STANDARD
    if isinstance(value, Mapping):
        return check_sheet(value)
    if files is NO_FILES:
        raise ValueError(
            f"must be {STANDARD!r} or the sheet itself as a table, not {brief(value)}; "
            "a sheet file is read only where a person names it on the command line"
        )
    if isinstance(value, str):
        return _read_file(value, files)
    raise ValueError(f"must be {STANDARD!r}, the path of a sheet file, or a table of the same form, not {brief(value)}")


@cache
def standard_sheet() -> dict[str, Any]:
    """The content of the sheet that ships with the game."""
    text = (Path(__file__).parent / "standard_sheet.json").read_text(encoding="utf-8")
    return check_sheet(json.loads(text))


def check_sheet(content: Mapping[str, Any]) -> dict[str, Any]:
    """The same content with its keys in order, or ValueError naming the rule that is broken and the place."""
    for key in content:
        _want(key in KEYS, f"unknown key {brief(key)}; a sheet has: {', '.join(KEYS)}")
    for key in KEYS:
        _want(key in content, f"the key {key!r} is missing")
    sheet = {key: content[key] for key in KEYS}
    name = sheet["name"]
    _want(
        isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable(),
        f"'name' must be a word or two, {LONGEST_NAME} characters at most",
    )
    for key in WHOLE_NUMBERS:
        _want(_is_count(sheet[key]), f"{key!r} must be a whole number from 0 to {MOST}, not {brief(sheet[key])}")
    _want(
        sheet["special_dice_circled"] <= sheet["special_dice"],
        f"{sheet['special_dice_circled']} special dice are circled at the start, of {sheet['special_dice']}",
    )
    _check_letters("columns", sheet["columns"], WIDTH)
    _check_letters("rows", sheet["rows"], HEIGHT)
    columns, rows = sheet["columns"], sheet["rows"]
    start = sheet["start_column"]
    _want(
        isinstance(start, str) and len(start) == 1 and start in columns, f"'start_column': {brief(start)} is no column"
    )
    for key in ("column_first", "column_later"):
        _check_column_values(key, sheet[key], columns)
    _check_bonuses("column_bonus", sheet["column_bonus"], columns)
    _check_bonuses("row_bonus", sheet["row_bonus"], rows)
    _check_colours(sheet["colours"])
    _check_grid(sheet["grid"], sheet["colours"], rows)
    names = [column + row for column in columns for row in rows]
    for key in ("stars", "golden_dice"):
        _check_boxes(key, sheet[key], names)
    _check_blocks(sheet, names)
    _check_stars(sheet)
    return sheet


def _read_file(name: str, files: Files) -> dict[str, Any]:
    try:
        text = files.read_text(name, "sheet file", LARGEST_FILE)
    except Missing as error:
        raise ValueError(f"{error}: give the path of one, or {STANDARD!r} for the usual sheet") from None
    try:
        content = json.loads(text, object_pairs_hook=_no_key_twice)
        _want(isinstance(content, dict), "it must hold one table (a JSON object)")
        return check_sheet(content)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"the sheet file {name!r} is not JSON: line {error.lineno} column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise ValueError(f"the sheet file {name!r} is not a sheet: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the sheet file {name!r}: {error}") from None


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {brief(twice)} is there twice")
    return table


def _want(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def _check_letters(key: str, letters: Any, count: int) -> None:
    _want(
        isinstance(letters, str) and len(letters) == count,
        f"{key!r} must be {count} letters, one for each, not {brief(letters)}",
    )
    for letter in letters:
        _want(letter.isalnum(), f"{key!r}: {letter!r} is neither a letter nor a digit")
        _want(letters.count(letter) == 1, f"{key!r}: the letter {letter!r} is there twice")


def _check_column_values(key: str, values: Any, columns: str) -> None:
    _want(
        isinstance(values, list) and len(values) == WIDTH,
        f"{key!r} must be a list of {WIDTH} whole numbers, one for each column",
    )
    for column, value in zip(columns, values, strict=True):
        _want(
            _is_count(value), f"{key!r}: column {column} must have a whole number from 0 to {MOST}, not {brief(value)}"
        )


def _check_bonuses(key: str, bonuses: Any, letters: str) -> None:
    what = key.removesuffix("_bonus")
    _want(isinstance(bonuses, Mapping), f"{key!r} must be a table of {what}s and their bonus")
    for letter, bonus in bonuses.items():
        _want(
            isinstance(letter, str) and len(letter) == 1 and letter in letters, f"{key!r}: {brief(letter)} is no {what}"
        )
        _want(
            isinstance(bonus, str) and bonus in BONUSES,
            f"{key!r}: {what} {letter} has the unknown bonus {brief(bonus)}; there are: {', '.join(BONUSES)}",
        )


def _check_colours(colours: Any) -> None:
    _want(
        isinstance(colours, Mapping) and len(colours) == COLOURS,
        f"'colours' must be a table of {COLOURS} letters and the names of their colours",
    )
    for letter, name in colours.items():
        _want(
            isinstance(letter, str) and len(letter) == 1 and letter.isalnum(),
            f"'colours': {brief(letter)} is not one letter",
        )
        _want(
            isinstance(name, str) and name.islower() and name.replace("-", "").replace("_", "").isalpha(),
            f"'colours': {letter} must be named by a word in small letters, not {brief(name)}",
        )
        _want(
            len(name) <= LONGEST_COLOUR,
            f"'colours': {letter} must be named by {LONGEST_COLOUR} letters at most, not {brief(name)}",
        )
        _want(name not in RESERVED, f"'colours': {letter} cannot be named {name!r}, a word that moves use")
        _want(list(colours.values()).count(name) == 1, f"'colours': two letters are named {name!r}")


def _check_grid(grid: Any, colours: Mapping[str, str], rows: str) -> None:
    _want(isinstance(grid, list) and len(grid) == HEIGHT, f"'grid' must be a list of {HEIGHT} rows")
    for row, boxes in zip(rows, grid, strict=True):
        _want(
            isinstance(boxes, str) and len(boxes) == WIDTH,
            f"'grid': row {row} must be a text of {WIDTH} colour letters, not {brief(boxes)}",
        )
        for letter in boxes:
            _want(letter in colours, f"'grid': row {row} has {letter!r}, which is none of the colours")


def _check_boxes(key: str, boxes: Any, names: list[str]) -> None:
    _want(isinstance(boxes, list), f"{key!r} must be a list of boxes")
    _want(len(boxes) <= BOXES, f"{key!r} must be a list of boxes, {BOXES} at most, not {len(boxes)}")
    known, seen = frozenset(names), set[str]()
    for box in boxes:
        _want(isinstance(box, str) and box in known, f"{key!r}: {brief(box)} is no box")
        _want(box not in seen, f"{key!r}: the box {box} is there twice")
        seen.add(box)


def _check_blocks(sheet: Mapping[str, Any], names: list[str]) -> None:
    """21 boxes of each colour, in blocks of 1 to 6 boxes, each size once."""
    wanted = BOXES // COLOURS
    for letter, colour in sheet["colours"].items():
        boxes = sum(
            1 << number for number in range(BOXES) if sheet["grid"][number % HEIGHT][number // HEIGHT] == letter
        )
        count = boxes.bit_count()
        _want(count == wanted, f"{colour} has {count} boxes, {wanted} are wanted")
        by_size: dict[int, str] = {}
        for block in regions(boxes):
            size = block.bit_count()
            where = " ".join(names[number] for number in numbers(block))
            _want(size <= 6, f"a {colour} block has {size} boxes, 6 at most are wanted: {where}")
            boxes_of_each = "1 box" if size == 1 else f"{size} boxes"
            _want(size not in by_size, f"two {colour} blocks of {boxes_of_each}: {by_size.get(size)}, and {where}")
            by_size[size] = where


def _check_stars(sheet: Mapping[str, Any]) -> None:
    """One star in each column, three of each colour."""
    columns, rows, grid, stars = sheet["columns"], sheet["rows"], sheet["grid"], sheet["stars"]
    for column in columns:
        here = [star for star in stars if star[0] == column]
        places = f" ({', '.join(here)})" if here else ""
        _want(
            len(here) == 1,
            f"column {column} has {len(here) or 'no'} star{'s' if len(here) > 1 else ''}{places}, one is wanted",
        )
    for letter, colour in sheet["colours"].items():
        here = [star for star in stars if grid[rows.index(star[1])][columns.index(star[0])] == letter]
        _want(len(here) == 3, f"{colour} has {len(here)} stars ({', '.join(here)}), 3 are wanted")
