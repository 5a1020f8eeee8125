"""Which tournaments can be created, joined, played and cancelled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import Counts, MatchState, NewEntrant, NotAllowed, Store, Tournament, TournamentState
from referee.tournament import lifecycle, schedule
from referee.tournament.moderation import Action, rule
from referee.tournament.plan import Plan, checked, deal, distinct, pairings
from referee.tournament.schedule.pairing import Pairing

from .conftest import matches_of

League = Callable[..., Tournament]
PLAN = Plan(game="stop_me_go", players=2, rounds=3)


@pytest.mark.parametrize(
    ("changes", "entrants", "message"),
    [
        ({}, 1, "need at least as many bots"),
        ({"players": 7}, 9, "is for 2 to 6 players, not 7"),
        ({"game": "chess"}, 4, "unknown game"),
        ({"rounds": None}, 4, "needs a number of rounds"),
        ({"schedule": "full"}, 4, "leave out the rounds"),
        ({"limit": 0.0}, 4, "above 0"),
        ({"bank": -1.0}, 4, "at least 0"),
        ({"options": {"colour": "red"}}, 4, "colour"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(changes: dict[str, object], entrants: int, message: str) -> None:
    with pytest.raises(WrongUse, match=message):
        checked(replace(PLAN, **changes), entrants)  # type: ignore[arg-type]


def test_an_unknown_schedule_is_refused() -> None:
    with pytest.raises(WrongUse, match="no schedule called 'swiss'"):
        pairings(replace(PLAN, schedule="swiss"), 4)


@pytest.mark.parametrize("name", ["a/b", "practice", "..", "/"])
def test_a_name_that_would_clash_with_names_of_matches_is_refused(new_league: League, name: str) -> None:
    with pytest.raises(WrongUse, match="cannot be named"):
        new_league(name=name)


def test_a_plan_is_stored_with_everything_the_ratings_rest_on(store: Store, new_league: League) -> None:
    plan = Plan.of(new_league(limit=0.5, absence=7.0, allow_join=True))
    game = registry.find("stop_me_go")
    assert plan.draw_probability == game.draws(plan.players) == game.draws_by_players[plan.players]
    assert dict(plan.options) == game.resolve_options({})
    assert (plan.limit, plan.absence, plan.allow_join) == (0.5, 7.0, True)


def test_who_joins_is_appended_and_nothing_is_rewritten(store: Store, new_league: League) -> None:
    new_league(allow_join=True)
    before = [(match.ordinal, match.seats) for match in matches_of(store)]
    added = lifecycle.join(store, "league", [NewEntrant(store.bots.ensure_house("zoe").id, "zoe")])
    after = [(match.ordinal, match.seats) for match in matches_of(store)]
    assert after[: len(before)] == before
    assert len(after) == len(before) + added
    assert sum("zoe" in [seat.name for seat in seats] for _, seats in after) == pytest.approx(
        sum("ada" in [seat.name for seat in seats] for _, seats in after), abs=1
    )


@pytest.mark.parametrize("change", ["join", "extend"])
@pytest.mark.parametrize("meanwhile", ["join", "extend", "disqualify"])
def test_what_two_programs_change_at_once_comes_out_as_if_one_had_waited(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_league: League, change: str, meanwhile: str
) -> None:
    bots = {name: NewEntrant(store.bots.ensure_house(name).id, name) for name in ("zoe", "yan")}

    def make(where: Store, name: str, what: str, bot: str) -> None:
        if what == "join":
            lifecycle.join(where, name, [bots[bot]])
        elif what == "extend":
            lifecycle.extend(where, name, 2)
        else:
            rule(where, name, Action.DISQUALIFY, "bob", "two accounts")

    def seated(name: str) -> list[tuple[int | None, int | None, list[str]]]:
        return [(match.round, match.table, [seat.name for seat in match.seats]) for match in matches_of(store, name)]

    real = schedule.extend

    def overtaken(*arguments: Any, **named: Any) -> list[Pairing]:
        found = real(*arguments, **named)
        monkeypatch.setattr(schedule, "extend", real)
        with Store.open(tmp_path / "league.db") as other:
            make(other, "league", meanwhile, "yan")
        return found

    for name in ("league", "cup"):
        new_league(name=name, allow_join=True)
    make(store, "cup", meanwhile, "yan")
    make(store, "cup", change, "zoe")
    monkeypatch.setattr(schedule, "extend", overtaken)
    make(store, "league", change, "zoe")
    assert seated("league") == seated("cup")


def test_joining_where_it_is_not_allowed_or_twice_is_refused(store: Store, new_league: League) -> None:
    new_league()
    zoe = NewEntrant(store.bots.ensure_house("zoe").id, "zoe")
    with pytest.raises(WrongUse, match="--allow-join"):
        lifecycle.join(store, "league", [zoe])
    new_league(name="open", allow_join=True)
    with pytest.raises(WrongUse, match="ada plays in open already"):
        lifecycle.join(store, "open", [NewEntrant(store.bots.get("ada").id, "ada")])
    new_league(name="mirrored", allow_join=True, mirror=True)
    with pytest.raises(WrongUse, match="mirrored deals"):
        lifecycle.join(store, "mirrored", [zoe])


@pytest.mark.parametrize(
    ("seed", "repeatable", "message"),
    [
        (None, True, "--repeatable needs --seed TEXT"),
        ("", False, "--seed is empty"),
        (" ", True, "--seed is empty"),
        ("a\0b", False, "characters that no database keeps"),
        ("a\udcffb", True, "characters that no database keeps"),
    ],
)
def test_a_seed_that_is_none_is_refused(store: Store, seed: str | None, repeatable: bool, message: str) -> None:
    entrants = [NewEntrant(store.bots.ensure_house(bot).id, bot) for bot in ("ada", "bob")]
    with pytest.raises(WrongUse, match=message):
        lifecycle.create(store, "league", PLAN, entrants, seed, repeatable=repeatable)
    assert store.tournaments.all() == []


def test_a_repeatable_tournament_is_for_bots_of_the_house(store: Store, new_league: League) -> None:
    remote = NewEntrant(store.bots.add("zoe").bot.id, "zoe")
    house = NewEntrant(store.bots.ensure_house("ada").id, "ada")
    with pytest.raises(WrongUse, match="zoe is a remote bot and cannot play in cup, whose deals are repeatable"):
        lifecycle.create(store, "cup", PLAN, [house, remote], "x", repeatable=True)
    new_league(allow_join=True)
    with pytest.raises(WrongUse, match="zoe is a remote bot and cannot play in league"):
        lifecycle.join(store, "league", [remote])
    salted = lifecycle.create(store, "cup", replace(PLAN, allow_join=True), [house, remote], "x")
    assert not salted.repeatable
    assert store.tournaments.secret(salted.id).salt is not None
    assert lifecycle.join(store, "cup", [NewEntrant(store.bots.add("yan").bot.id, "yan")]) > 0


def test_a_tournament_of_another_version_of_its_game_is_not_played(new_league: League) -> None:
    league = new_league()
    lifecycle.check_playable(league)
    with pytest.raises(WrongUse, match="created for stop_me_go version 99, installed is version"):
        lifecycle.check_playable(replace(league, game_version="99"))


def test_a_tournament_of_hosted_bots_belongs_to_the_command_that_hosts_them(new_league: League) -> None:
    with pytest.raises(WrongUse, match="referee run"):
        lifecycle.check_playable(new_league(hosted={"ada": "python ada.py"}))


def test_cancelled_a_tournament_keeps_its_results_and_shows_its_root(store: Store, new_league: League) -> None:
    league = new_league()
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    assert all(store.matches.claim(match.id) for match in matches_of(store)[:3])
    lifecycle.cancel(store, "league")
    total = len(matches_of(store))
    assert store.tournaments.counts(league.id) == Counts(scheduled=total - 3, void=3)
    assert store.tournaments.get("league").root is not None
    assert [match.reason for match in matches_of(store) if match.state is MatchState.VOID] == [
        "the tournament was cancelled"
    ] * 3
    with pytest.raises(NotAllowed):
        store.tournaments.set_state(league.id, TournamentState.RUNNING)


def test_mirrored_matches_of_a_block_share_their_deal_and_rotate_their_seats() -> None:
    plan = replace(PLAN, players=3, rounds=2, mirror=True)
    tables = pairings(plan, 6)
    for first in range(0, len(tables), 3):
        block = tables[first : first + 3]
        assert len({deal(plan, first + turn) for turn in range(3)}) == 1
        seats = block[0].seats
        assert [pairing.seats for pairing in block] == [seats[turn:] + seats[:turn] for turn in range(3)]
    assert len({(pairing.round, pairing.table) for pairing in tables}) == len(tables)


def test_bots_of_one_name_are_numbered_and_no_number_is_taken_twice() -> None:
    assert distinct(["random", "ada", "random", "random"]) == ["random", "ada", "random-2", "random-3"]
    assert distinct(["x", "x", "x-2"]) == ["x", "x-3", "x-2"]
    assert distinct(["x-2", "x", "x"]) == ["x-2", "x", "x-3"]
