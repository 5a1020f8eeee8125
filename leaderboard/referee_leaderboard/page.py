"""The standings as one self-contained web page: light and dark, no scripts, nothing fetched from anywhere."""

from __future__ import annotations

from html import escape

from referee_leaderboard.drawing.certainty import interval, share
from referee_leaderboard.drawing.header import played
from referee_leaderboard.drawing.whisker import Scale
from referee_leaderboard.format import MET
from referee_leaderboard.names import count, decimal, percent, plural, signed, wins
from referee_leaderboard.seats import SeatRecord, SeatTotal
from referee_leaderboard.standings import Order, Outcome, Standing, Standings
from referee_leaderboard.strengths import SURE

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2128; --soft: #667080; --line: #dfe3e9; --paper: #fff; --mark: #0b7a8f;
  --good: 22 150 90; --bad: 205 70 70; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ee; --soft: #97a1b1; --line: #343a46; --paper: #181a1f;
  --mark: #5ebecd; --good: 80 190 130; --bad: 225 100 105; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.2rem; }
p { margin: .35rem 0; } .soft, th { color: var(--soft); }
.badge { padding: .1rem .55rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
table.wide { width: 100%; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; font-size: .85rem; }
.name { text-align: left; max-width: 22rem; overflow: hidden; text-overflow: ellipsis; }
tbody .name { color: var(--ink); font-weight: 500; font-size: 1rem; }
.first td, .first .name { font-weight: 700; } .fault { color: rgb(var(--bad)); font-weight: 700; }
svg { display: block; width: 100%; min-width: 9rem; height: 1.1rem; color: var(--mark); }
progress { width: 100%; height: .6rem; accent-color: var(--mark); }
code { overflow-wrap: anywhere; }
""".strip()


def to_html(standings: Standings) -> str:
    """The page: the table, the crosstable, the seats and the latest results."""
    title = escape(standings.tournament)
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{title} · standings</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        *_head(standings, title),
        *_table(standings),
        *_format(standings),
        *_strengths(standings),
        *_crosstable(standings),
        *_seats(standings),
        *_latest(standings),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _head(standings: Standings, title: str) -> list[str]:
    facts = [escape(standings.game), plural(standings.players, "player")]
    if standings.rounds:
        facts.append(plural(standings.rounds, "round"))
    badges = [standings.state.value] + (["provisional"] if standings.provisional else [])
    lines = [
        f"<h1>{title}</h1>",
        f'<p class="soft">{" · ".join(facts)} '
        + " ".join(f'<span class="badge">{word}</span>' for word in badges)
        + "</p>",
    ]
    done, total = standings.matches_done, standings.matches_total
    if total > 0 and standings.format.most is None:
        lines.append(f'<progress max="{total}" value="{min(done, total)}">{percent(done, total)}</progress>')
    lines.append(f"<p>{played(standings)}</p>")
    lines += [f"<p>{escape(notice)}</p>" for notice in standings.notices]
    if standings.digest:
        lines.append(f'<p class="soft">digest <code>{escape(standings.digest)}</code></p>')
    return lines


def _table(standings: Standings) -> list[str]:
    if not standings.rows:
        return ["<p>No bots have entered yet.</p>"]
    scale = Scale.over(standings.rows)
    solo = standings.order is Order.POINTS
    rated = ("strength" if standings.order is Order.STRENGTH else "score", "μ ± 3σ", "μ", "σ")
    counted = (
        ("mean points", "matches", "faults")
        if solo
        else (*rated, "matches", "wins", "draws", "mean rank", "mean points", "faults")
    )
    heads = "".join(f"<th>{head}</th>" for head in counted)
    lines = [
        f'<p class="soft">{standings.order.about}</p>',
        '<div class="scroll"><table class="wide">',
        f'<thead><tr><th>#</th><th class="name">bot</th>{heads}</tr></thead>',
        "<tbody>",
    ]
    lines += [_row(row, scale, standings.order) for row in standings.rows]
    lines.append("</tbody></table></div>")
    return lines + [f'<p class="soft">{escape(one.sentences(standings.players)[0])}.</p>' for one in standings.pooled]


def _row(row: Standing, scale: Scale, order: Order) -> str:
    away = ' <span class="badge">away</span>' if row.absent else ""
    fault = ' class="fault"' if row.faults else ""
    first = ' class="first"' if row.rank == 1 else ""
    name = escape(row.bot)
    kinds = f" ({escape(row.faults_told)})" if row.fault_kinds else ""
    points = f"<td>{decimal(row.mean_score, 1)}</td>"
    first_cell = f'<td>{row.rank}</td><th scope="row" class="name" title="{name}"><bdi>{name}</bdi>{away}</th>'
    last_cell = f"<td{fault}>{count(row.faults)}{kinds}</td>"
    if order is Order.POINTS:
        return f"<tr{first}>{first_cell}{points}<td>{count(row.matches)}</td>{last_cell}</tr>"
    rated = signed(row.strength) if order is Order.STRENGTH else decimal(row.score)
    cells = [
        f"{first_cell}<td>{rated}</td><td>{_whisker(row, scale)}</td>",
        f"<td>{decimal(row.mu)}</td><td>{decimal(row.sigma)}</td>",
        f"<td>{count(row.matches)}</td><td>{wins(row.won)}</td><td>{count(row.draws)}</td>",
        f"<td>{decimal(row.mean_rank)}</td>{points}{last_cell}",
    ]
    return f"<tr{first}>{''.join(cells)}</tr>"


def _whisker(row: Standing, scale: Scale) -> str:
    low, middle, high = (scale.cell(row.mu + side * 3 * row.sigma, 197) + 2 for side in (-1, 0, 1))
    return (
        '<svg viewBox="0 0 200 16" preserveAspectRatio="none" role="img" stroke="currentColor" stroke-width="1.5">'
        f"<title>{decimal(row.mu)} ± {decimal(3 * row.sigma)}</title>"
        f'<path d="M{low} 3V13M{low} 8H{high}M{high} 3V13" fill="none"/>'
        f'<path d="M{middle} 2V14" fill="none" stroke-width="5"/></svg>'
    )


def _format(standings: Standings) -> list[str]:
    """Places by the format's own count, and its rounds."""
    found = standings.format
    if not found.name:
        return []
    lines = [f"<h2>{escape(found.name.capitalize())}: {escape(found.stage)}</h2>", '<div class="scroll"><table>']
    parted = any(place.tie_break is not None for place in found.places)
    met = f'<th title="{MET}">met</th>' if parted else ""
    lines += [
        f'<thead><tr><th>#</th><th class="name">bot</th><th>points</th>{met}<th>moved</th></tr></thead>',
        "<tbody>",
    ]
    for place in found.places:
        out = f' <span class="badge">{escape(place.out)}</span>' if place.out else ""
        name = f'<th scope="row" class="name"><bdi>{escape(place.bot)}</bdi>{out}</th>'
        moved = f"{place.climbed:+d}" if place.climbed else ""
        points = f"<td>{decimal(place.points)}</td>" + (f"<td>{decimal(place.tie_break)}</td>" if parted else "")
        lines.append(f"<tr><td>{place.place}</td>{name}{points}<td>{moved}</td></tr>")
    lines.append("</tbody></table></div>")
    for stage in found.bracket:
        lines.append(f"<h3>Bracket: {escape(stage.name)}</h3>")
        for pairing in stage.tables:
            went = f" → <b>{escape(', '.join(pairing.advanced))}</b>" if pairing.advanced else ""
            bots = " – ".join(f"<bdi>{escape(bot)}</bdi>" for bot in pairing.bots)
            lines.append(f'<p><span class="soft">table {pairing.number}</span> {bots}{went}</p>')
    for each in reversed(found.rounds):
        lines.append(f"<h3>{escape(each.stage)}</h3>")
        for table in each.tables:
            ranks = table.ranks or (0,) * len(table.bots)
            seats = sorted(range(len(table.bots)), key=lambda seat: (ranks[seat], seat))
            seated = [
                f"{ranks[seat]}. <bdi>{escape(table.bots[seat])}</bdi>"
                if table.ranks
                else f"<bdi>{escape(table.bots[seat])}</bdi>"
                for seat in seats
            ]
            through = f" → <b>{escape(', '.join(table.advanced))}</b>" if table.advanced else ""
            state = "" if table.ranks or table.state == "scheduled" else f" ({escape(table.state)})"
            lines.append(
                f'<p><span class="soft">#{escape(table.match)}</span> {" · ".join(seated)}{state}{through}'
                f'<br><span class="soft">{escape(table.why)}</span></p>'
            )
        if each.byes:
            lines.append(f'<p class="soft">bye: {escape(", ".join(each.byes))}</p>')
    return lines


def _strengths(standings: Standings) -> list[str]:
    found = standings.strengths
    if len(found.rows) < 2:
        return []
    heads = "".join(f'<th title="{escape(row.bot)}">{place}</th>' for place, row in enumerate(found.rows, 1))
    lines = [
        "<h2>Strengths</h2>",
        f'<p class="soft">By {plural(found.matches, "result")} together, in whatever order they came, relative to the '
        "mean of the field, with 95 % intervals. On the right: how sure it is that the row's bot is stronger than "
        "the column's.</p>",
        *[f"<p>{escape(note)}</p>" for note in found.notes],
        '<div class="scroll"><table>',
        '<thead><tr><th>#</th><th class="name">bot</th><th>strength</th><th>95 %</th><th>ranks</th><th>first</th>'
        f"{heads if found.ahead else ''}</tr></thead>",
        "<tbody>",
    ]
    for place, row in enumerate(found.rows):
        ranks = str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"
        cells = [
            f"<td>{signed(row.value)}</td><td>{interval(row)}</td><td>{ranks}</td><td>{escape(share(row.first))}</td>"
        ]
        for column, sure in enumerate(found.ahead[place] if found.ahead else ()):
            lean = sure - 0.5
            tint = f"rgb(var({'--good' if lean > 0 else '--bad'}) / {0.35 if abs(lean) > SURE - 0.5 else 0:.2f})"
            cells.append(
                "<td>–</td>" if column == place else f'<td style="background:{tint}">{escape(share(sure))}</td>'
            )
        name = f'<th scope="row" class="name"><bdi>{escape(row.bot)}</bdi></th>'
        lines.append(f"<tr><td>{row.rank}</td>{name}{''.join(cells)}</tr>")
    return [*lines, "</tbody></table></div>"]


def _crosstable(standings: Standings) -> list[str]:
    rows = standings.met
    if len(rows) < 2:
        return []
    cross = standings.crosstable
    index = {bot: place for place, bot in enumerate(cross.bots)}
    heads = "".join(f'<th title="{escape(row.bot)}">{place}</th>' for place, row in enumerate(rows, 1))
    lines = [
        "<h2>Crosstable</h2>",
        "<p class=\"soft\">Share of their meetings in which the row's bot finished ahead of the column's.</p>",
        '<div class="scroll"><table>',
        f'<thead><tr><th>#</th><th class="name">bot</th>{heads}</tr></thead>',
        "<tbody>",
    ]
    for place, row in enumerate(rows, 1):
        cells = []
        for other in rows:
            i, j = index.get(row.bot), index.get(other.bot)
            if row is other:
                cells.append("<td>–</td>")
            elif i is None or j is None or not cross.meetings[i][j]:
                cells.append('<td class="soft">·</td>')
            else:
                cells.append(_share_cell(cross.better[i][j], cross.meetings[i][j], cross.equal[i][j]))
        name = f'<th scope="row" class="name"><bdi>{escape(row.bot)}</bdi></th>'
        lines.append(f"<tr><td>{place}</td>{name}{''.join(cells)}</tr>")
    return [*lines, "</tbody></table></div>"]


def _share_cell(better: int, met: int, equal: int) -> str:
    lean = better / met - 0.5
    tint = f"rgb(var({'--good' if lean > 0 else '--bad'}) / {abs(lean) * 0.7:.2f})"
    told = f"{plural(met, 'meeting')}: {better} ahead, {equal} equal, {met - better - equal} behind"
    return f'<td style="background:{tint}" title="{told}">{percent(better, met)}</td>'


def _seats(standings: Standings) -> list[str]:
    overall = standings.seats.overall
    if not overall:
        return []
    records = {(record.bot, record.seat): record for record in standings.seats.records}
    lines = [
        "<h2>Seats</h2>",
        '<p class="soft">Share of matches won from each seat; for all bots with 95 % intervals. A shared first place '
        "counts as its share.</p>",
        *([f"<p>{escape(standings.seats.verdict)}</p>"] if standings.seats.verdict else []),
        '<div class="scroll"><table>',
        '<thead><tr><th class="name">bot</th>'
        + "".join(f"<th>seat {total.seat}</th>" for total in overall)
        + "</tr></thead>",
        "<tbody>",
        '<tr class="first"><th scope="row" class="name">all bots</th>'
        + "".join(f"<td>{percent(total.won, total.matches)}{_between(total)}</td>" for total in overall)
        + "</tr>",
    ]
    for row in standings.rows:
        found = [records.get((row.bot, total.seat)) for total in overall]
        cells = "".join(_seat_cell(record) for record in found)
        lines.append(f'<tr><th scope="row" class="name"><bdi>{escape(row.bot)}</bdi></th>{cells}</tr>')
    return [*lines, "</tbody></table></div>"]


def _seat_cell(record: SeatRecord | None) -> str:
    if record is None:
        return "<td>·</td>"
    told = f"{wins(record.won)} of {plural(record.matches, 'match')}{_between(record)}"
    return f'<td title="{told}">{percent(record.won, record.matches)}</td>'


def _between(share: SeatRecord | SeatTotal) -> str:
    if share.low is None or share.high is None:
        return ""
    return f" ({100 * share.low:.0f}–{100 * share.high:.0f})"


def _latest(standings: Standings) -> list[str]:
    if not standings.latest:
        return []
    return ["<h2>Latest results</h2>", *(_result(outcome) for outcome in standings.latest[:20])]


def _result(outcome: Outcome) -> str:
    entries = []
    for seat in sorted(range(len(outcome.bots)), key=lambda seat: (outcome.ranks[seat], seat)):
        score = f" {outcome.scores[seat]}" if outcome.scores else ""
        fault = (
            f' <span class="fault">✗ {escape(outcome.faults[seat])}</span>'
            if outcome.faults and outcome.faults[seat]
            else ""
        )
        entries.append(f"{outcome.ranks[seat]}. <bdi>{escape(outcome.bots[seat])}</bdi>{score}{fault}")
    reason = f" ({escape(outcome.reason)})" if outcome.reason.lower() != "finished" else ""
    return f'<p><span class="soft">#{escape(outcome.match)}</span> {" · ".join(entries)}{reason}</p>'
