"""How bots are called: as a person says, or by what tells them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.cli import main
from referee.hosting.bot.names import telling
from referee.hosting.bot.spec import Kind, parse
from referee.rules.game import WrongUse


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "mybots"
    folder.mkdir()
    for name in ("a.py", "b.py", "bot.py", "bot.lua", "bot.pl", "bot.sh"):
        (folder / name).write_text("")
    return folder


def named(here: Path, *texts: str) -> list[str]:
    return telling([(bot.text, bot.names) for bot in (parse(text, here) for text in texts)])


def test_commands_from_one_folder_get_names_that_tell_them_apart(here: Path) -> None:
    assert named(here, "sh a.py", "sh b.py") == ["a", "b"]
    four = named(here, "sh bot.py", "sh bot.lua", "sh bot.pl", "stdio:sh bot.sh")
    assert four == ["bot.py", "bot.lua", "bot.pl", "bot.sh"]


def test_commands_without_a_file_are_told_apart_by_their_words(here: Path) -> None:
    assert named(here, "sh -c one", "sh -c two", "a.py") == ["sh-c-one", "sh-c-two", "a"]


def test_one_bot_alone_and_the_same_bot_twice_keep_the_short_name(here: Path) -> None:
    assert named(here, "sh bot.lua", "a.py") == ["mybots", "a"]
    assert named(here, "sh bot.lua", "sh bot.lua", "random", "random") == ["mybots", "mybots", "random", "random"]


def test_bots_that_no_name_tells_apart_keep_the_short_one(here: Path) -> None:
    assert named(here, "sh a.py", "stdio:sh a.py") == ["a", "a"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("mine=a.py", Kind.GRPC),
        ("mine=stdio:sh bot.sh", Kind.STDIO),
        ("mine=random", Kind.HOUSE),
        ("mine=builtin:awk", Kind.STDIO),
        ("mine = sh a.py", None),
    ],
)
def test_a_name_may_be_given_to_every_kind_of_bot(here: Path, text: str, kind: Kind | None) -> None:
    if kind is None:
        with pytest.raises(WrongUse, match="no program 'mine' on the PATH"):
            parse(text, here)
        return
    spec = parse(text, here)
    assert (spec.name, spec.kind, spec.text) == ("mine", kind, text)
    assert named(here, text, "a.py")[0] == "mine"


def test_a_path_with_an_equals_sign_is_a_path(here: Path) -> None:
    (here / "k=3.py").write_text("")
    assert parse("k=3.py", here).name == "k-3"
    assert parse("./k=3.py", here).name == "k-3"


@pytest.mark.parametrize(("text", "why"), [("mine=", "gives a name to no bot"), ("x" * 40 + "=random", "too long")])
def test_a_name_without_a_bot_or_too_long_a_name_is_told(here: Path, text: str, why: str) -> None:
    with pytest.raises(WrongUse, match=why):
        parse(text, here)


def test_simulate_shows_the_given_names(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "stop_me_go", "--matches", "2", "--bots", "one=patient,two=patient", "--json"]
    assert main.main(words) == 0
    named = capsys.readouterr().out
    assert '"one"' in named
    assert '"two"' in named
    assert main.main([*words[:5], "patient,patient", "--json"]) == 0
    digests = [text.partition('"digest"')[2][:80] for text in (named, capsys.readouterr().out)]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("file", "advice"), [("x.rb", "'ruby x.rb'"), ("x.awk", "'awk -f x.awk'"), ("x.odd", "before it")]
)
def test_the_advice_for_a_script_names_its_own_interpreter(tmp_path: Path, file: str, advice: str) -> None:
    (tmp_path / file).write_text("")
    with pytest.raises(WrongUse, match=advice):
        parse(file, tmp_path)
