"""One rule for names: what may be a name, which names look alike, and that every place that takes names keeps it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from referee import names
from referee.cli.local_venue import find_bots, name_bots
from referee.hall.roster import Roster
from referee.hosting.bot import folders
from referee.rules.game import WrongUse
from referee.store import NameTaken, Refused, Store
from referee.tournament.lifecycle import check_name

CYRILLIC_O, FULL_WIDTH_O, LIGATURE, CYRILLIC_ACE = "\u043e", "\uff4f", "\ufb01", "\u0430\u0441\u0435"
NO_NAMES = [
    "",
    " odds",
    "odds\n",
    "odds\u200b",
    "\u202eodds",
    "x" * 65,
    f"{CYRILLIC_O}dds",
    f"{FULL_WIDTH_O}dds",
    f"{LIGATURE}sh",
    "\u03b1lpha",
    "o" + "\u0323\u0337\u0348" + "dds",
    "odds\ufe0f",  # characters that are not seen, and are printable all the same
    "od\u034fds",
    "odds\u2800",
    "\ud55c\u3164",
    "\ud55c\u115f",
    "odds\U000e0100",
    "\u0301odds",
    "\u13aa\u13f4",  # Cherokee and Lisu letters that look like AB
    "\ua4ee\ua4d0",
]


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_is_printable_plain_and_of_one_script(name: str, tmp_path: Path) -> None:
    assert names.trouble(name) is not None
    with Store.open(str(tmp_path / "test.db")) as store, pytest.raises(Refused):
        store.bots.add(name)
    with pytest.raises(WrongUse):
        check_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "odds",
        "Ada-2",
        "\u00f6dds",
        "\u043c\u043e\u0441\u043a\u0432\u0430",
        "\u65e5\u672c\u306e\u30dc\u30c3\u30c8",
        "a b",
    ],
)
def test_names_of_all_languages_are_names(name: str) -> None:
    assert names.trouble(name) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("odds", "Odds"),
        ("odds", "0dds"),
        ("Ill", "lll"),
        ("bot1", "botl"),
        ("a_b", "a-b"),
        ("\u0430\u0441\u0435", "ace"),
        ("random2", "randorn2"),
        ("wow", "vvow"),
        ("HOT", "\u041d\u041e\u0422"),  # Cyrillic: the capitals are those of HOT, the small letters are not
        ("KIM", "\u039a\u0399\u039c"),  # Greek
        ("\u039d\u0395\u039f", "\u03bd\u03b5\u03bf"),
        ("bill", "b\u0131ll"),
        ("\u1d0f\u1d0f\u1d22e", "ooze"),
        ("it's", "it\u2019s"),
    ],
)
def test_names_that_look_alike_cannot_be_registered_both(one: str, other: str, tmp_path: Path) -> None:
    assert names.alike(one, other)
    assert names.alike(other, one)
    with Store.open(str(tmp_path / "test.db")) as store:
        store.bots.add(one)
        with pytest.raises(NameTaken, match="looks like"):
            store.bots.add(other)


@pytest.mark.parametrize("name", ["odds", "Odds", "0dds", "Anyone"])
def test_no_stranger_registers_the_name_of_a_house_bot_or_one_that_looks_like_it(name: str, tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "test.db")) as store, pytest.raises(WrongUse, match="choose another name"):
        Roster(store).add(name)


def copied(folder: Path, name: str) -> Path:
    shutil.copytree(folders.find("odds").path, folder / name)
    (folder / name / "bot.toml").write_text(f'name = "{name}"\nabout = "A bot."\ngames = ["flip7"]\nmain = "bot.py"\n')
    return folder / name


@pytest.mark.parametrize("name", ["odds", "Odds", "0dds"])
def test_a_folder_does_not_take_the_name_of_a_house_bot(name: str, tmp_path: Path) -> None:
    folder = copied(tmp_path, name)
    with pytest.raises(WrongUse, match=r"the name of a house bot, which .* is not: write NAME=BOT, such as mine="):
        name_bots(find_bots("flip7", [str(folder), "cautious"]))
    assert name_bots(find_bots("flip7", [f"mine={folder}", "odds"])) == ["mine", "odds"]


def test_a_name_that_is_given_may_not_be_that_of_another_house_bot() -> None:
    with pytest.raises(WrongUse, match="the name of a house bot"):
        name_bots(find_bots("flip7", ["odds=cautious", "random"]))
    assert name_bots(find_bots("flip7", ["odds=odds", "builtin:cautious", "random", "random"])) == [
        "odds",
        "cautious",
        "random",
        "random-2",
    ]


def test_two_bots_of_a_run_may_not_look_alike() -> None:
    with pytest.raises(WrongUse, match="look alike"):
        name_bots(find_bots("flip7", ["mine=odds", "Mlne=cautious", "MINE=random"]))


def test_a_name_with_letters_of_two_scripts_cannot_be_given() -> None:
    with pytest.raises(WrongUse, match="Cyrillic and Latin"):
        find_bots("flip7", [f"m{CYRILLIC_O}ne=odds"])
