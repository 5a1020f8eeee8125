"""The auction of STOP!: the bids on the table, who may play what, and who leads."""

from __future__ import annotations

from functools import lru_cache
from typing import Self

from referee.games.stop.cards import PLUS, VALUES, faces, hands, value_of, worth
from referee.games.stop.moves import PASS, SEATS, Move, bids, raises
from referee.rules.game import Legal

OUT_OF_REACH = 25
"""More than any hand is worth: six 4s make 24."""


class Bid:
    """Cards lying before a player: of one value, with +1s, laid by one player or several. A raise makes a new bid."""

    __slots__ = ("by", "cards", "faces", "owner", "shown", "total", "value")

    def __init__(self, owner: int, value: int, total: int, cards: int, faces: bytes, by: bytes) -> None:
        self.owner = owner
        self.value = value
        self.total = total
        self.cards = cards
        self.faces = faces
        """Card by card, as they were laid (1 is a +1) …"""
        self.by = by
        """… and by whom."""
        self.shown = b""
        """How views show it, once one was asked for."""


class Auction:
    """All bids on the table, by seat."""

    __slots__ = ("best", "bids", "cards", "highest")

    def __init__(self, players: int) -> None:
        self.bids: list[Bid | None] = [None] * players
        self.highest = 0
        self.best = [-OUT_OF_REACH] * 3
        """The highest bid of 2s, of 3s, of 4s; far below where there is none."""
        self.cards = 0
        """All cards on the table."""

    def lay(self, owner: int, by: int, cards: int) -> None:
        """Cards are laid before their owner-to-be: his first bid, or a raise of it."""
        self.bids[owner] = bid = _laid(self.bids[owner], owner, by, cards)
        self.cards += cards
        # A play never leaves the bid it touches below the highest.
        self.highest = total = bid.total
        if total > self.best[bid.value - 2]:
            self.best[bid.value - 2] = total

    def able(self, held: list[int]) -> tuple[int, ...]:
        """The seats that have a legal play with what they hold."""
        highest = self.highest
        two, three, four = self.best
        wanted = (
            _LEAST[highest] << 18 | _LEAST[highest - two] << 12 | _LEAST[highest - three] << 6 | _LEAST[highest - four]
        )
        found = []
        for seat, bid in enumerate(self.bids):
            hand = held[seat]
            if hand and (_STRENGTH[hand] - wanted) & (_ANY if bid is None else _RAISES):
                found.append(seat)
        return tuple(found)

    def plays(self, seat: int, hand: int) -> Legal[Move]:
        """To pass, to bid, to raise: everything a seat may do in a window of the auction."""
        return _plays(hand, self.bids[seat] is None, self.highest, tuple(self.bids))

    def bidders(self) -> list[int]:
        """The seats with a bid, ascending."""
        return [seat for seat, bid in enumerate(self.bids) if bid is not None]

    def leaders(self) -> list[int]:
        """The seats whose bid is the highest, ascending."""
        return [seat for seat, bid in enumerate(self.bids) if bid is not None and bid.total == self.highest]

    def piles(self) -> tuple[tuple[int, int], ...]:
        """The heap lying before each bidder, seats ascending."""
        return tuple([(seat, bid.cards) for seat, bid in enumerate(self.bids) if bid is not None])

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.bids = self.bids.copy()
        twin.highest = self.highest
        twin.best = self.best.copy()
        twin.cards = self.cards
        return twin


@lru_cache(maxsize=8192)
def _plays(hand: int, may_bid: bool, highest: int, on_table: tuple[Bid | None, ...]) -> Legal[Move]:
    """All that a hand may do beside these bids. Most windows come again in other matches: each list is made once."""
    moves = (PASS, *bids(hand, _LEAST[highest])) if may_bid else (PASS,)
    for bid in on_table:
        if bid is not None:
            moves += raises(bid.owner, bid.value, hand & _FITTING[bid.value], _LEAST[highest - bid.total])
    return Legal(moves)


def _strength(hand: int) -> int:
    """The best bid a hand can make, and the most it can add to a pile of 2s, of 3s, of 4s: six bits for each.

    The top one of them is lent: where what is wanted is taken away, it is left exactly where there was enough.
    """
    plus = hand >> 24
    twos, threes, fours = (worth(hand & (255 * card)) for card in VALUES.values())
    best = max(twos, threes, fours)
    return _ANY | (best + plus if best else 0) << 18 | (twos + plus) << 12 | (threes + plus) << 6 | (fours + plus)


@lru_cache(maxsize=4096)
def _laid(bid: Bid | None, owner: int, by: int, cards: int) -> Bid:
    """The bid before its owner once these cards are laid. Most bids come again in other matches: each is made once."""
    laid = bytes(faces(cards))
    seats = _BY[by] * len(laid)
    if bid is None:
        return Bid(owner, value_of(cards), worth(cards), cards, laid, seats)
    return Bid(owner, bid.value, bid.total + worth(cards), bid.cards + cards, bid.faces + laid, bid.by + seats)


_RAISES = 32 << 12 | 32 << 6 | 32
_ANY = 32 << 18 | _RAISES
_STRENGTH = {hand: _strength(hand) for hand in hands()}
_LEAST = [1, *range(1, OUT_OF_REACH), *[OUT_OF_REACH] * 128, *[0] * 128]
"""The least that a play has to bring, by how much a pile lacks: a card in any case, and no more than is out of reach.

Below 0 it is nothing: no pile is above the highest bid, but while a match is imagined from a view.
"""
_BY = [bytes([seat]) for seat in SEATS.values()]
_FITTING = {value: 255 * card + 255 * PLUS for value, card in VALUES.items()}
