"""STOP! imagined from a view: hidden hands agree with what was drawn, called and laid, with the odds of the cards."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import pytest

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop import GAME
from referee.games.stop.cards import DECK, FOUR, PLUS, THREE, TWO, counts
from referee.rules.chance import Seeded
from referee.rules.game import WrongUse

MANY = 600


def view(**changes: object) -> pb.View:
    """Seat 0 is asked for its play; seat 1 called, opened with a 4 and has two cards left; all else is untouched."""
    shown = pb.View(
        seat=0,
        asked=[0],
        scores=[0, 0, 0],
        question=pb.QUESTION_PLAY,
        hand=[4, 4],
        hand_sizes=[2, 2, 1],
        deck_sizes=[19, 18, 20],
        twos=[9] * 3,
        threes=[6] * 3,
        fours=[3, 2, 3],
        plus_ones=[3] * 3,
        red=1,
        next_draw=2,
        bids=[pb.Bid(seat=1, value=4, total=4, cards=[4], laid_by=[1])],
        highest=4,
        events=[
            pb.Event(kind=pb.EVENT_KIND_CALLED, seat=1),
            pb.Event(kind=pb.EVENT_KIND_BID, seat=1, cards=[4]),
        ],
    )
    for name, value in changes.items():
        setattr(shown, name, value)
    return shown


def test_the_hand_of_a_bidder_is_as_likely_as_its_cards_say() -> None:
    """Three cards were drawn of 21, and a 4 was among them: the more 4s a hand held, the likelier that is."""
    found = Counter(counts(GAME.imagine(view(), Seeded(b"%d" % n)).hands[1])[2] for n in range(MANY))
    ways = {fours: comb(3, fours + 1) * comb(18, 2 - fours) for fours in range(3)}
    for fours, count in ways.items():
        expected = MANY * float(Fraction(count, sum(ways.values())))
        assert abs(found[fours] - expected) < 5 * (expected + 1) ** 0.5, (fours, found, expected)


def test_an_untouched_hand_is_any_card_of_its_deck() -> None:
    found = Counter(GAME.imagine(view(), Seeded(b"%d" % n)).hands[2] for n in range(MANY))
    for card, copies in ((TWO, 9), (THREE, 6), (FOUR, 3), (PLUS, 3)):
        expected = MANY * copies / 21
        assert abs(found[card] - expected) < 5 * expected**0.5


def test_all_cards_are_there_and_the_view_is_the_same() -> None:
    state = GAME.imagine(view(), Seeded(b"all"))
    assert state.view(0) == view()
    assert sum(state.hands) + sum(map(sum, state.decks)) + state.auction.cards == 3 * DECK


def test_an_imagined_match_can_be_dealt_anew_and_plays_on() -> None:
    state = GAME.imagine(view(), Seeded(b"again")).redealt(0, Seeded(b"other"))
    assert state.view(0) == view()
    while state.pending():
        state.play({seat: state.fallback(seat) for seat in state.pending()})
    assert state.result() is not None


def test_a_public_view_of_a_window_has_somebody_to_ask() -> None:
    shown = view()
    shown.ClearField("seat")
    shown.ClearField("asked")
    shown.ClearField("hand")
    assert all(GAME.imagine(shown, Seeded(b"%d" % n)).pending() for n in range(20))


@pytest.mark.parametrize("field", ["scores", "twos", "threes", "fours", "plus_ones"])
def test_more_tokens_or_cards_than_a_match_has_are_refused(field: str) -> None:
    shown = view()
    getattr(shown, field)[1] = 128
    with pytest.raises(WrongUse, match="tokens or cards"):
        GAME.imagine(shown, Seeded(b"many"))


@pytest.mark.parametrize("highest", [0, 3, 5, 1 << 31])
def test_a_highest_bid_that_is_not_on_the_table_is_refused(highest: int) -> None:
    with pytest.raises(WrongUse, match="highest bid"):
        GAME.imagine(view(highest=highest), Seeded(b""))
