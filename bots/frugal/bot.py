"""A frugal player of STOP!

It calls with a strong hand, opens small so that others join in (every bid on the table is a token for the winner), and
then always makes the cheapest play that puts it in front. What it wins, it keeps.
"""

import arena
from arena.games.stop.v1 import stop_pb2 as stop

STRONG = 8  # a hand that reaches this with one value and its +1s is worth a call


def decide(decision: arena.Decision) -> str:
    view: stop.View = decision.view
    if view.question == stop.QUESTION_CALL:
        return "stop" if best_bid(list(view.hand)) >= STRONG else "wait"
    if view.question == stop.QUESTION_OPENING:
        return open_small(list(view.hand))
    if view.question == stop.QUESTION_PLAY:
        return cheapest_lead(view, decision.legal) or cheapest_spoil(view, decision.legal) or "pass"
    return decision.legal[0]  # the split: the first suggestion is to keep everything


def best_bid(hand: list[int]) -> int:
    """The most that the cards of one value come to, together with the +1s (which the view writes as 1)."""
    return max(value * hand.count(value) for value in (2, 3, 4)) + hand.count(1)


def open_small(hand: list[int]) -> str:
    """One card of the value that the hand is strongest in: the others stay hidden for later raises."""
    return f"bid {max((2, 3, 4), key=lambda value: value * hand.count(value))}"


def cheapest_lead(view: stop.View, legal: list[str]) -> str | None:
    """The play of fewest points that makes the own bid the only highest; None if it is that already, or cannot be."""
    totals = {bid.seat: bid.total for bid in view.bids}
    mine = totals.pop(view.seat, 0)
    rival = max(totals.values(), default=0)
    if mine > rival:
        return None
    plays = [move for move in legal if owner(move, view.seat) == view.seat and mine + points(move) > rival]
    return min(plays, key=points, default=None)


def cheapest_spoil(view: stop.View, legal: list[str]) -> str | None:
    """If the leader is about to win the match: the cheapest raise of another bid that draws level with him."""
    leaders = [bid.seat for bid in view.bids if bid.total == view.highest]
    leader = leaders[0]
    if len(leaders) > 1 or leader == view.seat or view.scores[leader] + len(view.bids) < 6:
        return None
    plays = [move for move in legal if owner(move, view.seat) not in (leader, None)]
    return min(plays, key=points, default=None)


def owner(move: str, seat: int) -> int | None:
    """Whose bid a move makes or raises; None for a pass."""
    verb, *words = move.split()
    if verb == "raise":
        return int(words[0])
    return seat if verb == "bid" else None


def points(move: str) -> int:
    """What the cards of a bid or a raise add up to."""
    verb, *words = move.split()
    return sum(int(card) for card in (words[1:] if verb == "raise" else words))


if __name__ == "__main__":
    arena.run(decide)
