"""What a format adds to a tournament's page: places and points by its own count, its bracket and its rounds."""

from __future__ import annotations

from referee.web import links
from referee.web.markup import Html, join, name_of, tag
from referee.web.pages.layout import empty
from referee.web.pages.standings import Bots
from referee_leaderboard.format import MET, FormatRound, FormatStage, FormatTable
from referee_leaderboard.names import decimal
from referee_leaderboard.standings import Standings


def rounds(standings: Standings, bots: Bots) -> Html:
    """Places first, then the rounds, the last one on top."""
    found = standings.format
    if not found.name:
        return empty("This tournament is a round-robin: its whole schedule is known, and no round is drawn.")
    if not found.rounds:
        return empty(f"No round of this {found.name} has been drawn yet.")
    parted = any(place.tie_break is not None for place in found.places)
    titles = ("#", "Bot", "Points", *(("Met",) if parted else ()), "Moved")
    heads = [
        tag("th", name, scope="col", class_=None if name == "Bot" else "num", title=MET if name == "Met" else None)
        for name in titles
    ]
    body = [
        tag(
            "tr",
            tag("td", place.place, class_="num rank"),
            tag(
                "th",
                tag("a", name_of(place.bot), href=links.bot(bots.get(place.bot, place.bot))),
                tag("span", place.out, class_="badge bad") if place.out else None,
                scope="row",
            ),
            tag("td", decimal(place.points), class_="num"),
            tag("td", decimal(place.tie_break), class_="num") if parted else None,
            tag("td", f"{place.climbed:+d}" if place.climbed else "", class_="num"),
            data_key=place.bot,
        )
        for place in found.places
    ]
    table = tag(
        "table",
        tag("caption", f"{found.name.capitalize()}, {found.stage}: places by the count of the format"),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *body),
    )
    return join(
        tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="Places"),
        *[_stage(stage) for stage in found.bracket],
        *[_round(each) for each in reversed(found.rounds)],
    )


def _stage(stage: FormatStage) -> Html:
    heads = [tag("th", name, scope="col") for name in ("Table", "Bots", "Through")]
    rows = [
        tag(
            "tr",
            tag("td", one.number, class_="num"),
            tag("td", tag("span", *[tag("span", name_of(bot), class_="seat") for bot in one.bots], class_="seats")),
            tag("td", ", ".join(one.advanced), f" ({one.how})" if one.how not in ("", "played") else None),
        )
        for one in stage.tables
    ]
    caption = tag("caption", f"Bracket: {stage.name}")
    table = tag("table", caption, tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="schedule")
    byes = tag("p", "Bye: ", ", ".join(stage.waiting), class_="soft") if stage.waiting else None
    return join(tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=stage.name), byes)


def _round(each: FormatRound) -> Html:
    heads = [tag("th", name, scope="col") for name in ("Match", "Bots", "Through", "Why they meet")]
    table = tag(
        "table",
        tag("caption", each.stage),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *[_table(one) for one in each.tables]),
        class_="schedule",
    )
    byes = tag("p", "Bye: ", ", ".join(each.byes), class_="soft") if each.byes else None
    return join(tag("div", table, class_="scroll", tabindex=0, role="region", aria_label=each.stage), byes)


def _table(one: FormatTable) -> Html:
    ranks = one.ranks
    order = sorted(range(len(one.bots)), key=lambda seat: (ranks[seat] if ranks else 0, seat))
    seats = [
        tag(
            "span",
            tag("span", f"{ranks[seat]}.", class_="place") if ranks else None,
            name_of(one.bots[seat]),
            class_="seat first" if ranks and ranks[seat] == 1 else "seat",
        )
        for seat in order
    ]
    number = one.match.rpartition("/")[2]
    shown = one.state in ("finished", "playing")
    state = "" if ranks or one.state == "scheduled" else f" ({one.state})"
    return tag(
        "tr",
        tag("td", tag("a", number, href=links.match(one.match)) if shown else number, class_="num"),
        tag("td", tag("span", *seats, class_="seats"), state),
        tag("td", ", ".join(one.advanced)),
        tag("td", one.why, class_="soft"),
    )
