"""The words of STOP me GO: what happened, what is asked and how the match ended, as boards and replays say it."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import events
from referee.rules.boards.seats import Names, ending
from referee.rules.boards.text import plural

CARD_WORDS = {pb.CARD_GO: "go", pb.CARD_STOP: "stop"}


def told(view: pb.View, names: Sequence[str] | None = None) -> list[str]:
    """What happened, one line for each event."""
    called = Names(names)
    return [_event(event, called) for event in view.events]


def standing(view: pb.View, names: Names) -> str:
    """Who is asked what, or how the match ended."""
    if view.ranks:
        return ending(view.ranks, view.reason, names)
    if not view.asked:
        return ""
    everybody = len(view.asked) == len(view.tokens)
    who = "everybody" if everybody and len(view.asked) > 2 else names.all(view.asked)
    return f"{who}: go or stop on the {view.table[-1]}?" if view.table else f"{who}: go or stop?"


def about(view: pb.View, names: Names) -> str:
    """The round, and the tokens that are still to be had."""
    if view.ranks:
        return plural(view.round, "round")
    void = f", {view.tokens_void} void" if view.tokens_void else ""
    escapes = f" · {plural(len(view.arrests), 'escape')}" if view.arrests else ""
    return f"round {view.round} · {plural(view.tokens_left, 'token')} left{void}{escapes}"


def stoppers(stops: Sequence[int], names: Names) -> str:
    """Who had put a stop on a gangster."""
    return f"stop by {names.all(stops)}" if stops else "no stop"


def caught(view: pb.View, seat: int) -> list[tuple[int, int]]:
    """What an agent captured in this match: pairs of round and gangster."""
    return [(capture.round, capture.gangster) for capture in view.captures if capture.seat == seat]


def _event(event: pb.Event, names: Names) -> str:
    who = names[event.seat] if event.HasField("seat") else ""
    match event.kind:
        case events.ROUND_STARTED:
            return f"round {event.round} begins"
        case events.RESHUFFLED:
            return "the discarded gangsters are shuffled into a new pile"
        case events.CRIME:
            return f"gangster {event.gangster} joins the line"
        case events.ESCAPED:
            return f"gangster {event.gangster} escapes: {stoppers(event.stops, names)}"
        case events.CAPTURED:
            return f"{who} captures gangster {event.gangster}"
        case events.DISCARDED:
            return f"gangster {event.gangster} is discarded: {stoppers(event.stops, names)}"
        case events.ROUND_WON:
            return f"{who} wins the round with gangster {event.gangster} and takes a token"
        case events.ROUND_VOID:
            return "the fiftieth escape: the round is void and a token leaves play"
        case events.ENDED:
            return "the match is over"
    return f"{who} {event.kind}".strip()
