"""A whole tournament in one command on one machine: found again by its settings, so that the same command goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import NewEntrant, Store, Tournament
from referee.tournament import lifecycle
from referee.tournament.plan import Plan, checked
from referee.tournament.ratings import RatingSettings

LATER = (("around", None), ("around", RatingSettings().mu))
"""Settings of formats that earlier versions did not have, with the values that are given by themselves."""


def name_for(plan: Plan, seed: str | None) -> str:
    """The name of the tournament that this command means: the same settings, the same name."""
    settings = plan.to_settings()
    # How often bots draw is a constant of the game and no setting: tournaments of before keep theirs, and their name.
    settings["draw_probability"] = registry.find(plan.game).draw_probability
    if settings.get("format"):
        settings["format"] = {key: value for key, value in settings["format"].items() if (key, value) not in LATER}
    value = json.dumps([settings, seed], sort_keys=True)
    return f"{plan.game}-{hashlib.sha256(value.encode()).hexdigest()[:8]}"


def find_or_create(store: Store, name: str, plan: Plan, bots: Mapping[str, str], seed: str | None) -> Tournament:
    """The tournament of that name; created if it is not there yet. `bots` are the entrants with what is started."""
    found = store.tournaments.find(name)
    if found is not None:
        _, wanted = checked(plan, len(bots))
        there = Plan.of(found)
        if (
            there != replace(wanted, draw_probability=there.draw_probability, format=_as_before(wanted.format, there))
            or store.tournaments.secret(found.id).seed_text != seed
        ):
            raise WrongUse(f"a tournament named {name} with other settings is in this database: choose another --name")
        return found
    entrants = [NewEntrant(store.bots.ensure_house(bot, text[:200]).id, bot) for bot, text in bots.items()]
    return lifecycle.create(store, name, plan, entrants, seed, repeatable=seed is not None)


def _as_before(format: Mapping[str, Any], there: Plan) -> dict[str, Any]:
    """A ladder from before seasons began around a newcomer's rating goes on as it began."""
    return {key: value for key, value in format.items() if key != "around" or "around" in there.format}
