"""The game told a second time, slowly: lists of card names, no counting tricks; both tellings must agree throughout."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop import GAME
from referee.rules.chance import Seeded

WORTH = {"2": 2, "3": 3, "4": 4, "+1": 1}
DECK = ["2"] * 9 + ["3"] * 6 + ["4"] * 3 + ["+1"] * 3


def _in_order(cards: list[str]) -> list[str]:
    return sorted(cards, key=list(WORTH).index)


def _total(cards: list[str]) -> int:
    return sum(WORTH[card] for card in cards)


def _choices(hand: list[str]) -> set[tuple[str, ...]]:
    """Every different choice of at least one card."""
    return {choice for count in range(1, len(hand) + 1) for choice in combinations(_in_order(hand), count)}


class Slow:
    """A match as people would keep it."""

    def __init__(self, players: int, seed: bytes) -> None:
        self.chance = Seeded(seed)
        self.decks = [self.chance.order("decks", DECK) for _ in range(players)]
        self.hands: list[list[str]] = [[] for _ in range(players)]
        self.bids: dict[int, list[str]] = {}
        self.tokens = [0] * players
        self.alive = list(range(players))
        self.out: list[int] = []
        self.turn = self.red = self.chance.pick("first", range(players))
        self.red_draws = 0
        self.shuffles = self.in_row = self.auctions = 0
        self.phase = ""
        self.asked: list[int] = []
        self.reason = ""
        self.winner: int | None = None
        self.draw()

    def legal(self, seat: int) -> set[str]:
        hand = self.hands[seat]
        if self.phase == "calls":
            return {"stop", "wait"}
        highest = max(map(_total, self.bids.values()), default=0)
        if self.phase == "split":
            table = _in_order([card for bid in self.bids.values() for card in bid])
            piles = [f"{owner}:{','.join(_in_order(self.bids[owner]))}" for owner in sorted(self.bids)]
            return {f"share {seat}:{','.join(table)}", f"share {' '.join(piles)}"}
        moves = {"pass"} if self.phase == "plays" else set()
        for choice in map(list, _choices(hand)):
            words = " ".join(choice)
            values = set(choice) - {"+1"}
            if seat not in self.bids and len(values) == 1 and _total(choice) >= highest:
                moves.add(f"bid {words}")
            for owner, bid in self.bids.items():
                if values <= set(bid) and _total(bid + choice) >= highest:
                    moves.add(f"raise {owner} {words}")
        return moves

    def play(self, answers: dict[int, str]) -> None:
        acted = sorted(seat for seat, answer in answers.items() if answer not in ("wait", "pass"))
        if not acted:
            return self.draw() if self.phase == "calls" else self.settle()
        seat = acted[0] if len(acted) == 1 else self.chance.pick("arbiter", acted)
        verb, *words = answers[seat].split()
        if verb == "stop":
            self.red, self.in_row = seat, 0
            self.phase, self.asked = "opening", [seat]
            return None
        if verb == "share":
            return self.receive({int(word[0]): word[2:].split(",") for word in words})
        owner = seat if verb == "bid" else int(words.pop(0))
        for card in words:
            self.hands[seat].remove(card)
        self.bids[owner] = self.bids.get(owner, []) + words
        self.phase = "plays"
        self.asked = [other for other in self.alive if len(self.legal(other)) > 1]
        return None if self.asked else self.settle()

    def draw(self) -> None:
        self.phase, self.asked = "calls", []
        while not self.asked and not self.reason:
            if all(len(self.hands[seat]) == 6 for seat in self.alive):
                self.shuffle_back()
                continue
            seat, hand = self.turn, self.hands[self.turn]
            place = self.alive.index(seat)
            self.turn = (self.alive[place + 1 :] + self.alive)[0]
            if len(hand) < 6 and not self.decks[seat]:
                self.alive.remove(seat)
                self.out.append(seat)
                self.hands[seat] = []
                self.red = self.turn if self.red == seat else self.red
                if len(self.alive) == 1:
                    self.reason, self.winner = "last_player", self.turn
                continue
            if len(hand) < 6:
                hand.append(self.decks[seat].pop(0))
                self.red_draws += seat == self.red
            if self.red_draws >= 2:
                self.asked = [s for s in self.alive if s != self.red and set(self.hands[s]) - {"+1"}]

    def shuffle_back(self) -> None:
        if self.in_row == 9 or self.shuffles == 29:
            self.reason = "limit"
            return
        self.in_row, self.shuffles = self.in_row + 1, self.shuffles + 1
        for seat in self.alive:
            hand, self.hands[seat] = self.hands[seat], []
            self.mix(seat, hand)
        self.turn, self.red_draws = self.red, 0

    def mix(self, seat: int, cards: list[str]) -> None:
        self.decks[seat] = self.chance.order("reshuffle", _in_order(self.decks[seat] + cards))

    def settle(self) -> None:
        totals = {seat: _total(bid) for seat, bid in self.bids.items()}
        best = [seat for seat in totals if totals[seat] == max(totals.values())]
        if len(best) > 1:
            return self.receive(self.bids)
        self.tokens[best[0]] += len(totals)
        if self.tokens[best[0]] >= 6:
            self.reason, self.winner, self.asked = "tokens", best[0], []
        else:
            self.phase, self.asked = "split", best
        return None

    def receive(self, piles: dict[int, list[str]]) -> None:
        for seat in sorted(piles):
            self.mix(seat, piles[seat])
        self.bids = {}
        self.auctions += 1
        if self.auctions == 60:
            self.reason, self.asked = "limit", []
            return
        self.turn = self.red
        self.draw()

    def ranks(self) -> list[int]:
        groups = [[self.winner]] if self.winner is not None else []
        rest = [seat for seat in self.alive if seat != self.winner]
        levels = sorted({self.tokens[seat] for seat in rest}, reverse=True)
        groups += [[seat for seat in rest if self.tokens[seat] == level] for level in levels]
        groups += [[seat] for seat in reversed(self.out)]
        ranks = [0] * len(self.tokens)
        above = 0
        for group in groups:
            for seat in group:
                ranks[seat] = above + 1
            above += len(group)
        return ranks


@given(st.integers(3, 6), st.binary(max_size=4), st.sampled_from([1, 2, 5, 40]), st.sampled_from([21, 8, 6]))
@settings(max_examples=60, deadline=None)
def test_both_tellings_agree_at_every_moment(players: int, seed: bytes, calm: int, deck: int) -> None:
    """`calm`: one in so many answers acts. `deck`: with thinner decks players are eliminated."""
    pick = Seeded(b"moves " + seed).pick
    slow, state = Slow(players, seed), GAME.new(players, {}, Seeded(seed))
    for seat in range(players):
        hand = len(slow.hands[seat])
        del slow.decks[seat][deck - hand :]
        state.gone += sum(state.decks[seat][: 21 - deck])
        del state.decks[seat][: 21 - deck]
        state.owned[seat] = state.hands[seat] + sum(state.decks[seat])
    while slow.asked:
        assert state.pending() == tuple(slow.asked)
        answers = {}
        for seat in slow.asked:
            listed = [state.format(move) for move in state.legal(seat).moves]
            assert Counter(listed) == Counter(slow.legal(seat))
            idle = {"calls": "wait", "plays": "pass"}.get(slow.phase)
            if deck < 21 and slow.phase == "split":
                answers[seat] = listed[0]  # the winner keeps everything, so that others run dry
            else:
                answers[seat] = idle if idle and pick("act", range(calm)) else pick("move", listed)
        slow.play(answers)
        state.play({seat: state.parse(answer) for seat, answer in answers.items()})
        assert (state.red, state.scores(), list(state.eliminated)) == (slow.red, slow.tokens, slow.out)
    result = state.result()
    assert result is not None
    assert state.pending() == ()
    assert (list(result.ranks), list(result.scores), result.reason) == (slow.ranks(), slow.tokens, slow.reason)
