"""A flat Monte Carlo player of every game: it tries its moves out on deals that agree with what it sees.

`game.imagine` turns a view into a match in progress, so this bot knows no rules. It asks the simple house bot of the
game which moves are worth a thought, plays each of them on the same deals, lets the house bot play on for everybody,
and sees how things stand a while later. Worse moves are soon dropped, and another move than the house bot's own has to
gain more than chance explains. Needs `pip install referee-arena`, and `imports = ["referee"]` in bot.toml.
"""

import hashlib
import time
from functools import cache
from typing import Any

import arena
from referee.analysis.why.yardstick import Yardstick
from referee.rules import registry
from referee.rules.chance import Seeded

LOOKS = (8, 16, 32, 64, 128)  # after so many deals the worse moves are dropped
EFFORT = 1000  # deals, divided by the number of legal moves: where there are many, everything takes longer
MOVES, AHEAD = 4, 6  # so many moves are tried, and so many decisions for each player played on
SHARE = 0.4  # of the free time of a decision, at most
house_bot = cache(lambda game: Yardstick.of(registry.find(game)))


def decide(decision: arena.Decision) -> str:
    began, seat, policy, first = time.monotonic(), decision.seat, house_bot(decision.game), deal(decision, 0)
    moves = worth_a_thought(policy, first, decision)
    found: list[list[tuple[float, float]]] = [
        [] for _ in moves
    ]  # by move, for every deal: how things stand a while later
    left, best = list(range(len(moves))), 0
    deals = min(LOOKS[-1], max(LOOKS[0], EFFORT // len(decision.legal))) if len(moves) > 1 else 0
    for number in range(deals):
        state = deal(decision, number)
        others = {other: policy.choose(state, other) for other in state.pending() if other != seat}
        for place in left:
            found[place].append(played_on(policy, state.copy(), {**others, seat: moves[place]}, seat))
        late = time.monotonic() - began > SHARE * decision.budget
        if late or number + 1 in (*LOOKS, deals):
            gains = {place: gain(found[place], found[best], errors=1) for place in left}
            best = max(left, key=lambda place: (gains[place], place == best))
            other = [place for place in left if found[place] != found[best]]  # one that always ends alike is dropped
            left = [best, *(place for place in other if gain(found[best], found[place], errors=2) <= 0)]
            if late or len(left) == 1:
                break
    return str(first.format(moves[best]))


def worth_a_thought(policy: Yardstick, state: Any, decision: arena.Decision) -> list[Any]:
    """The house bot's own choice, and what else it likes: asked again and again without the moves it took."""
    policy.start(state.players)
    moves, texts = [policy.choose(state, decision.seat)], list(decision.legal)
    while len(moves) < MOVES and (texts := [text for text in texts if text != state.format(moves[-1])]):
        liked = state.format(policy.choose_among(state, decision.seat, texts, [state.parse(text) for text in texts]))
        moves.append(state.parse(liked if liked in texts else texts[0]))  # it may insist on its first choice
    return moves


def deal(decision: arena.Decision, number: int) -> Any:
    """A match that looks like the view; deal number n of a question is always the same, so matches can be repeated."""
    chance = Seeded(hashlib.sha256(b"deal %d of " % number + decision.view_bytes).digest())
    return registry.find(decision.game).imagine(decision.view_bytes, chance)


def played_on(policy: Yardstick, state: Any, moves: dict[int, Any], seat: int) -> tuple[float, float]:
    """The points of a seat, its place counted as points once the match is over, and the mean of the others'."""
    before, ahead = (state.scores(), 24 * state.players) if by_rounds(policy) else (None, AHEAD * state.players)
    policy.start(state.players)
    state.play(moves)
    while state.pending() and before in (None, state.scores()) and (ahead := ahead - 1):
        state.play(policy.moves(state))
    scores, result, many = state.scores(), state.result(), max(1, state.players - 1)
    place = (1 + many / 2 - result.ranks[seat]) / many * (1 + max(map(abs, scores))) if result else 0
    return float(scores[seat] + place), (sum(scores) - scores[seat]) / many


@cache
def by_rounds(policy: Yardstick) -> bool:
    """Whether scores change now and then only: moves are judged at the next change then, else some decisions later."""
    state = policy.game.start(policy.game.seats.least, seed=b"any match")
    policy.start(state.players)
    seen = [state.scores()]
    while state.pending():
        state.play(policy.moves(state))
        seen.append(state.scores())
    return 4 * sum(map(list.__ne__, seen, seen[1:])) < len(seen)


def gain(ours: list[tuple[float, float]], theirs: list[tuple[float, float]], errors: float) -> float:
    """What a move gains over another on the same deals, in own points and in those of the others, beyond chance."""
    gains = [(own - its, rest - others) for (own, others), (its, rest) in zip(ours, theirs, strict=False)]
    means = [(part, sum(part) / len(part)) for part in zip(*gains, strict=True)]
    spreads = [sum([(one - mean) ** 2 for one in part]) / (len(part) - 1 or 1) / len(part) for part, mean in means]
    return float(sum(m * max(0.0, 1 - errors**2 * s / m**2) for (_, m), s in zip(means, spreads, strict=True) if m))


if __name__ == "__main__":
    arena.run(decide)
