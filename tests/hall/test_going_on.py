"""Going on with a tournament: reopened after its end, extended, and additions taken back; all of it verifies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from referee.hall.competition import Competition
from referee.rules.game import WrongUse
from referee.store import Counts, MatchState, NotAllowed, Store, StoredMatch, TournamentState
from referee.tournament import lifecycle
from referee.tournament.audit.database import check_columns, from_database, published
from referee.tournament.audit.folder import read, write
from referee.tournament.audit.importing import import_folder
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.verify import Verified, verify
from referee.tournament.moderation import Action, rule
from referee.tournament.plan import Plan
from referee.tournament.running.ended import Ended
from referee.tournament.running.played import Played
from referee.tournament.standings import from_store

from .conftest import LocalBot
from .test_missed import over, register

PLAN = Plan("stop_me_go", 2, rounds=4, absence=0.05, allow_join=True)


def holds(store: Store, name: str = "league") -> Verified:
    check_columns(store, name)
    return verify(from_database(store, name))


def counts(store: Store) -> Counts:
    return store.tournaments.counts(store.tournaments.get("league").id)


async def test_a_finished_tournament_is_reopened_for_a_bot_that_comes_late(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    for bot in register(competition, "ada", "bob"):
        competition.presence.arrived(bot)
    store.bots.add("eve")
    director = competition.director
    await director.create("league", PLAN, ["ada", "bob", "eve"], None, True)
    await over(competition)
    before, first = counts(store), store.tournaments.get("league")
    assert before.absent
    assert await director.reopen("league") == before.absent
    reopened = store.tournaments.get("league")
    assert (reopened.state, reopened.root, reopened.finished) == (TournamentState.PAUSED, None, None)
    assert reopened.commitment != first.commitment
    assert holds(store).open == before.absent
    competition.presence.arrived(LocalBot(competition, "eve"))
    await director.control("league", "resume")
    await over(competition)
    assert counts(store) == Counts(finished=before.total)
    verified = holds(store)
    assert (verified.replayed, verified.reopened, verified.dealt_anew) == (before.total, 1, ())
    # What anybody can have of it says the same, and makes a database again.
    write(published(store, "league"), tmp_path / "league")
    assert verify(read(tmp_path / "league")).digest == verified.digest
    with Store.open(tmp_path / "again.db") as again:
        import_folder(again, tmp_path / "league")
        assert holds(again).digest == verified.digest


async def test_a_seed_of_the_published_root_does_not_hold_after_reopening(
    competition: Competition, store: Store
) -> None:
    """The root of the first end is known to everybody: later deals must not follow from it."""
    for bot in register(competition, "ada", "bob"):
        competition.presence.arrived(bot)
    store.bots.add("eve")
    await competition.director.create("league", PLAN, ["ada", "bob", "eve"], None, True)
    await over(competition)
    await competition.director.reopen("league")
    competition.presence.arrived(LocalBot(competition, "eve"))
    await competition.director.control("league", "resume")
    await over(competition)
    audited = from_database(store, "league")
    assert audited.story is not None
    late = min(audited.story.chapter_of)
    audited.story.chapter_of[late] = 0
    with pytest.raises(DoesNotHold, match=f"match league/{late}: its seed does not follow"):
        verify(audited)


async def test_a_cancelled_tournament_goes_on_where_it_was_ended(competition: Competition, store: Store) -> None:
    director = competition.director
    await director.create("league", PLAN, ["random", "random", "random"], None, False)
    await director.control("league", "cancel")
    assert counts(store).finished == 0
    assert await director.reopen("league") == counts(store).scheduled > 0
    await director.control("league", "resume")
    await over(competition)
    assert counts(store) == Counts(finished=counts(store).total)
    holds(store)


async def test_an_extension_appends_rounds_and_can_be_taken_back(competition: Competition, store: Store) -> None:
    director = competition.director
    await director.create("league", PLAN, ["random", "random", "random", "random"], None, False)
    total = counts(store).total
    added = await director.extend("league", 3, dry_run=True)
    assert (added, counts(store).total) == (6, total)
    assert await director.extend("league", 3) == added
    assert holds(store).open == total + added
    undone = await director.undo("league", dry_run=True)
    assert (undone.first, undone.matches, undone.bots) == (total, added, ())
    assert await director.undo("league") == undone
    assert counts(store).total == total
    assert await director.extend("league", 1) == 2
    await director.control("league", "start")
    await over(competition)
    assert holds(store).replayed == total + 2


async def test_bots_that_joined_are_taken_back_one_after_the_other(competition: Competition, store: Store) -> None:
    director = competition.director
    register(competition, "ada", "bob", "cy", "dee")
    await director.create("league", PLAN, ["ada", "bob"], None, False)
    total = counts(store).total
    more = await director.join_dry_run("league", "cy")
    assert (await director.join("league", "cy"), counts(store).total) == (more, total + more)
    await director.join("league", "dee")
    assert (await director.undo("league")).bots == ("dee",)
    assert (await director.undo("league")).bots == ("cy",)
    assert counts(store).total == total
    with pytest.raises(NotAllowed, match="nothing to take back"):
        await director.undo("league")
    assert [entrant.name for entrant in store.tournaments.entrants(1)] == ["ada", "bob"]
    holds(store)
    assert await director.join("league", "cy") == more
    holds(store)


async def test_a_snapshot_of_before_a_bot_joined_verifies_where_a_match_was_set_aside(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.tournament.standings.snapshots.EVERY", 3)
    register(competition, "cy")
    await competition.director.create("league", PLAN, ["random", "random", "random"], None, True)
    await over(competition)
    rule(store, "league", Action.ANNUL, "1", "a mistake")
    from_store(store, "league")
    total = counts(store).total
    assert [each.through for each in store.snapshots.all(1) if each.kind == "board"] == [total]
    await competition.director.reopen("league")
    assert await competition.director.join("league", "cy") > 0
    verified = holds(store)
    assert (verified.replayed, verified.set_aside) == (total - 1, 1)


async def test_what_has_begun_is_not_taken_back(competition: Competition, store: Store) -> None:
    director = competition.director
    await director.create("league", PLAN, ["random", "random", "random"], None, False)
    await director.extend("league", 1)
    last = store.matches.total(1) - 1
    await director.control("league", "start")
    await over(competition)
    with pytest.raises(NotAllowed, match="is finished"):
        await director.undo("league")
    await director.reopen("league")
    with pytest.raises(NotAllowed, match=f"match league/{last} has begun"):
        await director.undo("league")


async def test_an_extension_after_a_bot_was_taken_out_is_played_by_the_others(
    competition: Competition, store: Store
) -> None:
    director = competition.director
    await director.create("league", PLAN, ["random", "random", "random", "random"], None, False)
    rule(store, "league", Action.DISQUALIFY, "random-2", "two accounts")
    total = counts(store).total
    dry = await director.extend("league", 2, dry_run=True)
    assert await director.extend("league", 2) == dry > 0
    fresh = list(store.matches.page(1, total, dry))
    assert all(seat.name != "random-2" for match in fresh for seat in match.seats)
    await director.control("league", "start")
    await over(competition)
    assert {match.state for match in store.matches.page(1, total, dry)} == {MatchState.FINISHED}
    holds(store)


async def test_versions_that_are_told_apart_are_verified(
    competition: Competition, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the first bot had been submitted, and again before match 4."""
    stored = Ended.of.__func__  # type: ignore[attr-defined]

    def with_versions(cls: type[Ended], row: StoredMatch, attempt: int, id: str, seed: bytes, played: Played) -> Ended:
        version = 1 if (row.ordinal or 0) < 4 else 2
        versions = tuple(version if seat.name == "random" else None for seat in row.seats)
        return cast(Ended, stored(cls, row, attempt, id, seed, replace(played, versions=versions)))

    monkeypatch.setattr(Ended, "of", classmethod(with_versions))
    plan = replace(PLAN, rounds=12, version_sigma=6.0)
    await competition.director.create("league", plan, ["random", "random"], None, True)
    await over(competition)
    verified = holds(store)
    rows = {row.bot: row for row in from_store(store, "league").rows}
    assert [(one.version, one.matches) for one in rows["random"].versions] == [(1, 4), (2, 8)]
    assert rows["random"].sigma > rows["random-2"].sigma
    write(published(store, "league"), tmp_path / "league")
    folder = read(tmp_path / "league")
    assert verify(folder).digest == verified.digest == from_store(store, "league").digest
    assert b'"version_sigma": 6.0' in (folder.standings or b"")


def test_only_a_balanced_round_robin_is_extended(competition: Competition, store: Store) -> None:
    entrants = competition.roster.entrants(["random", "random", "random"], "stop_me_go")
    lifecycle.create(store, "all", Plan("stop_me_go", 2, "full"), entrants)
    with pytest.raises(WrongUse, match="only a balanced schedule"):
        lifecycle.extend(store, "all", 2)
    lifecycle.create(store, "swiss", Plan("stop_me_go", 2, format={"name": "swiss", "rounds": 2}), entrants)
    with pytest.raises(WrongUse, match="draws its rounds itself"):
        lifecycle.extend(store, "swiss", 2)
    with pytest.raises(WrongUse, match="drawn to their end"):
        lifecycle.reopen(store, "swiss")
