"""The matches being played now and the latest results, one line each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.names import clean, duration, fit, plural, right, share
from referee_leaderboard.sheet import heading, line
from referee_leaderboard.standings import Outcome, Playing, Standings

NAME_LEAST = 4


def playing_now(standings: Standings, width: int, height: int) -> list[Text]:
    """A heading and one line per match on the table: its bots by seat, their scores, how long it has run."""
    matches = standings.playing
    busy = max(standings.matches_playing, len(matches))
    lines = [heading("Playing now", width, plural(busy, "match") if busy else "")]
    if not matches:
        lines.append(line(("Nobody is playing.", "dim italic")))
    numbers = [_number(standings, match) for match in matches]
    mark = max(map(cell_len, numbers), default=0)
    # The heading has said how many there are, so those that do not fit need no line of their own.
    shown = list(zip(matches, numbers, strict=True))[: max(0, height - 1)]
    lines += [_playing_line(match, number, mark, width) for match, number in shown]
    return lines[: max(0, height)]


def latest_results(standings: Standings, width: int, height: int) -> list[Text]:
    """A heading and one line per result, newest first: bots in order of rank, faults marked."""
    results = standings.latest
    lines = [heading("Latest results", width)]
    if not results:
        lines.append(line(("No match has ended yet.", "dim italic")))
    numbers = [_number(standings, outcome) for outcome in results]
    mark = max(map(cell_len, numbers), default=0)
    # Old results are no news: those that do not fit are left out without a word.
    shown = list(zip(results, numbers, strict=True))[: max(0, height - 1)]
    lines += [_result_line(outcome, number, mark, width) for outcome, number in shown]
    return lines[: max(0, height)]


def _number(standings: Standings, match: Playing | Outcome) -> str:
    """Of `league/17` the 17: the tournament's name stands above, and would leave no room for the number."""
    return f"#{clean(match.match.removeprefix(f'{standings.tournament}/'))}"


def _playing_line(match: Playing, number: str, mark: int, width: int) -> Text:
    start = line((right(fit(number, 10), min(mark, 10)), "dim"), "  ")
    clock = f"  {duration(match.elapsed)}"
    room = width - start.cell_len - len(clock)
    if room < 12:
        clock, room = "", width - start.cell_len
    scores: Sequence[str] = [f" {score}" for score in match.scores] if match.scores else [""] * len(match.bots)
    entries = [("", clean(bot), score, "", "") for bot, score in zip(match.bots, scores, strict=True)]
    middle = _entries(entries, room)
    return start + middle + line(" " * (room - middle.cell_len), (clock, "dim"))


def _result_line(outcome: Outcome, number: str, mark: int, width: int) -> Text:
    start = line((right(fit(number, 10), min(mark, 10)), "dim"), "  ")
    end = f"  {clean(outcome.reason).replace('_', ' ').lower()}" if outcome.reason.lower() != "finished" else ""
    if width - start.cell_len - cell_len(end) < 20:
        end = ""
    entries = []
    for seat in sorted(range(len(outcome.bots)), key=lambda seat: (outcome.ranks[seat], seat)):
        fault = outcome.faults[seat] if outcome.faults else ""
        score = f" {outcome.scores[seat]}" if outcome.scores else ""
        tail = f" ✗{clean(fault).lower()}" if fault else ""
        style = "bold" if outcome.ranks[seat] == 1 and not fault else ""
        entries.append((f"{outcome.ranks[seat]} ", clean(outcome.bots[seat]), score, tail, style))
    return start + _entries(entries, width - start.cell_len - cell_len(end)) + line((end, "yellow"))


def _entries(entries: Sequence[tuple[str, str, str, str, str]], room: int) -> Text:
    """(before, name, after, fault, style) parts with dots between; names share the room, the last ones are counted."""
    between = " · "
    for shown in range(len(entries), 0, -1):
        part = entries[:shown]
        more = f" +{len(entries) - shown}" if shown < len(entries) else ""
        fixed = sum(cell_len(before) + cell_len(after) + cell_len(fault) for before, _, after, fault, _ in part)
        names = [cell_len(name) for _, name, *_ in part]
        spare = room - fixed - len(between) * (shown - 1) - len(more)
        if spare >= sum(min(width, NAME_LEAST) for width in names) or shown == 1:
            break
    else:
        return line()
    text = line()
    for index, ((before, name, after, fault, style), width) in enumerate(zip(part, share(names, spare), strict=True)):
        text.append_text(
            line(
                (between if index else "", "dim"),
                (before, "dim"),
                (fit(name, width), style),
                (after, "cyan"),
                (fault, "red"),
            )
        )
    text.append_text(line((more, "dim")))
    text.truncate(max(0, room))
    return text
