"""A sheet is checked when it is loaded, and every fault is named with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from referee.games.encore import GAME
from referee.games.encore.sheet import sheet_for
from referee.games.encore.sheet_file import standard_sheet
from referee.rules.files import AnyFile
from referee.rules.game import WrongUse

Content = dict[str, Any]


def put(key: str, value: Any) -> Callable[[Content], None]:
    return lambda sheet: sheet.update({key: value})


def paint(row: int, boxes: str) -> Callable[[Content], None]:
    return lambda sheet: sheet["grid"].__setitem__(row, boxes)


def change(key: str, place: Any, value: Any) -> Callable[[Content], None]:
    return lambda sheet: sheet[key].__setitem__(place, value)


FAULTS: list[tuple[Callable[[Content], Any], str]] = [
    (lambda sheet: sheet.pop("hearts"), "the key 'hearts' is missing"),
    (put("heart", 5), "unknown key 'heart'"),
    (put("name", ""), "'name' must be a word or two"),
    (put("name", "n" * 65), "'name' must be a word or two, 64 characters at most"),
    (put("name", "half \ud800"), "'name' must be a word or two"),
    (put("hearts", "5"), "'hearts' must be a whole number from 0 to 1000, not '5'"),
    (put("hearts", True), "'hearts' must be a whole number from 0 to 1000, not True"),
    (put("star_penalty", -1), "'star_penalty' must be a whole number"),
    (put("row_points", 1001), "'row_points' must be a whole number"),
    (put("special_dice", 0), "1 special dice are circled at the start, of 0"),
    (put("columns", "ABCDEFGHIJKLMN"), "'columns' must be 15 letters"),
    (put("columns", "ABCDEFGHIJKLMNA"), "'columns': the letter 'A' is there twice"),
    (put("rows", "PQRSTU "), "'rows': ' ' is neither a letter nor a digit"),
    (put("rows", list("PQRSTUV")), "'rows' must be 7 letters"),
    (put("start_column", "Z"), "'start_column': 'Z' is no column"),
    (put("start_column", ""), "'start_column': '' is no column"),
    (put("column_first", [1] * 14), "'column_first' must be a list of 15 whole numbers"),
    (change("column_later", 2, 1.5), "'column_later': column C must have a whole number"),
    (put("column_bonus", []), "'column_bonus' must be a table"),
    (change("column_bonus", "Z", "bomb"), "'column_bonus': 'Z' is no column"),
    (change("row_bonus", "A", "bomb"), "'row_bonus': 'A' is no row"),
    (change("row_bonus", "R", "joker"), "'row_bonus': row R has the unknown bonus 'joker'; there are: special_die"),
    (lambda sheet: sheet["colours"].pop("P"), "'colours' must be a table of 5 letters"),
    (change("colours", "P", "Pink"), "'colours': P must be named by a word in small letters, not 'Pink'"),
    (change("colours", "P", "p" * 25), "'colours': P must be named by 24 letters at most"),
    (change("colours", "P", "hot pink"), "must be named by a word in small letters"),
    (change("colours", "P", "joker"), "'colours': P cannot be named 'joker'"),
    (change("colours", "P", "pass"), "'colours': P cannot be named 'pass'"),
    (change("colours", "P", "blue"), "'colours': two letters are named 'blue'"),
    (lambda sheet: sheet["grid"].pop(), "'grid' must be a list of 7 rows"),
    (paint(0, "PPOYYPPGGYYOOO"), "'grid': row P must be a text of 15 colour letters"),
    (paint(6, "YGGOPGGYPPBBBGX"), "'grid': row V has 'X', which is none of the colours"),
    (paint(0, "BPOYYPPGGYYOOOB"), "pink has 20 boxes, 21 are wanted"),
    (put("stars", "HR"), "'stars' must be a list of boxes"),
    (put("stars", ["HR"] * 10**6), "'stars' must be a list of boxes, 105 at most, not 1000000"),
    (put("hearts", [[]] * 10**6), "'hearts' must be a whole number from 0 to 1000, not [[], []"),
    (put("z" * 10**6, 1), "unknown key 'zzz"),
    (change("stars", 0, "PC"), "'stars': 'PC' is no box"),
    (change("golden_dice", 1, "BR"), "'golden_dice': the box BR is there twice"),
    (change("stars", 1, "CT"), "column C has 2 stars (CP, CT), one is wanted"),
    (lambda sheet: sheet["stars"].pop(0), "column C has no star, one is wanted"),
    (change("stars", 0, "CQ"), "orange has 2 stars (LP, HR), 3 are wanted"),
]


@pytest.mark.parametrize(("spoil", "complaint"), FAULTS, ids=[complaint for _, complaint in FAULTS])
def test_a_fault_is_named(spoil: Callable[[Content], Any], complaint: str) -> None:
    sheet = deepcopy(standard_sheet())
    spoil(sheet)
    with pytest.raises(WrongUse) as error:
        GAME.resolve_options({"sheet": sheet})
    assert complaint in str(error.value)
    assert str(error.value).startswith("encore: option 'sheet': ")
    assert len(str(error.value)) < 500


def test_two_blocks_of_one_size_are_named_with_their_boxes() -> None:
    sheet = deepcopy(standard_sheet())
    # BP is pink no more, AR is: a block of two has become two single boxes.
    sheet["grid"][0] = "PBOYYPPGGYYOOOB"
    sheet["grid"][2] = "PYBBBOOOBGGYPPO"
    with pytest.raises(WrongUse, match="two pink blocks of 1 box: AP, and AR"):
        GAME.resolve_options({"sheet": sheet})


def test_a_block_of_more_than_six_is_named_with_its_boxes() -> None:
    sheet = deepcopy(standard_sheet())
    # ES is green and joins DS to the block of six below; HP is green no more.
    sheet["grid"][0] = "PPOYYPPBGYYOOOB"
    sheet["grid"][3] = "OBBGGYYBOOGGGPP"
    with pytest.raises(WrongUse, match="a green block has 8 boxes, 6 at most are wanted: DS ES ET EU FU FV GU GV"):
        GAME.resolve_options({"sheet": sheet})


@pytest.mark.parametrize("value", [None, 7, ["standard"], True])
def test_what_is_no_sheet_at_all_is_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="must be 'standard', the path of a sheet file, or a table"):
        GAME.resolve_options({"sheet": value}, AnyFile(tmp_path))
    with pytest.raises(WrongUse, match="must be 'standard' or the sheet itself as a table"):
        GAME.resolve_options({"sheet": value})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (b'{\n "name": oops\n}', "is not JSON: line 2 column 10"),
        (b"", "is not JSON: line 1 column 1"),
        (b"[]", "it must hold one table"),
        (b'{"name": "a", "name": "b"}', "the key 'name' is there twice"),
        (b"{}", "the key 'name' is missing"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[" * 60_000, "nested too deeply"),
        (b" " * 65_537, "it is larger than 65,536 bytes"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused(text: bytes, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "sheet.json").write_bytes(text)
    with pytest.raises(WrongUse) as error:
        GAME.resolve_options({"sheet": "sheet.json"}, AnyFile(tmp_path))
    assert complaint in str(error.value)
    assert "sheet.json" in str(error.value)


@pytest.mark.parametrize(
    ("name", "complaint"), [("nowhere.json", "there is no sheet file"), (".", "cannot be read"), ("a\0b", "cannot be")]
)
def test_a_file_that_cannot_be_read_is_refused(name: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match=complaint):
        GAME.resolve_options({"sheet": name}, AnyFile(tmp_path))


def test_a_path_is_relative_to_the_base_and_resolves_to_the_content(tmp_path: Path, harlequin: Content) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(harlequin), encoding="utf-8")
    resolved = GAME.resolve_options({"sheet": "mine.json"}, AnyFile(tmp_path))
    assert resolved == {"sheet": harlequin}
    assert GAME.resolve_options(resolved) == resolved


@pytest.mark.parametrize("name", ["mine.json", "nowhere.json", ".", "/dev/zero", "a\0b", ""])
def test_without_files_every_path_is_refused_alike(
    name: str, tmp_path: Path, harlequin: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(harlequin), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for read in (GAME.resolve_options, lambda options: GAME.start(2, options)):
        with pytest.raises(WrongUse) as error:
            read({"sheet": name})
        assert str(error.value) == (
            f"encore: option 'sheet': must be 'standard' or the sheet itself as a table, not {name!r}; "
            "a sheet file is read only where a person names it on the command line"
        )


def test_the_standard_sheet_is_the_default_and_stays_a_word() -> None:
    assert GAME.resolve_options() == GAME.resolve_options({"sheet": "standard"}) == {"sheet": "standard"}


def test_the_standard_sheet_is_as_printed() -> None:
    sheet = sheet_for("standard")
    assert sheet.colour_names == ("pink", "orange", "yellow", "green", "blue")
    assert [sheet.notation.boxes(block) for block in sheet.blocks if block.bit_count() == 6] == [
        "BQ BR CQ DP DQ EP",
        "BS CR CS DR ER ES",
        "ET EU FU FV GU GV",
        "IV JU JV KU LT LU",
        "LP MP NP NQ OQ OR",
    ]
    assert len(sheet.blocks) == 30
    assert sheet.column_bonus == ["special_die" if letter == "H" else "" for letter in "ABCDEFGHIJKLMNO"]


def test_the_order_of_keys_changes_nothing(harlequin: Content) -> None:
    shuffled = json.loads(json.dumps(harlequin, sort_keys=True))
    assert list(shuffled["colours"]) != list(harlequin["colours"])
    assert sheet_for(shuffled) is sheet_for(harlequin)
