"""Why a bot failed a match of the examination: the cause of a forfeit or a strike, not its consequence.

A program that prints to stdout is refused for its next answer, one that ignores a rejection runs out of time. Authors
are told what they did first.
"""

from __future__ import annotations

import re

from referee.hosting.bot.spec import Kind
from referee.match.match import Match
from referee.match.result import Termination
from referee.workers.bot_host import HostedBot

STRIKES = ("unreadable", "illegal", "out_of_turn", "duplicate")
UNHEARD = "; does it end its lines, and flush its output after each?"
AGAIN = {
    Kind.STDIO: 'a line {"type":"rejected",…,"open":true} wants another answer under the same number',
}
AGAIN_USUAL = "a refusal that leaves the question open wants another answer"


def why_forfeited(match: Match, seat: int, hosted: HostedBot) -> str:
    """What a bot did that forfeited a match."""
    assert match.ending is not None
    how, why = match.ending.terminations[seat], match.ending.texts[seat]
    cause = why
    refused = _strikes(match, seat)
    if printed := hosted.complaint(match.id):
        cause = f"a line that is no answer: {printed}"
    elif how is Termination.TIMEOUT and _ignored(match, seat):
        again = AGAIN.get(hosted.spec.kind, AGAIN_USUAL)
        cause = f"it did not answer again after its move {refused[-1][5]!r} was refused ({refused[-1][4]}): {again}"
    elif how is Termination.TIMEOUT and hosted.spec.kind is Kind.STDIO and not match.transcript.seats[seat].decisions:
        cause = why + UNHEARD
    elif how is Termination.ILLEGAL and refused and refused[0][3:5] != refused[-1][3:5]:
        cause = f"{why}; the first was {refused[0][5]!r} ({refused[0][4]})"
    elif how is Termination.CRASH and hosted.process.exits and hosted.process.exits[-1].advice:
        cause = f"{why}. {hosted.process.exits[-1].advice}"
    return f"forfeited ({how.value}): {cause.removeprefix(f'{how.value}: ')}"


def why_refused(match: Match, seat: int, hosted: HostedBot) -> str:
    """What a bot did for which it has strikes in a match that it has finished."""
    if printed := hosted.complaint(match.id):
        return f"a line that is no answer: {printed}"
    first = next((event for event in _strikes(match, seat) if event[4] != "refused_once"), _strikes(match, seat)[-1])
    return f"the move {first[5]!r} was refused ({first[4]})"


def cause_of(text: str) -> str:
    """What is the same in two texts about the same cause: without the numbers, and without who is told how."""
    text = re.sub(r"^forfeited \(\w+\): |^(the|a) (bot|program) ", "", text)
    return re.sub(r"\d+(\.\d+)?", "#", re.sub(r"^(the|a) (bot|program) ", "", text))


def _strikes(match: Match, seat: int) -> list[list[object]]:
    return [one for one in match.transcript.events if one[0] == "rejected" and one[2] == seat and one[3] in STRIKES]


def _ignored(match: Match, seat: int) -> bool:
    """Whether the question that ran out of time was one whose answer had been refused."""
    out = [event for event in match.transcript.events if event[0] == "forfeit" and event[2] == seat]
    refused = _strikes(match, seat)
    return bool(out and refused) and refused[-1][1] == out[-1][1] and refused[-1][3] in ("unreadable", "illegal")
