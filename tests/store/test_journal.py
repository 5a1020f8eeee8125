"""The journal: whatever is stored leaves an entry, in order, and each entry vouches for all before it."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from referee.chain_head import BEGINNING
from referee.store import MatchResult, MatchState, NewEntrant, SeatResult, Store, Tournament, TournamentState
from referee.store.journal_entry import INSTALLATION, link, schedule_line
from referee.store.migrate import downgrade, upgrade

from .facts import set_fact

if TYPE_CHECKING:
    from tests.store.conftest import Hall

NewLeague = Callable[..., Tournament]


def entries(store: Store, chain: int) -> list[dict[str, Any]]:
    """The entries of a chain, whose hashes are checked on the way."""
    before, found = BEGINNING, []
    for number, line in enumerate(store.journal.read(chain)):
        before = link(before, line.entry)
        assert (line.number, line.hash) == (number, before)
        found.append(json.loads(line.entry))
        assert found[-1]["number"] == number
    assert store.journal.head(chain) == (len(found), before)
    return found


def test_the_life_of_a_tournament_is_told_in_order(store: Store, new_league: NewLeague) -> None:
    tournament = new_league(store)
    first, second = list(store.matches.in_schedule_order(tournament.id))[:2]
    assert store.matches.claim(first.id) == 1
    assert store.matches.put_back({first.id: True}) == 1
    assert store.matches.claim(first.id) == 2
    seats = tuple(SeatResult(seat, seat + 1, -seat) for seat in range(len(first.seats)))
    result = MatchResult(first.id, 2, seats, "ab" * 32, b"record", "finished")
    assert store.matches.report(result)
    assert not store.matches.report(result)
    assert store.matches.set_aside(second.id, MatchState.ABSENT, "nobody there")
    store.tournaments.set_state(tournament.id, TournamentState.CANCELLED, reveal=True)
    told = entries(store, tournament.id)
    assert [entry["kind"] for entry in told] == [
        *("created", "entered", "scheduled", "state", "again", "result", "aside", "state"),
    ]
    assert (told[4]["match"], told[4]["attempt"]) == (0, 2)
    assert (told[5]["match"], told[5]["attempt"], told[5]["ranks"]) == (0, 2, list(range(1, len(seats) + 1)))
    assert told[6]["reason"] == "nobody there"
    assert told[7]["root"] == store.tournaments.secret(tournament.id).root.hex()
    assert "root" not in json.dumps(told[:7])


def test_what_fails_leaves_no_entry(store: Store, new_league: NewLeague) -> None:
    tournament = new_league(store, state="created")
    before = store.journal.head(tournament.id)
    with pytest.raises(Exception, match="cannot become"):
        store.tournaments.set_state(tournament.id, TournamentState.FINISHED)
    assert not store.matches.report(MatchResult(1, 7, _seats(store), "00", b"x"))
    assert store.journal.head(tournament.id) == before


def _seats(store: Store) -> tuple[SeatResult, ...]:
    return tuple(SeatResult(seat.seat, 1, 0) for seat in store.matches.get(1).seats)


def test_bots_facts_and_practice_have_a_chain_of_their_own(store: Store) -> None:
    ada = store.bots.add("ada").bot
    store.bots.rotate("ada")
    store.bots.revoke("ada")
    store.bots.revoke("ada")
    set_fact(store, "admin", "x")
    set_fact(store, "admin", None)
    match = store.matches.add_practice("flip7", "1", [NewEntrant(ada.id, "ada")], {})
    store.matches.set_aside(match.id, MatchState.VOID, "broken off")
    told = entries(store, INSTALLATION)
    assert [entry["kind"] for entry in told] == ["bot", "bot", "bot", "fact", "fact", "practice", "aside"]
    assert told[2]["bot"]["revoked"] is not None


def test_writers_at_the_same_time_make_one_chain(store: Store, hall: Hall) -> None:
    def add(name: str) -> None:
        with Store.open(hall.address) as other:
            for number in range(5):
                other.bots.add(f"{name}-{number}")

    threads = [threading.Thread(target=add, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = [entry["bot"]["name"] for entry in entries(store, INSTALLATION)]
    assert sorted(names) == sorted(f"{name}-{number}" for name in "abc" for number in range(5))


def test_the_schedule_is_hashed_as_an_export_writes_it(store: Store, new_league: NewLeague) -> None:
    tournament = new_league(store)
    [told] = [entry for entry in entries(store, tournament.id) if entry["kind"] == "scheduled"]
    lines = [
        schedule_line(match.ordinal or 0, match.round or 0, match.table or 0, [seat.name for seat in match.seats])
        for match in store.matches.in_schedule_order(tournament.id)
    ]
    assert (told["first"], told["matches"]) == (0, len(lines))
    assert told["sha256"] == hashlib.sha256("".join(lines).encode()).hexdigest()


def test_a_database_of_before_is_taken_over_whole(store: Store, new_league: NewLeague) -> None:
    tournament = new_league(store)
    first, second, *_ = store.matches.in_schedule_order(tournament.id)
    assert store.matches.claim(first.id) == 1
    seats = tuple(SeatResult(seat, seat + 1, seat, "timeout") for seat in range(len(first.seats)))
    assert store.matches.report(MatchResult(first.id, 1, seats, "ab" * 32, b"record", "finished"))
    store.matches.set_aside(second.id, MatchState.VOID, "broken off")
    set_fact(store, "admin", "x")
    before = {chain: entries(store, chain) for chain in (INSTALLATION, tournament.id)}
    with store._writing.begin() as connection:
        downgrade(connection, "0002")
        connection.execute(text("UPDATE seats SET fault = upper(fault)"))
        upgrade(connection)
    told = entries(store, tournament.id)
    assert told[0]["kind"] == "adopted"
    kinds = ("created", "entered", "scheduled", "result", "aside")

    def without_numbers(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{key: entry[key] for key in entry if key != "number"} for entry in found if entry["kind"] in kinds]

    assert without_numbers(told) == without_numbers(before[tournament.id])
    facts = [entry["key"] for entry in entries(store, INSTALLATION) if entry["kind"] == "fact"]
    assert facts == ["admin"]
    assert store.matches.record(first.id) == b"record"
