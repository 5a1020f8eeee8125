"""`referee bridge`: a program over pipes plays on a server as any bot does."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.settings import Settings
from referee.conformance.refusing_game import RefusingGame
from referee.hosting.bot.spec import BotSpec, parse
from referee.hosting.lines.bridge import Bridge, BridgeBroken, BridgeClient, play
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.result import Termination
from referee.rules import registry

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

UNHURRIED = TimeControl(limit=30.0, bank=30.0, grace=1.0)


class Crossing:
    """A bridge to the bot host's server, under the name `bridged`."""

    def __init__(self, host: Host, spec: BotSpec) -> None:
        self.host = host
        self.bridge = Bridge(spec)
        settings = Settings(
            server=f"unix:{host.bot_host.socket}",
            token=host.bot_host.admit("bridged"),
            concurrency=4,
            quiet=True,
            patience=1,
        )
        self.warnings: list[str] = []
        self.client = BridgeClient(self.bridge, settings, self.warnings.append)
        self.playing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Crossing:
        await self.bridge.start()
        self.playing = asyncio.get_running_loop().create_task(play(self.bridge, self.client))
        await self.host.until(lambda: "bridged" in self.host.bot_host.presence.bots)
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self.playing is not None
        self.playing.cancel()
        await asyncio.gather(self.playing, return_exceptions=True)
        await self.bridge.stop()

    async def match(self, game: str = "stop_me_go") -> Match:
        session = self.host.bot_host.presence.bots["bridged"]
        return await asyncio.wait_for(self.host.seat(session, game=game, control=UNHURRIED), PATIENCE)


@pytest.mark.parametrize("bot", ["shell", "awk"])
async def test_shell_and_awk_play_over_the_bridge(host: Host, bot: str) -> None:
    async with Crossing(host, parse(f"builtin:{bot}")) as crossing:
        for match in await asyncio.gather(*(crossing.match("flip7") for _ in range(3))):
            assert match.ending is not None
            assert match.ending.terminations[0] is Termination.FINISHED
            assert match.transcript.seats[0].strikes == 0
        crossing.client.leave()
        assert crossing.playing is not None
        await asyncio.wait_for(crossing.playing, PATIENCE)


async def test_the_program_is_told_of_the_start_the_end_and_a_refused_move(host: Host, tmp_path: Path) -> None:
    """What comes over the bridge is what a hosted program is sent."""
    heard = tmp_path / "heard"
    spec = parse(f"stdio:sh -c 'tee {heard} | sh {parse('builtin:shell').cwd / 'bot.sh'}'")
    async with Crossing(host, spec):
        game = registry.find("stop_me_go")
        refusing = RefusingGame(game, 0)
        over: asyncio.Future[Match] = asyncio.get_running_loop().create_future()

        def finished(match: Match, ending: object) -> None:
            match.announce()
            over.set_result(match)

        session = host.bot_host.presence.bots["bridged"]
        host.bot_host.hall.play(
            "refusing",
            refusing,
            [session, *host.opponents(1)],
            game.resolve_options(),
            bytes(32),
            UNHURRIED,
            finished=finished,
        )
        match = await asyncio.wait_for(over, PATIENCE)
        await host.until(lambda: b'"end"' in heard.read_bytes())
    assert match.ending is not None
    assert match.ending.terminations[0] is Termination.FINISHED
    assert match.transcript.seats[0].strikes == 1
    lines = [json.loads(line) for line in heard.read_text().splitlines()]
    assert lines[0]["type"] == "start"
    assert lines[0]["names"] == ["bridged", "opponent-0"]
    [refused] = [line for line in lines if line["type"] == "rejected"]
    assert (refused["code"], refused["strikes_left"]) == ("refused_once", 2)
    assert refused["legal"] == next(line for line in lines if line.get("decision") == refused["decision"])["legal"]
    assert lines[-1]["reasons"][0] == "finished"


