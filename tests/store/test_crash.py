"""A server killed in the middle of its work: what was acknowledged is there, nothing is there twice."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from referee.store import AlreadyOwned, Counts, Store, Tournament, owner
from referee.store.tables import records

from ..waiting import PATIENCE
from .claiming import records_of

if TYPE_CHECKING:
    from tests.store.conftest import Hall

REPORTER = Path(__file__).with_name("reporter.py")
MATCHES = 600


def start(hall: Hall, tournament: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(REPORTER), hall.address, str(tournament)], stdout=subprocess.PIPE)


def test_a_server_killed_while_reporting_loses_no_acknowledged_result(
    hall: Hall, open_store: Callable[..., Store], new_league: Callable[..., Tournament]
) -> None:
    first = open_store()
    league = new_league(first, matches=MATCHES)
    first.close()
    acknowledged: list[int] = []
    for stop_after in (20, 90):
        child = start(hall, league.id)
        assert child.stdout is not None
        acknowledged += [int(child.stdout.readline()) for _ in range(stop_after)]
        child.kill()
        acknowledged += [int(line) for line in child.stdout.read().splitlines()]
        child.wait()
        store = open_store(owner="server")
        assert not set(acknowledged) - {m.id for m in store.matches.results_in_schedule_order(league.id)}
        left = store.matches.interrupted(league.id)
        assert store.matches.put_back({match.id: match.id % 2 == 0 for match in left}) == len(left)
        store.close()
    assert len(acknowledged) < MATCHES, "the child was done before it was killed"
    child = start(hall, league.id)
    assert child.stdout is not None
    acknowledged += [int(line) for line in child.stdout.read().splitlines()]
    assert child.wait(timeout=PATIENCE) == 0
    store = open_store()
    assert len(set(acknowledged)) == len(acknowledged)
    assert store.tournaments.counts(league.id) == Counts(finished=MATCHES)
    for match, record in records_of(store, league.id):
        assert record == f"match {match.id} attempt {match.attempt}".encode()
        assert [seat.rank for seat in match.seats] == [1, 2]
    with store._readers.connect() as connection:
        assert connection.execute(select(func.count()).select_from(records)).scalar() == MATCHES


def test_a_killed_server_leaves_the_database_free(
    hall: Hall,
    open_store: Callable[..., Store],
    new_league: Callable[..., Tournament],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    league = new_league(open_store(), matches=MATCHES)
    child = start(hall, league.id)
    assert child.stdout is not None
    child.stdout.readline()
    with monkeypatch.context() as at_once:
        at_once.setattr(owner, "RELEASE_SECONDS", 0.0)  # or it could be done before it is refused
        with pytest.raises(AlreadyOwned, match="stop it first"):
            open_store(owner="server")
    child.kill()
    child.stdout.read()
    child.wait()
    assert open_store(owner="server").tournaments.get(league.id) is not None
