"""What the laws are tried on: matches of a game over its player counts, its options and several seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from referee.rules.chance import Chance, Seeded
from referee.rules.game import Game, Seat, State, seed_bytes
from referee.rules.playout import Chooser, first_chooser, last_chooser, random_chooser


class LawBroken(AssertionError):
    """A law does not hold: which law, of which game, in which match, at which decision, and what was seen.

    `seen` is what was seen; `case` and `decision` are the match and the place in it, where it was one match.
    """

    def __init__(self, text: str, seen: str = "", case: Case | None = None, decision: int = 0) -> None:
        super().__init__(text)
        self.seen = seen or text
        self.case = case
        self.decision = decision


@dataclass(frozen=True, slots=True)
class Case:
    """One match to try a law on; `seed` is a number as a person would type it."""

    game: Game[Any]
    players: int
    options: Mapping[str, Any]
    seed: int

    @property
    def seats(self) -> tuple[Seat | None, ...]:
        """All who may look: the public and every seat."""
        return (None, *range(self.players))

    @property
    def seed_bytes(self) -> bytes:
        return seed_bytes(self.seed)

    @property
    def changed_options(self) -> dict[str, Any]:
        """The options that are not as they are unless given."""
        return {name: value for name, value in self.options.items() if value != self.game.options[name].default}

    def start(self, chance: Chance | None = None) -> State[Any]:
        return self.game.new(self.players, self.options, chance or Seeded(self.seed_bytes))

    def randoms(self, tag: bytes = b"") -> list[Chooser]:
        """A random chooser for every seat."""
        return [random_chooser(self.seed_bytes + tag, seat) for seat in range(self.players)]


class Trial:
    """The cases of one run of a law, and where in them the law is just now."""

    def __init__(
        self,
        game: Game[Any],
        matches: int,
        players: Sequence[int] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = game
        self._wanted = matches, players, options
        self._where: tuple[Case, int] | None = None

    @cached_property
    def cases(self) -> list[Case]:
        """Every number of players and set of options to try, with every seed."""
        return list(_cases(self.game, *self._wanted))

    @property
    def settings(self) -> list[Case]:
        """One case per number of players and set of options."""
        return [case for case in self.cases if case.seed == 0]

    def walk(
        self, case: Case, choosers: Sequence[Chooser] | None = None, chance: Chance | None = None
    ) -> Iterator[State[Any]]:
        """The state at every decision of a match and at its end; it goes on when the law asks for the next."""
        choose = case.randoms() if choosers is None else choosers
        bound = case.game.bound(case.players, case.options)
        self._where = case, 0
        state = case.start(chance)
        number = 0
        while True:
            self._where = case, number
            yield state
            self._where = case, number
            asked = state.pending()
            if not asked:
                return
            if number >= bound:
                raise self.broken(f"the match goes on after {bound} decisions, which should be its bound")
            state.play({seat: choose[seat](state, seat) for seat in asked})
            number += 1

    def moments(self, case: Case, dense: int = 8, choosers: Sequence[Chooser] | None = None) -> Iterator[State[Any]]:
        """Some of the states of a match, a random one unless said otherwise: all at first, then `dense` per doubling,
        and the end."""
        for number, state in enumerate(self.walk(case, choosers)):
            step = 1 << max(0, (number // dense).bit_length() - 1)
            if number % step == 0 or not state.pending():
                yield state

    def odd_moments(self, case: Case, dense: int = 8) -> Iterator[State[Any]]:
        """The same of a random match and of matches where all make the first, or all the last move of their lists:
        there full hands and empty piles are met that random players hardly see."""
        yield from self.moments(case, dense)
        if case.seed == 0:
            for habit in (first_chooser, last_chooser):
                yield from self.moments(case, dense, [habit] * case.players)

    def at(self, case: Case | None, decision: int = 0) -> None:
        """Say where a law is that does not walk; None: what it found is true of no single match."""
        self._where = None if case is None else (case, decision)

    def broken(self, what: str) -> LawBroken:
        """What was seen, with the match and the decision it was seen at."""
        if self._where is None:
            return LawBroken(f"{self.game.name}: {what}", what)
        case, number = self._where
        place = f"{case.players} players, options {case.changed_options}, seed {case.seed}, decision {number}"
        return LawBroken(f"{self.game.name}: {what} ({place})", what, case, number)


def seen(state: State[Any], seat: Seat | None) -> bytes:
    """What a seat (None: the public) sees, as bytes that are equal when the views are."""
    return state.view_bytes(seat)


def sight(state: State[Any]) -> tuple[Any, ...]:
    """All that shows of a state to the public or a seat: who is asked what, every view, scores and result."""
    asked = state.pending()
    lists = [[state.format(move) for move in state.legal(seat).moves] for seat in asked]
    views = [seen(state, seat) for seat in (None, *range(state.players))]
    return asked, lists, views, list(state.scores()), state.result()


def fresh(case: Case, number: int, seat: Seat | None) -> Seeded:
    """The chance from which the number-th redeal for a seat is drawn."""
    return Seeded(b"redeal %d %d of %b" % (number, -1 if seat is None else seat, case.seed_bytes))


def _cases(
    game: Game[Any], matches: int, players: Sequence[int] | None, options: Mapping[str, Any] | None
) -> Iterator[Case]:
    least, most = game.seats
    counts = sorted(set(players)) if players else sorted({least, min(least + 1, most), (least + most) // 2, most})
    for count in counts:
        game.check_players(count)
    variants: list[tuple[int, dict[str, Any]]] = [(count, game.resolve_options(options)) for count in counts]
    if options is None:
        middle = counts[len(counts) // 2]
        for name, option in game.options.items():
            variants += [(middle, game.resolve_options({name: example})) for example in option.examples]
    tried: list[tuple[int, dict[str, Any]]] = []
    for variant in variants:
        if variant not in tried:
            tried.append(variant)
    for count, resolved in tried:
        yield from (Case(game, count, resolved, seed) for seed in range(matches))
