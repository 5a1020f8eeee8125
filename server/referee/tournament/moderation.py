"""Moderation: a host takes a bot out, annuls a result or has a match played again, each with a reason.

In a round-robin the others get matches in place of those they lose with a bot (`schedule.making_up`), until none of
them has lost more than one; mirrored blocks cannot be made up. A format that draws rounds goes on with those who are
in.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from referee.rules.game import WrongUse
from referee.rules.spelling import brief
from referee.store import Ruling, RulingKind, SeatedMatch
from referee.tournament.plan import Plan
from referee.tournament.schedule.making_up import make_up
from referee.tournament.schedule.pairing import Pairing

if TYPE_CHECKING:
    from referee.store import Store


class Action(StrEnum):
    """What a host can do."""

    DISQUALIFY = "disqualify"
    WITHDRAW = "withdraw"
    ANNUL = "annul"
    REPLAY = "replay"


DONE = {
    Action.DISQUALIFY: "disqualified",
    Action.WITHDRAW: "withdrew",
    Action.ANNUL: "annulled match",
    Action.REPLAY: "let play again match",
}
"""How the journal tells that somebody did it."""


def rule(store: Store, name: str, action: Action, subject: str, reason: str, *, annul: bool = False) -> Ruling:
    """Do it and store it with its reason; `subject` is a bot, or a match by number or name.

    `annul`: the results of a bot that is disqualified count no longer.
    """
    tournament = store.tournaments.get(name)
    if action is Action.ANNUL:
        return store.rulings.annul(tournament.id, match_number(name, subject), reason)
    if action is Action.REPLAY:
        return store.rulings.replay(tournament.id, match_number(name, subject), reason)
    plan = Plan.of(tournament)
    kind = RulingKind.DISQUALIFIED if action is Action.DISQUALIFY else RulingKind.WITHDRAWN
    instead = None if plan.format or plan.rotates else partial(_instead, plan)
    return store.rulings.bot(tournament.id, kind, subject, reason, annul=annul, further=instead)


def match_number(tournament: str, match: str) -> int:
    """The number of a match of this tournament, given as `12` or `league/12`."""
    from referee.store.match_search import read_name  # SQLAlchemy, which whoever only tells rulings does without

    read = read_name(match if "/" in match else f"{tournament}/{match}")
    if read is None or read[0] != tournament:
        raise WrongUse(f"{brief(match)} is not a match of {tournament}: give its number, or {tournament}/NUMBER")
    return read[1]


def _count(found: Sized, one: str, many: str) -> str:
    return f"{len(found)} {one if len(found) == 1 else many}"


def told(ruling: Ruling) -> str:
    """A ruling in a sentence."""
    results = f", {_count(ruling.annulled, 'result', 'results')} annulled" if ruling.annulled and ruling.bot else ""
    aside = f", {_count(ruling.aside, 'match', 'matches')} not played" if ruling.aside else ""
    words = {
        RulingKind.DISQUALIFIED: f"{ruling.bot} was disqualified{results}{aside}",
        RulingKind.WITHDRAWN: f"{ruling.bot} has withdrawn{results}{aside}",
        RulingKind.RETURNED: f"{ruling.bot} has returned",
        RulingKind.ANNULLED: f"match {ruling.match} was annulled",
        RulingKind.REPLAYED: f"match {ruling.match} is played again",
    }
    return f"{words[ruling.kind]}: {ruling.reason}"


def _instead(
    plan: Plan, matches: Sequence[SeatedMatch], entrants: int, out: frozenset[int], lost: frozenset[int]
) -> list[Pairing]:
    return make_up(plan.schedule, matches, entrants, plan.players, out, lost)
