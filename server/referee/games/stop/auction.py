"""The auction of STOP!: the bids on the table, who may play what, and who leads.

An auction is a value: whoever lays cards makes another one. Most auctions come again in other matches, and so do the
lists of plays, so a few thousand of each are kept, with all that can be said of them.
"""

from __future__ import annotations

from functools import lru_cache

from referee.games.stop.cards import PLUS, VALUES, faces, hands, value_of, worth
from referee.games.stop.moves import PASS, SEATS, Move, bids, raises
from referee.rules.game import Legal

OUT_OF_REACH = 25
"""More than any hand is worth: six 4s make 24."""


class Bid:
    """Cards lying before a player: of one value, with +1s, laid by one player or several."""

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

    __slots__ = ("bids", "cards", "highest", "leaders", "piles", "shown", "wanted")

    def __init__(self, bids: tuple[Bid | None, ...], highest: int) -> None:
        self.bids = bids
        self.highest = highest
        self.cards = 0
        """All cards on the table."""
        self.shown = b""
        """How views show the bids, once one was asked for."""
        piles = []
        leaders = []
        lacks = [OUT_OF_REACH] * 3
        for bid in bids:
            if bid is not None:
                self.cards += bid.cards
                piles.append((bid.owner, bid.cards))
                if bid.total == highest:
                    leaders.append(bid.owner)
                lacks[bid.value - 2] = min(lacks[bid.value - 2], _least(highest - bid.total))
        self.piles = tuple(piles)
        """The heap lying before each bidder, seats ascending."""
        self.leaders = tuple(leaders)
        """The seats whose bid is the highest, ascending."""
        self.wanted = _packed(_least(highest), *lacks)
        """The least that makes a bid, and that raises the nearest pile of 2s, of 3s, of 4s: see `_strength`."""

    def bidders(self) -> list[int]:
        """The seats with a bid, ascending."""
        return [seat for seat, _ in self.piles]

    def able(self, held: list[int]) -> tuple[int, ...]:
        """The seats that have a legal play with what they hold."""
        on_table, wanted = self.bids, self.wanted
        found = []
        for seat, hand in enumerate(held):
            # Who has a bid makes no second one.
            if hand and (_STRENGTH[hand] - wanted) & (_ANY if on_table[seat] is None else _RAISES):
                found.append(seat)
        return tuple(found)


@lru_cache(maxsize=8)
def no_bids(players: int) -> Auction:
    """The table before the first bid."""
    return Auction((None,) * players, 0)


@lru_cache(maxsize=4096)
def laid(auction: Auction, owner: int, by: int, cards: int) -> Auction:
    """The table once these cards were laid before their owner-to-be: his first bid, or a raise of it."""
    bid = _raised(auction.bids[owner], owner, by, cards)
    # A play never leaves the bid it touches below the highest.
    return Auction((*auction.bids[:owner], bid, *auction.bids[owner + 1 :]), bid.total)


@lru_cache(maxsize=4096)
def plays(auction: Auction, may_bid: bool, hand: int) -> Legal[Move]:
    """To pass, to bid, to raise: everything a seat with this hand may do in a window of the auction."""
    moves = (PASS, *bids(hand, _least(auction.highest))) if may_bid else (PASS,)
    for bid in auction.bids:
        if bid is not None:
            least = _least(auction.highest - bid.total)
            moves += raises(bid.owner, bid.value, hand & _FITTING[bid.value], least)
    return Legal(moves)


@lru_cache(maxsize=4096)
def _raised(bid: Bid | None, owner: int, by: int, cards: int) -> Bid:
    """The bid before its owner once these cards were laid."""
    row = bytes(faces(cards))
    seats = _BY[by] * len(row)
    if bid is None:
        return Bid(owner, value_of(cards), worth(cards), cards, row, seats)
    return Bid(owner, bid.value, bid.total + worth(cards), bid.cards + cards, bid.faces + row, bid.by + seats)


def _least(lack: int) -> int:
    """The least that a play has to bring where so much is lacking: a card in any case, as far as hands reach.

    Below 0 it is nothing: no pile is above the highest bid, but while a match is imagined from a view.
    """
    return max(0, min(lack or 1, OUT_OF_REACH))


def _packed(bid: int, twos: int, threes: int, fours: int) -> int:
    """Four numbers of a hand or of the table in one, six bits for each."""
    return bid << 18 | twos << 12 | threes << 6 | fours


def _strength(hand: int) -> int:
    """The best bid a hand can make, and the most it can add to a pile of 2s, of 3s, of 4s.

    The top bit of each is lent: where what is wanted is taken away, it is left exactly where there was enough.
    """
    plus = hand >> 24
    twos, threes, fours = (worth(hand & (255 * card)) for card in VALUES.values())
    best = max(twos, threes, fours)
    return _ANY | _packed(best + plus if best else 0, twos + plus, threes + plus, fours + plus)


_ANY = _packed(32, 32, 32, 32)
_RAISES = _packed(0, 32, 32, 32)
_STRENGTH = {hand: _strength(hand) for hand in hands()}
_BY = [bytes([seat]) for seat in SEATS.values()]
_FITTING = {value: 255 * card + 255 * PLUS for value, card in VALUES.items()}
