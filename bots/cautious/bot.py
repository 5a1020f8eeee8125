"""A careful player of Flip 7.

The view says how many of each card the pile still holds, so the danger of the next card can be counted, not guessed:
this bot hits as long as the points it may win outweigh the points it may lose.
"""

import arena
from arena.games.flip7.v1 import flip7_pb2 as flip7

NUMBERS = range(13)  # the cards 0 to 12 are the numbers themselves


def decide(decision: arena.Decision) -> str:
    view: flip7.View = decision.view
    if view.question == flip7.QUESTION_TARGET:
        return f"target {choose_target(view)}"
    if "stay" not in decision.legal or worth_a_hit(view):
        return "hit"
    return "stay"


def worth_a_hit(view: flip7.View) -> bool:
    """Whether the next card brings more than it costs, on average."""
    me = view.players[view.seat]
    cards, pile = list(me.cards), list(view.pile_counts)
    if not cards or flip7.SPECIAL_CARD_SECOND_CHANCE in cards:
        return True  # nothing to lose
    times = 1 << cards.count(flip7.SPECIAL_CARD_X2)  # each x2 doubles
    gain = sum([number * times * pile[number] for number in NUMBERS if number not in cards])
    loss = sum([me.points * pile[number] for number in NUMBERS if number in cards])
    return gain > loss


def choose_target(view: flip7.View) -> int:
    """A gift for the weakest, everything else for the strongest of the others."""
    others = [seat for seat in view.targets if seat != view.seat]
    if not others:
        return view.seat

    def strength(seat: int) -> int:
        return view.scores[seat] + view.players[seat].points

    if view.card == flip7.SPECIAL_CARD_SECOND_CHANCE:
        return min(others, key=strength)
    if view.card == flip7.SPECIAL_CARD_THREE and view.seat in view.targets and not view.players[view.seat].cards:
        return view.seat  # with an empty hand three cards are rather a gift than a danger
    return max(others, key=strength)


if __name__ == "__main__":
    arena.run(decide)
