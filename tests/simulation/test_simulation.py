"""Tournaments by a virtual clock with seeded faults: the invariants hold, and every known mistake breaks one."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.match.result import Termination

from .mutants import MUTANTS
from .world import Broken, simulate

ROOT = Path(__file__).resolve().parents[2]
SHORT = range(3)
"""Seeds of `make test`: sixty matches. `make soak` plays a hundred thousand."""
KEPT: tuple[int, ...] = ()
"""Seeds that have failed once."""
QUICK = ("announce_before_store", "announce_twice", "deal_the_same_again", "tell_the_head_of_before")
"""Mutants of `make test`; `make soak` tries all of them."""
SEEDS_FOR_A_MUTANT = 30


@pytest.mark.parametrize("seed", [*SHORT, *KEPT])
def test_whatever_fails_nothing_is_lost_and_only_the_guilty_suffer(seed: int, tmp_path: Path) -> None:
    world = simulate(seed, tmp_path)
    assert world.matches == 20


def test_the_same_seed_gives_the_same_trace(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    one, two = (simulate(7, folder, rounds=4) for folder in folders)
    assert one.digest == two.digest
    other = tmp_path / "other"
    other.mkdir()
    assert simulate(8, other, rounds=4).digest != one.digest


def test_without_faults_every_seat_finishes(tmp_path: Path) -> None:
    world = simulate(3, tmp_path, wild=False)
    assert world.ends == {Termination.FINISHED: 40}
    assert world.deaths == 0


def caught(name: str, folder: Path) -> bool:
    for seed in range(SEEDS_FOR_A_MUTANT):
        place = folder / str(seed)
        place.mkdir()
        with ExitStack() as stack:
            MUTANTS[name](stack)
            try:
                simulate(seed, place, rounds=6)
            except Broken as error:
                return f"again: .venv/bin/python -m tests.simulation --seed {seed}" in str(error)
    return False


@pytest.mark.parametrize("name", QUICK)
def test_a_mistake_is_caught(name: str, tmp_path: Path) -> None:
    assert caught(name, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", [name for name in MUTANTS if name not in QUICK])
def test_every_mistake_is_caught(name: str, tmp_path: Path) -> None:
    assert caught(name, tmp_path)


@pytest.mark.soak
@pytest.mark.timeout(24 * 3600)
@pytest.mark.parametrize("part", range(100))
def test_a_hundred_thousand_matches(part: int) -> None:
    """A thousand in each part: fifty seeds of twenty, in a process of its own."""
    words = [sys.executable, "-m", "tests.simulation", "--from", str(1000 + 50 * part), "--seeds", "50"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "1000 matches" in done.stdout


def test_there_are_at_least_twenty_mistakes() -> None:
    assert len(MUTANTS) >= 20
