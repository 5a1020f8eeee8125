"""What somebody at the table cannot know: drawn anew, and nothing else changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.chance import Seeded

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import NewMatch

    from referee.games.stop_me_go.state import StopMeGoState

LINE = [8, 2, 9, 5, 3, 4, 6, 7, 1, 10]


def places(state: StopMeGoState, seat: int) -> set[int | None]:
    """Where an agent's stop can be in the eyes of seat 0: a place in line, or None for the hand."""
    found: set[int | None] = set()
    for number in range(60):
        stops = state.redealt(0, Seeded(b"%d" % number)).stops
        found.add(next((place for place, agents in enumerate(stops) if agents >> seat & 1), None))
    return found


def test_a_stop_never_seen_can_be_anywhere(new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[LINE])
    match.put("gg", "gg", "gs")
    assert places(match.state, 1) == {0, 1, 2, None}
    match.put("gg", "gg")
    assert places(match.state, 1) == {0, 1, 2, None}


def test_a_stop_seen_at_an_escape_can_only_be_where_cards_were_put_since(new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[LINE])
    match.put("ss", "gg", "gg", "gg")
    assert places(match.state, 1) == {None}
    match.put("gg")
    assert places(match.state, 1) == {2, None}
    match.put("gg")
    assert places(match.state, 1) == {1, 2, None}
    match.put("gg")
    assert places(match.state, 1) == {0, 1, 2, None}


def test_a_redeal_changes_all_that_is_hidden_and_nothing_else(new_match: NewMatch) -> None:
    match = new_match(3, gangsters=[LINE], tokens=[3, 3, 2, 2])
    match.put("sgg", "ggg", "ggg", "ggg", "gsg", "ggg")
    state = match.state
    seen = [state.redealt(0, Seeded(b"%d" % number)) for number in range(20)]
    assert len({tuple(twin.pile) for twin in seen}) > 15
    assert {tuple(sorted(twin.pile)) for twin in seen} == {tuple(sorted(state.pile))}
    assert len({twin.rewards for twin in seen}) > 15
    assert len({tuple(twin.stops) for twin in seen}) > 3
    assert all(not agents & 1 for twin in seen for agents in twin.stops)  # seat 0 has his stop in hand


def test_after_the_end_only_tokens_that_nobody_has_are_redealt(new_match: NewMatch) -> None:
    match = new_match(2, {"tokens": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]}, tokens=[9, 8, 7])
    match.put(*["sg", "gg", "gg", "gg"] * 3)
    seen = [match.state.redealt(0, Seeded(b"%d" % number)) for number in range(10)]
    assert {twin.rewards[:3] for twin in seen} == {(9, 8, 7)}
    assert len({twin.rewards[3:] for twin in seen}) > 5
