"""Submitted bots in a server: started on demand, stopped when idle, exchanged between matches, never two at once."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.hall.conftest import LocalBot
from tests.hosting.submission.zips import SCRIPT, bot_folder

from referee.hall.competition import Competition
from referee.hosting.submission.packing import pack
from referee.store import BotVersion, MatchState, NotAllowed, Store, StoredMatch, TournamentState, VersionState
from referee.tournament.audit.database import check_columns, check_installation
from referee.tournament.plan import Plan
from referee.workers.version_host import VersionHost

from ..waiting import soon
from .submission_plan import plan

PLAN = Plan(game="stop_me_go", players=2, rounds=12, limit=20.0, bank=20.0, absence=0.2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "league.db", owner="server") as opened:
        yield opened


@pytest.fixture
async def competition(store: Store, tmp_path: Path) -> AsyncIterator[Competition]:
    opened = Competition(store, concurrency=8, submissions=plan(tmp_path))
    await opened.prepare()
    opened.start()
    store.bots.add("ada")
    yield opened
    await opened.stop()


async def submit(competition: Competition, folder: Path) -> BotVersion:
    submissions = competition.submissions
    assert submissions is not None
    out = io.BytesIO()
    pack(folder, out)
    upload = submissions.content.receive()
    upload.write_bytes(out.getvalue())
    try:
        return await submissions.settled(await submissions.submit("ada", upload))
    finally:
        upload.unlink()


def host_of(competition: Competition) -> VersionHost:
    assert isinstance(competition.hosted, VersionHost)
    return competition.hosted


async def play(competition: Competition, name: str, bots: list[str], plan: Plan = PLAN) -> list[StoredMatch]:
    await competition.director.create(name, plan, bots, None, True)
    await competition.director.wait_until_stopped(name)
    store = competition.store
    league = store.tournaments.get(name)
    assert league.state is TournamentState.FINISHED
    return list(store.matches.in_schedule_order(league.id))


def versions_of(matches: list[StoredMatch], bot: str = "ada") -> set[int | None]:
    return {seat.version for match in matches for seat in match.seats if seat.name == bot}


async def test_it_plays_beside_house_bots_and_connected_ones_and_the_result_says_which_version(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    store.bots.add("bob")
    competition.presence.arrived(LocalBot(competition, "bob", concurrency=4))
    version = await submit(competition, bot_folder(tmp_path / "one"))
    assert (version.number, version.state, version.log) == (1, VersionState.ACTIVE, "ada was tried")
    assert host_of(competition).running() == []  # nothing is started before a match needs it
    matches = await play(competition, "league", ["ada", "bob", "random"])
    assert {match.state for match in matches} == {MatchState.FINISHED}
    assert {seat.fault for match in matches for seat in match.seats} == {"finished"}
    assert versions_of(matches) == {1}
    assert versions_of(matches, "bob") == versions_of(matches, "random") == {None}
    assert host_of(competition).running() == ["ada"]
    results = store.versions.results(version.bot)
    assert list(results) == [1]
    assert results[1].matches == sum(any(seat.name == "ada" for seat in match.seats) for match in matches)

    (tmp_path / "two").mkdir()
    second = await submit(competition, bot_folder(tmp_path / "two" / "bot", "another"))
    assert (second.number, second.state) == (2, VersionState.ACTIVE)
    assert versions_of(await play(competition, "second", ["ada", "random"])) == {2}
    assert competition.submissions is not None
    await competition.submissions.rollback("ada", 1)
    assert versions_of(await play(competition, "third", ["ada", "random"])) == {1}
    for name in ("league", "second", "third"):
        check_columns(store, name)
    check_installation(store)


async def test_a_refused_version_leaves_no_files_and_the_one_before_plays_on(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    await submit(competition, bot_folder(tmp_path / "one"))
    bad = bot_folder(tmp_path / "two", "bad")
    (bad / "unfit").write_text("it lost its way")
    refused = await submit(competition, bad)
    assert (refused.number, refused.state, refused.reason) == (2, VersionState.REFUSED, "it lost its way")
    assert competition.submissions is not None
    content = competition.submissions.content
    assert not content.package(refused.digest).exists()
    assert not content.is_built(refused.id)
    assert competition.hosted.version("ada") == 1
    with pytest.raises(NotAllowed, match="files of version 1, which is active"):
        await submit(competition, tmp_path / "one")
    assert [version.number for version in await competition.submissions.versions("ada")] == [1, 2]


async def test_connected_or_hosted_but_never_both(competition: Competition, store: Store, tmp_path: Path) -> None:
    connected = LocalBot(competition, "ada", concurrency=4)
    competition.presence.arrived(connected)
    assert versions_of(await play(competition, "before", ["ada", "random"])) == {None}
    await submit(competition, bot_folder(tmp_path / "one"))
    connected.endings.clear()
    assert versions_of(await play(competition, "hosted", ["ada", "random"])) == {1}
    assert connected.endings == []
    assert competition.submissions is not None
    retired = await competition.submissions.retire("ada", "holiday")
    assert (retired.state, retired.reason) == (VersionState.RETIRED, "holiday")
    assert versions_of(await play(competition, "after", ["ada", "random"])) == {None}
    assert connected.endings
    await soon(lambda: host_of(competition).running() == [])
    with pytest.raises(NotAllowed, match="no version"):
        await competition.submissions.retire("ada")


async def test_a_bot_that_crashes_forfeits_that_match_and_is_started_again(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    folder = bot_folder(tmp_path / "one")
    crash = f"if mkdir {tmp_path}/crashed 2>/dev/null; then read -r line; read -r line; exit 9; fi\n"
    (folder / "bot.sh").write_text(crash + SCRIPT)
    await submit(competition, folder)
    matches = await play(competition, "league", ["ada", "random"])
    faults = [seat.fault for match in matches for seat in match.seats if seat.name == "ada"]
    assert set(faults) == {"crash", "finished"}
    assert host_of(competition).running() == ["ada"]


async def test_an_idle_bot_is_stopped_and_started_again_and_a_new_server_hosts_what_was_active(
    store: Store, tmp_path: Path
) -> None:
    store.bots.add("ada")
    first = Competition(store, submissions=plan(tmp_path, idle=0.1))
    await first.prepare()
    first.start()
    await submit(first, bot_folder(tmp_path / "one"))
    for name in ("one", "two"):
        assert versions_of(await play(first, name, ["ada", "random"])) == {1}
        await soon(lambda: host_of(first).running() == [])
    await first.stop()
    second = Competition(store, submissions=plan(tmp_path))
    await second.prepare()
    second.start()
    try:
        assert versions_of(await play(second, "three", ["ada", "random"])) == {1}
    finally:
        await second.stop()


async def test_files_that_are_missing_make_the_bot_absent_and_are_not_guessed(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    version = await submit(competition, bot_folder(tmp_path / "one"))
    assert competition.submissions is not None
    competition.submissions.content.drop_built(version.id)
    host_of(competition).put("ada", 1, None)
    matches = await play(competition, "league", ["ada", "random"])
    assert {match.state for match in matches} == {MatchState.ABSENT}
    await competition.submissions.retire("ada")
    with pytest.raises(NotAllowed, match="no longer there"):
        await competition.submissions.rollback("ada", 1)


async def test_a_match_is_broken_off_while_its_bot_is_being_started(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    folder = bot_folder(tmp_path / "one")
    (folder / "bot.sh").write_text("exec sleep 1000\n")
    await submit(competition, folder)
    await competition.director.create("league", PLAN, ["ada", "random"], None, True)
    await soon(lambda: host_of(competition).busy("ada"))
    await asyncio.wait_for(competition.director.control("league", "cancel"), 60)
    assert store.tournaments.get("league").state is TournamentState.CANCELLED
    assert not host_of(competition).busy("ada")
