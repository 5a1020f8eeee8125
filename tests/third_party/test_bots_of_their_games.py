"""Bots play a game by somebody else as any other: over the SDK, over JSON lines, in the sandbox, in this process.

The bots see the view: a plain dict (Tall Tales), or a message whose generated code they cannot import (Matchsticks).
"""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.client import Client
from arena.settings import Practice, Settings
from referee.hall.competition import Competition
from referee.hosting.inprocess import chooser
from referee.hosting.sandbox.bubblewrap import probe
from referee.net.server import RefereeServer, ServerSettings
from referee.rules import registry
from referee.store import Store

sys.path.insert(0, str(Path(__file__).parent))
from offline_install import install

BOTS = Path(__file__).parent / "bots"
MAIN = "import sys; from referee.cli.main import main; sys.exit(main())"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("site") / "packages")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of bots in which no game is."""
    shutil.copytree(BOTS, tmp_path / "bots", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.fixture(scope="session")
def sandbox() -> None:
    if (missing := probe()) is not None:
        pytest.skip(f"bots cannot be sandboxed on this machine: {missing}")


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(site)
    registry.find.cache_clear()
    yield
    registry.find.cache_clear()


def referee(site: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(site)}
    command = [sys.executable, "-c", MAIN, *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=150, cwd=folder, check=False
    )


def decide_of(bot: str) -> Any:
    return runpy.run_path(str(BOTS / bot))["decide"]


def standings(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = json.loads(done.stdout)["standings"]
    return {row["bot"]: row for row in rows}


@pytest.mark.parametrize(
    ("game", "bot", "shut_in"),
    [
        ("tall_tales", "bots/honest.py", "--sandbox"),
        ("matchsticks", "bots/sticks.py", "--no-sandbox"),
        pytest.param("tall_tales", "bots/honest.py", "--no-sandbox", marks=pytest.mark.soak),
        pytest.param("matchsticks", "bots/sticks.py", "--sandbox", marks=pytest.mark.soak),
    ],
)
def test_hosted_bots_read_the_view_over_the_socket_and_over_lines(
    request: pytest.FixtureRequest, site: Path, folder: Path, game: str, bot: str, shut_in: str
) -> None:
    if shut_in == "--sandbox":
        request.getfixturevalue("sandbox")
    lines = f"stdio:{sys.executable} bots/lines.py"
    done = referee(site, folder, "run", game, bot, lines, "random", "-p", "2", "--rounds", "4", shut_in, "--json")
    rows = standings(done)
    assert len(rows) == 3
    assert all(row["faults"] == 0 for row in rows.values()), done.stderr


@pytest.mark.usefixtures("sandbox")
def test_in_the_sandbox_the_module_of_the_view_is_out_of_reach_and_not_needed(site: Path, folder: Path) -> None:
    out_of_reach = 'import importlib.util\n\nassert importlib.util.find_spec("matchsticks") is None\n'
    bot = folder / "bots" / "sticks.py"
    bot.write_text(out_of_reach + bot.read_text())
    rows = standings(referee(site, folder, "run", "matchsticks", "bots/sticks.py", "random", "--rounds", "2", "--json"))
    assert [row["faults"] for row in rows.values()] == [0, 0]


def test_a_bot_that_reads_the_view_beats_one_that_does_not(site: Path, folder: Path) -> None:
    words = ("bots/sticks.py", "random", "--rounds", "20", "--seed", "1", "--no-sandbox", "--json")
    rows = standings(referee(site, folder, "run", "matchsticks", *words))
    assert rows["sticks"]["wins"] > rows["random"]["wins"]


def test_a_bot_is_fit_for_a_game_of_somebody_else(site: Path, folder: Path) -> None:
    done = referee(site, folder, "check", "bots/sticks.py", "--game", "matchsticks", "--matches", "2", "--json")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("game", "bot"), [("tall_tales", "honest.py"), ("matchsticks", "sticks.py")])
@pytest.mark.usefixtures("installed")
def test_bots_in_this_process_read_the_view_too(game: str, bot: str) -> None:
    found = registry.find(game)
    state = found.start(2, seed=b"here")
    choosers = [chooser(decide_of(bot), bot, found, {}, "m", seat, ("a", "b")) for seat in range(2)]
    while asked := state.pending():
        state.play({seat: choosers[seat](state, seat) for seat in asked})
    assert state.result() is not None


@pytest.mark.usefixtures("installed")
def test_a_bot_in_this_process_cannot_change_a_match_through_its_view() -> None:
    found = registry.find("tall_tales")
    state = found.start(2, seed=b"here")

    def meddle(decision: arena.Decision) -> str:
        decision.view["scores"][0] = 99
        decision.view["turned_up"].append(6)
        return decision.legal[0]

    chooser(meddle, "meddler", found, {}, "m", 0, ("a", "b"))(state, 0)
    assert state.scores() == [0, 0]
    shown: Any = state.view(0)
    assert (shown["scores"], shown["turned_up"]) == ([0, 0], [])


@pytest.mark.parametrize(("game", "view"), [("tall_tales", {"card", "round"}), ("matchsticks", {"left", "taken"})])
def test_the_bridge_writes_the_view_of_a_game_it_does_not_have(
    site: Path, folder: Path, game: str, view: set[str]
) -> None:
    """What the server sends is enough: the bridge's own process has no such game."""
    given = (
        "from referee.rules import registry; from referee.rules.views import view_format_of; "
        f"game = registry.find({game!r}); state = game.start(2, seed=b'x'); wire = view_format_of(game, state); "
        "print(repr((wire.type, wire.descriptor, state.view_bytes(0))))"
    )
    read = (
        "import sys, ast; from arena.decision import Decision, Match; from referee.hosting.lines.bridge import Bridge; "
        "kind, descriptor, view = ast.literal_eval(sys.argv[1]); "
        "info = Match('m', 'g', 0, ('a', 'b'), view_type=kind, view_descriptor=descriptor); "
        "print(Bridge._decide_line(1, Decision(info, 1, ['x'], view)).decode(), end='')"
    )
    sent = subprocess.run(
        [sys.executable, "-c", given],
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    done = subprocess.run(
        [sys.executable, "-c", read, sent.strip()], capture_output=True, text=True, check=True, cwd=folder
    )
    assert view <= set(json.loads(done.stdout)["view"])


@pytest.mark.parametrize("game", ["tall_tales", "matchsticks"])
def test_their_laws_are_kept(site: Path, folder: Path, game: str) -> None:
    done = referee(site, folder, "check-game", game, "--json")
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["ok"]


@pytest.mark.parametrize(("game", "bot"), [("tall_tales", "honest.py"), ("matchsticks", "sticks.py")])
@pytest.mark.usefixtures("installed")
async def test_a_bot_practises_with_a_house_bot_on_a_server(tmp_path: Path, game: str, bot: str) -> None:
    """Over TCP, against a house bot inside the server, which reads the view as well."""
    said: list[str] = []
    with Store.open(str(tmp_path / "test.db"), owner="server") as store:
        server = RefereeServer(Competition(store), ServerSettings("127.0.0.1:0"))
        await server.start()
        try:
            token = store.bots.add("alice").token
            assert token is not None
            settings = Settings(
                server.address, token, practice=Practice(game, ("random",), 2), record=tmp_path / "seen"
            )
            client = Client(decide_of(bot), settings, say=said.append)
            await asyncio.wait_for(client.play(), 60)
        finally:
            await server.stop()
    assert [list(end.result.terminations) for end in client.results] == [[1, 1], [1, 1]], said
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text().splitlines()]
    views = [line["view"] for line in seen if line["type"] == "decide"]
    assert views
    assert all(isinstance(view, dict) for view in views)
