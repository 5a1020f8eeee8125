"""The rules of Tall Tales; RULES.md beside this file tells them to people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from referee.rules.chance import Chance, Label
from referee.rules.game import NOT_ASKED, Game, Legal, Rejection, Result, Seat, Seats, State, Unreadable, ranks
from referee.rules.options import whole
from referee.rules.views import common

DOUBT = 0
"""A move is the number claimed, or this."""
CARDS = tuple(number for number in range(1, 7) for _ in range(3))
MOVES = Legal((1, 2, 3, 4, 5, 6, DOUBT))
NONE: Legal[int] = Legal(())


class TallTalesState(State[int]):
    """One match: cards in hand, cards still to come, points."""

    def __init__(self, players: int, rounds: int, deck: list[int]) -> None:
        self.players = players
        self.rounds = rounds
        self.deck = deck
        self.turned_up: list[int] = []
        self.points = [0] * players
        self.news: list[dict[str, Any]] = []
        self.round = 0
        self.cards: list[int] = []
        self._deal()

    def pending(self) -> tuple[Seat, ...]:
        return tuple(range(self.players)) if self.cards else ()

    def result(self) -> Result | None:
        return None if self.cards else Result(ranks(self.points), tuple(self.points))

    def legal(self, seat: Seat) -> Legal[int]:
        return MOVES if self.cards else NONE

    def check(self, seat: Seat, move: int) -> Rejection | None:
        return None if self.cards else NOT_ASKED

    def play(self, moves: Mapping[Seat, int]) -> None:
        claims = {seat: moves[seat] for seat in range(self.players) if moves[seat] != DOUBT}
        doubters = [seat for seat in range(self.players) if moves[seat] == DOUBT]
        lies = [seat for seat, claim in claims.items() if claim > self.cards[seat]]
        if doubters and lies:
            for seat in lies:
                self.points[seat] -= 2
            for seat in doubters:
                self.points[seat] += len(lies)
        else:
            for seat in doubters:
                self.points[seat] -= 1
            highest = max(claims.values(), default=0)
            for seat, claim in claims.items():
                self.points[seat] += highest if claim == highest else 0
        self.news = [
            {"kind": "answered", "seat": seat, "move": self.format(moves[seat])} for seat in range(self.players)
        ]
        self.turned_up += self.cards
        self._deal()
        if not self.cards:
            self.news.append({"kind": "ended"})

    def view(self, seat: Seat | None) -> dict[str, Any]:
        view = common(self, seat, self.news) | {"round": self.round, "turned_up": self.turned_up}
        if seat is not None and self.cards:
            view["card"] = self.cards[seat]
        return view

    def fallback(self, seat: Seat) -> int:
        return 1

    def scores(self) -> list[int]:
        return self.points.copy()

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in ("deck", "turned_up", "points", "cards", "news"):
            setattr(twin, name, getattr(self, name).copy())
        return twin

    def parse(self, text: str) -> int:
        words = text.split()
        if words == ["doubt"]:
            return DOUBT
        if len(words) == 2 and words[0] == "claim" and re.fullmatch("[1-6]", words[1]):
            return int(words[1])
        raise Unreadable("a move is 'doubt' or 'claim' with a number from 1 to 6")

    def format(self, move: int) -> str:
        return "doubt" if move == DOUBT else f"claim {move}"

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        twin = self.copy()
        hidden = [other for other in range(len(self.cards)) if other != seat]
        unknown = chance.order("deck", [*self.deck, *(self.cards[other] for other in hidden)])
        for other in hidden:
            twin.cards[other] = unknown.pop()
        twin.deck = unknown
        return twin

    def pieces(self) -> Mapping[str, int]:
        return {str(card): count for card, count in Counter([*self.deck, *self.cards, *self.turned_up]).items()}

    def _deal(self) -> None:
        self.cards = []
        if self.round < self.rounds:
            self.round += 1
            self.cards = [self.deck.pop() for _ in range(self.players)]


class TallTales(Game[int]):
    name = "tall_tales"
    title = "Tall Tales"
    version = 1
    seats = Seats(2, 5)
    options: ClassVar = {"rounds": whole(3, 1, 3, about="how many rounds are played", examples=(1, 2, 3))}
    labels: ClassVar = {"deck": Label("order", "the cards in the order in which they are dealt", int)}

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> TallTalesState:
        return TallTalesState(players, options["rounds"], chance.order("deck", CARDS)[::-1])

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        rounds: int = options["rounds"]
        return rounds
