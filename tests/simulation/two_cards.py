"""A tiny game for simulations: hidden cards, turns and sealed choices in eight questions, so that matches cost little.

Each seat has two hidden cards. Seat by seat may swap its lower card for the next of the deck; then all play one card at
once, and the highest takes a point. What is left in hand is laid aside unseen. Two rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any, ClassVar, Self

from referee.rules import registry
from referee.rules.chance import Chance, Label
from referee.rules.game import NOT_ASKED, Game, Legal, Rejection, Result, Seat, Seats, State, Unreadable, ranks
from referee.rules.views import common

CARDS = tuple(range(1, 17))
ROUNDS = 2
SWAPPING, PLAYING = Legal(("keep", "swap")), Legal(("high", "low"))
NONE: Legal[str] = Legal(())


class TwoCardsState(State[str]):
    """One match."""

    def __init__(self, players: int, deck: list[int]) -> None:
        self.players = players
        self.deck = deck
        self.hands = [sorted((deck.pop(), deck.pop())) for _ in range(players)]
        self.unseen: list[int] = []
        """Cards that were laid aside; no seat but their owner knows them."""
        self.shown: list[int] = []
        self.points = [0] * players
        self.round = 0
        self.turn = 0
        """Whose turn it is to swap; after the last seat all play at once."""
        self.swapped: list[bool] = []

    def pending(self) -> tuple[Seat, ...]:
        if self.round == ROUNDS:
            return ()
        return (self.turn,) if self.turn < self.players else tuple(range(self.players))

    def result(self) -> Result | None:
        return Result(ranks(self.points), tuple(self.points)) if self.round == ROUNDS else None

    def legal(self, seat: Seat) -> Legal[str]:
        if seat not in self.pending():
            return NONE
        return SWAPPING if self.turn < self.players else PLAYING

    def check(self, seat: Seat, move: str) -> Rejection | None:
        if seat not in self.pending():
            return NOT_ASKED
        if move in self.legal(seat).moves:
            return None
        return Rejection("wrong_phase", f"{move} is not asked for now")

    def play(self, moves: Mapping[Seat, str]) -> None:
        if self.turn < self.players:
            swaps = moves[self.turn] == "swap"
            if swaps:
                hand = self.hands[self.turn]
                self.unseen.append(hand[0])
                self.hands[self.turn] = sorted((hand[1], self.deck.pop()))
            self.swapped.append(swaps)
            self.turn += 1
            return
        played = [hand[1 if moves[seat] == "high" else 0] for seat, hand in enumerate(self.hands)]
        self.points[played.index(max(played))] += 1
        for hand, card in zip(self.hands, played, strict=True):
            hand.remove(card)
            self.unseen += hand
        self.shown += played
        self.round += 1
        self.turn, self.swapped = 0, []
        self.hands = (
            [sorted((self.deck.pop(), self.deck.pop())) for _ in range(self.players)] if self.round < ROUNDS else []
        )

    def view(self, seat: Seat | None) -> dict[str, Any]:
        return common(self, seat, [{"kind": "ended"}] if self.round == ROUNDS else []) | {
            "round": self.round,
            "swapped": self.swapped,
            "shown": self.shown,
            "hand": self.hands[seat] if seat is not None and self.hands else [],
        }

    def fallback(self, seat: Seat) -> str:
        return self.legal(seat).moves[0]

    def scores(self) -> list[int]:
        return self.points.copy()

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in ("deck", "unseen", "shown", "points", "swapped"):
            setattr(twin, name, getattr(self, name).copy())
        twin.hands = [hand.copy() for hand in self.hands]
        return twin

    def parse(self, text: str) -> str:
        move = text.strip()
        if move not in ("keep", "swap", "high", "low"):
            raise Unreadable("a move is 'keep' or 'swap', then 'high' or 'low'")
        return move

    def format(self, move: str) -> str:
        return move

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        twin = self.copy()
        others = [other for other in range(len(self.hands)) if other != seat]
        unknown = [*self.deck, *self.unseen, *(card for other in others for card in self.hands[other])]
        unknown = chance.order("deck", unknown)
        for other in others:
            twin.hands[other] = sorted((unknown.pop(), unknown.pop()))
        twin.unseen = [unknown.pop() for _ in self.unseen]
        twin.deck = unknown
        return twin

    def hidden(self) -> dict[str, Any]:
        return {"deck": self.deck[::-1], "hands": self.hands}

    def pieces(self) -> Mapping[str, int]:
        hands = [card for hand in self.hands for card in hand]
        return {str(card): count for card, count in Counter([*self.deck, *self.unseen, *self.shown, *hands]).items()}


class TwoCards(Game[str]):
    name = "two_cards"
    title = "Two Cards"
    version = 1
    seats = Seats(2, 2)
    labels: ClassVar = {"deck": Label("order", "the cards in the order in which they are dealt", int)}
    draw_probability = 0.5
    redealt_forgets = "which cards a seat has laid aside itself"

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> TwoCardsState:
        return TwoCardsState(players, chance.order("deck", CARDS)[::-1])

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        return ROUNDS * (players + 1)

    def rules(self) -> str:
        return __doc__ or ""


GAME = TwoCards()
ENTRY = EntryPoint(TwoCards.name, f"{__name__}:GAME", registry.GROUP)
