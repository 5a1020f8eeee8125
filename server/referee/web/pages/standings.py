"""The parts of a tournament that change while it is played: head, standings, matches, crosstable, seats."""

from __future__ import annotations

from collections.abc import Mapping

from referee.web import links
from referee.web.markup import Child, Html, join, name_of, svg, tag
from referee.web.pages.layout import empty
from referee_leaderboard.drawing.header import played
from referee_leaderboard.drawing.whisker import Scale
from referee_leaderboard.names import count, decimal, duration, percent, plural, signed, speed, wins
from referee_leaderboard.standings import Order, Outcome, Playing, Standing, Standings, State

MOST_PLAYING = 12
STATE_MARKS = {
    State.CREATED: "○",
    State.RUNNING: "●",
    State.PAUSED: "❙❙",
    State.FINISHED: "■",
    State.CANCELLED: "✕",
}
Bots = Mapping[str, str]
"""The registered bot behind each name in a tournament."""


def head(standings: Standings) -> Html:
    """State, progress, pace and time left."""
    done, total = standings.matches_done, standings.matches_total
    facts: list[Child] = [
        tag("span", STATE_MARKS[standings.state], " ", standings.state.value, class_=f"state {standings.state.value}"),
        tag("a", standings.game, href=links.game(standings.game)),
        plural(standings.players, "player"),
    ]
    if standings.rounds:
        facts.append(plural(standings.rounds, "round"))
    if standings.provisional and done:
        facts.append(tag("span", "provisional", class_="badge", title="Open matches may still change the order."))
    pace: list[Child] = [tag("span", played(standings))]
    if standings.matches_per_second is not None and standings.state is State.RUNNING:
        pace.append(tag("span", speed(standings.matches_per_second)))
    if standings.eta is not None and done < total:
        pace.append(tag("span", "about ", tag("b", duration(standings.eta)), " left"))
    if standings.elapsed is not None:
        pace.append(
            tag(
                "span",
                duration(standings.elapsed),
                " so far" if done < total or standings.format.most is not None else " in all",
            )
        )
    bar = None  # how many there will be may not be known
    if standings.format.most is None:
        value = min(done, total)
        bar = tag("progress", percent(done, total), max=max(1, total), value=value, aria_label="Matches played")
    notices = [tag("li", notice) for notice in standings.notices]
    return join(
        tag("p", *[tag("span", fact) for fact in facts], class_="facts"),
        bar,
        tag("p", *pace, class_="facts soft"),
        tag("ul", *notices, class_="notices", aria_label="Notices") if notices else None,
    )


def table(standings: Standings, bots: Bots) -> Html:
    """The standings with whiskers and movement, and below them bots entered several times taken together."""
    if not standings.rows:
        return empty("No bots have entered yet.")
    scale = Scale.over(standings.rows)
    solo, by_strength = standings.order is Order.POINTS, standings.order is Order.STRENGTH
    rated = (
        tag("th", "Strength", scope="col", class_="num", title=standings.order.about)
        if by_strength
        else tag("th", "Score", scope="col", class_="num", title="μ − 3σ: the strength a bot has proved")
    )
    moved = any(row.climbed for row in standings.rows) and standings.state is State.RUNNING
    heads = [
        tag("th", "#", scope="col", class_="num", aria_label="Rank"),
        tag("th", tag("span", "Moved", class_="hidden"), scope="col", class_="moved") if moved else None,
        tag("th", "Bot", scope="col"),
        None if solo else rated,
        None if solo else tag("th", "Rating μ ± 3σ", scope="col", class_="whisker"),
        tag("th", "Mean points", scope="col", class_="num score", title=standings.order.about) if solo else None,
        tag("th", "Matches", scope="col", class_="num mid"),
        None if solo else tag("th", "Wins", scope="col", class_="num mid"),
        None if solo else tag("th", "Draws", scope="col", class_="num wide"),
        None if solo else tag("th", "Mean rank", scope="col", class_="num wide"),
        None if solo else tag("th", "Mean points", scope="col", class_="num wide"),
        tag("th", "Faults", scope="col", class_="num wide"),
    ]
    body = [_row(row, scale, bots, moved=moved, solo=solo, by_strength=by_strength) for row in standings.rows]
    caption = tag("caption", "Standings, best first", class_="hidden")
    drawn = tag(
        "table", caption, tag("thead", tag("tr", *heads)), tag("tbody", *body, data_rows="moving"), class_="standings"
    )
    return join(
        drawn, *[tag("p", one.sentences(standings.players)[0], ".", class_="soft pooled") for one in standings.pooled]
    )


