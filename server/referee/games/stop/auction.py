"""The auction of STOP!: the bids on the table, who may play what, and who leads."""

from __future__ import annotations

from typing import Self

from referee.games.stop.cards import PLUS, VALUES, faces, hands, value_of, worth
from referee.games.stop.moves import PASS, Move, bids, raises
from referee.rules.game import Legal

OUT_OF_REACH = 25
"""More than any hand is worth: six 4s make 24."""


class Bid:
    """Cards lying before a player: of one value, with +1s, laid by one player or several."""

    __slots__ = ("by", "cards", "faces", "shown", "total", "value")

    def __init__(self, value: int) -> None:
        self.value = value
        self.total = 0
        self.cards = 0
        self.faces: list[int] = []
        """Card by card, as they were laid (1 is a +1) …"""
        self.by: list[int] = []
        """… and by whom."""
        self.shown = b""
        """How views show it; empty where that has changed since."""

    def add(self, by: int, cards: int) -> None:
        laid = faces(cards)
        self.cards += cards
        self.total += worth(cards)
        self.faces += laid
        self.by += [by] * len(laid)
        self.shown = b""

    def copy(self) -> Self:
        twin = type(self)(self.value)
        twin.total, twin.cards = self.total, self.cards
        twin.faces, twin.by, twin.shown = self.faces.copy(), self.by.copy(), self.shown
        return twin


class Auction:
    """All bids on the table, by seat."""

    __slots__ = ("bids", "highest")

    def __init__(self, players: int) -> None:
        self.bids: list[Bid | None] = [None] * players
        self.highest = 0

    def lay(self, owner: int, by: int, cards: int) -> None:
        """Cards are laid before their owner-to-be: his first bid, or a raise of it."""
        bid = self.bids[owner]
        if bid is None:
            bid = self.bids[owner] = Bid(value_of(cards))
        bid.add(by, cards)
        # A play never leaves the bid it touches below the highest.
        self.highest = bid.total

    def able(self, held: list[int]) -> tuple[int, ...]:
        """The seats that have a legal play with what they hold."""
        highest = self.highest
        # For piles of 2s, of 3s, of 4s: what the nearest lacks to equal the highest bid, or 1 where it lacks nothing.
        lacks = [OUT_OF_REACH] * 3
        for bid in self.bids:
            if bid is not None:
                lack = highest - bid.total or 1
                if lack < lacks[bid.value - 2]:
                    lacks[bid.value - 2] = lack
        two, three, four = lacks
        on_table = self.bids
        found = []
        for seat, hand in enumerate(held):
            if hand:
                best, twos, threes, fours = _STRENGTH[hand]
                if twos >= two or threes >= three or fours >= four or (best >= highest and on_table[seat] is None):
                    found.append(seat)
        return tuple(found)

    def plays(self, seat: int, hand: int) -> Legal[Move]:
        """To pass, to bid, to raise: everything a seat may do in a window of the auction."""
        highest = self.highest
        moves = _PASS
        if self.bids[seat] is None:
            moves += bids(hand, highest if highest < OUT_OF_REACH else OUT_OF_REACH)
        for owner, bid in enumerate(self.bids):
            if bid is not None:
                value = bid.value
                lack = highest - bid.total
                moves += raises(owner, value, hand & _FITTING[value], lack if lack < OUT_OF_REACH else OUT_OF_REACH)
        return Legal(moves)

    def bidders(self) -> list[int]:
        """The seats with a bid, ascending."""
        return [seat for seat, bid in enumerate(self.bids) if bid is not None]

    def leaders(self) -> list[int]:
        """The seats whose bid is the highest, ascending."""
        return [seat for seat, bid in enumerate(self.bids) if bid is not None and bid.total == self.highest]

    def piles(self) -> tuple[tuple[int, int], ...]:
        """The heap lying before each bidder, seats ascending."""
        return tuple([(seat, bid.cards) for seat, bid in enumerate(self.bids) if bid is not None])

    def cards(self) -> int:
        """All cards on the table."""
        return sum(bid.cards for bid in self.bids if bid is not None)

    def copy(self) -> Self:
        twin = type(self)(0)
        twin.bids = [bid.copy() if bid is not None else None for bid in self.bids]
        twin.highest = self.highest
        return twin


def _strength(hand: int) -> tuple[int, int, int, int]:
    """The best bid a hand can make, and the most it can add to a pile of 2s, of 3s, of 4s."""
    plus = hand >> 24
    twos, threes, fours = (worth(hand & (255 * card)) for card in VALUES.values())
    best = max(twos, threes, fours)
    return (best + plus if best else 0), twos + plus, threes + plus, fours + plus


_STRENGTH = {hand: _strength(hand) for hand in hands()}
_PASS: tuple[Move, ...] = (PASS,)
_FITTING = {value: 255 * card + 255 * PLUS for value, card in VALUES.items()}
