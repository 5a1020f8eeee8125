"""Where everything lies in a match of STOP!: decks, hands, tokens, bids, and whose draw it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from referee.games.stop import events
from referee.games.stop.auction import Auction
from referee.games.stop.cards import DECK, NUMBERS, SIZES, counts, spread
from referee.rules.chance import Chance
from referee.rules.game import Result
from referee.rules.log import Log

# What is being decided, numbered as in the proto.
CALLS, OPENING, PLAYS, SPLIT, OVER = range(1, 6)

SEATS = [tuple(seat for seat in range(6) if mask >> seat & 1) for mask in range(1 << 6)]
"""The seats in a mask, ascending."""

_FULL_DECK = spread(DECK)


class Position:
    """The table of a match. Seats are also bits of a mask; heaps of cards are counted as `cards.py` says."""

    __slots__ = (
        "able",
        "asked",
        "auction",
        "auctions",
        "chance",
        "decks",
        "eliminated",
        "full",
        "gone",
        "hands",
        "inside",
        "log",
        "open_facts",
        "opening_rule",
        "outcome",
        "owned",
        "phase",
        "players",
        "red",
        "shuffles",
        "shuffles_in_row",
        "tokens",
        "turn",
    )

    def __init__(self, players: int, chance: Chance) -> None:
        self.players = players
        self.chance = chance
        self.log: Log[events.Event] = Log(players)
        self.decks = [chance.order("decks", _FULL_DECK)[::-1] for _ in range(players)]
        """By seat; the top card is the last of the list."""
        self.hands = [0] * players
        self.owned = [DECK] * players
        """By seat, what lies in deck and hand together."""
        self.gone = 0
        """The hands of eliminated players."""
        self.tokens = [0] * players
        self.inside = (1 << players) - 1
        """Players still in the game."""
        self.full = 0
        """Players with six cards in hand."""
        self.able = 0
        """Players with a 2, 3 or 4 in hand: they can make a bid."""
        self.eliminated: tuple[int, ...] = ()
        self.red = chance.pick("first", range(players))
        self.turn = self.red
        self.opening_rule = True
        self.shuffles = self.shuffles_in_row = self.auctions = 0
        self.auction = Auction(players)
        self.phase = CALLS
        self.asked: tuple[int, ...] = ()
        self.outcome: Result | None = None
        self.open_facts = b""
        """What all views have in common, once one was asked for; see `view.py`."""

    def copy(self) -> Self:
        """An independent position with the same past and the same future."""
        twin = type(self).__new__(type(self))
        twin.players, twin.phase, twin.asked, twin.outcome = self.players, self.phase, self.asked, self.outcome
        twin.inside, twin.full, twin.able, twin.gone = self.inside, self.full, self.able, self.gone
        twin.red, twin.turn, twin.eliminated = self.red, self.turn, self.eliminated
        twin.shuffles, twin.shuffles_in_row, twin.auctions = self.shuffles, self.shuffles_in_row, self.auctions
        twin.opening_rule = self.opening_rule
        twin.hands = self.hands.copy()
        twin.owned = self.owned.copy()
        twin.tokens = self.tokens.copy()
        twin.decks = [deck.copy() for deck in self.decks]
        twin.auction = self.auction.copy()
        twin.chance = self.chance.copy()
        twin.log = self.log.copy()
        twin.open_facts = b""
        return twin

    def redealt(self, seat: int | None, chance: Chance) -> Self:
        """Others' cards fall anew into hand and deck; a seat's own deck only changes its order.

        What everybody can tell from the phase stays true: a caller who has not opened yet can bid, and a window asks
        somebody. Should the draw refuse to respect that, hands stay as they are and only the decks change. Who
        remembers what was shuffled into which deck may know a little more than a view tells; that is not kept.
        """
        for _ in range(24):
            twin = self.copy()
            twin._redeal_hands(seat, chance)
            if twin._plausible():
                break
        else:
            twin = self.copy()
        for other, hand in enumerate(twin.hands):
            twin.decks[other] = chance.order("redeal", spread(twin.owned[other] - hand))
        twin.chance = chance.copy()
        return twin

    def pieces(self) -> Mapping[str, int]:
        heap = sum(self.hands) + sum(map(sum, self.decks)) + self.gone + self.auction.cards()
        twos, threes, fours, plus = counts(heap)
        return {"2": twos, "3": threes, "4": fours, "+1": plus, "red": self.inside >> self.red & 1}

    def left_of(self, seat: int) -> int:
        """The next player still in the game."""
        while True:
            seat = seat + 1 if seat + 1 < self.players else 0
            if self.inside >> seat & 1:
                return seat

    def _plausible(self) -> bool:
        if self.phase == OPENING:
            return bool(self.able >> self.red & 1)
        return self.phase == OVER or bool(self.asked)

    def _redeal_hands(self, seat: int | None, chance: Chance) -> None:
        """Everybody but this seat gets as many cards as he holds, out of all he owns."""
        for other, hand in enumerate(self.hands):
            if other != seat:
                self.hands[other] = sum(chance.order("redeal", spread(self.owned[other]))[: SIZES[hand]])
        self.able = sum(1 << other for other, hand in enumerate(self.hands) if hand & NUMBERS)
        if self.phase == CALLS:
            self.asked = SEATS[self.able & ~(1 << self.red)]
        elif self.phase == PLAYS:
            self.asked = self.auction.able(self.hands)