def _row(row: Standing, scale: Scale, bots: Bots, *, moved: bool, solo: bool, by_strength: bool) -> Html:
    mean = tag("td", decimal(row.mean_score, 1), class_="num score" if solo else "num wide")
    how = row.faults_told or None
    name = [
        tag("a", name_of(row.bot), href=links.bot(bots.get(row.bot, row.bot))),
        tag("span", "away", class_="badge warn") if row.absent else None,
        tag("span", plural(row.faults, "fault"), class_="badge bad narrow-only", title=how) if row.faults else None,
    ]
    return tag(
        "tr",
        tag("td", row.rank, class_="num rank"),
        _movement(row.climbed) if moved else None,
        tag("th", *name, scope="row", class_="name"),
        None if solo else tag("td", signed(row.strength) if by_strength else decimal(row.score), class_="num score"),
        None if solo else tag("td", _whisker(row, scale), class_="whisker"),
        mean if solo else None,
        tag("td", count(row.matches), class_="num mid"),
        None if solo else tag("td", wins(row.won), class_="num mid"),
        None if solo else tag("td", count(row.draws), class_="num wide"),
        None if solo else tag("td", decimal(row.mean_rank), class_="num wide"),
        None if solo else mean,
        tag("td", *_faults(row), class_="num wide bad" if row.faults else "num wide"),
        data_key=row.bot,
        class_="leader" if row.rank == 1 and row.matches else None,
    )


def _faults(row: Standing) -> list[Child]:
    """How many, and of which kinds."""
    kinds = tag("span", row.faults_told, class_="soft kinds") if row.fault_kinds else None
    return [count(row.faults), " " if kinds else None, kinds]


def _movement(climbed: int) -> Html:
    if not climbed:
        return tag("td", tag("span", "same place", class_="hidden"), class_="moved")
    up = climbed > 0
    words = f"{'up' if up else 'down'} {plural(abs(climbed), 'place')}"
    return tag(
        "td",
        tag("span", f"{'▲' if up else '▼'}{abs(climbed)}", aria_hidden="true"),
        tag("span", words, class_="hidden"),
        class_=f"moved {'up' if up else 'down'}",
    )


def _whisker(row: Standing, scale: Scale) -> Html:
    low, middle, high = (scale.cell(row.mu + side * 3 * row.sigma, 993) + 4 for side in (-1, 0, 1))
    label = f"μ {decimal(row.mu)}, from {decimal(row.mu - 3 * row.sigma)} to {decimal(row.mu + 3 * row.sigma)}"
    return svg(
        "svg",
        svg("line", x1=0, x2=1000, y1=10, y2=10, class_="rail"),
        svg("line", x1=low, x2=high, y1=10, y2=10, class_="span"),
        svg("line", x1=low, x2=low, y1=4, y2=16, class_="span end"),
        svg("line", x1=high, x2=high, y1=4, y2=16, class_="span end"),
        svg("line", x1=middle, x2=middle, y1=2, y2=18, class_="mean"),
        viewbox="0 0 1000 20",
        preserveaspectratio="none",
        role="img",
        aria_label=label,
    )


def playing(standings: Standings) -> Html:
    """The matches on the tables, with their scores."""
    if not standings.playing:
        return empty("No match is being played.")
    shown = [_playing(match) for match in standings.playing[:MOST_PLAYING]]
    more = max(standings.matches_playing, len(standings.playing)) - len(shown)
    return join(
        tag("ul", *shown, class_="matches"),
        tag("p", f"and {plural(more, 'further match')}", class_="soft") if more > 0 else None,
    )


def _playing(match: Playing) -> Html:
    scores = match.scores or (None,) * len(match.bots)
    seats = [
        tag("span", name_of(bot), None if score is None else tag("b", count(score)), class_="seat")
        for bot, score in zip(match.bots, scores, strict=True)
    ]
    number = f"#{match.match.rpartition('/')[2]}"
    watch = tag("a", number, href=links.match(match.match), aria_label=f"Watch match {number}", class_="number")
    return tag(
        "li",
        watch,
        tag("span", *seats, class_="seats"),
        tag("span", duration(match.elapsed), class_="soft time"),
        data_key=match.match,
    )


def latest(standings: Standings) -> Html:
    """The results that came in last."""
    if not standings.latest:
        return empty("No match has ended yet.")
    return tag("ul", *[_outcome(outcome) for outcome in standings.latest], class_="matches")


def _outcome(outcome: Outcome) -> Html:
    order = sorted(range(len(outcome.bots)), key=lambda seat: (outcome.ranks[seat], seat))
    seats = [
        tag(
            "span",
            tag("span", f"{outcome.ranks[seat]}.", class_="place"),
            name_of(outcome.bots[seat]),
            tag("b", count(outcome.scores[seat])) if outcome.scores else None,
            _fault(outcome.faults[seat] if outcome.faults else ""),
            class_="seat first" if outcome.ranks[seat] == 1 else "seat",
        )
        for seat in order
    ]
    number = tag("a", "#", outcome.match.rpartition("/")[2], href=links.match(outcome.match), class_="number")
    reason = None if outcome.reason == "finished" else tag("span", outcome.reason.replace("_", " "), class_="soft time")
    return tag("li", number, tag("span", *seats, class_="seats"), reason, data_key=outcome.match)


