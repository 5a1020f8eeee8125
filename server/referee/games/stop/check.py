"""The check of a move of STOP!: why it is rejected, and the fallback for a seat that makes none."""

from __future__ import annotations

from referee.games.stop.auction import Auction
from referee.games.stop.cards import NUMBERS, VALUES, covers, names, value_of, worth
from referee.games.stop.moves import PASS, WAIT, Move
from referee.games.stop.position import CALLS, OPENING, PLAYS, SPLIT, Position
from referee.rules.game import NOT_ASKED, Rejection

_WANTED = {
    CALLS: "this is a window of calls: answer stop or wait",
    OPENING: "the caller must open the auction: bid one or more cards of one value",
    PLAYS: "this is a window of the auction: bid, raise or pass",
    SPLIT: "the winner splits the cards on the table: share",
}
_VERBS = {CALLS: ("stop", "wait"), OPENING: ("bid",), PLAYS: ("pass", "bid", "raise"), SPLIT: ("share",)}


def check(position: Position, seat: int, move: Move) -> Rejection | None:
    """Why this move is illegal now, or None."""
    if seat not in position.asked:
        return NOT_ASKED
    verb = move.verb
    if verb not in _VERBS[position.phase]:
        return Rejection("not_now", _WANTED[position.phase])
    if verb == "bid":
        return check_bid(position.auction, seat, position.hands[seat], move.cards)
    if verb == "raise":
        return check_raise(position.auction, move.seat, position.hands[seat], move.cards)
    return _check_share(position.auction, move) if verb == "share" else None


def fallback(position: Position, seat: int) -> Move:
    """Wait; pass; open with the lowest card; leave every bidder the cards before him."""
    if position.phase == CALLS:
        return WAIT
    if position.phase == PLAYS:
        return PASS
    if position.phase == OPENING:
        hand = position.hands[seat]
        return Move("bid", cards=next(card for card in VALUES.values() if hand & (255 * card)))
    return Move("share", piles=position.auction.piles)


def check_bid(auction: Auction, seat: int, hand: int, cards: int) -> Rejection | None:
    if auction.bids[seat] is not None:
        return Rejection("already_bid", f"this seat has a bid already: add to it with 'raise {seat} CARDS'")
    if not cards & NUMBERS:
        return Rejection("plus_alone", "a bid needs at least one 2, 3 or 4; +1s only go with them")
    if value_of(cards) < 0:
        return Rejection("mixed_values", "a bid is made with cards of one value (2s, 3s or 4s) and +1s")
    if not covers(hand, cards):
        return _not_in_hand(hand)
    total = worth(cards)
    return None if total >= auction.highest else _too_low(auction, total)


def check_raise(auction: Auction, owner: int, hand: int, cards: int) -> Rejection | None:
    bid = auction.bids[owner] if owner < len(auction.bids) else None
    if bid is None:
        there = ", ".join(str(seat) for seat in auction.bidders())
        return Rejection("no_such_bid", f"seat {owner} has no bid to raise; bids are before seats {there}")
    if value_of(cards) not in (0, bid.value):
        return Rejection("wrong_value", f"seat {owner}'s bid is of {bid.value}s: only {bid.value}s and +1s go on it")
    if not covers(hand, cards):
        return _not_in_hand(hand)
    total = bid.total + worth(cards)
    return None if total >= auction.highest else _too_low(auction, total)


def _check_share(auction: Auction, move: Move) -> Rejection | None:
    bidders = auction.bidders()
    for seat, _ in move.piles:
        if seat not in bidders:
            there = ", ".join(map(str, bidders))
            return Rejection("not_a_bidder", f"seat {seat} has no bid and gets no cards; bidders are {there}")
    if sum(heap for _, heap in move.piles) != auction.cards:
        table = ",".join(names(auction.cards))
        return Rejection("wrong_cards", f"name every card on the table exactly once: on the table are {table}")
    return None


def _not_in_hand(hand: int) -> Rejection:
    return Rejection("not_in_hand", f"these cards are not in hand; the hand is {' '.join(names(hand)) or 'empty'}")


def _too_low(auction: Auction, total: int) -> Rejection:
    return Rejection(
        "too_low", f"this would make a bid of {total}; it must be at least {auction.highest}, the highest on the table"
    )
