"""What a format adds: places and points by its own count, and its rounds, table by table, with who went through."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.drawing.window import Block, Window
from referee_leaderboard.format import FormatPlace, FormatRound, FormatStage, FormatTable
from referee_leaderboard.names import clean, decimal, fit, left, right
from referee_leaderboard.sheet import heading, line
from referee_leaderboard.standings import Standings

NAME_MOST = 24
POINTS = 9
TIE_BREAK = 11
MOVE = 5


def bracket(standings: Standings, width: int, height: int, offset: int = 0) -> Block:
    """The last round first, since it is the one that people look for; `offset` skips lines."""
    found = standings.format
    if not found.name:
        return Block.saying("This tournament is a round-robin: it has no rounds to be drawn.", height)
    if not found.rounds and not found.places:
        return Block.saying("No round has been drawn yet.", height)
    lines = [heading(clean(found.name).capitalize(), width, clean(found.stage))]
    lines += _places(found.places, width)
    lines += stages(standings, width)
    for each in reversed(found.rounds):
        lines += _round(standings, each, width)
    window = Window.of_rows(len(lines), height, offset)
    shown = lines[window.first : window.end]
    if window.partial:
        shown.append(window.more_line())
    return Block(shown[: max(0, height)], window)


def stages(standings: Standings, width: int) -> list[Text]:
    """The whole bracket of a knock-out, the final last; nothing in other formats."""
    return [drawn for stage in standings.format.bracket for drawn in _stage(stage, width)]


def _places(places: tuple[FormatPlace, ...], width: int) -> list[Text]:
    if not places:
        return []
    digits = len(str(places[-1].place))
    with_points = any(place.points is not None for place in places)
    parted = any(place.tie_break is not None for place in places)
    taken = digits + POINTS + (TIE_BREAK if parted else 0) + MOVE + 3
    name = min(max(cell_len(clean(place.bot)) for place in places), NAME_MOST, max(6, width - taken))
    lines = []
    for place in places:
        moved = f"▲{place.climbed}" if place.climbed > 0 else f"▼{-place.climbed}" if place.climbed < 0 else ""
        points = right("–" if place.points is None else decimal(place.points), POINTS) if with_points else ""
        lines.append(
            line(
                (right(str(place.place), digits), "dim"),
                " ",
                (left(clean(place.bot), name), "dim" if place.out else "bold" if place.place == 1 else ""),
                points,
                (right(f"met {decimal(place.tie_break)}", TIE_BREAK) if parted else "", "dim"),
                (right(moved, MOVE), "green" if place.climbed > 0 else "red"),
                (f"  {clean(place.out)}" if place.out else "", "red"),
            )
        )
    return lines


def _stage(stage: FormatStage, width: int) -> list[Text]:
    """`table 3  ada – winner of table 2  → ada`, for each table of a stage."""
    lines = [line(), heading(f"Bracket: {clean(stage.name)}", width)]
    for table in stage.tables:
        start = f"table {table.number:<3} "
        how = f" ({clean(table.how)})" if table.how not in ("", "played") else ""
        through = f"  → {', '.join(map(clean, table.advanced))}{how}" if table.advanced else ""
        words = fit(" – ".join(map(clean, table.bots)), max(0, width - cell_len(start + through)))
        lines.append(line((start, "dim"), words, (through, "bold green")))
    if stage.waiting:
        lines.append(line((fit(f"  bye: {', '.join(map(clean, stage.waiting))}", width), "dim")))
    return lines


def _round(standings: Standings, each: FormatRound, width: int) -> list[Text]:
    lines = [line(), heading(clean(each.stage) or f"Round {each.number}", width)]
    for table in each.tables:
        lines += _table(standings, table, width)
    if each.byes:
        lines.append(line((fit(f"  bye: {', '.join(map(clean, each.byes))}", width), "dim")))
    return lines


def _table(standings: Standings, table: FormatTable, width: int) -> list[Text]:
    """`#12  1 ada · 2 bob  → ada`, and under it why they meet."""
    number = f"#{clean(table.match.removeprefix(f'{standings.tournament}/'))}"
    seats = range(len(table.bots))
    if table.ranks is not None:
        ranks = table.ranks
        parts = [f"{ranks[seat]} {clean(table.bots[seat])}" for seat in sorted(seats, key=lambda s: (ranks[s], s))]
    else:
        parts = [clean(bot) for bot in table.bots]
    state = "" if table.ranks is not None or table.state == "scheduled" else f"  ({table.state})"
    through = f"  → {', '.join(map(clean, table.advanced))}" if table.advanced else ""
    start = f"{number:>5}  "
    words = fit(" · ".join(parts), max(0, width - cell_len(start + state + through)))
    lines = [line((start, "dim"), words, (state, "yellow"), (through, "bold green"))]
    if table.why:
        lines.append(line((fit(f"       {clean(table.why)}", width), "dim italic")))
    return lines
