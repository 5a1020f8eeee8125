"""Programs over pipes: whatever one says, only its own matches suffer, and for the right reason."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot.spec import parse
from referee.hosting.process.bot_process import RestartPolicy
from referee.match.clock import TimeControl
from referee.match.result import Termination
from referee.rules import registry

from ...waiting import PATIENCE, soon

if TYPE_CHECKING:
    from tests.hosted_bots import Host

    from referee.hosting.sandbox.launch import Launcher

UNHURRIED = TimeControl(limit=30.0, bank=30.0)
MANUAL = Path(__file__).resolve().parents[3] / "proto" / "LINES.md"
LASTING = RestartPolicy(crashes=100, first_rest=0.02, longest_rest=0.02)


@pytest.mark.parametrize("game", registry.names())
async def test_shell_and_awk_play_every_game(host: Host, game: str) -> None:
    shell = await host.start_bot(parse("builtin:shell"))
    awk = await host.start_bot(parse("builtin:awk"))
    match = await asyncio.wait_for(host.seat(shell, awk, game=game, control=UNHURRIED), PATIENCE)
    assert match.ending is not None
    assert set(match.ending.terminations) == {Termination.FINISHED}, match.ending.texts
    assert all(seat.strikes == 0 for seat in match.transcript.seats)


async def test_the_bot_of_the_manual_plays(host: Host, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        MANUAL.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    )
    started = await host.start_bot(parse("stdio:mine.py", tmp_path))
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.FINISHED


async def test_many_matches_at_once_share_one_program(host: Host) -> None:
    awk = await host.start_bot(parse("builtin:awk"), concurrency=20)
    assert awk.free == 20
    matches = [host.seat(awk, game="flip7", control=UNHURRIED) for _ in range(20)]
    assert awk.free == 0
    endings = [match.ending for match in await asyncio.wait_for(asyncio.gather(*matches), PATIENCE)]
    assert {ending.terminations[0] for ending in endings if ending} == {Termination.FINISHED}
    assert awk.process.runs == 1
    assert awk.free == 20


@pytest.mark.alone
async def test_a_program_is_not_asked_more_than_it_can_answer_in_time(host: Host, tmp_path: Path) -> None:
    """All its first questions at once would take it longer than any may: what has to wait, waits without a clock."""
    (tmp_path / "slow.py").write_text(
        "import json, sys, time\n"
        "seen = set()\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if 'legal' in m:\n"
        "        time.sleep(0.0 if m['match'] in seen else 0.06)\n"
        "        seen.add(m['match'])\n"
        "        print(json.dumps({'decision': m['decision'], 'move': m['legal'][-1]}), flush=True)\n"
    )
    started = await host.start_bot(parse("stdio:slow.py", tmp_path))
    short = TimeControl(limit=1.8, bank=1.2)
    matches = await asyncio.wait_for(asyncio.gather(*(host.seat(started, control=short) for _ in range(60))), PATIENCE)
    for match in matches:
        assert match.ending is not None
        assert match.ending.terminations[0] is Termination.FINISHED, match.ending.texts


async def test_one_program_may_sit_at_one_table_twice(host: Host) -> None:
    awk = await host.start_bot(parse("builtin:awk"))
    ending = await host.play(awk, awk, control=UNHURRIED)
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED)


@pytest.mark.parametrize(
    ("vice", "termination", "text"),
    [
        ("garbage", Termination.ILLEGAL, "the last, 'thinking...': 'thinking...' on stdout is not JSON"),
        ("bytes", Termination.ILLEGAL, "3 rejected moves"),
        ("no_move", Termination.ILLEGAL, "has no text under 'move'"),
        ("deep", Termination.ILLEGAL, "3 rejected moves"),
        ("illegal", Termination.ILLEGAL, "this is no move"),
        ("twice", Termination.ILLEGAL, "rejected moves"),
        ("partial", Termination.TIMEOUT, "no answer in time"),
        ("sleeps", Termination.TIMEOUT, "no answer in time"),
        ("late", Termination.TIMEOUT, "no answer in time"),
        ("long_line", Termination.FLOOD, "a line of more than 64 KB"),
        ("without_end", Termination.FLOOD, "many more lines"),
        ("closes", Termination.CRASH, "closed its stdout"),
        ("crashes", Termination.CRASH, "exited with code 3"),
        ("pieces", Termination.FINISHED, ""),
        ("future", Termination.FINISHED, ""),
        ("stderr", Termination.FINISHED, ""),
    ],
)
async def test_every_vice_has_its_own_end_and_harms_nobody_else(
    host: Host, vice: str, termination: Termination, text: str, marker: str
) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = await host.start_bot(host.bad("babbles.py", vice, marker), restart_policy=LASTING)
    control = TimeControl(limit=0.4, bank=0.3) if termination is Termination.TIMEOUT else UNHURRIED
    ending = await host.play(started, control=control)
    assert ending.terminations == (termination, Termination.FINISHED), ending.texts
    assert text in ending.texts[0]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "kilobytes"


@pytest.mark.parametrize("vice", ["closes", "crashes"])
async def test_a_program_that_closes_its_stdout_is_gone_behind_walls_too(
    host: Host, launcher: Launcher, vice: str, marker: str
) -> None:
    started = await host.start_bot(host.bad("babbles.py", vice, marker), launcher, restart_policy=LASTING)
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.CRASH, ending.texts
    assert ending.texts[0] == {"closes": "the bot closed its stdout", "crashes": "the bot exited with code 3"}[vice]


def line_of(process: str) -> bytes:
    """Its command line; nothing if it has gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