def _fault(word: str) -> Html | None:
    return tag("span", f"✕ {word}", class_="badge bad") if word else None


def crosstable(standings: Standings, bots: Bots) -> Html:
    """How often the bot of the row finished ahead of the bot of the column."""
    cross = standings.crosstable
    index = {bot: place for place, bot in enumerate(cross.bots)}
    rows = [row for row in standings.rows if row.bot in index]
    if len(rows) < 2:
        return empty("A crosstable needs at least two bots, and at most 128 are shown.")
    heads = [
        tag("th", row.rank, scope="col", class_="num", title=row.bot, aria_label=f"against {row.bot}") for row in rows
    ]
    body = []
    for row in rows:
        cells = [_cell(standings, index[row.bot], index[other.bot]) for other in rows]
        name = tag("th", tag("a", name_of(row.bot), href=links.bot(bots.get(row.bot, row.bot))), scope="row")
        body.append(tag("tr", tag("td", row.rank, class_="num rank"), name, *cells, data_key=row.bot))
    caption = tag(
        "caption",
        tag("span", "Share of their meetings in which the bot of the row finished ahead of the column's"),
    )
    first = (tag("th", "#", scope="col", class_="num", aria_label="Rank"), tag("th", "Bot", scope="col"))
    drawn = tag("table", caption, tag("thead", tag("tr", *first, *heads)), tag("tbody", *body), class_="cross")
    return tag("div", drawn, class_="scroll", tabindex=0, role="region", aria_label="Crosstable")


def _cell(standings: Standings, i: int, j: int) -> Html:
    cross = standings.crosstable
    met = cross.meetings[i][j]
    if i == j:
        return tag("td", "", class_="num self")
    if not met:
        return tag("td", "·", class_="num soft", title="They have not met.")
    better, equal = cross.better[i][j], cross.equal[i][j]
    told = f"{plural(met, 'meeting')}: {better} ahead, {equal} level, {met - better - equal} behind"
    lean = round(10 * (better / met - 0.5))
    tint = f" lean{'p' if lean > 0 else 'm'}{abs(lean)}" if lean else ""
    return tag("td", percent(better, met), class_=f"num{tint}", title=told)


def seats(standings: Standings, bots: Bots) -> Html:
    """Share of matches won from each seat."""
    overall = standings.seats.overall
    if not overall:
        return empty("No match has ended yet.")
    records = {(record.bot, record.seat): record for record in standings.seats.records}
    heads = [tag("th", f"Seat {total.seat}", scope="col", class_="num") for total in overall]
    every = [
        tag("td", percent(total.won, total.matches), class_="num", title=f"{wins(total.won)} of {total.matches}")
        for total in overall
    ]
    body = [tag("tr", tag("th", "All bots", scope="row"), *every, class_="leader")]
    if all(total.low is not None for total in overall):
        ends = [f"{100 * (total.low or 0):.0f}–{100 * (total.high or 0):.0f}" for total in overall]
        body.append(tag("tr", tag("th", "95 % interval", scope="row"), *(tag("td", end, class_="num") for end in ends)))
    for row in standings.rows:
        cells = []
        for total in overall:
            record = records.get((row.bot, total.seat))
            told = (
                None
                if record is None
                else f"{wins(record.won)} of {record.matches}, mean rank {decimal(record.mean_rank)}"
            )
            cells.append(tag("td", percent(record.won, record.matches) if record else "·", class_="num", title=told))
        name = tag("th", tag("a", name_of(row.bot), href=links.bot(bots.get(row.bot, row.bot))), scope="row")
        body.append(tag("tr", name, *cells, data_key=row.bot))
    verdict = standings.seats.verdict
    about = "Share of matches won from each seat" + (f"; {verdict}" if verdict else "")
    caption = tag("caption", tag("span", about))
    drawn = tag(
        "table",
        caption,
        tag("thead", tag("tr", tag("th", "Bot", scope="col"), *heads)),
        tag("tbody", *body),
        class_="cross",
    )
    return tag("div", drawn, class_="scroll", tabindex=0, role="region", aria_label="Seats")


def digest(standings: Standings) -> Html | None:
    """The fingerprint of final ratings, and the head of the hash chain: to be compared with what others have noted."""
    final = tag("p", "digest ", tag("code", standings.digest), class_="soft digest") if standings.digest else None
    if not standings.head.hash:
        return final
    chain = f"hash chain of {count(standings.head.entries)} entries, head "
    return join(final, tag("p", chain, tag("code", standings.head.hash), class_="soft digest"))
