"""Receipts: what a bot sent and was told, against a host who invents moves, deals, timeouts or a whole hash chain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.client import Client
from arena.decision import Decision
from arena.settings import Settings
from referee.hall.competition import Competition
from referee.net.server import RefereeServer, ServerSettings
from referee.store import Store
from referee.store.journal_entry import JournalEntry
from referee.tournament.audit.audited import AuditedTournament
from referee.tournament.audit.database import from_database
from referee.tournament.audit.promises import Kept, check_promises
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.plan import Plan

from ...waiting import PATIENCE, soon

pytestmark = pytest.mark.xdist_group("receipts")  # one worker: what its tests share takes long to make

Line = dict[str, Any]
MATCHES = 2


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[Line]]]:
    """A tournament over a real server, and what ada's SDK recorded of it."""
    folder = tmp_path_factory.mktemp("receipts")
    with Store.open(folder / "league.db", owner="server") as store:
        asyncio.run(_play(store, folder / "ada.jsonl"))
        yield store, [json.loads(line) for line in (folder / "ada.jsonl").read_text().splitlines()]


async def _play(store: Store, record: Path) -> None:
    tokens = {name: store.bots.add(name).token or "" for name in ("ada", "bob")}
    competition = Competition(store)
    server = RefereeServer(competition, ServerSettings("127.0.0.1:0"))
    await server.start()
    plan = Plan("stop_me_go", 2, rounds=MATCHES, limit=60.0, bank=60.0)
    await competition.director.create("league", plan, ["ada", "bob"], None, True)

    def first(decision: Decision) -> str:
        return decision.legal[0]

    clients = [
        Client(first, Settings(server.address, tokens["ada"], quiet=True, record=record), say=print),
        Client(first, Settings(server.address, tokens["bob"], quiet=True), say=print),
    ]
    playing = [asyncio.ensure_future(client.play()) for client in clients]
    try:
        async with asyncio.timeout(PATIENCE):
            await competition.director.wait_until_stopped("league")
        await soon(lambda: all(len(client.results) == MATCHES for client in clients))
    finally:
        for work in playing:
            work.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await server.stop()


@pytest.fixture
def league(played: tuple[Store, list[Line]]) -> AuditedTournament:
    return from_database(played[0], "league")


@pytest.fixture
def chain(played: tuple[Store, list[Line]]) -> list[JournalEntry]:
    return list(played[0].journal.read(played[0].tournaments.get("league").id))


@pytest.fixture
def record(played: tuple[Store, list[Line]]) -> list[Line]:
    return json.loads(json.dumps(played[1]))  # type: ignore[no-any-return]


def check(league: AuditedTournament, record: list[Line], chain: list[JournalEntry]) -> Kept:
    return check_promises(league, [json.dumps(line) for line in record], "ada.jsonl", chain)


def test_an_honest_host_agrees_with_every_receipt(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    kept = check(league, record, chain)
    assert (kept.starts, kept.ends, kept.disputed) == (MATCHES, MATCHES, ())
    assert kept.heads >= 2, "that of the welcome and those of the ends, which may have been stored together"
    assert kept.moves == sum(line["type"] == "decide" for line in record) > 0
    assert not any("session" in line for line in record), "the secret that resumes a session is not kept"


def test_a_move_that_the_bot_never_sent_is_named(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    sent = next(line for line in record if line["type"] == "decide" and len(line["legal"]) > 1)
    sent["move"] = sent["legal"][1]
    with pytest.raises(
        DoesNotHold, match=r"league/\d, decision \d+: the published move '.*' is none that the bot sent"
    ):
        check(league, record, chain)


def test_a_chain_that_was_written_anew_has_other_heads(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    end = next(line for line in record if line["type"] == "end")
    end["head"]["hash"] = "00" * 32
    with pytest.raises(DoesNotHold, match=r"two heads|it was written anew"):
        check(league, record, chain)


def test_a_chain_whose_end_was_cut_off_is_named(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    last = max(line["head"]["entries"] for line in record if line["type"] == "end")
    with pytest.raises(
        DoesNotHold, match=f"a hash chain of {last} entries, and {last - 1} are published: the last are gone"
    ):
        check(league, record, chain[: last - 1])


def test_a_result_that_was_told_before_it_was_stored_is_named(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    welcome = next(line for line in record if line["type"] == "welcome")
    end = next(line for line in record if line["type"] == "end")
    end["head"] = welcome["heads"][0]
    with pytest.raises(
        DoesNotHold, match=r"the result of match \d was told to the bot before it was in the hash chain"
    ):
        check(league, record, chain)


def test_a_second_deal_that_is_not_told_is_named(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    next(line for line in record if line["type"] == "start")["attempt"] = 2
    with pytest.raises(DoesNotHold, match="was dealt 2 times, and 1 are told"):
        check(league, record, chain)


def test_a_record_that_begins_in_the_midst_of_a_match_says_nothing_of_its_moves(
    league: AuditedTournament, record: list[Line], chain: list[JournalEntry]
) -> None:
    first = next(place for place, line in enumerate(record) if line["type"] == "start")
    welcome = next(line for line in record if line["type"] == "welcome")
    welcome["resumed"] = [record[first]["match_id"]]
    gone = next(place for place, line in enumerate(record) if line["type"] == "decide")
    kept = check(league, record[:gone] + record[gone + 1 :], chain)
    assert 0 < kept.moves < sum(line["type"] == "decide" for line in record)