@pytest.mark.parametrize(
    ("vice", "why"),
    [
        ("crashes", "the program exited with code 3"),
        ("closes", "the program closed its stdout"),
        ("long_line", "the program wrote a line of more than 64 KB"),
        ("without_end", "the program writes many more lines than it is asked questions"),
    ],
)
async def test_a_program_that_fails_ends_the_bridge_and_resigns_its_matches(
    host: Host, vice: str, why: str, marker: str
) -> None:
    async with Crossing(host, host.bad("babbles.py", vice, marker)) as crossing:
        match = await crossing.match()
        assert match.ending is not None
        assert match.ending.terminations[0] is not Termination.FINISHED
        assert match.ending.terminations[1] is Termination.FINISHED
        assert crossing.playing is not None
        with pytest.raises(BridgeBroken, match=why):
            await asyncio.wait_for(crossing.playing, PATIENCE)
        assert why in match.ending.texts[0]
        assert not any("Traceback" in warning for warning in crossing.warnings)


async def test_a_line_that_is_no_answer_is_a_strike_and_explained(host: Host, marker: str) -> None:
    async with Crossing(host, host.bad("babbles.py", "garbage", marker)) as crossing:
        match = await crossing.match()
        assert match.ending is not None
        assert match.ending.terminations[0] is Termination.ILLEGAL
        await host.until(lambda: crossing.bridge.process.stderr.lines())
        assert "'thinking...' on stdout is not JSON" in crossing.bridge.process.stderr.lines()[0]
        assert any("'thinking...' on stdout is not JSON" in warning for warning in crossing.warnings)


async def test_answering_twice_costs_strikes_as_it_does_for_a_hosted_program(host: Host, marker: str) -> None:
    hosted = await host.start_bot(host.bad("babbles.py", "twice", marker))
    ends = [await asyncio.wait_for(host.seat(hosted, control=UNHURRIED), PATIENCE)]
    async with Crossing(host, host.bad("babbles.py", "twice", marker)) as crossing:
        ends.append(await crossing.match())
        kept, bridged = hosted.process.stderr, crossing.bridge.process.stderr
        await host.until(lambda: len(kept.lines()) >= 3 and len(bridged.lines()) >= 3)
        said = bridged.lines()[:3]
    for match in ends:
        assert match.ending is not None
        assert match.ending.terminations[0] is Termination.ILLEGAL
        assert match.transcript.seats[0].strikes == 3
        refused = [event[3] for event in match.transcript.events if event[0] == "rejected"]
        assert refused[:3] == ["duplicate"] * 3  # what comes after the forfeit is late, and no strike
    assert said == hosted.process.stderr.lines()[:3]


async def test_a_bot_that_answers_once_is_told_of_nothing(host: Host) -> None:
    async with Crossing(host, parse("builtin:awk")) as crossing:
        match = await crossing.match()
        assert match.transcript.seats[0].strikes == 0
        assert crossing.warnings == []


async def heard(child: asyncio.subprocess.Process, words: bytes) -> None:
    """Wait until the command has said this on stderr."""
    assert child.stderr is not None
    async with asyncio.timeout(PATIENCE):
        while line := await child.stderr.readline():
            if words in line:
                return
    pytest.fail(f"the bridge ended without saying {words!r}")


async def test_one_signal_without_a_match_leaves_with_zero(host: Host) -> None:
    server, token = f"unix:{host.bot_host.socket}", host.bot_host.admit("bridged")
    child = await bridge_command("--server", server, "--token", token, "--", "cat")
    await heard(child, b"connected to")
    child.terminate()
    await asyncio.wait_for(child.communicate(), PATIENCE)
    assert child.returncode == 0


