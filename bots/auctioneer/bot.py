"""Auctioneer plays STOP! by the odds of the hands it does not see, and by what each result does to the race for tokens.

Three thoughts, in the order of this file:

1. *What can the others bid?* It is public which cards a player owns and how many of them he holds. So the odds of
   each hand are known exactly, and with them how far a player can bring his bid.
2. *What is a result worth?* A table tells how the odds to win the match grow with the tokens; a better deck helps
   too. The winner of an auction moves ahead by as many tokens as there are bids, a tie leaves things as they are.
3. *How does the auction end?* The player who can go furthest wins it, unless two can go equally far. That values every
   move by the same measure: to call, to take the lead, to let it be, to lift another bid level with the leader's.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import comb

import arena
from arena.games.stop.v1 import stop_pb2 as stop

STANDING = (1.0, 1.5, 2.2, 3.3, 6.0, 8.0)
"""How the odds to win the match compare for players with 0 to 5 tokens."""
EAGER = 0.7
"""How often a player who could take the lead makes a bid; each bid is a token more for the winner."""
WAITING = 0.05
"""What it costs to let the others choose the moment, as a share in the match."""
CARD, GIFT = 0.005, 0.05
"""The price of each point in cards that are laid on the own bid, or given away on another one."""
ENOUGH = 10
"""A player who owns fewer cards than this may soon be unable to draw."""

TOKENS_TO_WIN, FULL_HAND = 6, 6
FURTHEST = 24
"""What the best hand there is, six 4s, adds to a bid."""
FACES = (2, 3, 4, 1)

Heap = tuple[int, int, int, int]
"""How many 2s, 3s, 4s and +1s (which views write as 1)."""


def decide(decision: arena.Decision) -> str:
    view: stop.View = decision.view
    table = Table(view)
    if view.question == stop.QUESTION_CALL:
        return "stop" if table.call() > table.share - WAITING else "wait"
    if view.question == stop.QUESTION_OPENING:
        return f"bid {strongest(table.hand)}"  # one card: the lower it is, the more join in
    if view.question == stop.QUESTION_PLAY:
        return max(decision.legal, key=table.play)  # the first of equals: the order of lists is fixed
    return table.split()


# 1. What the others can bid


def heap(cards: Iterable[int]) -> Heap:
    cards = list(cards)
    return cards.count(2), cards.count(3), cards.count(4), cards.count(1)


def strongest(hand: Heap) -> int:
    """The value that a hand can bid most with."""
    return max((2, 3, 4), key=lambda value: value * hand[value - 2])


def worth(hand: Heap, value: int) -> int:
    """What a hand adds to a bid of this value; 0 stands for a bid of its own, with its strongest."""
    if not value:
        value = strongest(hand)
        if not hand[value - 2]:
            return 0  # +1s alone are no bid
    return value * hand[value - 2] + hand[3]


@lru_cache(1 << 12)
def hands(owned: Heap, size: int) -> list[tuple[Heap, float]]:
    """Every hand of this size out of these cards, with its odds."""
    all_hands = comb(sum(owned), size)
    return [
        (hand, comb(owned[0], two) * comb(owned[1], three) * comb(owned[2], four) * comb(owned[3], hand[3]) / all_hands)
        for two in range(min(owned[0], size) + 1)
        for three in range(min(owned[1], size - two) + 1)
        for four in range(min(owned[2], size - two - three) + 1)
        if (hand := (two, three, four, size - two - three - four))[3] <= owned[3]
    ]


@lru_cache(1 << 12)
def below(owned: Heap, size: int, value: int) -> list[float]:
    """[n]: the odds that such a hand adds less than n to a bid of this value, or to none; one if n is out of reach."""
    odds = [0.0] * (FURTHEST + 2)
    for hand, chance in hands(owned, size):
        odds[worth(hand, value) + 1] += chance
    for n in range(FURTHEST + 1):
        odds[n + 1] += odds[n]
    return odds


# 2. What a result is worth


@lru_cache(1 << 12)
def strength(owned: Heap) -> float:
    """The best bid of a full hand on average, less if there may soon be no such hand, next to nothing without one."""
    cards = sum(owned)
    if cards < FULL_HAND:
        return 0.1 * (1 + cards)
    return sum(worth(hand, 0) * odds for hand, odds in hands(owned, FULL_HAND)) * min(1.0, cards / ENOUGH)


class Table:
    """What this seat knows, and what it makes of it."""

    def __init__(self, view: stop.View) -> None:
        self.view = view
        self.seat = view.seat
        self.hand = heap(view.hand)
        self.owned: list[Heap] = list(zip(view.twos, view.threes, view.fours, view.plus_ones, strict=True))
        self.totals = {bid.seat: bid.total for bid in view.bids}
        self.values = {bid.seat: bid.value for bid in view.bids}
        self.seats = [seat for seat in range(len(view.scores)) if seat not in view.eliminated]
        self.odds = [STANDING[min(view.scores[s], 5)] * strength(cards) for s, cards in enumerate(self.owned)]
        self.share = self.ahead(self.seat, 0)

    def ahead(self, winner: int, tokens: int) -> float:
        """The own share in the match after a player won so many tokens."""
        before = self.view.scores[winner]
        if before + tokens >= TOKENS_TO_WIN:
            return float(winner == self.seat)
        odds = self.odds.copy()
        odds[winner] *= STANDING[before + tokens] / STANDING[before]
        return odds[self.seat] / sum([odds[seat] for seat in self.seats])

    def split(self) -> str:
        """Card by card, the best first: to the bidder whose having it is best for the own share in the match."""
        bidders = sorted(self.totals, key=lambda seat: seat != self.seat)
        piles: dict[int, list[int]] = {seat: [] for seat in sorted(bidders)}
        for card in sorted([card for bid in self.view.bids for card in bid.cards], key=(4, 3, 1, 2).index):
            piles[max(bidders, key=lambda seat: self.share_with(piles, seat, card))].append(card)
        dealt = {seat: sorted(pile, key=FACES.index) for seat, pile in piles.items() if pile}
        return "share " + " ".join(f"{seat}:{','.join(map(name, pile))}" for seat, pile in dealt.items())

    def share_with(self, piles: dict[int, list[int]], owner: int, card: int) -> float:
        """The own share in the match if players get these piles, and one of them this card as well."""
        odds = self.odds.copy()
        for seat, pile in piles.items():
            more = heap([*pile, card] if seat == owner else pile)
            two, three, four, plus = (have + got for have, got in zip(self.owned[seat], more, strict=True))
            odds[seat] *= strength((two, three, four, plus)) / strength(self.owned[seat])
        return odds[self.seat] / sum([odds[seat] for seat in self.seats])

    # 3. How the auction ends

    def call(self) -> float:
        """The own share in the match after a call."""
        value = strongest(self.hand)
        return self.outcome({self.seat: value}, worth(self.hand, value)) - CARD * value

    def play(self, move: str) -> float:
        """The own share in the match after a play, less what its cards are worth."""
        verb, *words = move.split()
        mine = self.totals.get(self.seat, 0)
        if verb == "pass":
            alone = [seat for seat, total in self.totals.items() if total == self.view.highest] == [self.seat]
            return 2.0 if alone else self.outcome(self.totals, mine)  # who leads has nothing better to do
        owner = int(words.pop(0)) if verb == "raise" else self.seat
        cards = [int(word) for word in words]
        totals = self.totals | {owner: self.totals.get(owner, 0) + sum(cards)}
        if owner != self.seat:
            return self.outcome(totals, mine) - GIFT * sum(cards)
        return self.outcome(totals, mine + worth(self.hand, self.values.get(owner, max(cards)))) - CARD * sum(cards)

    def outcome(self, totals: dict[int, int], mine: int) -> float:
        """The own share in the match after an auction that stands so, if this seat goes up to a total of `mine`."""
        top = max(totals.values())
        less = {seat: self.less(seat, totals, top, mine) for seat in self.seats}
        joining = [1 - odds[1] for seat, odds in less.items() if seat not in totals and seat != self.seat]
        tokens, more = divmod(len(totals) + EAGER * sum(joining), 1)
        share, tie = 0.0, 1.0
        for seat in self.seats:
            if wins := self.wins(seat, less):
                tie -= wins
                share += wins * (1 - more) * self.ahead(seat, int(tokens))
                share += wins * more * self.ahead(seat, int(tokens) + 1)
                if seat == self.seat:
                    share += wins * CARD * sum(totals.values())
        return share + tie * (self.share + CARD * totals.get(self.seat, 0))

    def less(self, seat: int, totals: dict[int, int], top: int, mine: int) -> list[float]:
        """[n]: the odds that a player cannot bring his bid to n above the top of now."""
        if seat == self.seat:
            return [float(mine < top + n) for n in range(FURTHEST + 2)]
        odds = below(self.owned[seat], self.view.hand_sizes[seat], self.values.get(seat, 0))
        lack = top - totals.get(seat, 0)
        return odds[lack:] + [1.0] * min(lack, len(odds))

    def wins(self, seat: int, less: dict[int, list[float]]) -> float:
        """The odds that a player can go further than all others."""
        own = less[seat]
        others = [odds for other, odds in less.items() if other != seat]
        total = 0.0
        for n in range(FURTHEST + 1):
            if exactly := own[n + 1] - own[n]:
                for odds in others:
                    exactly *= odds[n]
                total += exactly
        return total


def name(card: int) -> str:
    return "+1" if card == 1 else str(card)


if __name__ == "__main__":
    arena.run(decide)
