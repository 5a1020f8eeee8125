"""The replay on a terminal: what each key does, and a screen that fits whatever its size."""

from __future__ import annotations

import pytest

from referee.analysis.replay import PUBLIC, REVEALED, Perspective, Replay, read_match
from referee.cli.replay_screen import ScreenPosition
from referee.rules.boards.text import columns

from .commands.conftest import BOTS, play


@pytest.fixture(scope="module")
def replay() -> Replay:
    return Replay(read_match(play("cup/1", "flip7", list(BOTS), blunder=True).record()))


def pressed(replay: Replay, keys: list[str], start: int = 0) -> ScreenPosition:
    position = ScreenPosition(replay, start)
    for key in keys:
        position.press(key)
    return position


def test_keys_go_forwards_backwards_and_to_a_number(replay: Replay) -> None:
    last = len(replay) - 1
    for keys, number in (
        (["right", "n", "l"], 3),
        (["right", "right", "left"], 1),
        (["left"], 0),
        (["end"], last),
        (["end", "right"], last),
        (["end", "home"], 0),
        (["1", "7", "enter"], 17),
        (["1", "7", "backspace", "g"], 1),
        (["9", "9", "9", "9", "enter"], last),
        (["enter"], 1),
        (["1", "right"], 1),
    ):
        assert pressed(replay, keys).number == number, keys


def test_m_goes_to_what_went_wrong(replay: Replay) -> None:
    first, second = replay.troubles
    assert pressed(replay, ["m"]).number == first
    assert pressed(replay, ["m", "m"]).number == second
    assert pressed(replay, ["m", "m", "M"]).number == first
    lost = pressed(replay, ["m", "m", "m"])
    assert (lost.number, lost.said) == (second, "no mistake, rejected answer or forfeit after this")


def test_s_u_and_r_change_whose_eyes_are_used(replay: Replay) -> None:
    assert ScreenPosition(replay).perspective == REVEALED
    assert pressed(replay, ["s"]).perspective == Perspective(0)
    assert pressed(replay, ["s", "s", "s", "s"]).perspective == Perspective(0)
    assert pressed(replay, ["S"]).perspective == Perspective(2)
    assert pressed(replay, ["s", "u"]).perspective == PUBLIC
    assert pressed(replay, ["u", "r"]).perspective == REVEALED


def test_any_key_leaves_the_help_and_q_leaves_all(replay: Replay) -> None:
    assert pressed(replay, ["?"]).help
    back = pressed(replay, ["?", "right"])
    assert (back.help, back.number, back.over) == (False, 0, False)
    assert pressed(replay, ["?", "q"]).over
    assert pressed(replay, ["q"]).over


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 10), (200, 60), (12, 3)])
def test_the_screen_fits(replay: Replay, width: int, height: int) -> None:
    for keys in ([], ["m"], ["end", "u"], ["?"], ["5"], ["M"]):
        lines, _ = pressed(replay, keys).screen(width, height)
        assert len(lines) == height
        assert all(columns(line) <= width for line in lines)
        plain, _ = pressed(replay, keys).screen(width, height, ascii=True)
        assert all(line.isascii() for line in plain)


def test_a_step_that_is_longer_than_the_screen_scrolls_and_then_goes_on(replay: Replay) -> None:
    position = ScreenPosition(replay, 2)
    _, lines = position.screen(80, 12)
    assert lines > 12
    seen = set()
    for _ in range(lines):
        shown, _ = position.screen(80, 12)
        seen.update(shown)
        position.press("page down", 9, lines)
        if position.number != 2:
            break
    assert position.number == 3
    assert set(ScreenPosition(replay, 2).screen(80, 100)[0][:-1]) <= seen | {""}
