"""Plot of ratings over time: an SVG drawn on the server, so that it is there without JavaScript and on paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from referee.tournament.ratings.history import Point, VersionBegins
from referee.web.markup import Html, join, name_of, svg, tag
from referee.web.pages.layout import empty
from referee_leaderboard.names import count, decimal, plural

WIDTH, HEIGHT = 960, 420
LEFT, RIGHT, TOP, BOTTOM = 46, 132, 12, 34
MOST_LINES = 12
"""Bots whose lines are drawn: more cannot be told apart."""
LABEL = 15
"""Height of a label at the end of a line."""
VERSION_LABEL = 34
"""Width of the number of a version above its mark."""
MOST_VERSIONS = 12
"""Versions that the legend tells."""


def ratings(points: Sequence[Point], bots: Sequence[str], versions: Sequence[VersionBegins] = ()) -> Html:
    """μ of the first bots over the matches that were rated, with a band of ± σ for the best one.

    Of a bot that stands alone, `versions` are marked where they begin.
    """
    shown = list(bots[:MOST_LINES])
    if len(points) < 2 or not shown:
        return empty("There is nothing to plot before the first results.")
    lines = {bot: [(p.matches, *p.ratings[bot]) for p in points if bot in p.ratings] for bot in shown}
    values = [
        edge for line in lines.values() for _, mu, sigma in line[len(line) // 20 :] for edge in (mu - sigma, mu + sigma)
    ]
    low, high = min(values), max(values)
    step = _step(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    last = points[-1].matches

    def x(matches: int) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * matches / last, 1)

    def y(rating: float) -> float:
        inside = min(high, max(low, rating))
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - inside) / (high - low or 1), 1)

    drawn = [_grid(low, high, step, last, x, y)]
    best = lines[shown[0]]
    edge = [f"{x(at)},{y(mu + sigma)}" for at, mu, sigma in best]
    edge += [f"{x(at)},{y(mu - sigma)}" for at, mu, sigma in reversed(best)]
    drawn.append(svg("polygon", points=" ".join(edge), class_="band s0"))
    ends = []
    for number, bot in enumerate(shown):
        path = " ".join(f"{x(at)},{y(mu)}" for at, mu, _ in lines[bot])
        drawn.append(svg("polyline", tag("title", bot), points=path, class_=f"line s{number}"))
        ends.append((y(lines[bot][-1][1]), number, bot))
    drawn += _labels(ends, x(last))
    drawn += _begins(versions, x)
    picture = svg(
        "svg",
        *drawn,
        viewbox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=f"Ratings over {count(last)} matches; best now: {shown[0]}",
        class_="plot",
    )
    rows = [
        tag(
            "li",
            tag("span", class_=f"key s{number}", aria_hidden="true"),
            name_of(bot),
            tag("b", decimal(lines[bot][-1][1])),
        )
        for number, bot in enumerate(shown)
    ]
    words = f"μ after so many matches in schedule order; the band is ± σ of {shown[0]}."
    return tag(
        "figure",
        picture,
        tag("ol", *rows, class_="legend"),
        _version_legend(versions) if versions else None,
        tag("figcaption", words, class_="soft"),
    )


def _grid(
    low: float, high: float, step: float, last: int, x: Callable[[int], float], y: Callable[[float], float]
) -> Html:
    lines = []
    rating = low
    while rating <= high + step / 2:
        place = y(rating)
        lines.append(svg("line", x1=LEFT, x2=WIDTH - RIGHT, y1=place, y2=place, class_="grid"))
        lines.append(svg("text", f"{rating:g}", x=LEFT - 8, y=place + 4, class_="tick end"))
        rating += step
    every = _step(last) if last >= 4 else 1
    at = every
    while at <= last:
        lines.append(svg("text", count(int(at)), x=x(int(at)), y=HEIGHT - BOTTOM + 22, class_="tick middle"))
        at += every
    lines.append(svg("text", "matches", x=LEFT, y=HEIGHT - BOTTOM + 22, class_="tick unit"))
    return join(*lines)


def _labels(ends: list[tuple[float, int, str]], at: float) -> list[Html]:
    """Names at the ends of the lines, moved apart where they would overlap."""
    labels = []
    free = float(TOP)
    room = HEIGHT - BOTTOM - LABEL * len(ends)
    for place, (height, number, bot) in enumerate(sorted(ends)):
        free = max(free, min(height, room + LABEL * place))
        name = bot if len(bot) <= 16 else bot[:15] + "…"
        labels.append(svg("text", name, x=at + 8, y=round(free + 4, 1), class_=f"label s{number}"))
        free += LABEL
    return labels


def _begins(versions: Sequence[VersionBegins], x: Callable[[int], float]) -> list[Html]:
    """A dashed line where each version begins, and its number above, unless it would cover the one before."""
    marks, free = [], float("-inf")
    for one in versions:
        place = x(one.matches)
        title = tag("title", f"version {one.version} begins after {plural(one.matches, 'match')}")
        marks.append(svg("line", title, x1=place, x2=place, y1=TOP, y2=HEIGHT - BOTTOM, class_="version"))
        if place >= free:
            marks.append(svg("text", f"v{one.version}", x=place + 4, y=TOP + 10, class_="tick begins"))
            free = place + VERSION_LABEL
    return marks


def _version_legend(versions: Sequence[VersionBegins]) -> Html:
    """The same in words, the latest versions where there are many."""
    shown = versions[-MOST_VERSIONS:]
    left = len(versions) - len(shown)
    rows = [
        tag(
            "li",
            tag("span", class_="key version", aria_hidden="true"),
            f"version {one.version} from match {count(one.matches + 1)} on",
        )
        for one in shown
    ]
    return tag("ol", tag("li", f"{left} before") if left else None, *rows, class_="legend versions")


def _step(extent: float) -> float:
    """A round distance between lines of a grid, about five of them."""
    rough = max(extent, 1e-9) / 5
    power = 10 ** math.floor(math.log10(rough))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough))
