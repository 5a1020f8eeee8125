"""What a person or a bot writes: options, players, scripted outcomes, and what is said of others; the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from referee.games.stop_me_go import GAME
from referee.games.stop_me_go.state import StopMeGoState
from referee.rules.chance import Impossible
from referee.rules.game import WrongUse

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import NewMatch


def test_the_option_tokens_takes_any_ten_values() -> None:
    tokens = [99, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert GAME.resolve_options({"tokens": tokens}) == {"tokens": tokens}
    assert GAME.resolve_options() == {"tokens": [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]}


@pytest.mark.parametrize(
    "tokens",
    [
        [],
        [1] * 9,
        [1] * 11,
        [1] * 9 + [-1],
        [1] * 9 + [100],
        [1] * 9 + [True],
        [1] * 9 + [1.0],
        [1] * 9 + ["1"],
        3,
        "1",
    ],
)
def test_tokens_that_will_not_do_are_refused_with_what_would(tokens: Any) -> None:
    with pytest.raises(WrongUse, match="'tokens': must be a list of ten whole numbers from 0 to 99"):
        GAME.resolve_options({"tokens": tokens})


def test_the_order_of_the_option_does_not_matter() -> None:
    tokens = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    one = GAME.start(2, {"tokens": tokens}, b"seed")
    other = GAME.start(2, {"tokens": tokens[::-1]}, b"seed")
    assert isinstance(one, StopMeGoState)
    assert isinstance(other, StopMeGoState)
    assert one.rewards == other.rewards


@pytest.mark.parametrize("players", [0, 1, 7])
def test_only_two_to_six_can_play(players: int) -> None:
    with pytest.raises(WrongUse, match="2 to 6 players"):
        GAME.start(players)


@pytest.mark.parametrize(
    ("label", "outcomes"),
    [
        ("gangsters", [[11]]),
        ("gangsters", [[0]]),
        ("gangsters", [[3, 3]]),
        ("gangsters", [["3"]]),
        ("gangsters", [[True]]),
        ("gangsters", [3]),
        ("tokens", [4]),
        ("tokens", [0, 0, 0]),
        ("tokens", [-1]),
        ("tokens", [False]),
        ("tokens", ["1"]),
    ],
)
def test_impossible_scripted_outcomes_are_told_at_once(new_match: NewMatch, label: str, outcomes: list[Any]) -> None:
    with pytest.raises(Impossible, match=label):
        new_match(2, **{label: outcomes})


def test_a_gangster_on_the_table_cannot_be_in_the_new_pile(new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [8]])
    match.put(*["gg"] * 9)
    with pytest.raises(Impossible, match="gangsters"):
        match.put("gg")


def test_the_rules_are_there_to_read() -> None:
    text = GAME.rules()
    for word in ("three_tokens", "tokens_gone", "stop_not_in_hand", "`gangsters`", "`tokens`"):
        assert word in text


@pytest.mark.parametrize("players", range(2, 7))
def test_a_table_that_only_falls_back_reaches_the_bound_exactly(players: int) -> None:
    state = GAME.start(players)
    decisions = 0
    while asked := state.pending():
        state.play({seat: state.fallback(seat) for seat in asked})
        decisions += 1
    assert decisions == GAME.bound(players, GAME.resolve_options()) == 53 * (players + 2)
    result = state.result()
    assert result is not None
    assert (result.ranks, result.scores, result.reason) == ((1,) * players, (0,) * players, "tokens_gone")
