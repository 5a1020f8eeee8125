"""The line of progress: where there is no terminal it is said only when a step takes long."""

from __future__ import annotations

import pytest

from referee.cli.progress_line import ProgressLine

from ..waiting import soon


async def test_a_long_step_is_told_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []

    def heard() -> bool:
        said.append(capsys.readouterr().err)
        return "… playing flip7" in "".join(said)

    async with ProgressLine(seconds=0.01) as line:
        line.tell("playing flip7")
        await soon(heard)
    assert capsys.readouterr().out == ""


async def test_short_steps_are_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    async with ProgressLine(seconds=3600) as line:
        line.tell("playing flip7")
        line.aside(lambda: print("ok"))
    said = capsys.readouterr()
    assert (said.out, said.err) == ("ok\n", "")
