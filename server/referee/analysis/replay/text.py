"""A step of a replay as lines of text, for a terminal or a file: board, question, answer, and what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from referee.analysis.replay.perspective import REVEALED, Perspective
from referee.analysis.replay.recorded import AskedAgain, Forfeited, Incident, RecordedMatch, RejectedAnswer
from referee.analysis.replay.steps import REFEREE, Asked, LogLine, Replay, Step
from referee.rules.boards.page import BOLD, CYAN, DIM, HOT, RED, Page
from referee.rules.boards.seats import Names, ordinal
from referee.rules.boards.text import clean, plural

MOST_MOVES = 24
"""Legal moves that are written out."""
MOST_HIDDEN = 40
"""Of one hidden list, the parts that are written out."""


def heading(match: RecordedMatch, width: int = 80, *, colour: bool = False, ascii: bool = False) -> list[str]:
    """What is known of the match as a whole."""
    page = Page(width, colour=colour, ascii=ascii)
    names = Names(match.names)
    page.split(
        [(clean(match.match) or "a record", BOLD)], [f"{match.game.title} · {plural(match.decisions, 'decision')}"]
    )
    order = sorted(range(match.players), key=lambda seat: (match.ending.ranks[seat], seat))
    page.wrapped(
        ", ".join(f"{match.ending.ranks[seat]}. {names[seat]} ({match.ending.scores[seat]})" for seat in order)
    )
    return page.lines


def step_lines(
    replay: Replay,
    number: int,
    perspective: Perspective = REVEALED,
    width: int = 80,
    *,
    colour: bool = False,
    ascii: bool = False,
) -> list[str]:
    """One step as this perspective sees it."""
    step, match = replay[number], replay.match
    page = Page(width, colour=colour, ascii=ascii)
    names = Names(match.names)
    page.rule(title(step, perspective, names))
    boards = step.boards(perspective)
    for viewer, seats in boards:
        if len(boards) > 1:
            page.blank()
            page.rule(f"seen by {names.all(seats)}")
        page.lines += match.game.drawing(step.view(viewer), width, names=match.names, colour=colour, ascii=ascii)
    page.blank()
    for asked in step.asked:
        if perspective.knows(asked.seat):
            _asked(page, asked, names)
    for incident in step.besides:
        if perspective.knows(incident.seat):
            page.wrapped(_incident(incident, names), RED)
    if step.over:
        page.lines += ending_lines(match, width, colour=colour, ascii=ascii)
    for note in step.notes(perspective):
        page.wrapped(clean(note), RED, first="! ")
    if perspective.revealed and (hidden := step.hidden):
        for key, value in hidden.items():
            page.wrapped(_hidden(value), DIM, first=f"hidden: {clean(key)} ", indent="  ")
    _log(page, step.log(perspective), names)
    while page.lines and not page.lines[-1]:
        page.lines.pop()
    return page.lines


def title(step: Step, perspective: Perspective, names: Names) -> str:
    """`decision 17 of 88, odds is asked`; of all decisions, the first is 0 and the end has the last number."""
    seen = (
        ""
        if perspective.revealed
        else f", seen by {'the public' if perspective.seat is None else names[perspective.seat]}"
    )
    if step.over:
        return f"the end, after {plural(step.number, 'decision')}{seen}"
    asked = step.waits_for(perspective)
    who = f", {names.all(asked)} {'is' if len(asked) == 1 else 'are'} asked" if asked else ""
    return f"decision {step.number} of {step.match.decisions}{who}{seen}"


def ending_lines(match: RecordedMatch, width: int = 80, *, colour: bool = False, ascii: bool = False) -> list[str]:
    """How each seat ended, and why, best first."""
    page = Page(width, colour=colour, ascii=ascii)
    names, ending = Names(match.names), match.ending
    for seat in sorted(range(match.players), key=lambda seat: (ending.ranks[seat], seat)):
        word, text = ending.words[seat], clean(ending.texts[seat])
        how = (
            "finished"
            if word == "finished"
            else f"{word}: {text}"
            if text and not text.startswith(word)
            else text or word
        )
        page.wrapped(
            f"{ordinal(ending.ranks[seat])} {names[seat]} (seat {seat}), {plural(ending.scores[seat], 'point')}: {how}",
            "" if word == "finished" else RED,
        )
    return page.lines


def _asked(page: Page, asked: Asked, names: Names) -> None:
    who = names[asked.seat]
    if asked.legal:
        shown = [clean(move) for move in asked.legal[:MOST_MOVES]]
        rest = asked.legal_total - len(shown)
        more = f" and {rest} more" if rest > 0 else ""
        kind = "may" if asked.complete else "is offered"
        page.wrapped(", ".join(shown) + more, DIM, first=f"{who} {kind}: ", indent="  ")
    for why in asked.asked_again:
        page.wrapped(f"{who} was asked again: {clean(why)}", DIM)
    for refused in asked.rejected:
        strike = "" if refused.strike else ", no strike"
        page.wrapped(
            f"{who} tried {clean(refused.move)!r}: {clean(refused.message)} ({refused.kind.replace('_', ' ')}{strike})",
            RED,
        )
    if asked.forfeit is not None:
        page.wrapped(f"{who} forfeited ({asked.forfeit.termination}): {clean(asked.forfeit.text)}", RED)
    if asked.by == REFEREE:
        page.wrapped(f"the referee played {clean(asked.answer)} for {who}", RED)
    else:
        took = "" if asked.ms is None else f" after {milliseconds(asked.ms)}"
        to = "" if asked.question is None else f" to question {asked.question}"
        page.wrapped(f"{who} answered {clean(asked.answer)}{to}{took}", HOT)


def milliseconds(ms: int) -> str:
    """A thinking time for people: `12 ms`, `1.5 s`."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _incident(one: Incident, names: Names) -> str:
    who = names[one.seat]
    if isinstance(one, RejectedAnswer):
        return f"{who} sent {clean(one.move)!r} without being asked ({one.kind.replace('_', ' ')})"
    if isinstance(one, Forfeited):
        return f"{who} forfeited ({one.termination}): {clean(one.text)}"
    assert isinstance(one, AskedAgain)
    return f"{who} was asked again: {clean(one.why)}"


def _log(page: Page, lines: Sequence[LogLine], names: Names) -> None:
    """What bots wrote to stderr, as they wrote it: indented lines stay indented."""
    for seat in sorted({line.seat for line in lines}):
        mine = [line for line in lines if line.seat == seat]
        most = max(line.shared for line in mine)
        also = f" (it was playing up to {most} matches: a line may be about another)" if most > 1 else ""
        page.wrapped(f"stderr of {names[seat]}{also}", CYAN)
        room = max(1, page.width - 4)
        for line in mine:
            text = clean(line.text)
            for start in range(0, max(1, len(text)), room):
                page.add(("  | ", DIM), (text[start : start + room], CYAN))


def _hidden(value: object) -> str:
    if not isinstance(value, list | tuple):
        return clean(str(value))
    shown: Iterable[str] = [clean(str(part)) for part in value[:MOST_HIDDEN]]
    rest = f" … ({len(value)} in all)" if len(value) > MOST_HIDDEN else ""
    return " ".join(shown) + rest if value else "none"
