"""A strong player of Flip 7: counts cards, and plays by exact odds.

1. *The cards.* The view tells how many of each card can still come, so the odds of the next card are exact, and so are
   those of the one after it. Hit or stay is decided by looking at all that the next two cards can be.
2. *The forecast.* For each player still in the round there are odds that he busts, and points that he gets otherwise.
   A special goes to the player for whom it changes the forecast most to this bot's advantage.
3. *The race.* Points are only a means. A result of the round is worth what it does for the match: the chance to be the
   first over the line, and to be ahead of each of the others. Who is about to lose must risk more, who is about to win
   need not.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import arena
from arena.games.flip7.v1 import flip7_pb2 as flip7

NUMBERS = range(13)  # the cards 0 to 12 are the numbers themselves
BONUSES = {card: 2 * (card - 12) for card in range(flip7.SPECIAL_CARD_PLUS_2, flip7.SPECIAL_CARD_X2)}
DECK = (1, *range(1, 13), *[1] * 6, 3, 3, 3)  # how many there are of each card
FLIP_7, FLIP_7_POINTS = 7, 15

AHEAD = 2
"""How many cards the bot looks ahead for itself."""
RIVALS = 6
"""At a large table, only so many targets are compared."""
FIRST = 0.7
"""What winning is worth; the rest of 1 is shared out among the others, for being ahead of each."""

Forecast = Sequence[tuple[float, int]]
"""What the round may bring a player: odds and points."""


def decide(decision: arena.Decision) -> str:
    view: flip7.View = decision.view
    if view.question == flip7.QUESTION_TARGET:
        return f"target {choose_target(view)}"
    return "hit" if "stay" not in decision.legal or worth_a_hit(view) else "stay"


# 1. The cards


class Hand(NamedTuple):
    """The cards before a player, as far as they matter."""

    numbers: frozenset[int] = frozenset()
    total: int = 0
    times: int = 1
    bonus: int = 0
    second_chance: bool = False

    @property
    def points(self) -> int:
        flip_7 = FLIP_7_POINTS if len(self.numbers) >= FLIP_7 else 0
        return self.total * self.times + self.bonus + flip_7

    def plus(self, card: int) -> Hand | None:
        """This hand after one card more; None is a bust."""
        numbers, total, times, bonus, second_chance = self
        if card in numbers:
            return Hand(numbers, total, times, bonus) if second_chance else None
        if card in NUMBERS:
            return Hand(numbers | {card}, total + card, times, bonus, second_chance)
        if card in BONUSES:
            return Hand(numbers, total, times, bonus + BONUSES[card], second_chance)
        if card == flip7.SPECIAL_CARD_X2:
            return Hand(numbers, total, times * 2, bonus, second_chance)
        return Hand(numbers, total, times, bonus, True) if card == flip7.SPECIAL_CARD_SECOND_CHANCE else self


def hand_of(player: flip7.Player) -> Hand:
    """The hand of a player who has not busted."""
    hand = Hand()
    for card in player.cards:
        hand = hand.plus(card) or hand
    return hand


def worth_a_hit(view: flip7.View) -> bool:
    """Whether the next card, and then perhaps another one, promises more than to stay."""
    hand = hand_of(view.players[view.seat])
    if not hand.points:
        return True  # nothing to lose
    last = [player.status for player in view.players].count(flip7.STATUS_IN) == 1
    race = Race(view, forecasts(view))
    return after_hit(hand, coming(view), last, race, AHEAD) > race.worth(hand.points)


def after_hit(hand: Hand, cards: list[int], last: bool, race: Race, ahead: int) -> float:
    """What the race is worth after one more card and then up to `ahead` in all, as long as they promise more.

    The `last` one in a round has to name himself for a Stop or a Three.
    """
    worth = 0.0
    for card, copies in enumerate(cards):
        if not copies:
            continue
        then = hand.plus(card)
        if then is None:
            worth += copies * race.worth(0)
        elif card == flip7.SPECIAL_CARD_THREE and last:
            worth += copies * race.expected(outlook(then, without(cards, card), race.missing, 3))
        elif ahead == 1 or len(then.numbers) == FLIP_7 or (card == flip7.SPECIAL_CARD_STOP and last):
            worth += copies * race.worth(then.points)
        else:
            more = after_hit(then, without(cards, card), last, race, ahead - 1)
            worth += copies * max(race.worth(then.points), more)
    seen = sum(cards)
    return worth / seen if seen else race.worth(hand.points)


def without(cards: list[int], card: int) -> list[int]:
    """The same counts with one copy less."""
    left = cards.copy()
    left[card] -= 1
    return left


def coming(view: flip7.View) -> list[int]:
    """How many of each card may come next: the pile, or what will be shuffled if there is none."""
    return list(view.pile_counts) if view.pile_size else discarded(view)


def discarded(view: flip7.View) -> list[int]:
    """How many of each card were discarded: those that neither are in the pile nor lie on the table."""
    decks = 1 if len(view.players) <= 18 else 2
    counts = [decks * copies - left for copies, left in zip(DECK, view.pile_counts, strict=True)]
    table = [card for player in view.players for card in player.cards]
    for three in view.threes:
        table += [flip7.SPECIAL_CARD_THREE, *three.aside]
    if view.question == flip7.QUESTION_TARGET:
        table.append(view.card)
    for card in table:
        counts[card] -= 1
    return counts


# 2. The forecast


def forecasts(view: flip7.View) -> list[Forecast]:
    """What the round may bring each player, as things stand."""
    cards = later_cards(view)
    return [
        outlook(hand_of(player), cards, view.target_score - total)
        if player.status == flip7.STATUS_IN
        else [(1.0, player.points)]
        for player, total in zip(view.players, view.scores, strict=True)
    ]


def later_cards(view: flip7.View) -> list[int]:
    """How many of each card may come in the rest of the round; it takes some two for each player."""
    if view.pile_size >= 2 * len(view.players):
        return list(view.pile_counts)
    return [left + back for left, back in zip(view.pile_counts, discarded(view), strict=True)]


def outlook(hand: Hand, cards: Sequence[int], enough: int, forced: int = 0) -> Forecast:
    """How the round goes on for a sensible player: he takes cards as long as they promise more than they risk.

    Which cards he gets is averaged out. There remain the odds to bust on the way, and the points if he does not.
    The first cards may be `forced` on him, by a Three; with `enough` points to finish the match he takes no more.
    """
    seen = sum(cards) or 1
    fresh = [(number, cards[number] / seen) for number in NUMBERS if number not in hand.numbers]
    bonus = sum([cards[card] * points for card, points in BONUSES.items()]) / seen
    gain = sum([number * odds for number, odds in fresh]) * hand.times
    danger = sum([cards[number] for number in hand.numbers]) / seen
    less_gain = sum([number * odds * odds for number, odds in fresh]) * hand.times  # with each number he gets,
    more_danger = sum([odds * (odds - 1 / seen) for _, odds in fresh if odds])  # more of the others are duplicates
    safe, unprotected, points = 1.0, 0.0 if hand.second_chance else 1.0, float(hand.points)
    for card in range(FLIP_7):
        bust = danger * unprotected
        content = points >= enough or gain + bonus < bust * points
        if bust >= 1 or (card >= forced and content):
            break
        safe *= 1 - bust
        points += (gain + bonus) / (1 - bust)
        unprotected += (1 - unprotected) * danger
        gain, danger = max(0.0, gain - less_gain), min(1.0, danger + more_danger)
    return [(1 - safe, 0), (safe, round(points))]


def choose_target(view: flip7.View) -> int:
    """The player for whom the special changes the forecasts most to the advantage of this seat."""
    usual, cards = forecasts(view), later_cards(view)

    def worth(target: int) -> float:
        hand, enough = hand_of(view.players[target]), view.target_score - view.scores[target]
        changed: Forecast = [(1.0, hand.points)]
        if view.card == flip7.SPECIAL_CARD_THREE:
            changed = outlook(hand, cards, enough, 3)
        elif view.card == flip7.SPECIAL_CARD_SECOND_CHANCE:
            changed = outlook(hand._replace(second_chance=True), cards, enough)
        then = [*usual[:target], changed, *usual[target + 1 :]]
        return Race(view, then).expected(then[view.seat])

    def standing(seat: int) -> float:
        return view.scores[seat] + sum([odds * points for odds, points in usual[seat]])

    rivals = sorted([seat for seat in view.targets if seat != view.seat], key=standing)
    rivals = rivals[:RIVALS] if view.card == flip7.SPECIAL_CARD_SECOND_CHANCE else rivals[-RIVALS:]
    return max([*rivals, *[seat for seat in view.targets if seat == view.seat]], key=worth)


# 3. The race: in steps of five points, for the next rounds, every later round like any other

STEP = 5
USUAL = (0.29, 0.02, 0.05, 0.04, 0.10, 0.18, 0.16, 0.07, 0.03, 0.02, 0.015, 0.01, 0.006, 0.004, 0.005)
"""How likely a round brings 0, 5, 10, … points."""
FAR = 60
"""None is taken to be further from the line than so many steps, and the first one not more than two thirds of it."""
ROUNDS, BEYOND = 16, 8


class Race:
    """What points in this round are worth to a seat, given what the others may get."""

    def __init__(self, view: flip7.View, forecasts: Sequence[Forecast]) -> None:
        line = min(view.target_score, max(view.scores) + STEP * FAR * 2 // 3)
        self.missing = line - view.scores[view.seat]
        self.rivals = [
            [(odds, line - view.scores[seat] - points) for odds, points in forecast if odds]
            for seat, forecast in enumerate(forecasts)
            if seat != view.seat
        ]
        self.goes_on = prod([sum([odds for odds, missing in rival if missing > 0]) for rival in self.rivals])
        behind = [self.behind_later(rival) for rival in self.rivals] if self.goes_on else []
        self.later = [merit(odds) for odds in zip(*behind, strict=True)]
        self.known: dict[int, float] = {}

    def expected(self, forecast: Forecast) -> float:
        return sum([odds * self.worth(points) for odds, points in forecast])

    def worth(self, points: int) -> float:
        """What so many points are worth, from 0 (certainly the last) to 1 (certainly the winner)."""
        if points not in self.known:
            missing = self.missing - points
            ahead_of = [sum([p * ((x > missing) + (x == missing) / 2) for p, x in rival]) for rival in self.rivals]
            if missing <= 0:
                self.known[points] = merit(ahead_of)
            else:  # if a player is over the line now, then the match is lost and only the other ranks are open
                lost = (1 - FIRST) * sum(ahead_of) / len(ahead_of)
                self.known[points] = self.goes_on * self.worth_later(missing / STEP) + (1 - self.goes_on) * lost
        return self.known[points]

    def worth_later(self, steps: float) -> float:
        """What it is worth to lack so many steps after this round, if the match goes on."""
        if not self.goes_on:
            return 0.0
        steps = min(max(1.0, steps), FAR - 1.0)
        near, far = (
            sum([mine * worth for mine, worth in zip(finishes(whole)[0], self.later, strict=True)])
            for whole in (int(steps), int(steps) + 1)
        )
        return near + (far - near) * (steps - int(steps))

    def behind_later(self, rival: Forecast) -> list[float]:
        """How likely a rival is behind each finish in a later round, if the match goes on."""
        running = sum([odds for odds, missing in rival if missing > 0])
        behind = [0.0] * (ROUNDS * BEYOND)
        for odds, missing in rival:
            if missing > 0:
                table = finishes(min(FAR, max(1, round(missing / STEP))))[1]
                behind = [so_far + odds / running * more for so_far, more in zip(behind, table, strict=True)]
        return behind


def merit(ahead_of: Sequence[float]) -> float:
    """What it is worth to be ahead of each rival with these odds."""
    return FIRST * prod(ahead_of) + (1 - FIRST) * sum(ahead_of) / len(ahead_of)


@lru_cache(None)
def finishes(steps: int) -> tuple[list[float], list[float]]:
    """For a player who lacks so many steps, and for each finish (a later round, and how many steps beyond the line):
    how likely it is his, and how likely he is behind it, with half of the odds that he is level."""
    his: list[float] = []
    behind: list[float] = []
    lacking = {steps: 1.0}
    for _ in range(ROUNDS):
        there = [0.0] * BEYOND
        running, left = sum(lacking.values()), dict.fromkeys(range(1, steps + 1), 0.0)
        for missing, odds in lacking.items():
            for step, usual in enumerate(USUAL):
                if step < missing:
                    left[missing - step] += odds * usual
                else:
                    there[min(step - missing, BEYOND - 1)] += odds * usual
        his += there
        behind += [running - sum(there[beyond + 1 :]) - there[beyond] / 2 for beyond in range(BEYOND)]
        lacking = left
    return his, behind


for steps in range(1, FAR + 1):
    finishes(steps)  # all of them once beforehand, so that the first decision is as quick as any other


if __name__ == "__main__":
    arena.run(decide)
