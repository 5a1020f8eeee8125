"""Every registered game keeps every law."""

from __future__ import annotations

import pytest

from referee.rules import registry
from referee.rules.laws import LAWS, check_game, check_law
from referee.rules.laws.cases import Trial

GAMES = ("encore", "flip7", "stop", "stop_me_go")
# How many seeds per number of players and set of options: more where matches are short, so that the laws see thousands
# of states of every game and the suite stays quick.
MATCHES = {"encore": 2, "flip7": 1, "stop": 3, "stop_me_go": 3}
LEAK_MATCHES = {"encore": 10, "flip7": 5, "stop": 12, "stop_me_go": 8}


def test_these_are_all_the_games_that_come_with_referee() -> None:
    assert set(GAMES) <= set(registry.names())


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", GAMES)
def test_law(name: str, law: str) -> None:
    leaks = law == "views_hide_what_a_seat_may_not_know"
    check_law(registry.find(name), law, matches=(LEAK_MATCHES if leaks else MATCHES)[name])


@pytest.mark.parametrize("name", GAMES)
def test_the_law_of_views_looks_at_a_thousand_states_and_more(name: str) -> None:
    trial = Trial(registry.find(name), LEAK_MATCHES[name])
    assert sum(1 for case in trial.cases for _ in trial.moments(case, dense=16)) >= 1000


def test_a_trial_has_the_fewest_one_more_a_middle_and_the_most_players() -> None:
    trial = Trial(registry.find("flip7"), 1)
    assert {case.players for case in trial.cases} == {3, 4, 19, 36}


def test_a_trial_tries_every_example_of_every_option() -> None:
    game = registry.find("flip7")
    tried = [case.options for case in Trial(game, 1).cases]
    for name, option in game.options.items():
        for example in option.examples:
            assert game.resolve_options({name: example}) in tried


def test_check_game_can_be_narrowed_down() -> None:
    check_game(registry.find("stop_me_go"), matches=1, players=[2], options={})
