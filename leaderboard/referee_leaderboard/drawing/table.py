"""The table of standings: as many columns as the width allows and as many rows as the height allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.drawing.whisker import Scale, whisker
from referee_leaderboard.drawing.window import Block, Window
from referee_leaderboard.names import clean, count, decimal, duration, fit, left, right, signed, widest, wins
from referee_leaderboard.sheet import line
from referee_leaderboard.standings import Order, Standing, Standings

GAP = 2
NAME_LEAST, NAME_MOST = 8, 32
BAR_LEAST, BAR_GOOD, BAR_MOST = 12, 24, 64


def table(standings: Standings, width: int, height: int, offset: int = 0) -> Block:
    """A line of column heads, then the rows from `offset` on; a last line counts those that do not fit.

    Below them, as far as there is room, what the entries of one bot have together.
    """
    rows = standings.rows
    if not rows:
        return Block.saying("No bots have entered yet.", height)
    scale = Scale.over(rows)
    points = _points(standings)
    columns = _columns(standings, width, points)
    window = Window.of_rows(len(rows), height - 1, offset)
    lines = [_joined([_head(column, scale) for column in columns])]
    shown = rows[window.first : window.end]
    lines += [_joined([_cell(column, row, scale, points) for column in columns]) for row in shown]
    if window.partial:
        lines.append(window.more_line())
    lines += [line((fit(widest(one.sentences(standings.players), width), width), "dim")) for one in standings.pooled]
    return Block(lines[: max(0, height)], window)


def lines_needed(standings: Standings) -> int:
    """The height at which the table shows every bot, and bots entered several times taken together."""
    return 1 + len(standings.rows) + (len(standings.pooled) if standings.rows else 0)


@dataclass(frozen=True, slots=True)
class _Column:
    key: str
    width: int
    head: str


_HEADS = {
    "rank": "#",
    "climbed": "",
    "bot": "Bot",
    "points": "Points",
    "strength": "Strength",
    "score": "Score",
    "bar": "",
    "mu": "μ",
    "sigma": "σ",
    "matches": "Matches",
    "wins": "Wins",
    "draws": "Draws",
    "mean_rank": "Avg rank",
    "mean_score": "Avg pts",
    "faults": "Faults",
    "fault_kinds": "How",
}
# The least important is given up first when the width shrinks; the first ones always stay.
_IMPORTANCE = (
    "rank", "bot", "points", "strength", "score", "wins", "faults", "matches", "climbed", "bar", "draws", "mean_rank",
    "sigma", "mu", "mean_score", "fault_kinds",
)  # fmt: skip
_ALWAYS = frozenset({"rank", "bot", "points", "strength", "score"})
_DROPPED_FIRST = frozenset({"sigma", "mu", "mean_score", "fault_kinds"})


Points = Mapping[str, float]


def _points(standings: Standings) -> Points:
    """By bot: the points of the format, where they order the table."""
    if standings.order is not Order.PLACES:
        return {}
    return {place.bot: place.points for place in standings.format.places if place.points is not None}


def _heads(standings: Standings) -> dict[str, str]:
    """A ladder counts no points: what orders it is a rating of its own, by what was played lately."""
    return _HEADS | ({"points": "Ladder"} if standings.format.name == "ladder" else {})


def _columns(standings: Standings, width: int, points: Points) -> list[_Column]:
    rows, players, heads = standings.rows, standings.players, _heads(standings)
    wanted = min(NAME_MOST, max(cell_len(clean(row.bot) + _away(row)) for row in rows))
    readable = min(wanted, 18 if width >= 60 else 12)
    widths = {
        key: max(cell_len(head), *(cell_len(_shown(key, row, points)) for row in rows)) for key, head in heads.items()
    }
    widths["bot"] = min(NAME_LEAST, max(wanted, 3))
    widths["bar"] = BAR_LEAST
    del widths["score" if standings.order is Order.STRENGTH else "strength"]
    if not points:
        del widths["points"]
    if not any(row.climbed for row in rows):
        del widths["climbed"]
    if all(row.mean_score is None for row in rows):
        del widths["mean_score"]
    if not any(row.draws for row in rows):
        del widths["draws"]
    if not any(row.fault_kinds for row in rows):
        del widths["fault_kinds"]
    if standings.order is Order.POINTS:
        # Nothing was compared: ratings are where they began and say nothing, and every match is a first place.
        for key in ("score", "bar", "mu", "sigma", "wins", "draws", "mean_rank"):
            widths.pop(key, None)

    # A solo game has no ranks: the points tell the bots apart.
    importance = ("mean_score", *(key for key in _IMPORTANCE if key != "mean_score")) if players == 1 else _IMPORTANCE
    luxury = _DROPPED_FIRST - {"mean_score"} if players == 1 else _DROPPED_FIRST
    chosen: set[str] = set()
    room = width + GAP
    for key in (key for key in importance if key in widths):
        # Names that can be read and whiskers that can be compared come before further columns of numbers.
        kept = 0 if key in _ALWAYS else max(0, readable - widths["bot"])
        kept += BAR_GOOD - BAR_LEAST if key in luxury else 0
        if key in _ALWAYS or widths[key] + GAP + kept <= room:
            chosen.add(key)
            room -= widths[key] + GAP
    if room < 0:
        widths["bot"] = max(1, widths["bot"] + room)
    room = max(0, room)
    grown = min(room, wanted - widths["bot"])
    widths["bot"] += max(0, grown)
    widths["bar"] = BAR_LEAST + min(room - max(0, grown), BAR_MOST - BAR_LEAST)
    return [_Column(key, widths[key], heads[key]) for key in heads if key in chosen]


def _shown(key: str, row: Standing, points: Points) -> str:
    match key:
        case "rank":
            return str(row.rank)
        case "climbed":
            return f"▲{row.climbed}" if row.climbed > 0 else f"▼{-row.climbed}" if row.climbed < 0 else ""
        case "score" | "mu" | "sigma" | "mean_rank":
            return decimal(getattr(row, key))
        case "points":
            return decimal(points.get(row.bot))
        case "strength":
            return signed(row.strength)
        case "mean_score":
            return decimal(row.mean_score, 1)
        case "wins":
            return wins(row.won)
        case "matches" | "faults" | "draws":
            return count(getattr(row, key))
        case "fault_kinds":
            return row.faults_told
        case _:
            return ""


def _head(column: _Column, scale: Scale) -> Text:
    if column.key == "bar":
        low, high = decimal(scale.low, 0), decimal(scale.high, 0)
        middle = "μ ± 3σ".center(max(0, column.width - cell_len(low) - cell_len(high)))
        return line((left(low + middle + high, column.width), "dim"))
    align = left if column.key in ("bot", "climbed", "fault_kinds") else right
    return line((align(column.head, column.width), "bold"))


def _cell(column: _Column, row: Standing, scale: Scale, points: Points) -> Text:
    if column.key == "bar":
        return whisker(row, scale, column.width)
    if column.key == "bot":
        return _name(row, column.width)
    align = left if column.key in ("climbed", "fault_kinds") else right
    return line((align(_shown(column.key, row, points), column.width), _style(column.key, row)))


def _name(row: Standing, width: int) -> Text:
    name = clean(row.bot)
    mark = ""
    if row.absent:
        # That a bot is away must survive a long name: first the mark shrinks, then the name.
        marks = (_away(row), " (away)", " (away)" if width >= 16 else " ○")
        mark = next((mark for mark in marks if cell_len(name) + cell_len(mark) <= width), marks[-1])
    name = fit(name, width - cell_len(mark))
    style = "bold" if row.rank == 1 else ""
    return line((name, style), (left(mark, width - cell_len(name)), "yellow"))


def _away(row: Standing) -> str:
    if not row.absent:
        return ""
    return " (away)" if row.absent_seconds is None else f" (away {duration(row.absent_seconds)})"


def _style(key: str, row: Standing) -> str:
    if key == "fault_kinds":
        return "red"
    if key == "faults":
        return "bold red" if row.faults else "dim"
    if key == "climbed":
        return "green" if row.climbed > 0 else "red"
    if key in ("points", "strength", "score"):
        return "bold green" if row.rank == 1 else "bold"
    if key == "rank":
        return "bold" if row.rank == 1 else ""
    return "dim" if key in ("mu", "sigma") else ""


def _joined(cells: Sequence[Text]) -> Text:
    text = line()
    for index, cell in enumerate(cells):
        text.append_text(line(" " * GAP if index else "")).append_text(cell)
    return text