async def test_the_first_signal_in_a_match_leaves_after_it(host: Host, tmp_path: Path) -> None:
    server, token = f"unix:{host.bot_host.socket}", host.bot_host.admit("bridged")
    gate, bot = tmp_path / "gate", parse("builtin:shell").cwd / "bot.sh"
    waiting = f"read line; echo started >&2; until test -e {gate}; do sleep 0.02; done; exec sh {bot}"
    child = await bridge_command("--server", server, "--token", token, "--", "sh", "-c", waiting)
    await heard(child, b"connected to")
    match = host.seat(host.bot_host.presence.bots["bridged"], control=UNHURRIED)
    await heard(child, b"started")
    child.terminate()
    await heard(child, b"once more to leave at once")
    gate.touch()
    ending = (await asyncio.wait_for(match, PATIENCE)).ending
    assert ending is not None
    assert ending.terminations[0] is Termination.FINISHED, ending.texts
    await asyncio.wait_for(child.communicate(), PATIENCE)
    assert child.returncode == 0


async def test_the_command_records_and_takes_the_options_of_a_bot(host: Host, tmp_path: Path) -> None:
    server, token = f"unix:{host.bot_host.socket}", host.bot_host.admit("bridged")
    file = tmp_path / "seen.jsonl"
    child = await bridge_command(
        "--server", server, "--token", token, "--record", str(file), "--strict", "--", str(parse("builtin:awk").cwd)
    )
    await host.until(lambda: "bridged" in host.bot_host.presence.bots)
    session = host.bot_host.presence.bots["bridged"]
    await asyncio.wait_for(host.seat(session, control=UNHURRIED), PATIENCE)
    await host.until(lambda: '"type": "end"' in file.read_text())
    child.terminate()
    await asyncio.wait_for(child.communicate(), PATIENCE)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [lines[0]["type"], lines[-1]["type"]] == ["start", "end"]
    asked = [line for line in lines if line["type"] == "decide"]
    assert asked
    assert all(line["move"] in line["legal"] for line in asked)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--options", '{"rules":"faq"}'], "--options goes with --practice GAME"),
        (["--matches", "3"], "--matches goes with --practice GAME"),
        (["--practice", "flip7"], "--practice and --against go together"),
        (["--practice", "flip7", "--against", "random", "--options", "[1]"], "is not a JSON object"),
        (["--server", "nowhere"], "'nowhere' is not an address"),
        (["--token", "a b"], "no token has"),
        (["--record", "/nosuchfolder/x"], "cannot record to /nosuchfolder/x"),
    ],
)
async def test_a_wrong_option_is_told_in_one_sentence(words: list[str], why: str) -> None:
    child = await bridge_command(*words, "--", "cat")
    _, said = await asyncio.wait_for(child.communicate(), PATIENCE)
    assert child.returncode in (1, 2, 3)
    assert why in said.decode()
    assert "Traceback" not in said.decode()


async def bridge_command(*words: str) -> asyncio.subprocess.Process:
    code = "import sys; from referee.cli import main; main.COMMANDS = ('bridge', 'games'); sys.exit(main.main())"
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, "bridge", *words, stderr=asyncio.subprocess.PIPE
    )


async def test_the_command_says_what_is_wrong_and_how_it_ended(host: Host) -> None:
    async def referee(*words: str) -> tuple[int, str]:
        code = "import sys; from referee.cli import main; main.COMMANDS = ('bridge', 'games'); sys.exit(main.main())"
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, "bridge", *words, stderr=asyncio.subprocess.PIPE
        )
        _, said = await asyncio.wait_for(child.communicate(), PATIENCE)
        assert child.returncode is not None
        return child.returncode, said.decode()

    server = f"unix:{host.bot_host.socket}"
    token = host.bot_host.admit("bridged")
    assert await referee("--", "nosuchprogram", "-x") == (
        2,
        "error: 'nosuchprogram -x': there is no program 'nosuchprogram' on the PATH\n",
    )
    code, said = await referee("--server", server, "--token", "wrong", "--", "cat")
    assert code == 2
    assert "did not accept the token" in said
    code, said = await referee("--server", server, "--token", token, "--", "sh", "-c", "echo oh no >&2; exit 4")
    assert code == 1
    assert said.endswith("error: the program exited with code 4; its last words: oh no\n")
    assert "Traceback" not in said
