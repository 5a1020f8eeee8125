"""A second opinion: the rules written once more, plainly, with real cards in real hands; both must always agree."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop_me_go import GAME
from referee.games.stop_me_go.state import StopMeGoState
from referee.rules.chance import Scripted


class PlainReferee:
    """Keeps every hand, the line, the pile and the purses as lists, and settles without a thought for speed."""

    def __init__(self, players: int, shuffles: list[list[int]], tokens: list[int]) -> None:
        self.players, self.shuffles, self.pool = players, shuffles, tokens[: players + 2]
        self.purses: list[list[int]] = [[] for _ in range(players)]
        self.new_round()

    def new_round(self) -> None:
        self.hands = [["go"] * 4 + ["stop"] for _ in range(self.players)]
        self.pile = list(self.shuffles.pop(0))
        self.line: list[tuple[int, list[str]]] = []
        self.discards: list[int] = []
        self.escapes = 0
        self.crime()

    def crime(self) -> None:
        if not self.pile:
            assert sorted(self.shuffles[0]) == sorted(self.discards)
            self.pile, self.discards = list(self.shuffles.pop(0)), []
        self.line.append((self.pile.pop(0), []))

    def put(self, cards: list[str]) -> None:
        for seat, card in enumerate(cards):
            self.hands[seat].remove(card)
            self.line[-1][1].append(card)
        if len(self.hands[0]) > 1:
            return self.crime()
        gangster, laid = self.line[0]
        if laid.count("stop") == 1:
            return self.end_round()
        self.line.pop(0)
        self.discards.append(gangster)
        for seat, card in enumerate(laid):
            self.hands[seat].append(card)
        self.escapes += 1
        if self.escapes == 50:
            self.pool.pop(0)
            return self.next_round()
        return self.crime()

    def end_round(self) -> None:
        caught = {gangster: laid.index("stop") for gangster, laid in self.line if laid.count("stop") == 1}
        order = [*range(1, 11)] if not {1, 10} <= set(caught) else [*range(2, 11), 1]
        self.purses[caught[max(caught, key=order.index)]].append(self.pool.pop(0))
        self.next_round()

    def next_round(self) -> None:
        if not self.over():
            self.new_round()

    def over(self) -> bool:
        return not self.pool or self.third() is not None

    def third(self) -> int | None:
        return next((seat for seat, purse in enumerate(self.purses) if len(purse) == 3), None)

    def ranks(self) -> list[int]:
        sums = [sum(purse) for purse in self.purses]
        winner = self.third()
        if winner is not None:
            sums[winner] = 10**6
        return [1 + sum(other > own for other in sums) for own in sums]


class Remembering(Scripted):
    """Chance that keeps every order it gave."""

    def __init__(self, script: Any, labels: Any, seed: bytes = b"") -> None:
        super().__init__(script, labels, seed)
        self.given: dict[str, list[list[Any]]] = {"gangsters": [], "tokens": []}

    def order(self, label: str, items: Any) -> list[Any]:
        order = super().order(label, items)
        self.given[label].append(order.copy())
        return order


@settings(max_examples=80, deadline=None)
@given(players=st.integers(2, 6), seed=st.integers(0, 10**6), boldness=st.sampled_from([0.0, 0.03, 0.1, 0.3, 0.6, 1.0]))
def test_a_referee_with_cards_in_hand_agrees(players: int, seed: int, boldness: float) -> None:
    luck = Random(seed)
    chance = Remembering({}, GAME.labels, b"%d" % seed)
    state = GAME.start(players, chance=chance)
    assert isinstance(state, StopMeGoState)
    plain = PlainReferee(players, chance.given["gangsters"], chance.given["tokens"][0])
    while asked := state.pending():
        assert [gangster for gangster, _ in plain.line] == state.table
        assert (plain.discards, plain.pile) == (state.discarded, state.pile[::-1])
        assert [sorted(set(hand)) for hand in plain.hands] == [sorted(state.legal(seat).moves) for seat in asked]
        assert [len(purse) for purse in plain.purses] == state.scores()
        moves = {seat: state.legal(seat).moves[-1 if luck.random() < boldness else 0] for seat in asked}
        state.play(moves)
        plain.put([moves[seat] for seat in asked])
    result = state.result()
    assert result is not None
    assert plain.over()
    assert list(result.ranks) == plain.ranks()
    assert list(result.scores) == [sum(purse) for purse in plain.purses] == state.scores()
    assert result.reason == ("tokens_gone" if plain.third() is None else "three_tokens")
