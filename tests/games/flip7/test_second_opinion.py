"""The rules told a second time, as plainly as Python can: recursive, slow, text cards. The game must agree with it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.flip7.v1.flip7_pb2 import View
from referee.games.flip7 import GAME, round
from referee.games.flip7.cards import CODES, DECK, NAMES
from referee.rules.chance import Seeded

# Small decks full of specials: nested Threes, reshuffles and broken-off rounds are everyday there.
DECKS = {
    "the deck": [NAMES[card] for card in DECK],
    "specials": [*["T"] * 6, *["SC"] * 3, "S", "S", "0", "1", "2", "2", "3", "3", "3", "4", "4", "4", "+2", "x2"],
    "numbers": [*map(str, range(13)), "T", "T", "SC"],
    "tiny": ["T", "T", "SC", "SC", "5"],
    "only Threes": ["T"] * 4,
    "only Second Chances": ["SC"] * 4,
}

Question = tuple[int, list[str]]
Game = Generator[Question, str, None]


class RoundOver(Exception):
    """A Flip 7, or no card to be had."""


class Telling:
    """One match; `match()` yields (seat, legal moves) and is sent the move."""

    def __init__(self, players: int, faq: bool, target_score: int, deck: list[str], seed: bytes) -> None:
        self.players, self.faq, self.target_score = players, faq, target_score
        self.chance = Seeded(seed)
        self.pile = self.shuffled("deck", deck)
        self.dealer = self.chance.pick("dealer", range(players))
        self.discards: list[str] = []
        self.totals = [0] * players
        self.broken_off: set[str] = set()

    def shuffled(self, label: str, cards: list[str]) -> list[str]:
        return [NAMES[card] for card in self.chance.order(label, sorted(CODES[card] for card in cards))]

    def match(self) -> Game:
        for _ in range(300):
            self.hands: list[list[str]] = [[] for _ in range(self.players)]
            self.inside = list(range(self.players))
            self.busted: set[int] = set()
            self.aside: list[str] = []
            self.reshuffles = 0
            with suppress(RoundOver):
                yield from self.round()
            for seat, hand in enumerate(self.hands):
                if seat not in self.busted:
                    self.totals[seat] += self.worth(hand)
                self.discards += hand
            self.discards += self.aside
            self.dealer = (self.dealer + 1) % self.players
            if max(self.totals) >= self.target_score and self.totals.count(max(self.totals)) == 1:
                return

    def worth(self, hand: list[str]) -> int:
        numbers = [int(card) for card in hand if card.isdigit()]
        bonuses = [int(card[1:]) for card in hand if card.startswith("+")]
        return (sum(numbers) << hand.count("x2")) + sum(bonuses) + (15 if len(set(numbers)) == 7 else 0)

    def clockwise(self, first: int) -> list[int]:
        return [(first + step) % self.players for step in range(self.players)]

    def round(self) -> Game:
        if self.faq:
            for seat in self.clockwise(self.dealer + 1):
                if seat in self.inside:
                    yield from self.drawn(seat, self.draw())
        before = self.dealer
        while self.inside:
            seat = next(seat for seat in self.clockwise(before + 1) if seat in self.inside)
            moves = ["hit", "stay"] if self.hands[seat] or not self.faq else ["hit"]
            if (yield seat, moves) == "stay":
                self.inside.remove(seat)
            else:
                yield from self.drawn(seat, self.draw())
            before = seat

    def draw(self) -> str:
        if not self.pile:
            if not self.discards or self.reshuffles == 10:
                self.broken_off.add("too many reshuffles" if self.discards else "both empty")
                raise RoundOver
            self.reshuffles += 1
            self.pile, self.discards = self.shuffled("reshuffle", self.discards), []
        return self.pile.pop(0)

    def drawn(self, seat: int, card: str) -> Game:
        if card in ("S", "T", "SC"):
            yield from self.special(seat, card)
        else:
            self.plain(seat, card)

    def plain(self, seat: int, card: str) -> None:
        hand = self.hands[seat]
        if not card.isdigit() or card not in hand:
            hand.append(card)
            if len({held for held in hand if held.isdigit()}) == 7:
                raise RoundOver
        elif "SC" in hand:
            hand.remove("SC")
            self.discards += [card, "SC"]
        else:
            hand.append(card)
            self.busted.add(seat)
            self.inside.remove(seat)

    def special(self, seat: int, card: str) -> Game:
        eligible = [other for other in self.inside if card != "SC" or "SC" not in self.hands[other]]
        if card == "SC" and seat in eligible:
            self.hands[seat].append(card)
            return
        if not eligible:
            self.discards.append(card)
            return
        text = yield seat, [f"target {other}" for other in eligible]
        target = int(text.split()[1])
        if card == "T":
            yield from self.three(target)
            return
        self.hands[target].append(card)
        if card == "S":
            self.inside.remove(target)

    def three(self, seat: int) -> Game:
        self.aside.append("T")
        mine: list[str] = []
        for _ in range(3):
            if seat in self.busted:
                break
            card = self.draw()
            if card in ("S", "T") or (card == "SC" and not self.faq):
                mine.append(card)
                self.aside.append(card)
            else:
                yield from self.drawn(seat, card)
        busted_by_this = seat in self.busted
        for card in mine:
            self.aside.remove(card)
            if self.faq and busted_by_this:
                self.discards.append(card)
            else:
                yield from self.special(seat, card)
        self.aside.remove("T")
        self.discards.append("T")


def compare(players: int, rules: str, target_score: int, deck: str, seed: bytes, choices: list[int]) -> Telling:
    """Play the same match twice by the same choices, over and over, and compare at every decision."""
    telling = Telling(players, rules == "faq", target_score, DECKS[deck], seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(round, "DECK", tuple(sorted(CODES[card] for card in DECKS[deck])))
        state = GAME.start(players, {"rules": rules, "target_score": target_score}, seed)
    told = telling.match()
    question: Question | None = next(told)
    for turn in range(400):
        assert state.scores() == telling.totals
        if question is None:
            assert state.pending() == ()
            break
        seat, moves = question
        assert state.pending() == (seat,)
        assert [state.format(move) for move in state.legal(seat).moves] == moves
        view: View = state.view(None)  # type: ignore[assignment]
        assert [[NAMES[card] for card in player.cards] for player in view.players] == telling.hands
        assert (view.pile_size, view.discard_size) == (len(telling.pile), len(telling.discards))
        move = moves[choices[turn % len(choices)] % len(moves)]
        state.play({seat: state.parse(move)})
        question = next_question(told, move)
    return telling


def next_question(told: Game, move: str) -> Question | None:
    try:
        return told.send(move)
    except StopIteration:
        return None


@settings(max_examples=50, deadline=None)
@given(
    players=st.sampled_from([3, 4, 7]),
    rules=st.sampled_from(["printed", "faq"]),
    target_score=st.sampled_from([20, 200]),
    deck=st.sampled_from(["the deck", "specials", "numbers", "tiny"]),
    seed=st.binary(max_size=4),
    choices=st.lists(st.integers(0, 35), min_size=1, max_size=60),
)
def test_the_game_agrees_with_a_plain_telling_of_the_rules(
    players: int, rules: str, target_score: int, deck: str, seed: bytes, choices: list[int]
) -> None:
    compare(players, rules, target_score, deck, seed, choices)


@pytest.mark.parametrize("rules", ["printed", "faq"])
def test_the_comparison_meets_both_ways_of_breaking_off(rules: str) -> None:
    always_hit = [0]
    assert compare(3, rules, 10_000, "only Threes", b"", always_hit).broken_off == {"both empty"}
    assert compare(3, rules, 10_000, "only Second Chances", b"", always_hit).broken_off == {"too many reshuffles"}
