"""Steps as text: within the width, with what went wrong, and nothing that moves a terminal's cursor."""

from __future__ import annotations

from typing import Any

import pytest

from referee.analysis.replay import PUBLIC, REVEALED, LogLine, Perspective, Replay, read_match
from referee.analysis.replay.text import heading, step_lines
from referee.rules.boards.text import columns

from .conftest import GAMES, Table


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_wider_than_the_terminal(played: Any, game: str, width: int) -> None:
    replay = Replay(played(game), [LogLine(3, 0, "x" * 300)])
    for number in (0, 3, len(replay) // 2, len(replay) - 1):
        for perspective in (REVEALED, PUBLIC, Perspective(2)):
            for line in step_lines(replay, number, perspective, width):
                assert columns(line) <= width
            assert all(line.isascii() for line in step_lines(replay, number, perspective, width, ascii=True))
    assert all(columns(line) <= width for line in heading(replay.match, width))


def test_a_step_tells_what_was_asked_answered_and_went_wrong(troubled: tuple[bytes, Table]) -> None:
    replay = Replay(read_match(troubled[0]), [LogLine(2, 2, "    deep \x1b[2J thoughts", shared=3)])
    text = "\n".join(step_lines(replay, 2, REVEALED, 200))
    assert "decision 2 of" in text
    assert "cy is asked" in text
    assert "cy may: hit, stay" in text
    assert "cy tried 'dance': cannot read 'dance'" in text
    assert "cy answered hit to question 3 after 33 ms" in text
    assert "hidden: pile" in text
    assert "it was playing up to 3 matches" in text
    assert "|     deep " in text
    assert "\x1b" not in text
    gone = "\n".join(step_lines(replay, replay.match.forfeits[1], REVEALED, 200))
    assert "bob forfeited (resigned): had enough" in gone
    assert "the referee played" in gone
    end = "\n".join(step_lines(replay, len(replay) - 1, PUBLIC, 200))
    assert "3rd bob (seat 1)" in end
    assert "resigned: had enough" in end


def test_without_colour_there_is_no_escape_sequence(played: Any) -> None:
    replay = Replay(played("encore"))
    assert not any("\x1b" in line for line in step_lines(replay, 9, REVEALED, 80))
    assert any("\x1b[" in line for line in step_lines(replay, 9, REVEALED, 80, colour=True))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("perspective", [PUBLIC, Perspective(1)], ids=["public", "seat"])
def test_the_text_of_a_perspective_tells_nothing_that_it_could_not_know(
    played: Any, game: str, perspective: Perspective
) -> None:
    replay = Replay(played(game), [LogLine(3, 0, "my own thoughts")])
    names = replay.match.names
    others = [name for seat, name in enumerate(names) if seat != perspective.seat]
    told = 0
    for number in range(0, len(replay) - 1, 3):
        step = replay[number]
        board = replay.match.game.drawing(step.view(perspective.seat), 200, names=names)
        lines = step_lines(replay, number, perspective, 200)
        beside = "\n".join(line for line in lines if line not in board)
        assert "hidden" not in beside
        assert "my own thoughts" not in beside
        assert not [name for name in others if f"{name} answered" in beside or f"{name} may" in beside]
        told += f"{names[1]} answered" in beside
    assert (told > 0) == (perspective.seat == 1)
