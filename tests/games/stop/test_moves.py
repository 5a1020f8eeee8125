"""How moves are written, and which of them a list holds."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop import cards, moves
from referee.games.stop.auction import Auction, laid, no_bids, plays
from referee.games.stop.check import check_bid, check_raise
from referee.games.stop.moves import Move
from referee.rules.game import Unreadable

heaps = st.lists(st.sampled_from(cards.KINDS), min_size=1, max_size=12).map(sum)
hands = st.sampled_from(cards.hands())
written = st.one_of(
    st.sampled_from([moves.STOP, moves.WAIT, moves.PASS]),
    heaps.map(lambda heap: Move("bid", cards=heap)),
    st.builds(lambda seat, heap: Move("raise", seat, heap), st.integers(0, 5), heaps),
    st.dictionaries(st.integers(0, 5), heaps, min_size=1).map(
        lambda piles: Move("share", piles=tuple(sorted(piles.items())))
    ),
)


@given(written)
@settings(max_examples=150)
def test_every_move_is_read_back_from_its_text(move: Move) -> None:
    assert moves.parse(moves.format_move(move)) == move


@given(written, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_spaces_and_order_of_cards_do_not_matter(move: Move, shuffler: Any) -> None:
    verb, *words = moves.format_move(move).split()
    if verb == "share":
        piles = [word.split(":") for word in words]
        shuffler.shuffle(piles)
        for pile in piles:
            dealt = pile[1].split(",")
            shuffler.shuffle(dealt)
            pile[1] = " , ".join(dealt)
        words = [" : ".join(pile) for pile in piles]
    else:
        head, tail = words[: verb == "raise"], words[verb == "raise" :]
        shuffler.shuffle(tail)
        words = head + tail
    assert moves.parse("  " + "   ".join([verb, *words]) + " ") == move


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "Stop", "stop stop", "wait 1", "pass pass", "bid", "bid 5", "bid 1", "bid 02", "bid 2,2", "bid +2"),
        *("raise", "raise 1", "raise +1", "raise 6 2", "raise 01 2", "raise 1: 2", "raise one 2", "raise -1 2"),
        *("share", "share 0", "share 0:", "share :2", "share 0:2 0:3", "share 0:2,", "share 0:,2", "share 0:2;3"),
        *("share 0:2 3", "share 00:2", "share 6:2", "share 0:2:3", "share 0: 1:2", "share0:2", "bid ²", "raise ١ 2"),
        *("bid " + "2 " * 127, "share 0:" + ",".join("2" * 300), "share 0:" + " " * 50_000),
    ],
)
def test_what_is_no_move_is_unreadable_and_says_what_would_do(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        moves.parse(text)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_a_split_with_more_cards_than_there_are_is_unreadable_however_they_are_dealt() -> None:
    """Heaps are counted in eight bits per kind: 256 2s must never pass for a 3."""
    twos = ",".join("2" * 86)
    with pytest.raises(Unreadable, match="only 126 cards"):
        moves.parse(f"share 0:{twos} 1:{twos} 2:{twos}")


@given(hands, st.integers(1, 30))
@settings(max_examples=150)
def test_bids_of_a_hand_are_all_sets_of_one_value_with_plus_ones(hand: int, least: int) -> None:
    expected = set()
    for parts in product(*(range(count + 1) for count in cards.counts(hand))):
        numbers = [count for count in parts[:3] if count]
        if len(numbers) == 1 and 2 * parts[0] + 3 * parts[1] + 4 * parts[2] + parts[3] >= least:
            expected.add(sum(count * card for count, card in zip(parts, cards.KINDS, strict=True)))
    found = [move.cards for move in moves.bids(hand, least)]
    assert len(found) == len(set(found))
    assert set(found) == expected


@st.composite
def auctions(draw: st.DrawFn) -> tuple[Auction, list[int]]:
    """A table with one to four bids and four hands."""
    owners = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True))
    single = st.sampled_from([cards.TWO, cards.THREE, cards.FOUR])
    bids = [draw(st.integers(1, 4)) * draw(single) + draw(st.integers(0, 3)) * cards.PLUS for _ in owners]
    auction = no_bids(4)
    for owner, heap in zip(owners, sorted(bids, key=cards.worth), strict=True):
        auction = laid(auction, owner, owner, heap)
    return auction, draw(st.lists(hands, min_size=4, max_size=4))


@given(auctions())
@settings(max_examples=60)
def test_the_list_of_plays_is_exactly_what_passes_the_check(table: tuple[Auction, list[int]]) -> None:
    auction, held = table
    asked = auction.able(held)
    for seat, hand in enumerate(held):
        allowed = set()
        for parts in product(*(range(count + 1) for count in cards.counts(hand))):
            heap = sum(count * card for count, card in zip(parts, cards.KINDS, strict=True))
            if not heap:
                continue
            if check_bid(auction, seat, hand, heap) is None:
                allowed.add(Move("bid", cards=heap))
            allowed |= {Move("raise", at, heap) for at in range(6) if check_raise(auction, at, hand, heap) is None}
        listed = plays(auction, auction.bids[seat] is None, hand).moves
        assert len(listed) == len(set(listed))
        assert set(listed) == allowed | {moves.PASS}
        assert (seat in asked) == bool(allowed), "a seat is asked exactly when it has a play"


def test_laying_cards_leaves_the_table_before_as_it_was() -> None:
    before = no_bids(3)
    opened = laid(before, 1, 1, cards.FOUR)
    raised = laid(opened, 1, 0, cards.PLUS)
    assert [(table.highest, table.cards, table.piles, table.leaders) for table in (before, opened, raised)] == [
        (0, 0, (), ()),
        (4, cards.FOUR, ((1, cards.FOUR),), (1,)),
        (5, cards.FOUR + cards.PLUS, ((1, cards.FOUR + cards.PLUS),), (1,)),
    ]


@given(heaps, heaps)
def test_a_heap_covers_another_exactly_when_it_has_enough_of_every_kind(held: int, wanted: int) -> None:
    enough = all(have >= want for have, want in zip(cards.counts(held), cards.counts(wanted), strict=True))
    assert cards.covers(held, wanted) == enough
