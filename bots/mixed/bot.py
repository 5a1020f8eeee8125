"""A player of STOP me GO who mixes its strategy anew for every situation.

Two agents who stop the same gangster both lose him, so a stop that all expect is a bad one. The way out is
chance: stop with exactly the probability at which `stop` and `go` are worth the same, if all the others reason alike.
Then no player gains by guessing what you do. Four thoughts lead there, each a part of this file:

1. *How often?* The more likely the others stop him, the less a newcomer is worth to one more agent. Somewhere `stop`
   has become as good as `go`: that is the probability.
2. *What wins?* An agent who is alone on a gangster is sure to capture him, and takes the round unless a better one is
   captured in the same line.
3. *What is a stop in hand worth?* A fair share of the round, provided that the round goes on.
4. *Where are the other stops?* The bot goes through the round from the first crime on: at every newcomer it works out
   how likely each agent put his stop there, and every card that is turned up corrects the picture.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import arena
from arena.games.stop_me_go.v1 import stop_me_go_pb2 as stop_me_go

IN_LINE = 4
GANGSTERS = frozenset(range(1, 11))

REASON = 0.5
"""How far agents are taken to have reasoned like this bot; for the rest they have just followed their temptation."""
RETURN = 0.7
"""A stop that comes back is worth a little less than one that never left: by then the line is full."""
HALVINGS = 6
"""How often the range in which the probability must be is halved."""
MEMORY = 8
"""Rounds can be long: the bot goes through the last eight arrests at least, and forgets the older ones by eights."""


class Whereabouts(NamedTuple):
    """The stop of one agent: how likely it lies on each gangster in line, and how likely it is in hand."""

    line: tuple[float, ...]
    hand: float


class Scene(NamedTuple):
    """A crime as one agent sees it: the newcomer, the line before him, who may come next, the stops of the others."""

    newcomer: int
    line: tuple[int, ...]
    pile: tuple[int, ...]
    others: tuple[Whereabouts, ...]


def decide(decision: arena.Decision) -> str:
    view: stop_me_go.View = decision.view
    if not view.stop_in_hand:
        return "go"
    return "stop" if die(view) < boldness(scene_of(view)) else "go"


def die(view: stop_me_go.View) -> float:
    """A throw between 0 and 1 that looks random, yet is always the same for the same agent in the same position."""
    escaped = [(arrest.gangster, *arrest.stops) for arrest in view.arrests]
    position = f"agent {view.seat}, tokens {list(view.tokens)}, round {view.round}, {escaped}, {list(view.table)}"
    return int.from_bytes(hashlib.sha256(position.encode()).digest()[:4], "big") / 2**32


# 1. How often to stop


@lru_cache(1 << 10)
def boldness(scene: Scene) -> float:
    """The probability of `stop` that leaves an agent nothing to choose, if all who can do the same."""
    captured, returned, kept = wins(scene), worth_of_return(scene), worth_in_hand(scene)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        alone = prod([1 - other.hand * middle for other in scene.others])
        if alone * captured + (1 - alone) * returned > kept:
            low = middle
        else:
            high = middle
    return (low + high) / 2


# 2. What wins


def wins(scene: Scene) -> float:
    """How likely the newcomer wins the round for the only agent who stopped him.

    The round ends with the first in line who has a lone stop, at the latest with the newcomer himself. Whoever was
    ahead of that one is gone by then, and the line has been filled up from the pile.
    """
    captured = [lone(stops) for stops in stops_in_line(scene)]
    from_pile = {x: lone([other.hand * temptation(x, ()) for other in scene.others]) for x in scene.pile}
    chance, reached = 0.0, 1.0
    for first in range(len(scene.line) + 1):
        newcomers = IN_LINE - 1 - len(scene.line) + first
        comes = min(1.0, newcomers / len(scene.pile))
        rivals = {gangster: comes * odds for gangster, odds in from_pile.items()}
        rivals |= dict(zip(scene.line[first:], captured[first:], strict=True))
        ends = 1.0
        if first < len(scene.line):
            ends = captured[first]
            rivals[scene.line[first]] = 1.0
        chance += reached * ends * best(scene.newcomer, rivals)
        reached *= 1 - ends
    return chance


def best(gangster: int, rivals: dict[int, float]) -> float:
    """How likely a captured gangster is the best of all, given how likely each of the others is captured too."""
    if gangster == 1:  # he wins as the only one, and beside the 10
        return rivals.get(10, 0.0) + prod([1 - odds for odds in rivals.values()])
    if gangster == 10:
        return 1 - rivals.get(1, 0.0)
    return prod([1 - odds for rival, odds in rivals.items() if rival > gangster])


def lone(stops: Sequence[float]) -> float:
    """How likely there is exactly one stop, from how likely each agent has put his."""
    none, one = 1.0, 0.0
    for stop in stops:
        none, one = none * (1 - stop), one * (1 - stop) + none * stop
    return one


# 3. What a stop in hand is worth


def worth_in_hand(scene: Scene) -> float:
    """How likely an agent who keeps his stop wins the round: a fair share, if no arrest ends it at once."""
    stops = stops_in_line(scene)
    goes_on = 1 - lone(stops[0]) if len(stops) == IN_LINE - 1 else 1.0
    return goes_on / (len(scene.others) + 1)


def worth_of_return(scene: Scene) -> float:
    """The same if his stop meets another one: it is back when the newcomer escapes, if the round goes on till then."""
    goes_on = prod([1 - lone(stops) for stops in stops_in_line(scene)])
    return RETURN * goes_on / (len(scene.others) + 1)


def stops_in_line(scene: Scene) -> list[list[float]]:
    """For each gangster in line before the newcomer: how likely each of the others has put his stop there."""
    return [[other.line[place] for other in scene.others] for place in range(len(scene.line))]


# 4. Where the other stops are


def scene_of(view: stop_me_go.View) -> Scene:
    """The latest crime, as the agent sees it who is asked."""
    gone = max(0, len(view.arrests) // MEMORY - 1) * MEMORY
    arrests = view.arrests[gone:]
    crimes = (*[arrest.gangster for arrest in arrests], *view.table)
    stops = tuple([tuple(arrest.stops) for arrest in arrests])
    pile = GANGSTERS.difference(view.table, view.discarded) or view.discarded
    return scene_at(len(view.scores), crimes, stops, view.seat)._replace(pile=tuple(sorted(pile)))


def scene_at(players: int, crimes: tuple[int, ...], stops: tuple[tuple[int, ...], ...], seat: int) -> Scene:
    """The latest of these crimes as this seat sees it; `stops` are the seats that stopped each gangster who is gone."""
    agents = whereabouts(players, crimes[:-1], stops)
    others = tuple(sorted(agents[:seat] + agents[seat + 1 :]))
    line = crimes[len(stops) : -1]
    return Scene(crimes[-1], line, tuple(sorted(GANGSTERS.difference(crimes[-10:]) or GANGSTERS - set(line))), others)


@lru_cache(1 << 10)
def whereabouts(players: int, crimes: tuple[int, ...], stops: tuple[tuple[int, ...], ...]) -> tuple[Whereabouts, ...]:
    """Where the stop of each agent is, by all that is public, when these crimes have got their cards."""
    if not crimes:
        return (Whereabouts((), 1.0),) * players
    arrested = len(crimes) - IN_LINE  # the number of the one whose cards were turned up next, if any was due
    before = stops[: max(0, arrested)]
    agents = []
    for seat, agent in enumerate(whereabouts(players, crimes[:-1], before)):
        scene = scene_at(players, crimes, before, seat)
        likely = REASON * boldness(scene) + (1 - REASON) * temptation(scene.newcomer, scene.line)
        laid = agent.hand * likely
        agent = Whereabouts((*agent.line, laid), agent.hand - laid)
        agents.append(agent if arrested < 0 else turned_up(agent, seat in stops[arrested]))
    return tuple(agents)


def turned_up(agent: Whereabouts, stop: bool) -> Whereabouts:
    """What is known when the agent's card on the first in line has turned out to be his stop, or not to be."""
    first, *line = agent.line
    if stop:  # he has it back, and all his other cards are go
        return Whereabouts((0.0,) * len(line), 1.0)
    return Whereabouts(tuple([place / (1 - first) for place in line]), agent.hand / (1 - first))


def temptation(newcomer: int, line: Sequence[int]) -> float:
    """How likely a player who does not reason stops this gangster: he goes by size, and hurries in a full line."""
    size = 11 if newcomer == 1 and 10 in line else newcomer
    hurry = 4 if len(line) == IN_LINE - 1 else 0
    return (size + hurry) / 16


if __name__ == "__main__":
    arena.run(decide)
