"""The redeal of STOP!: the hands that a seat cannot know are drawn anew, in agreement with all that was seen.

Hands are not drawn from what a seat owns now, for the table knows more. A card that was shuffled into a deck is not
among those drawn before; a bid was in the hand; a window shows that at least one hand could act, and where none
opened no hand could. So the redeal rewrites the history of the match (`memory.py`) in small steps. A step exchanges
a card that a seat has drawn for one that still lies in its deck, in every hand from that draw on. It is taken back
unless every moment since agrees with what the table saw then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.games.stop.cards import covers, spread
from referee.games.stop.memory import Moment, moments
from referee.rules.chance import Chance

if TYPE_CHECKING:
    from referee.games.stop.position import Position

PASSES = 2
"""How often an exchange is tried for every card in a hand."""


def redeal_hands(position: Position, seat: int | None, chance: Chance) -> None:
    """Draw the hands of all other seats anew, and with them the history that led there, in place."""
    history = moments(position.log, position.owned, bool(position.asked))
    others = [other for other, hand in enumerate(position.hands) if other != seat and hand]
    for number in range(PASSES):
        for other in others:
            draws = [place for place, moment in enumerate(history) if moment.drew == other]
            for card in spread(history[-1].hands[other]):
                deck = spread(history[-1].owned[other] - history[-1].hands[other])
                places = [place for place in draws if _card_drawn(history, place) == card]
                if deck and places:
                    # The latest draw of such a card is the likeliest to be free; the others have their turn after it.
                    place = chance.pick("redeal", places) if number else places[-1]
                    _exchange(history[place:], other, card, chance.pick("redeal", deck))
    if history:
        position.hands[:] = history[-1].hands
    position.log.rewrite(moment.hands[moment.drew] for moment in history if moment.drew >= 0)


def _card_drawn(history: Sequence[Moment], place: int) -> int:
    """The card that was drawn at this place of the history."""
    seat = history[place].drew
    return history[place].hands[seat] - (history[place - 1].hands[seat] if place else 0)


def _exchange(since: Sequence[Moment], seat: int, drawn: int, instead: int) -> None:
    """Let a seat have drawn another card at the first of these moments, if the table saw nothing against it."""
    if drawn == instead:
        return
    for count, moment in enumerate(since, 1):
        hand = moment.hands[seat]
        possible = covers(hand, drawn)
        if possible:
            moment.hands[seat] = hand - drawn + instead
            possible = covers(moment.owned[seat], moment.hands[seat]) and moment.holds()
            if not possible:
                moment.hands[seat] = hand
        if not possible:
            for changed in since[: count - 1]:
                changed.hands[seat] += drawn - instead
            return
