"""A flat Monte Carlo player of every game. It knows no rules: `game.imagine` turns its view into a match in progress.

It asks the simple house bot of the game which moves are worth a thought, plays each of them on the same imagined deals,
lets the house bot play on for everybody, and sees how things stand a while later: in points or, where scores change
seldom, in the place that they promise. Another move than the house bot's own has to gain more than chance explains."""

import hashlib
import time
from functools import cache
from typing import Any

import arena
from referee.analysis.why.yardstick import Yardstick  # pip install referee-arena, imports = ["referee"] in bot.toml
from referee.rules import registry
from referee.rules.chance import Seeded

LOOKS = (8, 16, 32, 64, 128)  # after so many deals the worse moves are dropped
MOVES, AHEAD, LESSONS = 4, 6, 8  # moves that are tried, decisions of each player played on, matches to learn from
EFFORT, SHARE = 1000, 0.4  # deals, to be divided by the number of legal moves; of the free time of a decision, at most
house_bot = cache(lambda game: Yardstick.of(registry.find(game)))  # one for each game


def decide(decision: arena.Decision) -> str:
    began, seat, policy, first = time.monotonic(), decision.seat, house_bot(decision.game), deal(decision, 0)
    moves = worth_a_thought(policy, first, decision)
    found: list[list[tuple[float, float]]] = [[] for _ in moves]  # by move and deal: how things stand a while later
    left, best = list(range(len(moves))), 0
    deals = min(LOOKS[-1], max(LOOKS[0], EFFORT // len(decision.legal))) if len(moves) > 1 else 0
    for number in range(deals):
        state = deal(decision, number)
        others = {other: policy.choose(state, other) for other in state.pending() if other != seat}
        for place in left:
            found[place].append(played_on(policy, state.copy(), {**others, seat: moves[place]}, seat))
        late = time.monotonic() - began > SHARE * decision.budget
        if late or number + 1 in (deals, *[look for look in LOOKS if look >= deals // 4]):  # few deals hide a rare loss
            best = max(left, key=lambda place: (gain(found[place], found[best], errors=1), place == best))
            left = [best, *(p for p in left if found[p] != found[best] and gain(found[best], found[p], errors=2) <= 0)]
            if late or len(left) == 1:
                break
    return str(first.format(moves[best]))


def worth_a_thought(policy: Yardstick, state: Any, decision: arena.Decision) -> list[Any]:
    """The house bot's own choice, and what else it likes: asked again and again without the moves it took."""
    moves, texts = [policy.choose(state, decision.seat)], list(decision.legal)
    while len(moves) < MOVES and (texts := [text for text in texts if text != state.format(moves[-1])]):
        liked = state.format(policy.choose_among(state, decision.seat, texts, [state.parse(text) for text in texts]))
        moves.append(state.parse(liked if liked in texts else texts[0]))  # it may insist on its first choice
    return moves


def deal(decision: arena.Decision, number: int) -> Any:
    """A match that looks like the view; deal number n of a question is always the same, so matches can be repeated."""
    chance = Seeded(hashlib.sha256(b"deal %d of " % number + decision.view_bytes).digest())
    house_bot(decision.game).start(len(decision.info.names))
    return registry.find(decision.game).imagine(decision.view_bytes, chance)


def played_on(policy: Yardstick, state: Any, moves: dict[int, Any], seat: int) -> tuple[float, float]:
    """Where a seat will end; or its points, its place counted as points at the end, and the mean of the others'."""
    (line, apart), many = race(policy), max(1, state.players - 1)
    before, ahead = (state.scores(), 24 * state.players) if line else (None, AHEAD * state.players)
    state.play(moves)
    while state.pending() and before in (None, state.scores()) and (ahead := ahead - 1):
        state.play(policy.moves(state))
    own, result = (scores := state.scores())[seat], state.result()
    place = (1 + many / 2 - result.ranks[seat]) / many if result else 0.0
    if line and not result:  # a lead tells who will be ahead, and the better, the nearer the end is
        much = 3 * apart * max(0.01, 1 - max(scores) / line) ** 0.25
        place = sum([lead / (much + abs(lead)) for score in scores if (lead := own - score)]) / many / 2
    return (place, 0.0) if line else (own + place * (1 + max(map(abs, scores))), (sum(scores) - own) / many)


@cache
def race(policy: Yardstick) -> tuple[int, float]:
    """The score at which matches of the house bot end, and how far apart scores are; zeros if they change often."""
    house, seen = Yardstick.of(policy.game), list[list[int]]()  # another one, for `policy` is in the midst of a match
    for number in range(LESSONS):
        state = policy.game.start(max(2, policy.game.seats.least), seed=b"lesson %d" % number)
        house.start(state.players)
        while state.pending():
            seen.append(state.scores())
            state.play(house.moves(state))
        if 4 * sum(map(list.__ne__, seen, seen[1:])) > len(seen):
            return 0, 0.0
    return 1 + max(map(max, seen)), (sum([(one[0] - one[-1]) ** 2 for one in seen]) / len(seen)) ** 0.5


def gain(ours: list[tuple[float, float]], theirs: list[tuple[float, float]], errors: float) -> float:
    """What a move gains over another on the same deals, in both figures of `played_on`, beyond chance."""
    gains = [(own - its, rest - others) for (own, others), (its, rest) in zip(ours, theirs, strict=False)]
    means = [(part, sum(part) / len(part)) for part in zip(*gains, strict=True)]
    spreads = [sum([(one - mean) ** 2 for one in part]) / (len(part) - 1 or 1) / len(part) for part, mean in means]
    return float(sum(m * max(0.0, 1 - errors**2 * s / m**2) for (_, m), s in zip(means, spreads, strict=True) if m))


if __name__ == "__main__":
    arena.run(decide)
