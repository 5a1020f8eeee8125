"""The second verifier, in Go, on an export that was made just now: it agrees with `referee verify`."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.client import Client
from arena.settings import Settings
from referee.tournament.plan import Plan

from ...command import Referee
from ...net.conftest import serving
from ...waiting import soon
from .language import LANGUAGES

pytestmark = [pytest.mark.sdks, pytest.mark.timeout(1200), pytest.mark.xdist_group("go")]
REFEREE = Path(sys.executable).with_name("referee")


@pytest.fixture(scope="module")
def verify(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, which `go run ./cmd/verify` would build anew each time."""
    go = next(language for language in LANGUAGES if language.name == "go")
    if go.missing:
        pytest.skip("go is not installed")
    program = tmp_path_factory.mktemp("verifier") / "verify"
    words = ("go", "build", "-trimpath", "-o", program, "./cmd/verify")
    code, said = ran("env", "CGO_ENABLED=0", *words, folder=go.folder)  # as all that is built here, and so quick
    assert code == 0, said
    return program


def ran(*words: object, folder: Path | None = None) -> tuple[int, str]:
    done = subprocess.run([*map(str, words)], cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    return done.returncode, done.stdout + done.stderr


async def played(folder: Path) -> None:
    """A tournament of two bots that give nonces, one that joins later with another draw, and a house bot."""
    async with serving(folder) as server:
        tasks = []
        for name in ("ada", "bob", "cy"):
            settings = Settings(server=server.address, token=await server.token(name), quiet=True)
            client = Client(lambda decision: decision.legal[0], settings, say=lambda text: None)
            tasks.append(asyncio.ensure_future(client.play()))
        await soon(lambda: len(server.competition.presence.bots) == 3)
        director = server.competition.director
        plan = Plan(game="stop_me_go", players=3, rounds=20, limit=60.0, allow_join=True)
        await director.create("Köln ♠", plan, ["ada", "bob", "random"], "summer", True)
        await director.join("Köln ♠", "cy")
        await soon(lambda: "Köln ♠" not in director.runners, patience=120)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def test_the_second_verifier_agrees_on_a_fresh_export_and_finds_a_changed_byte(
    verify: Path, tmp_path: Path
) -> None:
    await played(tmp_path)
    folder = tmp_path / "exported"
    assert ran(REFEREE, "export", "Köln ♠", folder, "--db", tmp_path / "test.db")[0] == 0
    code, said = ran(verify, folder)
    assert code == 0, said
    assert "seeds follow from the root and 5 nonces" in said
    assert ran(REFEREE, "verify", folder)[0] == 0
    for name in ("tournament.json", "journal.txt", "records/7.json"):
        copy = tmp_path / "changed"
        shutil.copytree(folder, copy)
        data = bytearray((copy / name).read_bytes())
        data[len(data) // 2] ^= 1
        (copy / name).write_bytes(data)
        code, said = ran(verify, copy)
        assert code == 1, said
        assert f"does not hold: {name} is not the file whose hash SHA256SUMS has" in said
        shutil.rmtree(copy)


def test_wrong_use_is_told(verify: Path, tmp_path: Path) -> None:
    for words in ((), ("--help",), (tmp_path / "none",)):
        code, said = ran(verify, *words)
        assert code == 2, said
        assert "error: " in said


@pytest.mark.parametrize(
    "settings",
    [
        ("--rounds", 2, "--openings", 4),
        ("--format", "knockout", "--with", "blocks=2", "--openings", 3),
        ("--format", "swiss", "--rounds", 2),
        ("--format", "gauntlet"),
        ("--format", "groups+finals", "--with", "qualify=1"),
        ("--format", "ladder", "--rounds", 3),
    ],
    ids=lambda settings: " ".join(map(str, settings)),
)
def test_the_second_verifier_agrees_on_openings_and_on_drawn_rounds(
    verify: Path, tmp_path: Path, settings: tuple[object, ...]
) -> None:
    bots = ("ada=random", "bob=random", "cy=patient", "dot=patient")
    database = tmp_path / "run.db"
    code, said = ran(REFEREE, "run", "stop_me_go", *bots, "--players", 2, *settings, "--db", database, "--name", "cup")
    assert code == 0, said
    folder = tmp_path / "exported"
    assert ran(REFEREE, "export", "cup", folder, "--db", database)[0] == 0
    code, said = ran(verify, folder)
    assert code == 0, said
    assert "cup holds" in said
    assert "seeds follow from the root" in said
    assert ran(REFEREE, "verify", folder)[0] == 0


SEASON = (
    "tournament create {} --game stop_me_go --players 2 --bots random,random,patient,patient --rounds 3"
    " --allow-join --version-sigma 6",
    "tournament extend {} --rounds 1",
    "tournament undo {}",
    "tournament join {} mixed",
    "tournament undo {}",
    "tournament join {} mixed",
    "tournament start {}",
    "tournament reopen {}",
    "tournament replay-match {} 0 --reason stopped",
    "tournament annul {} 1 --reason flooded",
    "tournament resume {}",
    "prune --before 9999-01-01",
    "tournament reopen {}",
    "tournament extend {} --rounds 4",
    "tournament disqualify {} random-2 --annul --reason twice",
    "tournament replay-match {} 3 --reason again",
    "tournament resume {}",
)
"""A tournament with everything that a host can do to one; `testdata/season` was made in the same way."""


def test_the_second_verifier_agrees_on_rulings_and_on_what_was_undone_reopened_and_pruned(
    verify: Path, referee: Referee, tmp_path: Path
) -> None:
    database, folder = tmp_path / "season.db", tmp_path / "exported"
    for step in SEASON:
        done = referee(*step.format("season").split(), "--db", str(database))
        assert done.code == 0, f"{step}: {done.err}"
    assert referee("export", "season", str(folder), "--db", str(database)).code == 0
    held = referee("verify", str(folder), "--allow-set-aside", "--allow-new-deals")
    assert held.code == 0, held.err
    code, told = ran(verify, folder)
    assert code == 0, told
    assert "4 rulings, 2 undone, 2 reopened" in told
    assert "removed by the host: the records of 8 matches, of which only seeds and ratings could be recomputed" in told
    digest = told.rstrip().rpartition("standings: ")[2]
    assert f"standings digest {digest}" in held.out
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        place = len(data) // 2
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        assert ran(verify, folder)[0] == 1, path
        path.write_bytes(data)
