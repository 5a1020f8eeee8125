"""What an agent and the public see: complete, and nothing beyond."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import GAME
from referee.rules.chance import Seeded
from referee.rules.game import seed_bytes
from referee.rules.playout import random_chooser
from referee.rules.views import pack

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import Midgame, NewMatch, Told

LINE = [8, 2, 9, 5, 3, 4, 6, 7, 1, 10]


def test_the_first_view_shows_one_gangster_and_a_full_hand(new_match: NewMatch, told: Told) -> None:
    view = new_match(3, gangsters=[LINE]).state.view(1)
    assert (view.seat, list(view.asked), view.round) == (1, [0, 1, 2], 1)
    assert (list(view.table), list(view.my_cards), view.pile_size) == ([8], [], 9)
    assert (view.go_in_hand, view.stop_in_hand) == (4, True)
    assert (list(view.tokens), view.tokens_left, view.tokens_void) == ([0, 0, 0], 5, 0)
    assert list(view.token_values) == [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
    assert (list(view.arrests), list(view.captures), list(view.discarded)) == ([], [], [])
    assert told(view) == [("ROUND_STARTED", 1), ("CRIME", 8, None, [])]


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


def test_cards_turned_up_this_round_are_shown_with_their_owners(new_match: NewMatch, told: Told) -> None:
    match = new_match(4, gangsters=[LINE])
    match.put("sgsg", "gggg", "gggs", "gggg", "gggg")
    view = match.state.view(3)
    assert [(arrest.gangster, list(arrest.stops)) for arrest in view.arrests] == [(8, [0, 2]), (2, [])]
    assert list(view.discarded) == [8, 2]
    assert list(view.table) == [9, 5, 3, 4]
    assert view.pile_size == 4
    assert told(view) == [("ESCAPED", 2, None, []), ("CRIME", 4, None, [])]


def test_token_values_appear_when_the_match_is_over_and_not_before(new_match: NewMatch) -> None:
    match = new_match(2, tokens=[3, 2, 0, 1])
    rounds = (["sg", "gg", "gg", "gg"], ["gs", "gg", "gg", "gg"], ["sg", "gg", "gg", "gg"], ["sg", "gg", "gg", "gg"])
    for cards in rounds:
        before = match.state.view(0)
        assert (list(before.purses), list(before.ranks), before.reason, list(before.asked)) == ([], [], "", [0, 1])
        match.put(*cards)
    for seat in (0, 1, None):
        view = match.state.view(seat)
        assert [list(purse.values) for purse in view.purses] == [[3, 0, 1], [2]]
        assert (list(view.scores), list(view.ranks), view.reason) == ([4, 2], [1, 2], "three_tokens")
        assert (list(view.asked), list(view.tokens), view.tokens_left) == ([], [3, 1], 0)
        assert view.events[-1] == pb.Event(kind=pb.EVENT_KIND_ENDED)
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
    assert view.pile_size == len(state.pile)


@settings(max_examples=40, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 60))
def test_what_is_legal_can_be_told_from_a_view(midgame: Midgame, players: int, seed: int, decisions: int) -> None:
    state = midgame(players, seed, decisions)
    for seat in range(players):
        view = state.view(seat)
        asked = seat in view.asked
        cards = ["go"] * (asked and view.go_in_hand > 0) + ["stop"] * (asked and view.stop_in_hand)
        assert list(state.legal(seat).moves) == cards
        assert view.stop_in_hand == (pb.CARD_STOP not in view.my_cards)


@settings(max_examples=60, deadline=None)
@given(
    players=players, seed=seeds, decisions=st.integers(0, 120), tokens=st.sampled_from(GAME.options["tokens"].examples)
)
def test_what_is_sent_is_what_the_message_writes(players: int, seed: int, decisions: int, tokens: list[int]) -> None:
    state = GAME.start(players, {"tokens": tokens}, seed_bytes(seed))
    choosers = [random_chooser(seed_bytes(seed), seat) for seat in range(players)]
    for _ in range(decisions):
        state.play({seat: choosers[seat](state, seat) for seat in state.pending()})
        for seat in (None, *range(players)):
            assert state.view_bytes(seat) == pack(state.view(seat))
        if not state.pending():
            break


def test_views_that_were_asked_for_before_do_not_linger(midgame: Midgame) -> None:
    # A fresh match in which no view was asked for before shows the same.
    for seed in range(30):
        watched, others = midgame(4, seed, 0), Random(seed)
        moves = []
        while asked := watched.pending():
            watched.view(None)
            moves.append({seat: others.choice(watched.legal(seat).moves) for seat in asked})
            watched.play(moves[-1])
            fresh = midgame(4, seed, 0)
            for earlier in moves:
                fresh.play(earlier)
            assert fresh.view(None) == watched.view(None)
