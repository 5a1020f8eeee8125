"""Blunders planted in matches of strong bots: a match, the decision that was spoilt, and the script that counts.

    python -m tests.analysis.why.planting flip7 10      # how many of ten are among the three that cost most

A blunder is a bad legal move in a strong bot's match: of some moves that were tried at several decisions, the one
that costs most, by rollouts of other deals than those with which it is looked for afterwards. A match in which no move
that was tried costs anything to speak of has no occasion for a blunder, and is passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any, NamedTuple

from referee.analysis.replay.recorded import RecordedMatch, read_match
from referee.analysis.why import Setting, Yardstick
from referee.analysis.why.explained import CostlyChoice, costly_choices
from referee.analysis.why.positions import priced_together, states_of, value_position
from referee.analysis.why.prices import cost, prices_of, slopes_of
from referee.analysis.why.rollouts import Deals, Mean, RolloutResult, play_out
from referee.analysis.why.yardstick import ROLLOUTS
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import Seat, State, seed_bytes
from referee.rules.playout import Chooser, playout

STRONG = {
    "flip7": ("odds", "odds", "odds"),
    "encore": ("planner", "planner"),
    "stop_me_go": ("mixed", "mixed", "mixed"),
    "stop": ("auctioneer", "auctioneer", "auctioneer"),
}
OCCASIONS = 10
"""Decisions of the match that are looked at, spread over it …"""
OTHER_MOVES = 3
"""… and other moves that are tried at each of them, spread over the list."""
FIRST_LOOK = 6
CLOSE_LOOK = 32
"""Deals on which each of these moves is tried, and those that look worst once more."""
WORST = 5
LEAST = 0.15
"""Ranks that a blunder costs at least."""


class Planted(NamedTuple):
    """A match with a blunder of seat 0."""

    match: RecordedMatch
    decision: int
    move: str


class Tried(NamedTuple):
    """What the move that was made and another one led to, on the same deals."""

    played: Sequence[RolloutResult]
    instead: Sequence[RolloutResult]


class Spoilt(NamedTuple):
    """A decision and a move that was not made in it, as tried."""

    decision: int
    move: str
    played: Sequence[RolloutResult]
    instead: Sequence[RolloutResult]


def plant(name: str, seed: int) -> Planted | None:
    """A match of strong bots in which seat 0 blunders once; None if it has no occasion."""
    strong = read_match(_play(name, seed))
    worst = _worst(strong)
    if worst is None:
        return None
    return Planted(read_match(_play(name, seed, worst)), worst.decision, worst.move)


def _worst(match: RecordedMatch) -> Spoilt | None:
    """The move that costs most, of those that are tried."""
    yardstick = Yardstick.of(match.game)
    states = states_of(yardstick, match.record)
    choices = [number for number, (state, moves) in enumerate(states) if 0 in moves and len(state.legal(0).moves) > 1]
    first = [
        Spoilt(number, move, **_tried(yardstick, *states[number], number, move, range(FIRST_LOOK))._asdict())
        for number in choices[:: -(-len(choices) // OCCASIONS)]
        for move in _others(*states[number])
    ]

    def looked_at(one: Spoilt, after: int) -> Spoilt:
        deals = range(after, after + CLOSE_LOOK)
        return one._replace(**_tried(yardstick, *states[one.decision], one.decision, one.move, deals)._asdict())

    close = [looked_at(one, FIRST_LOOK) for one in _by_cost(first)[:WORST]]
    worst = looked_at(_by_cost(close)[0], FIRST_LOOK + CLOSE_LOOK)  # on fresh deals: the worst of several was lucky too
    found = cost(worst.instead, worst.played, prices_of([slopes_of((worst.instead, worst.played))]))
    return worst if found.value - found.error > LEAST else None


def _by_cost(spoilt: Sequence[Spoilt]) -> list[Spoilt]:
    """The most expensive first, with one price for all."""
    prices = prices_of([slopes_of([outcomes for one in spoilt for outcomes in (one.played, one.instead)])])

    def least(one: Spoilt) -> float:
        found: Mean = cost(one.instead, one.played, prices)
        return found.error - found.value

    return sorted(spoilt, key=least)


def _others(state: State[Any], moves: Any) -> Iterator[str]:
    others = [move for move in state.legal(0).moves if move != moves[0]]
    for move in others[:: -(-len(others) // OTHER_MOVES)]:
        yield state.format(move)


def _tried(yardstick: Yardstick, state: State[Any], moves: Any, number: int, text: str, deals: range) -> Tried:
    dealt = Deals(yardstick.game, state, 0, f"planting, decision {number}")
    found: tuple[list[RolloutResult], list[RolloutResult]] = ([], [])
    for deal in deals:
        for outcomes, move in zip(found, (moves[0], state.parse(text)), strict=True):
            imagined = dealt.deal(deal)
            yardstick.start(imagined.players)
            made = {seat: move if seat == 0 else yardstick.choose(imagined, seat) for seat in imagined.pending()}
            outcomes.append(play_out(yardstick, imagined, made, 0))
    return Tried(*found)


def _play(name: str, seed: int, spoilt: Spoilt | None = None) -> bytes:
    """A match of strong bots; with a spoilt decision, seat 0 makes that other move there."""
    game = registry.find(name)
    options = game.resolve_options()
    seats = STRONG[name]
    bots = {bot: folders.load(folders.find(bot, name)) for bot in set(seats)}
    choosers: list[Chooser] = [
        inprocess.chooser(bots[bot], bot, game, options, "planted", seat, seats) for seat, bot in enumerate(seats)
    ]
    decided = -1

    def counting(chooser: Chooser) -> Chooser:
        def choose(state: State[Any], seat: Seat) -> Any:
            nonlocal decided
            decided += seat == state.pending()[0]
            move = chooser(state, seat)
            return state.parse(spoilt.move) if spoilt and seat == 0 and decided == spoilt.decision else move

        return choose

    return playout(game, len(seats), options, seed_bytes(seed), [*map(counting, choosers)]).record.to_bytes()


def costly(match: RecordedMatch, setting: Setting) -> list[CostlyChoice]:
    """What the decisions of seat 0 cost, the most expensive first, as `explain` finds them: without the luck."""
    states = states_of(setting.yardstick, match.record)
    positions = [
        value_position(setting, state, {0: moves[0]}, number)
        for number, (state, moves) in enumerate(states)
        if 0 in moves and len(state.legal(0).moves) > 1
    ]
    return costly_choices(priced_together(positions, match.players), states, 0)


def is_found(planted: Planted, rollouts: int, most: int = 3) -> bool:
    """Whether the blunder is among the decisions that cost most."""
    found = costly(planted.match, Setting(Yardstick.of(planted.match.game), 0, rollouts, 0))
    return (planted.decision, planted.move) in [(one.number, one.played.move) for one in found[:most] if one.sure]


def planted_matches(name: str, wanted: int, said: Callable[[str], object] = lambda text: None) -> Iterator[Planted]:
    """So many matches with a blunder, from the first seeds that have an occasion."""
    seed = found = 0
    while found < wanted:
        if (planted := plant(name, seed)) is not None:
            said(f"{name} seed {seed}: {planted.move!r} at decision {planted.decision}")
            found += 1
            yield planted
        seed += 1


def main(name: str, wanted: int, rollouts: int | None = None) -> None:
    found, seconds = 0, 0.0
    for planted in planted_matches(name, wanted, lambda text: print(text, end=": ", flush=True)):
        began = process_time()
        good = is_found(planted, rollouts or ROLLOUTS[name])
        seconds += process_time() - began
        found += good
        print("found" if good else "missed", flush=True)
    print(f"{name}: {found} of {wanted} planted blunders among the three, {seconds / wanted:.1f} s of CPU a match")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *(int(word) for word in sys.argv[3:]))
