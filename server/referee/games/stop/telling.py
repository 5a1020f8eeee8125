"""The words of STOP!: what happened, what is asked and how the match ended, as boards and replays say it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop import events
from referee.rules.boards.seats import Names, ending
from referee.rules.boards.text import plural

WINNING = 6
"""Blue tokens that win."""
PLUS_ONE = 1
"""How a view writes a +1."""


def told(view: pb.View, names: Sequence[str] | None = None) -> list[str]:
    """What happened, one line for each event."""
    called = Names(names)
    return [_event(event, called) for event in view.events]


def standing(view: pb.View, names: Names) -> str:
    """What is asked and of whom, as far as the view tells, or how the match ended."""
    if view.ranks:
        return ending(view.ranks, view.reason, names)
    asked = names.all(view.asked)
    match view.question:
        case pb.QUESTION_CALL:
            return f"{asked}: stop or wait?" if asked else "who may call: stop or wait?"
        case pb.QUESTION_OPENING:
            return f"{asked}: which opening bid?"
        case pb.QUESTION_PLAY:
            return f"{asked}: bid, raise or pass?" if asked else "who can play: bid, raise or pass?"
        case pb.QUESTION_SPLIT:
            return f"{asked}: how to share the cards on the table?"
    return ""


def about(view: pb.View, names: Names) -> str:
    """How many auctions there were, and what holds now."""
    parts = [plural(view.auctions, "auction") + " settled"]
    if view.shuffles:
        parts.append(f"hands shuffled back {plural(view.shuffles, 'time')}")
    if view.opening_rule and not view.ranks:
        parts.append("no calls yet (opening)")
    return " · ".join(parts)


def card_name(card: int) -> str:
    """A card as moves write it."""
    return "+1" if card == PLUS_ONE else str(card)


def cards_text(cards: Iterable[int]) -> str:
    """Cards in a row, as moves write them."""
    return " ".join(map(card_name, cards))


def at(values: Sequence[int], seat: int) -> int:
    """The value of a seat in a list by seat."""
    return values[seat] if seat < len(values) else 0


def owned(view: pb.View, seat: int) -> tuple[int, int, int, int]:
    """How many 2s, 3s, 4s and +1s a player owns."""
    return at(view.twos, seat), at(view.threes, seat), at(view.fours, seat), at(view.plus_ones, seat)


def _event(event: pb.Event, names: Names) -> str:
    who = names[event.seat] if event.HasField("seat") else ""
    cards = cards_text(event.cards)
    match event.kind:
        case events.DREW:
            return f"{who} draws a card"
        case events.SKIPPED:
            return f"{who} has six cards and skips the draw"
        case events.ELIMINATED:
            return f"{who} cannot draw and is out" + (f"; {cards} leave the game" if cards else "")
        case events.RED_PASSED:
            return f"the red token passes to {who}"
        case events.SHUFFLED_BACK:
            return "all hands are full and are shuffled back into the decks"
        case events.CALLED:
            return f"{who} calls stop and takes the red token"
        case events.BID:
            return f"{who} bids {cards}"
        case events.RAISED:
            own = event.owner == event.seat
            return f"{who} raises {'their own bid' if own else f'the bid of {names[event.owner]}'} with {cards}"
        case events.WON:
            return f"{who} wins the auction and {plural(event.tokens, 'blue token')}"
        case events.TIED:
            return "the highest bid is shared: nobody takes a token"
        case events.RECEIVED:
            return f"{who} shuffles {cards} into the deck"
        case events.ENDED:
            return "the match is over"
    return f"{who} {event.kind}".strip()
