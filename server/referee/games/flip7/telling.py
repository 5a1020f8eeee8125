"""The words of Flip 7: what happened, what is asked and how a player stands, as boards and replays say it."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7 import events
from referee.games.flip7.cards import HIGHEST_NUMBER, NAMES, SECOND_CHANCE, STOP, THREE, Card
from referee.rules.boards.seats import Names, ending
from referee.rules.boards.text import plural

SPECIAL_NAMES = {STOP: "Stop", THREE: "Three", SECOND_CHANCE: "Second Chance"}

STATUS_WORDS = {
    pb.STATUS_IN: "",
    pb.STATUS_STAYED: "stays",
    pb.STATUS_STOPPED: "stopped",
    pb.STATUS_BUSTED: "busted",
}


def told(view: pb.View, names: Sequence[str] | None = None) -> list[str]:
    """What happened, one line for each event."""
    called = Names(names)
    return [_event(event, called) for event in view.events]


def standing(view: pb.View, names: Names) -> str:
    """Who is asked what, or how the match ended."""
    if view.ranks:
        return ending(view.ranks, view.reason, names)
    asked = names.all(view.asked)
    if view.question == pb.QUESTION_TARGET:
        return f"{asked}: who gets the {card_name(view.card)}? One of {names.all(view.targets)}"
    return f"{asked}: hit or stay?" if asked else ""


def about(view: pb.View, names: Names) -> str:
    """The round, its dealer and the target."""
    if view.ranks:
        return plural(view.round, "round")
    rules = " · rules faq" if view.rules == pb.RULES_FAQ else ""
    return f"round {view.round} · {names[view.dealer]} deals · to {view.target_score}{rules}"


def in_progress(view: pb.View, names: Names) -> list[str]:
    """The Threes that are being dealt, and in the opening deal who still gets a card."""
    lines = []
    for three in view.threes:
        aside = ", ".join(card_name(card) for card in three.aside)
        lines.append(
            f"a Three on {names[three.seat]}: {plural(three.left, 'card')} to come"
            + (f", set aside: {aside}" if aside else "")
        )
    if view.unserved:
        lines.append(f"the opening deal goes on with {names.all(view.unserved)}")
    return lines


def card_name(card: Card) -> str:
    """A card in a sentence."""
    return SPECIAL_NAMES.get(card) or (NAMES[card] if 0 <= card < len(NAMES) else f"card {card}")


def _event(event: pb.Event, names: Names) -> str:
    who = names[event.seat] if event.HasField("seat") else ""
    card = card_name(event.card)
    match event.kind:
        case events.ROUND_STARTED:
            return f"a round begins; {who} deals"
        case events.DEALT:
            return f"{who} gets {_article(event.card)} {card}"
        case events.STAYED:
            return f"{who} stays"
        case events.SAVED:
            return f"{who} is saved by a Second Chance from a second {card}"
        case events.BUSTED:
            return f"{who} busts with a second {card}"
        case events.FLIP_7:
            return f"{who} makes a Flip 7"
        case events.TARGETED:
            return f"{who} gives the {card} to {names[event.target]}"
        case events.KEPT:
            return f"{who} keeps the {card}"
        case events.DISCARDED:
            return f"the {card} of {who} is discarded without effect"
        case events.RESHUFFLED:
            return "the discards are shuffled into a new pile"
        case events.BROKE_OFF:
            return "no card is to be had: the round breaks off"
        case events.ROUND_ENDED:
            brought = ", ".join(f"{names[seat]} {points}" for seat, points in enumerate(event.points) if points)
            return f"the round ends: {brought or 'nothing for anybody'}"
        case events.ENDED:
            return "the match is over"
    return f"{who} {event.kind}".strip()


def _article(card: Card) -> str:
    if HIGHEST_NUMBER < card < STOP:
        return "the"  # a bonus is there once
    return "an" if card in (8, 11) else "a"
