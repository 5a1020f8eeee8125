"""The position of a match of STOP!: decks, hands, tokens, bids, and whose draw it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from referee.games.stop.auction import no_bids
from referee.games.stop.cards import DECK, NUMBERS, counts, names, spread
from referee.games.stop.memory import Memory
from referee.games.stop.redeal import redeal_hands
from referee.rules.chance import Chance
from referee.rules.game import Result

# What is being decided, numbered as the questions in the proto: once the match is over, none.
OVER, CALLS, OPENING, PLAYS, SPLIT = range(5)

MOST_PLAYERS = 6
SEATS = [tuple(seat for seat in range(MOST_PLAYERS) if mask >> seat & 1) for mask in range(1 << MOST_PLAYERS)]
"""The seats in a mask, ascending."""

_FULL_DECK = spread(DECK)


def _left_of(seat: int, inside: int) -> int:
    """The next of these seats (bit n: seat n)."""
    left = inside >> (seat + 1) << (seat + 1) or inside
    return (left & -left).bit_length() - 1


_LEFT = [[_left_of(seat, inside) for seat in range(MOST_PLAYERS)] for inside in range(1 << MOST_PLAYERS)]


class Position:
    """The table of a match. Seats are also bits of a mask; heaps of cards are counted as `cards.py` says."""

    __slots__ = (
        "able",
        "asked",
        "auction",
        "auctions",
        "chance",
        "changed",
        "decks",
        "eliminated",
        "full",
        "gone",
        "hands",
        "inside",
        "log",
        "opening_rule",
        "outcome",
        "owned",
        "phase",
        "players",
        "red",
        "shown",
        "shown_cards",
        "shown_scores",
        "shuffles",
        "shuffles_in_row",
        "tokens",
        "turn",
    )

    def __init__(self, players: int, chance: Chance) -> None:
        self.players = players
        self.chance = chance
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
        self.log = Memory(players, self.red)
        self.opening_rule = True
        self.shuffles = self.shuffles_in_row = self.auctions = 0
        self.auction = no_bids(players)
        self.phase = CALLS
        self.asked: tuple[int, ...] = ()
        self.outcome: Result | None = None
        self.shown = b""
        """How views show what lies on the table; empty where that has changed since; see `view.py`."""
        self.shown_scores = b""
        """Likewise the tokens, and how the match ended."""
        self.shown_cards = bytearray()
        """How views show how many cards everybody has …"""
        self.changed = self.inside
        """… and the players for whom that has changed since."""

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
        twin.auction = self.auction
        twin.chance = self.chance.copy()
        twin.log = self.log.copy()
        twin.shown, twin.shown_scores = b"", self.shown_scores
        twin.shown_cards, twin.changed = self.shown_cards.copy(), self.changed
        return twin

    def redealt(self, seat: int | None, chance: Chance) -> Self:
        """Others' cards fall anew into hand and deck; a seat's own deck only changes its order.

        The hands that are drawn agree with all that was seen since the match began: `redeal.py` says how.
        """
        twin = self.copy()
        redeal_hands(twin, seat, chance)
        twin.able = sum(1 << other for other, hand in enumerate(twin.hands) if hand & NUMBERS)
        if self.phase == CALLS:
            twin.asked = SEATS[twin.able & ~(1 << self.red)]
        elif self.phase == PLAYS:
            twin.asked = twin.auction.able(twin.hands)
        for other, hand in enumerate(twin.hands):
            twin.decks[other] = chance.order("redeal", spread(twin.owned[other] - hand))
        twin.chance = chance.copy()
        return twin

    def redrawn(self, chance: Chance) -> Self:
        """Every deck in another order; the hands stay."""
        twin = self.copy()
        for seat, hand in enumerate(twin.hands):
            twin.decks[seat] = chance.order("redeal", spread(twin.owned[seat] - hand))
        twin.chance = chance.copy()
        return twin

    def pieces(self) -> Mapping[str, int]:
        heap = sum(self.hands) + sum(map(sum, self.decks)) + self.gone + self.auction.cards
        twos, threes, fours, plus = counts(heap)
        return {"2": twos, "3": threes, "4": fours, "+1": plus, "red": self.inside >> self.red & 1}

    def hidden(self) -> dict[str, Any]:
        """The decks by seat, next card first."""
        return {
            f"deck of seat {seat}": [names(card)[0] for card in reversed(deck)] for seat, deck in enumerate(self.decks)
        }

    def left_of(self, seat: int) -> int:
        """The next player still in the game."""
        return _LEFT[self.inside][seat]
