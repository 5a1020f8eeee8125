"""What an agent and the public see: complete, and nothing beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.rules.chance import Seeded

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import Midgame, NewMatch

    from referee.games.stop_me_go.state import StopMeGoState

LINE = [8, 2, 9, 5, 3, 4, 6, 7, 1, 10]


def events(view: pb.View) -> list[tuple[object, ...]]:
    """Kind without its prefix, gangster, seat and stops; for the start of a round its number."""
    seen: list[tuple[object, ...]] = []
    for event in view.events:
        kind = pb.EventKind.Name(event.kind).removeprefix("EVENT_KIND_")
        if event.round:
            seen.append((kind, event.round))
        else:
            seen.append((kind, event.gangster, event.seat if event.HasField("seat") else None, list(event.stops)))
    return seen


def test_the_first_view_shows_one_gangster_and_a_full_hand(new_match: NewMatch) -> None:
    view = new_match(3, gangsters=[LINE]).state.view(1)
    assert (view.seat, view.players, view.asked, view.round) == (1, 3, True, 1)
    assert (list(view.table), list(view.my_cards), view.pile) == ([8], [], 9)
    assert (view.go_in_hand, view.stop_in_hand) == (4, True)
    assert (list(view.tokens), view.tokens_left, view.tokens_void) == ([0, 0, 0], 5, 0)
    assert list(view.token_values) == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
    assert (list(view.arrests), list(view.captures), list(view.discarded)) == ([], [], [])
    assert events(view) == [("ROUND_STARTED", 1), ("CRIME", 8, None, [])]


def test_the_line_is_shown_oldest_first_with_own_cards_on_it(new_match: NewMatch) -> None:
    match = new_match(3, gangsters=[LINE])
    match.put("ggg", "sgg", "gsg")
    view = match.state.view(0)
    assert list(view.table) == [8, 2, 9, 5]
    assert list(view.my_cards) == [pb.CARD_GO, pb.CARD_STOP, pb.CARD_GO]
    assert (view.go_in_hand, view.stop_in_hand) == (2, False)
    other = match.state.view(2)
    assert list(other.my_cards) == [pb.CARD_GO] * 3
    assert (other.go_in_hand, other.stop_in_hand) == (1, True)


def test_cards_turned_up_this_round_are_shown_with_their_owners(new_match: NewMatch) -> None:
    match = new_match(4, gangsters=[LINE])
    match.put("sgsg", "gggg", "gggs", "gggg", "gggg")
    view = match.state.view(3)
    assert [(arrest.gangster, list(arrest.stops)) for arrest in view.arrests] == [(8, [0, 2]), (2, [])]
    assert list(view.discarded) == [8, 2]
    assert list(view.table) == [9, 5, 3, 4]
    assert view.pile == 4
    assert events(view) == [("ESCAPED", 2, None, []), ("CRIME", 4, None, [])]


def test_the_end_of_a_round_is_told_in_events_and_kept_as_captures(new_match: NewMatch) -> None:
    match = new_match(4, gangsters=[[10, 3, 1, 4], [6]])
    match.put("sggg", "ggss", "gsgg", "gggg")
    view = match.state.view(2)
    assert events(view) == [
        ("CAPTURED", 10, 0, [0]),
        ("DISCARDED", 3, None, [2, 3]),
        ("CAPTURED", 1, 1, [1]),
        ("DISCARDED", 4, None, []),
        ("ROUND_WON", 1, 1, []),
        ("ROUND_STARTED", 2),
        ("CRIME", 6, None, []),
    ]
    assert [(capture.round, capture.gangster, capture.seat) for capture in view.captures] == [(1, 10, 0), (1, 1, 1)]
    assert (list(view.arrests), list(view.discarded), view.pile) == ([], [], 9)
    assert (list(view.tokens), list(view.scores), view.tokens_left) == ([0, 1, 0, 0], [0, 1, 0, 0], 5)
    assert (view.go_in_hand, view.stop_in_hand) == (4, True)


def test_a_shuffle_of_the_discards_is_told(new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[LINE, [6]])
    match.put(*["gg"] * 10)
    view = match.state.view(None)
    assert events(view) == [("ESCAPED", 6, None, []), ("RESHUFFLED", 0, None, []), ("CRIME", 6, None, [])]
    assert (list(view.discarded), view.pile, list(view.table)) == ([], 6, [7, 1, 10, 6])
    assert len(view.arrests) == 7


def test_a_void_round_is_told_and_its_token_counted(new_match: NewMatch) -> None:
    match = new_match(2)
    match.put(*["gg"] * 53)
    view = match.state.view(0)
    assert [event[0] for event in events(view)] == ["ESCAPED", "ROUND_VOID", "ROUND_STARTED", "CRIME"]
    assert (view.round, view.tokens_left, view.tokens_void, list(view.tokens)) == (2, 3, 1, [0, 0])


def test_token_values_appear_when_the_match_is_over_and_not_before(new_match: NewMatch) -> None:
    match = new_match(2, tokens=[3, 2, 0, 1])
    rounds = (["sg", "gg", "gg", "gg"], ["gs", "gg", "gg", "gg"], ["sg", "gg", "gg", "gg"], ["sg", "gg", "gg", "gg"])
    for cards in rounds:
        before = match.state.view(0)
        assert (list(before.purses), list(before.ranks), before.reason, before.asked) == ([], [], "", True)
        match.put(*cards)
    for seat in (0, 1, None):
        view = match.state.view(seat)
        assert [list(purse.values) for purse in view.purses] == [[3, 0, 1], [2]]
        assert (list(view.scores), list(view.ranks), view.reason) == ([4, 2], [1, 2], "three_tokens")
        assert (view.asked, list(view.tokens), view.tokens_left) == (False, [3, 1], 0)
        assert len(view.arrests) == 4


def test_the_public_sees_what_no_agent_holds(new_match: NewMatch) -> None:
    match = new_match(3, gangsters=[LINE])
    match.put("sgg", "gsg")
    public, agent = match.state.view(None), match.state.view(0)
    assert not public.HasField("seat")
    assert (list(public.my_cards), public.go_in_hand, public.stop_in_hand) == ([], 0, False)
    for own in ("seat", "my_cards", "go_in_hand", "stop_in_hand"):
        agent.ClearField(own)
    assert agent == public


def test_agents_who_differ_only_in_hidden_cards_are_not_told_apart(new_match: NewMatch) -> None:
    first, second = new_match(3, gangsters=[LINE]), new_match(3, gangsters=[LINE])
    first.put("ggg", "gsg", "ggs")
    second.put("ggs", "ggg", "gsg")
    assert first.state.view(0) == second.state.view(0)
    assert first.state.view(None) == second.state.view(None)
    assert first.state.view(1) != second.state.view(1)


players = st.integers(2, 6)
seeds = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 120), other=seeds)
def test_a_view_is_the_same_whatever_its_owner_cannot_know(
    midgame: Midgame, players: int, seed: int, decisions: int, other: int
) -> None:
    state = midgame(players, seed, decisions)
    for seat in (*range(players), None):
        redealt = state.redealt(seat, Seeded(b"%d" % other))
        assert redealt.view(seat).SerializeToString() == state.view(seat).SerializeToString()
        assert redealt.pieces() == state.pieces()


@settings(max_examples=40, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 120))
def test_the_pile_can_be_told_from_a_view(midgame: Midgame, players: int, seed: int, decisions: int) -> None:
    state = midgame(players, seed, decisions)
    view = state.view(None)
    captured = [capture.gangster for capture in view.captures if capture.round == view.round]
    elsewhere = [*view.table, *view.discarded, *captured]
    assert len(elsewhere) == len(set(elsewhere))
    assert sorted(set(range(1, 11)) - set(elsewhere)) == sorted(state.pile)
    assert view.pile == len(state.pile)


@settings(max_examples=40, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 60))
def test_what_is_legal_can_be_told_from_a_view(midgame: Midgame, players: int, seed: int, decisions: int) -> None:
    state = midgame(players, seed, decisions)
    for seat in range(players):
        view = state.view(seat)
        cards = ["go"] * (view.asked and view.go_in_hand > 0) + ["stop"] * (view.asked and view.stop_in_hand)
        assert list(state.legal(seat).moves) == cards
        assert view.stop_in_hand == (pb.CARD_STOP not in view.my_cards)


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
