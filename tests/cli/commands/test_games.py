"""`referee games` and `referee rules`."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules import registry


def test_games_lists_every_game_with_seats_and_options(referee: Any) -> None:
    done = referee("games", "--json")
    listed = {game["name"]: game for game in done.json["games"]}
    assert list(listed) == registry.names()
    assert listed["flip7"]["players"] == {"least": 3, "most": 36}
    assert listed["flip7"]["options"]["target_score"]["default"] == 200


def test_games_for_people_names_every_game(referee: Any) -> None:
    done = referee("games")
    assert done.code == 0
    for game in registry.all_games():
        assert game.name in done.out
        assert game.title in done.out


@pytest.mark.parametrize("name", ["encore", "flip7", "stop", "stop_me_go"])
def test_rules_are_shown_rendered_and_raw(referee: Any, name: str) -> None:
    raw = referee("rules", name, "--raw")
    assert raw.out == registry.find(name).rules()
    rendered = referee("rules", name)
    assert rendered.code == 0
    assert registry.find(name).title in rendered.out
    assert "\n## " not in rendered.out


def test_what_mirrored_deals_bring_is_said_once_with_the_games_it_is_about(referee: Any) -> None:
    said = " ".join(referee("games").out.split())
    assert said.count("--mirror") == 1
    assert "--mirror in encore, flip7, stop, stop_me_go: gains nothing" in said
