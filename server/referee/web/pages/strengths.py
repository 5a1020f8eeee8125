"""The strengths of a tournament's bots: order-free ratings, rank intervals, and how sure it is who is stronger."""

from __future__ import annotations

from referee.web import links
from referee.web.markup import Html, name_of, tag
from referee.web.pages.layout import empty
from referee.web.pages.standings import Bots
from referee_leaderboard.drawing.certainty import interval, share, verdict
from referee_leaderboard.names import decimal, plural
from referee_leaderboard.standings import Standings
from referee_leaderboard.strengths import SURE


def strengths(standings: Standings, bots: Bots) -> Html:
    """Strongest first, with the probability that the bot of the row is stronger than that of the column."""
    found = standings.strengths
    if len(found.rows) < 2:
        return empty("Strengths are known once at least two bots have played some matches against each other.")
    names = ("#", "Bot", "Strength", "95 %", "Ranks", "First")
    heads = [tag("th", name, scope="col", class_=None if name == "Bot" else "num") for name in names]
    columns = [
        tag("th", place, scope="col", class_="num", title=row.bot, aria_label=f"stronger than {row.bot}")
        for place, row in enumerate(found.rows, 1)
        if found.ahead
    ]
    body = []
    for place, row in enumerate(found.rows):
        ranks = str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"
        facts = (decimal(row.value), interval(row), ranks, share(row.first))
        name = tag("th", tag("a", name_of(row.bot), href=links.bot(bots.get(row.bot, row.bot))), scope="row")
        cells = [
            tag("td", "", class_="num self") if column == place else _cell(sure)
            for column, sure in enumerate(found.ahead[place] if found.ahead else ())
        ]
        numbers = [tag("td", fact, class_="num") for fact in facts]
        body.append(tag("tr", tag("td", row.rank, class_="num rank"), name, *numbers, *cells, data_key=row.bot))
    told = (
        f"By {plural(found.matches, 'result')} together, in whatever order they came, relative to the mean of the "
        "field. The columns on the right say how sure it is that the bot of the row is stronger than the column's."
    )
    drawn = tag(
        "table",
        tag("caption", tag("span", told)),
        tag("thead", tag("tr", *heads, *columns)),
        tag("tbody", *body),
        class_="cross",
    )
    return tag(
        "div",
        tag("p", tag("strong", verdict(standings))),
        *[tag("p", note) for note in found.notes],
        tag("div", drawn, class_="scroll", tabindex=0, role="region", aria_label="Strengths"),
    )


def _cell(sure: float) -> Html:
    tint = " leanp5" if sure >= SURE else " leanm5" if sure <= 1 - SURE else ""
    return tag("td", share(sure), class_=f"num{tint}")
