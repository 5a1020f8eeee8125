"""Nonces in the store: promised first, told once, fixed with the start, and added together with matches."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import inspect, text

from referee.store import DrawnNonce, NewEntrant, NonceDraw, NotAllowed, Store, Tournament, TournamentState, Unknown
from referee.store.address import parse_address
from referee.store.engines import writer_engine
from referee.store.migrate import downgrade

if TYPE_CHECKING:
    from tests.store.conftest import Hall

NewLeague = Callable[..., Tournament]
PROMISED = NonceDraw(0, 0, (DrawnNonce("ada", "aa" * 32), DrawnNonce("cy", "cc" * 32)))


def told(store: Store, league: Tournament) -> list[dict[str, Any]]:
    """What the journal says of nonces."""
    entries = [json.loads(line.entry) for line in store.journal.read(league.id)]
    return [entry for entry in entries if entry["kind"] in ("commitments", "nonces")]


def test_commitments_come_first_and_then_the_nonces(store: Store, new_league: NewLeague) -> None:
    league = new_league(store, state="created")
    assert store.nonces.draws(league.id) == ()
    store.nonces.commit(league.id, PROMISED)
    assert store.nonces.draws(league.id) == (PROMISED,)
    store.nonces.tell(league.id, 0, {"cy": "11" * 32})
    (draw,) = store.nonces.draws(league.id)
    assert draw.entrants == (DrawnNonce("ada", "aa" * 32), DrawnNonce("cy", "cc" * 32, "11" * 32))
    promised, given = told(store, league)
    assert (promised["draw"], promised["first"]) == (0, 0)
    assert promised["entrants"] == [
        {"name": "ada", "commitment": "aa" * 32},
        {"name": "cy", "commitment": "cc" * 32},
    ]
    assert given["nonces"] == {"cy": "11" * 32}


def test_once_a_tournament_has_started_its_nonces_are_fixed(store: Store, new_league: NewLeague) -> None:
    league = new_league(store, state="created")
    store.nonces.commit(league.id, PROMISED)
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    with pytest.raises(NotAllowed, match="league has started: its nonces are fixed"):
        store.nonces.tell(league.id, 0, {"ada": "11" * 32})
    with pytest.raises(NotAllowed, match="league has started: its nonces are fixed"):
        store.nonces.commit(league.id, NonceDraw(1, 0, PROMISED.entrants))
    assert store.nonces.draws(league.id) == (PROMISED,)


def test_nobody_commits_itself_twice_and_only_entrants_do(store: Store, new_league: NewLeague) -> None:
    league = new_league(store, state="created")
    store.nonces.commit(league.id, PROMISED)
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.nonces.commit(league.id, PROMISED)
    with pytest.raises(Unknown, match="eve does not play in this tournament"):
        store.nonces.commit(league.id, NonceDraw(1, 0, (DrawnNonce("eve", "ee" * 32),)))
    with pytest.raises(Unknown, match="there is no tournament number 99"):
        store.nonces.commit(99, PROMISED)
    assert store.nonces.draws(league.id) == (PROMISED,)
    assert len(told(store, league)) == 1


def test_a_draw_for_matches_that_are_added_is_stored_with_them_or_not_at_all(
    store: Store, new_league: NewLeague
) -> None:
    league = new_league(store, matches=6)
    eve = store.bots.ensure_house("eve")
    draw = NonceDraw(1, 0, (DrawnNonce("ada", "aa" * 32, "11" * 32), DrawnNonce("eve", "ee" * 32)))
    with pytest.raises(Unknown):
        store.tournaments.extend(league.id, [NewEntrant(999, "eve")], [], draw)
    assert store.nonces.draws(league.id) == ()
    store.tournaments.extend(league.id, [NewEntrant(eve.id, "eve")], [], draw)
    assert store.nonces.draws(league.id) == (NonceDraw(1, 6, draw.entrants),)
    assert [(entry["kind"], entry["draw"]) for entry in told(store, league)] == [("commitments", 1), ("nonces", 1)]
    assert told(store, league)[1]["nonces"] == {"ada": "11" * 32}


def test_a_database_from_before_nonces_opens_and_its_tournaments_have_none(
    hall: Hall, open_store: Callable[..., Store], new_league: NewLeague
) -> None:
    with Store.open(hall.address) as before:
        league = new_league(before)
    with writer_engine(parse_address(hall.address), 10).begin() as connection:
        downgrade(connection, "0003")
        assert "nonces" not in inspect(connection).get_table_names()
        assert connection.execute(text("SELECT name FROM tournaments")).scalar() == "league"
    store = open_store(owner="server")
    assert store.nonces.draws(league.id) == ()
    assert store.tournaments.get("league").state is TournamentState.RUNNING
