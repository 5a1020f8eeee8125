"""Formats by name: settings go in and come out as they were, and what is unknown is refused."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules.chance import Seeded
from referee.tournament.formats import registry
from referee.tournament.formats.format import Drawn, Field, Finished, SettledRound, SettledTable
from referee.tournament.formats.gauntlet import Gauntlet
from referee.tournament.schedule.pairing import ScheduleError


@pytest.mark.parametrize("name", registry.DRAWN)
def test_the_settings_of_every_format_come_back_as_they_went(name: str) -> None:
    settings = registry.to_settings(registry.from_settings({"name": name}))
    assert settings["name"] == name
    assert registry.to_settings(registry.from_settings(settings)) == settings
    assert set(settings) == {"name", *registry.setting_names(name)}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"name": "swis"}, "no format called 'swis': choose round-robin, gauntlet"),
        ({}, "no format called None"),
        ({"name": "swiss", "round": 3}, "has no setting 'round'; it has: rounds, bye"),
        ({"name": "swiss", "rounds": "three"}, "rounds must be a whole number"),
        ({"name": "swiss", "rounds": True}, "rounds must be a whole number"),
        ({"name": "gauntlet", "challengers": 1}, "challengers must be a list"),
        ({"name": "gauntlet", "challengers": ["ada"]}, "challengers must be a whole number"),
        ({"name": "swiss", "seeding": {"ada": "good"}}, "seeding of ada must be a number"),
        ({"name": "swiss", "seeding": {"ada": float("nan")}}, "seeding of ada must be a number, not nan"),
        ({"name": "swiss", "seeding": {"ada": float("inf")}}, "seeding of ada must be a number, not inf"),
    ],
)
def test_unknown_and_unfit_settings_are_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ScheduleError, match=says):
        registry.from_settings(settings)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"name": "knockout", "blocks": 1_000_000}, "blocks cannot be 1,000,000: ask for at most 1,000"),
        ({"name": "knockout", "further": 1_001}, "further cannot be 1,001: ask for at most 1,000"),
        ({"name": "groups+finals", "qualify": 1, "blocks": 1_001}, "blocks cannot be 1,001"),
        ({"name": "ladder", "quota": 10**9}, "quota cannot be 1,000,000,000: ask for at most 1,000"),
        ({"name": "until", "question": "top", "top": 0}, "ask for 1 to 3"),
        ({"name": "gauntlet", "challengers": [0, 1, 2, 3]}, "needs 1 or more bots beside the challengers"),
    ],
)
def test_a_slip_of_the_pen_is_refused_before_a_round_of_so_many_tables_is_drawn(
    settings: dict[str, Any], says: str
) -> None:
    with pytest.raises(ScheduleError, match=says):
        registry.from_settings(settings).check(4, 2)


def test_a_bot_without_a_strength_is_seeded_behind_all_others() -> None:
    settings = {"name": "knockout", "seeding": {"ada": 20.0, "cy": 31}}
    assert registry.seeding_of(settings, ["ada", "bob", "cy"]) == (20.0, 19.0, 31.0)
    assert registry.seeding_of({"name": "knockout"}, ["ada"]) == ()


@pytest.mark.parametrize(("entrants", "players"), [(6, 2), (8, 3), (9, 4), (23, 4)])
def test_in_a_round_of_a_gauntlet_each_challenger_meets_each_bot_of_the_field(entrants: int, players: int) -> None:
    format = Gauntlet((0, 3), rounds=4)
    format.check(entrants, players)
    field = Field(entrants, players, frozenset(range(entrants)))
    others = set(range(entrants)) - {0, 3}
    played: list[SettledRound] = []
    seats: dict[int, list[int]] = {0: [], 3: []}
    while isinstance(drawn := format.next(field, played, Seeded(bytes([len(played)]))), Drawn):
        for challenger in (0, 3):
            mine = [table.seats for table in drawn.tables if challenger in table.seats]
            assert {one for table in mine for one in table} == others | {challenger}
            assert len(mine) == -(-len(others) // (players - 1))
            seats[challenger] += [table.index(challenger) for table in mine]
        assert all(len({0, 3} & set(table.seats)) == 1 for table in drawn.tables)
        settled = tuple(SettledTable(table.seats, tuple(range(1, players + 1))) for table in drawn.tables)
        played.append(SettledRound(len(played) + 1, settled))
    assert isinstance(drawn, Finished)
    forecast = format.forecast(entrants, players)
    assert forecast is not None
    assert forecast.matches == (sum(len(each.tables) for each in played),) * 2
    for taken in seats.values():
        counts = [taken.count(seat) for seat in range(players)]
        assert max(counts) - min(counts) <= 1


def test_a_gauntlet_goes_on_without_those_who_left_and_ends_without_a_challenger() -> None:
    format = Gauntlet((0, 1), rounds=3)
    drawn = format.next(Field(5, 2, frozenset({0, 2, 4})), [], Seeded(b"x"))
    assert isinstance(drawn, Drawn)
    assert {table.seats[0] + table.seats[1] for table in drawn.tables} == {2, 4}
    assert isinstance(format.next(Field(5, 2, frozenset({2, 3, 4})), [], Seeded(b"x")), Finished)
