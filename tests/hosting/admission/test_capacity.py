"""How many bot processes a machine may start and run at once, and how workers share that."""

from __future__ import annotations

import os
from itertools import product

import pytest

from referee.hosting.admission import capacity
from referee.hosting.admission.capacity import Capacity, WorkerShare, of_this_machine, share_out


@pytest.mark.parametrize("fresh", [False, True])
def test_no_division_exceeds_the_machine_and_every_worker_can_play_a_match(fresh: bool) -> None:
    for running, workers, bots, seats in product((1, 2, 3, 7, 16, 128), (1, 2, 5, 64), (1, 2, 3, 40, 300), (2, 4, 6)):
        share = share_out(Capacity(running, 2), workers, bots, seats, fresh=fresh)
        need = min(bots, seats)
        assert 1 <= share.workers <= workers
        assert share.running >= need
        assert share.starting >= 1
        if running >= need:
            assert share.workers * share.running <= running
        else:
            assert (share.workers, share.running) == (1, need)
        keeps_all = not fresh and bots <= share.running
        assert (share.matches is None) == keeps_all
        if share.matches is not None:
            assert share.workers <= share.matches <= share.workers * share.running // need


def test_few_bots_that_stay_set_no_limit_to_the_matches() -> None:
    assert share_out(Capacity(128, 2), 2, 4, 4, fresh=False) == WorkerShare(2, 64, 1, None)


def test_there_are_fewer_workers_if_each_can_then_keep_all_its_bots() -> None:
    assert share_out(Capacity(128, 2), 2, 100, 4, fresh=False) == WorkerShare(1, 128, 2, None)


def test_more_bots_than_fit_take_turns_and_only_as_many_matches_run_as_have_places() -> None:
    assert share_out(Capacity(128, 2), 2, 200, 4, fresh=False) == WorkerShare(2, 64, 1, 32)


def test_fresh_processes_are_counted_match_by_match() -> None:
    assert share_out(Capacity(16, 2), 2, 3, 3, fresh=True) == WorkerShare(2, 8, 1, 4)
    assert share_out(Capacity(16, 2), 2, 3, 3, fresh=True, matches=2) == WorkerShare(2, 3, 1, 2)
    assert share_out(Capacity(16, 2), 1, 3, 3, fresh=True, matches=1) == WorkerShare(1, 3, 2, 1)


def test_house_bots_need_no_process_and_are_not_limited() -> None:
    assert share_out(Capacity(2, 2), 8, 0, 4, fresh=True).matches is None
    assert share_out(Capacity(2, 2), 8, 0, 4, fresh=True).workers == 8


def test_little_memory_and_hungry_bots_mean_fewer_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "cores_at_hand", lambda: 4)
    monkeypatch.setattr(capacity, "memory_at_hand", lambda: 1 << 30)
    assert of_this_machine([None, None], fresh=False) == Capacity(12, 4)
    assert of_this_machine([None, 256 << 20], fresh=False) == Capacity(3, 4)
    assert of_this_machine([2 << 30], fresh=True) == Capacity(1, 4)
    monkeypatch.setattr(capacity, "memory_at_hand", lambda: 1 << 40)
    assert of_this_machine([None], fresh=False) == Capacity(256, 4)
    assert of_this_machine([None], fresh=True) == Capacity(32, 4)


def test_the_real_machine_is_read() -> None:
    assert 1 <= capacity.cores_at_hand() <= len(os.sched_getaffinity(0))
    assert 0 < capacity.memory_at_hand() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
