"""Keyword arguments of `arena.run`: a misspelled name or a wrong value is one sentence and exit code 2."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.errors import Refused
from arena.keywords import Changes, change, checked

from .conftest import first_move

CERTIFICATE = Path(__file__).resolve().parents[2] / "sdk" / "conformance" / "certificates" / "ca.pem"


def refusal(capsys: pytest.CaptureFixture[str], bot: Any = first_move, **changes: Any) -> str:
    """What `arena.run` says; it must be one line, and the exit code 2."""
    with pytest.raises(SystemExit) as end:
        arena.run(bot, [], **changes)
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return str(line)


def test_a_misspelled_name_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, concurency=4)
    assert said == "error: arena.run has no keyword argument 'concurency'; did you mean 'concurrency'?"


def test_a_name_like_none_gets_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'zzz'; there are server, token, name, games, concurrency, " in refusal(capsys, zzz=1)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"concurrency": "4"}, "concurrency='4' is not a whole number"),
        ({"concurrency": -1}, "concurrency=-1 is not a whole number, 1 or more"),
        ({"concurrency": True}, "concurrency=True is not a whole number"),
        ({"server": 7700}, "server=7700 is not a text"),
        ({"server": "localhost"}, "server='localhost' is not an address: write HOST:PORT or unix:PATH"),
        *(
            ({"server": bad}, f"server={bad!r} is not an address: write HOST:PORT or unix:PATH")
            for bad in (":1", "a:", "a:0", "a:65536", "a:b", "::1:1", "a b:1", "unix:")
        ),
        ({"token": None}, "token=None is not a text"),
        ({"token": "tökén"}, "token: it has characters that no token has"),
        ({"games": "flip7"}, "games='flip7' is not names of games such as (\"flip7\",)"),
        ({"games": [7]}, "games=[7] is not names of games"),
        ({"strict": "yes"}, "strict='yes' is not True or False"),
        ({"patience": "long"}, "patience='long' is not a number of seconds"),
        ({"first_patience": float("nan")}, "first_patience=nan is not a number of seconds"),
        ({"ca": 5}, "ca=5 is not the name of a file"),
        ({"ca": "/no/such"}, "ca: there is no file /no/such"),
        ({"ca": __file__}, "holds no certificate (PEM)"),
        ({"record": ""}, "record='' is not the name of a file"),
        ({"practice": "flip7"}, "practice='flip7' is not an arena.Practice such as"),
        ({"practice": arena.Practice("", ())}, "Practice.game='' is not the name of a game"),
        ({"practice": arena.Practice("flip7", "random")}, "Practice.against='random' is not names of bots"),  # type: ignore[arg-type]
        ({"practice": arena.Practice("flip7", (), 0)}, "Practice.matches=0 is not a whole number, 1 or more"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told(
    capsys: pytest.CaptureFixture[str], changes: dict[str, Any], text: str
) -> None:
    assert text in refusal(capsys, **changes)


@pytest.mark.parametrize("bot", [None, 3, "decide", object()])
def test_what_is_no_bot_is_told_in_one_line(capsys: pytest.CaptureFixture[str], bot: Any) -> None:
    assert "is not a bot: give arena.run a function decide(decision) -> str" in refusal(capsys, bot)


async def test_settings_made_by_hand_are_checked_too() -> None:
    with pytest.raises(Refused, match="concurrency='4' is not a whole number"):
        await arena.run_async(first_move, arena.Settings(concurrency="4"))  # type: ignore[arg-type]


def test_right_values_are_taken_and_texts_become_files() -> None:
    settings = change(
        arena.Settings(), {"games": ["flip7"], "ca": str(CERTIFICATE), "record": "a.jsonl", "patience": 5}
    )
    assert (settings.games, settings.ca, settings.record) == (("flip7",), CERTIFICATE, Path("a.jsonl"))
    assert settings.tls, "as with --ca"
    assert checked(settings) == settings
    assert change(settings, {"practice": arena.Practice("flip7", ["random"])}).practice == arena.Practice(  # type: ignore[arg-type]
        "flip7", ("random",)
    )


def test_type_checkers_know_every_setting() -> None:
    assert set(Changes.__annotations__) == {field.name for field in fields(arena.Settings)}