async def freeze(subreaper: int | None) -> None:
    """Stop the program below its subreaper, as soon as it is there.

    A child that is not yet the program (no `exec` so far) must not be stopped: the subreaper stands still with it.
    """
    programs: list[str] = []

    def is_there() -> list[str]:
        children = Path(f"/proc/{subreaper}/task/{subreaper}/children").read_text().split()
        programs[:] = [child for child in children if line_of(child) not in (line_of(str(subreaper)), b"")]
        return programs

    await soon(is_there)
    for program in programs:
        os.kill(int(program), signal.SIGSTOP)


async def test_all_matches_of_a_program_that_crashes_are_forfeited_and_the_next_one_is_played_by_a_fresh_run(
    host: Host,
) -> None:
    awk = await host.start_bot(parse("builtin:awk"), restart_policy=LASTING)
    await freeze(awk.process.pid)  # it answers nothing any more
    matches = [host.seat(awk, game="encore", control=UNHURRIED) for _ in range(4)]
    awk.process.kill("was shot in this test")
    endings = [match.ending for match in await asyncio.wait_for(asyncio.gather(*matches), PATIENCE)]
    for ending in endings:
        assert ending is not None
        assert ending.terminations[0] is Termination.CRASH
        assert ending.texts[0] == "the bot was ended: it was shot in this test"
    await host.until(lambda: awk.free)
    assert awk.process.runs == 2
    ending = await host.play(awk, control=UNHURRIED)
    assert ending.terminations[0] is Termination.FINISHED


async def test_a_match_with_a_program_that_is_not_running_is_forfeited_at_once(host: Host) -> None:
    started = await host.start_bot(host.shell("read line; exit 1"), restart_policy=RestartPolicy(crashes=1))
    player = started.player
    assert player is not None
    started.process.write(b"go\n")
    await host.until(lambda: started.benched)
    assert started.free == 0
    assert started.player is None
    ending = await host.play(player)
    assert ending.terminations[0] is Termination.CRASH
    assert ending.texts[0] == "the bot exited with code 1"


@pytest.mark.parametrize("vice", ["sleeps", "partial"])
async def test_a_program_that_has_stopped_answering_is_started_again(host: Host, vice: str, marker: str) -> None:
    started = await host.start_bot(host.bad("babbles.py", vice, marker), restart_policy=LASTING)
    short = TimeControl(limit=0.2, bank=0.1)
    first, second = host.seat(started, control=short), host.seat(started, control=short)
    for match in await asyncio.wait_for(asyncio.gather(first, second), PATIENCE):
        assert match.ending is not None
        assert match.ending.terminations[0] is Termination.TIMEOUT
    await host.until(lambda: started.process.runs >= 2)
    assert "has stopped answering" in started.process.exits[-1].text


async def test_a_program_that_does_not_read_is_given_up_before_it_fills_our_memory(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.hosting.lines.player.MOST_UNREAD", 300_000)
    started = await host.start_bot(host.shell("sleep 300"), restart_policy=LASTING)
    started.process.write(b" " * 365_000)  # fills the pipe (64 KB) and most of what is allowed beyond it
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.TIMEOUT
    assert ending.texts[0] == "the bot does not read what it is asked"


async def test_a_line_that_is_no_answer_is_explained_to_the_program(host: Host, marker: str) -> None:
    started = await host.start_bot(host.bad("babbles.py", "garbage", marker))
    await host.play(started, control=UNHURRIED)
    await host.until(lambda: started.process.stderr.lines())
    assert "'thinking...' on stdout is not JSON" in started.process.stderr.lines()[0]
