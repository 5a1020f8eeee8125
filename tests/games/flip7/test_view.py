"""What a seat is shown: all of the table but the order of the pile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7 import GAME
from referee.games.flip7.cards import CODES, DECK, NAMES, THREE, decks
from referee.games.flip7.moves import HIT, STAY
from referee.games.flip7.state import Flip7State
from referee.rules.chance import Seeded

Laid = Callable[..., Flip7State]

matches = given(
    players=st.sampled_from([3, 4, 6, 18, 19, 36]),
    rules=st.sampled_from(["printed", "faq"]),
    seed=st.binary(max_size=4),
    choices=st.lists(st.integers(0, 35), min_size=1, max_size=40),
)
modest = settings(max_examples=25, deadline=None)


def start(players: int, rules: str, seed: bytes) -> Flip7State:
    return GAME.new(players, GAME.resolve_options({"rules": rules, "target_score": 120}), Seeded(seed))


def step(state: Flip7State, choices: list[int], turn: int) -> int:
    [seat] = state.pending()
    moves = state.legal(seat).moves
    state.play({seat: moves[choices[turn % len(choices)] % len(moves)]})
    return seat


@modest
@matches
def test_a_view_accounts_for_every_card(players: int, rules: str, seed: bytes, choices: list[int]) -> None:
    state = start(players, rules, seed)
    for turn in range(150):
        view = state.view(None)
        seen = Counter(card for player in view.players for card in player.cards)
        for three in view.threes:
            seen.update([THREE, *three.aside])
        if view.HasField("card"):
            seen[view.card] += 1
        assert list(view.pile_counts) == [state.pile.count(card) for card in range(22)]
        assert view.pile_size == sum(view.pile_counts)
        assert view.pile_size + view.discard_size + seen.total() == len(DECK) * decks(players)
        if not state.pending():
            break
        step(state, choices, turn)


@modest
@matches
def test_all_seats_see_the_same_but_for_their_news(players: int, rules: str, seed: bytes, choices: list[int]) -> None:
    state = start(players, rules, seed)
    for turn in range(40):
        if not state.pending():
            break
        step(state, choices, turn)
    shown = []
    for seat in (None, *range(players)):
        view = state.view(seat)
        assert view.HasField("seat") == (seat is not None)
        view.ClearField("seat")
        view.ClearField("events")
        shown.append(view.SerializeToString(deterministic=True))
    assert len(set(shown)) == 1


@modest
@matches
def test_only_the_order_of_the_pile_is_hidden(players: int, rules: str, seed: bytes, choices: list[int]) -> None:
    state = start(players, rules, seed)
    for turn in range(20):
        if not state.pending():
            break
        step(state, choices, turn)
    twin = state.redealt(0, Seeded(b"another" + seed))
    assert twin.view(0) == state.view(0)
    assert sorted(twin.pile) == sorted(state.pile)
    assert len(state.pile) < 12 or twin.pile != state.pile


def test_a_turn_is_shown_as_a_question_to_one_seat(laid: Laid) -> None:
    state = laid("5 x2 +4", "7 8")
    state.play({0: HIT})
    view = state.view(1)
    assert (view.seat, view.round, view.dealer, list(view.asked), view.turn) == (1, 1, 2, [1], 1)
    assert view.question == pb.QUESTION_TURN
    assert not view.HasField("card")
    assert list(view.targets) == []
    assert (view.pile_size, view.discard_size, view.reshuffles) == (2, 2, 0)
    counts = view.pile_counts
    assert (counts[pb.SPECIAL_CARD_X2], counts[pb.SPECIAL_CARD_PLUS_4], sum(counts)) == (1, 1, 2)
    assert (view.rules, view.target_score) == (pb.RULES_PRINTED, 200)
    assert [player.status for player in view.players] == [pb.STATUS_IN] * 3
    assert list(view.players[0].cards) == [5]
    assert list(view.scores) == [0, 0, 0]


def test_a_target_is_asked_with_its_card_the_possible_seats_and_the_threes_around_it(laid: Laid) -> None:
    state = laid("9 T T 8 S 1 SC 2")
    for seat, move in ((0, HIT), (1, STAY), (2, HIT), (2, 0)):
        state.play({seat: move})
    view = state.view(2)
    assert (list(view.asked), view.turn) == ([0], 2)
    assert (view.question, view.card) == (pb.QUESTION_TARGET, pb.SPECIAL_CARD_THREE)
    assert list(view.targets) == [0, 2]
    assert [(three.seat, three.left, list(three.aside)) for three in view.threes] == [(0, 0, [pb.SPECIAL_CARD_STOP])]
    state.play({0: 2})
    view = state.view(None)
    assert (list(view.asked), view.card) == ([0], pb.SPECIAL_CARD_STOP)
    assert list(view.players[2].cards) == [1, 2, pb.SPECIAL_CARD_SECOND_CHANCE]


def test_the_status_and_points_of_everybody_are_shown(laid: Laid) -> None:
    state = laid("9 7 4 9 S", players=4)
    for seat, move in ((0, HIT), (1, HIT), (2, HIT), (3, STAY), (0, HIT), (1, HIT), (1, 1)):
        state.play({seat: move})
    view = state.view(2)
    statuses = [pb.STATUS_BUSTED, pb.STATUS_STOPPED, pb.STATUS_IN, pb.STATUS_STAYED]
    assert [player.status for player in view.players] == statuses
    assert [player.points for player in view.players] == [0, 7, 4, 0]
    assert [list(player.cards) for player in view.players] == [[9, 9], [7, pb.SPECIAL_CARD_STOP], [4], []]


def test_the_opening_deal_shows_who_is_still_to_be_served() -> None:
    for number in range(200):
        state = start(5, "faq", b"%d" % number)
        view = state.view(None)
        if view.question != pb.QUESTION_TARGET or view.turn == view.dealer:
            continue
        assert view.rules == pb.RULES_FAQ
        expected = []
        seat = view.turn
        while seat != view.dealer:
            seat = (seat + 1) % 5
            expected.append(seat)
        assert list(view.unserved) == expected
        if view.card == pb.SPECIAL_CARD_STOP:
            state.play({view.asked[0]: expected[0]})
            assert expected[0] not in state.view(None).unserved
            return
    raise AssertionError("no Stop in 200 opening deals")


def test_every_card_of_the_view_has_the_code_of_its_name() -> None:
    named = {CODES[text]: name for text, name in zip(NAMES[13:], pb.SpecialCard.keys()[1:], strict=True)}
    assert {code: pb.SpecialCard.Name(code) for code in named} == named  # type: ignore[arg-type]
