"""Bots over JSON lines: Perl and Lua play every game and have their own idea; the shell is quick enough."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from referee.cli import main
from referee.hosting.bot import folders
from referee.hosting.bot.spec import parse
from referee.match.clock import TimeControl
from referee.match.result import Termination

from ..waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

UNHURRIED = TimeControl(limit=30.0, bank=30.0, grace=1.0)
GAMES = ("flip7", "encore", "stop", "stop_me_go")
PROCESSOR_SECONDS = 20
"""Processor time does not depend on what else the machine does."""


def needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def answers(bot: str, *questions: dict[str, Any]) -> list[str]:
    """What a bot says to these questions, each a line."""
    folder = folders.read(folders.house() / bot)
    lines = [json.dumps(question, separators=(",", ":")) + "\n" for question in questions]
    done = subprocess.run(
        folder.command, cwd=folder.path, input="".join(lines), capture_output=True, text=True, timeout=120, check=True
    )
    return [json.loads(line)["move"] for line in done.stdout.splitlines()]


def question(number: int, legal: list[str], **view: Any) -> dict[str, Any]:
    return {
        "type": "decide",
        "match": "m",
        "decision": number,
        "seat": 0,
        "legal": legal,
        "complete": True,
        "view": view,
    }


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("bot", ["perl", "lua"])
async def test_perl_and_lua_play_every_game(host: Host, bot: str, game: str) -> None:
    needs(bot)
    started = await host.start_bot(parse(f"builtin:{bot}"))
    match = await asyncio.wait_for(host.seat(started, game=game, control=UNHURRIED), PATIENCE)
    assert match.ending is not None
    assert match.ending.terminations[0] is Termination.FINISHED
    assert match.transcript.seats[0].strikes == 0


def test_perl_stops_the_biggest_in_line() -> None:
    needs("perl")
    asked = [
        question(1, ["go", "stop"], seat=0, table=[3, 9]),
        question(2, ["go", "stop"], seat=0, table=[9, 8]),
        question(3, ["go", "stop"], seat=0, table=[10, 1]),
        question(4, ["go", "stop"], seat=1, table=[2, 6]),
        question(5, ["go"], seat=1, table=[2, 10]),
    ]
    assert answers("perl", *asked) == ["stop", "go", "stop", "go", "go"]


def test_perl_and_lua_answer_a_refusal_that_is_open_and_no_other() -> None:
    refusal = {"type": "rejected", "match": "m", "decision": 4, "seat": 0, "code": "x", "move": "go"}
    for bot in ("perl", "lua"):
        needs(bot)
        assert answers(bot, refusal | {"open": False}, refusal | {"legal": ["go"], "open": True}) == ["go"]


def test_lua_crosses_off_as_many_boxes_as_it_can_and_keeps_its_jokers() -> None:
    needs("lua")
    sheet = {"sheet": {"name": "x"}, "dice": {"colours": []}}
    asked = [
        question(1, ["pass", "orange 1 HR", "orange 3 FR GR HR", "joker 3 FT GT HT"], **sheet),
        question(2, ["pass", "orange 1 HR", "joker 2 HP IP"], **sheet),
        question(3, ["pass", "blue 2 HP IP", "joker ? EQ FQ FR GR HR"], **sheet),
    ]
    assert answers("lua", *asked) == ["orange 3 FR GR HR", "orange 1 HR", "joker ? EQ FQ FR GR HR"]


@pytest.mark.parametrize("bot", ["shell", "template"])
def test_a_bot_in_shell_answers_long_lines_in_little_processor_time(tmp_path: Path, bot: str) -> None:
    script = folders.house() / "shell" / "bot.sh"
    if bot == "template":
        assert main.main(["new", str(tmp_path / "mine"), "--game", "encore", "--lang", "sh"]) == 0
        script = tmp_path / "mine" / "bot.sh"
    legal = [f"orange 5 EQ FQ FR GR H{number}" for number in range(1000)]
    line = json.dumps(question(7, legal, boxes=["x"] * 1000), separators=(",", ":"))
    done = subprocess.run(
        ["sh", "-c", f'ulimit -t {PROCESSOR_SECONDS}; exec sh "$0"', str(script)],
        input=f"{line}\n" * 40,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, "it took too much processor time"
    assert len(done.stdout.splitlines()) == 40
    assert {json.loads(answer)["move"] for answer in done.stdout.splitlines()} <= set(legal)


@pytest.mark.parametrize("bot", ["awk", "lua", "perl", "shell"])
@pytest.mark.parametrize(("game", "differ"), [("four_in_a_row", True), ("stop", False)])
def test_the_dice_take_the_match_in_where_nothing_is_dealt(bot: str, game: str, differ: bool) -> None:
    needs({"shell": "sh"}.get(bot, bot))
    legal = [f"drop {column}" for column in range(7)]

    def played(match: str) -> list[str]:
        start = {"type": "start", "match": match, "game": game, "seat": 0}
        asked = [question(number, legal, board="same") | {"match": match, "budget_ms": 1000} for number in range(12)]
        return answers(bot, start, *asked)

    moves = [tuple(played(f"league/{number}")) for number in range(4)]
    assert moves[0] == tuple(played("league/0"))
    assert len(set(moves)) == (4 if differ else 1)
    assert all(move in legal for match in moves for move in match)
