"""The same command goes on with its tournament, also where how often bots draw was noted otherwise before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import Store
from referee.tournament import lifecycle, local_run
from referee.tournament.local_run import find_or_create, name_for
from referee.tournament.plan import Plan, checked

BOTS = {"mixed": "mixed", "patient": "patient"}


def test_a_tournament_that_noted_one_number_of_draws_for_all_tables_goes_on_and_keeps_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, plan = checked(Plan("stop_me_go", 2, rounds=4, hosted=BOTS), 2)
    before = replace(plan, draw_probability=registry.find("stop_me_go").draw_probability)
    assert plan.draw_probability != before.draw_probability
    assert name_for(plan, "seed") == name_for(before, "seed")
    with monkeypatch.context() as patched:
        for module in (local_run, lifecycle):
            patched.setattr(module, "checked", lambda wanted, _: (registry.find(wanted.game), before))
        made = find_or_create(store, "old", before, BOTS, "seed")
    found = find_or_create(store, "old", plan, BOTS, "seed")
    assert found.id == made.id
    assert Plan.of(found).draw_probability == before.draw_probability
    with pytest.raises(WrongUse, match="other settings"):
        find_or_create(store, "old", replace(plan, limit=2.0), BOTS, "seed")


def test_a_ladder_from_before_seasons_began_around_a_newcomer_goes_on_as_it_began(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, plan = checked(Plan("stop_me_go", 2, rounds=None, format={"name": "ladder", "season": 4}, hosted=BOTS), 2)
    before = replace(plan, format={key: value for key, value in plan.format.items() if key != "around"})
    assert before != plan
    assert name_for(before, "seed") == name_for(plan, "seed")
    with monkeypatch.context() as patched:
        for module in (local_run, lifecycle):
            patched.setattr(module, "checked", lambda wanted, _: (registry.find(wanted.game), before))
        made = find_or_create(store, "old", before, BOTS, "seed")
    found = find_or_create(store, "old", plan, BOTS, "seed")
    assert found.id == made.id
    assert "around" not in Plan.of(found).format
