"""Tournaments by a virtual clock with seeded faults: the invariants hold, and every known mistake breaks one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.match.result import Termination
from referee.rules.laws import check_game

from .disk import Broken
from .mutants import MUTANTS
from .two_cards import GAME
from .world import simulate

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 4
BATCHES = 11
"""`make test` plays so many batches of so many seeds: 2,080 matches. `make soak` plays a hundred thousand."""
MATCHES = {"two_cards": 50, "stop_me_go": 20}
KEPT: tuple[int, ...] = (1544, 1732)
"""Seeds that have failed once; the first batch plays them too."""
QUICK = (
    "announce_before_store",
    "announce_twice",
    "forget_to_announce",
    "forget_a_put_back",
    "forget_what_was_interrupted",
    "deal_the_same_again",
    "seed_of_the_first_attempt",
    "charge_lag",
    "clock_runs_twice_as_fast",
    "overdraw_the_bank",
    "show_what_is_hidden",
    "ranks_the_wrong_way_round",
    "charge_a_stall_as_absence",
    "forget_what_was_lost",
)
"""Mutants that the first seeds show, for `make test`; `make soak` tries all of them."""
SEEDS_FOR_A_MUTANT = SEEDS * BATCHES
"""Each is noticed by the seeds that `make test` plays."""


@pytest.mark.parametrize("batch", range(BATCHES))
def test_whatever_fails_nothing_is_lost_and_only_the_guilty_suffer(batch: int, tmp_path: Path) -> None:
    for seed in (*range(batch * SEEDS, (batch + 1) * SEEDS), *(() if batch else KEPT)):
        world = simulate(seed, tmp_path)
        assert world.matches == MATCHES[world.game]


def test_the_same_seed_gives_the_same_trace(tmp_path: Path) -> None:
    one, two, other = (simulate(seed, tmp_path, rounds=8) for seed in (7, 7, 8))
    assert one.digest == two.digest != other.digest


def test_another_process_gives_the_same_trace(tmp_path: Path) -> None:
    """Whatever the order of sets and the address of things: a seed is repeated by its number alone."""
    words = [sys.executable, "-m", "tests.simulation", "--seed", "7"]
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert f"trace {simulate(7, tmp_path).digest[:16]}" in done.stdout, done.stderr


def test_the_tiny_game_keeps_the_laws() -> None:
    check_game(GAME, matches=20)


def test_without_faults_every_seat_finishes(tmp_path: Path) -> None:
    world = simulate(3, tmp_path, wild=False)
    assert world.ends == {Termination.FINISHED: 2 * 50}
    assert world.deaths == 0


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.soak) for name in MUTANTS]
)
@pytest.mark.timeout(3600)
def test_a_mistake_is_caught(name: str, tmp_path: Path) -> None:
    again = ".venv/bin/python -m tests.simulation --seed"
    for seed in range(SEEDS_FOR_A_MUTANT):
        with ExitStack() as stack:
            MUTANTS[name](stack)
            found = broken(seed, tmp_path)
        if found:
            assert f"again: {again} {seed}" in found
            return
    pytest.fail(f"{name} was not noticed in {SEEDS_FOR_A_MUTANT} seeds")


def broken(seed: int, folder: Path) -> str:
    """What does not hold with this seed, if anything."""
    try:
        simulate(seed, folder)
    except Broken as error:
        return str(error)
    return ""


@pytest.mark.soak
@pytest.mark.timeout(24 * 3600)
@pytest.mark.parametrize("part", range(100))
def test_a_hundred_thousand_matches(part: int) -> None:
    """More than a thousand in each part: seeds of fifty or twenty, in a process of its own."""
    words = [sys.executable, "-m", "tests.simulation", "--from", str(1000 + 22 * part), "--seeds", "22"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1].split()[0]) >= 1000


def test_there_are_at_least_twenty_mistakes() -> None:
    assert len(MUTANTS) >= 20
