"""One bot: its place in every tournament it entered, rating over time, head to head, faults, its matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.store import Bot, BotKind, BotVersion
from referee.tournament.ratings.history import Point, VersionBegins
from referee.web import links
from referee.web.markup import Html, moment, name_of, tag
from referee.web.pages import plot
from referee.web.pages.layout import empty, page, panel
from referee_leaderboard.names import count, decimal, percent, plural, signed, wins
from referee_leaderboard.standings import Order, Standing, Standings

if TYPE_CHECKING:
    from referee.store.match_search import NamedMatch
    from referee.store.versions import VersionResults
    from referee.web.site import Site

MOST_MATCHES = 50


@dataclass(frozen=True, slots=True)
class Entered:
    """A tournament that the bot entered, under which name and when."""

    name: str
    joined: int
    standings: Standings
    points: list[Point]
    begins: Sequence[VersionBegins] = ()
    """Where its submitted versions begin."""


def all_bots(site: Site, bots: Sequence[Bot]) -> str:
    """Every registered bot."""
    rows = [
        tag(
            "tr",
            tag("th", tag("a", name_of(bot.name), href=links.bot(bot.name)), scope="row"),
            tag("td", _kind(bot), class_="mid"),
            tag("td", bot.note, class_="soft"),
        )
        for bot in bots
    ]
    titles = (("Bot", None), ("Kind", "mid"), ("About", None))
    heads = [tag("th", text, scope="col", class_=kind) for text, kind in titles]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="schedule")
    shown = tag("section", table if rows else empty("No bots."), class_="panel")
    return page(site, "Bots", tag("h1", "Bots"), shown, place="bots")


def one_bot(
    site: Site,
    bot: Bot,
    entered: Sequence[Entered],
    matches: Sequence[NamedMatch],
    total: int,
    first: int,
    versions: Sequence[tuple[BotVersion, VersionResults]] = (),
) -> str:
    """The page of a bot."""
    facts = [
        tag("span", _kind(bot)),
        tag("span", bot.note) if bot.note else None,
        tag("span", "registered ", moment(bot.created)),
        None if bot.rotated is None else tag("span", "token renewed ", moment(bot.rotated)),
    ]
    if bot.revoked is not None:
        facts.append(tag("span", "revoked", class_="badge bad"))
    return page(
        site,
        bot.name,
        tag("h1", name_of(bot.name)),
        tag("p", *facts, class_="facts soft"),
        [_tournament(bot, one) for one in entered] or empty("It has entered no tournament yet."),
        _entries(entered) if len(entered) > 1 else None,
        _versions(versions) if versions else None,
        _matches(bot, matches, total, first),
        place="bots",
    )


def _kind(bot: Bot) -> str:
    return "house bot" if bot.kind is BotKind.HOUSE else "connects by itself"


def _tournament(bot: Bot, one: Entered) -> Html:
    standings = one.standings
    row = next((row for row in standings.rows if row.bot == one.name), None)
    title = tag("h2", _where(standings.tournament))
    if row is None:
        return tag("section", title, empty("It has joined, and is not rated yet."), class_="panel")
    return tag(
        "section",
        title,
        tag(
            "p",
            ["as ", name_of(one.name), ", "] if one.name != bot.name else None,
            "entered ",
            moment(one.joined),
            class_="soft",
        ),
        tag("dl", *_figures(row, standings), class_="figures"),
        tag(
            "div",
            plot.ratings(one.points, [one.name], one.begins),
            _head_to_head(one.name, standings),
            class_="columns even",
        ),
        class_="panel",
        id=standings.tournament,
    )


def _entries(entered: Sequence[Entered]) -> Html:
    """All entries, newest first. A bot that connects tells no version: when it entered is what is known of it."""
    rows = [
        tag(
            "tr",
            tag(
                "th",
                tag("a", name_of(one.standings.tournament), href=links.tournament(one.standings.tournament)),
                scope="row",
            ),
            tag("td", name_of(one.name)),
            tag("td", moment(one.joined)),
            tag("td", _rank(one), class_="num"),
        )
        for one in entered
    ]
    heads = [
        tag("th", text, scope="col", class_="num" if text == "Rank" else None)
        for text in ("Tournament", "As", "Entered", "Rank")
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))
    return panel("Entries", tag("div", table, class_="scroll", tabindex=0))


def _versions(versions: Sequence[tuple[BotVersion, VersionResults]]) -> Html:
    """What was submitted, the newest first, and how each version has done; reasons and logs are the author's."""
    rows = [
        tag(
            "tr",
            tag("th", version.number, scope="row"),
            tag("td", version.state.value),
            tag("td", moment(version.created)),
            tag("td", tag("code", version.digest[:12])),
            tag("td", count(results.matches), class_="num"),
            tag("td", percent(results.wins, results.matches) if results.matches else "–", class_="num"),
            tag("td", decimal(results.ranks / results.matches) if results.matches else "–", class_="num"),
            tag("td", count(results.faults), class_="num"),
        )
        for version, results in reversed(versions)
    ]
    heads = [
        tag("th", text, scope="col", class_=None if text in ("Version", "State", "Submitted", "SHA-256") else "num")
        for text in ("Version", "State", "Submitted", "SHA-256", "Matches", "Wins", "Mean rank", "Faults")
    ]
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))
    return panel("Versions", tag("div", table, class_="scroll", tabindex=0), id="versions")


def _where(tournament: str) -> Html:
    return tag("a", name_of(tournament), href=links.tournament(tournament))


def _rank(one: Entered) -> str:
    row = next((row for row in one.standings.rows if row.bot == one.name), None)
    return "–" if row is None else f"{row.rank} of {len(one.standings.rows)}"


def _figures(row: Standing, standings: Standings) -> list[Html]:
    figures = [
        ("Rank", f"{row.rank} of {len(standings.rows)}"),
        ("Score", decimal(row.score)),
        *([("Strength", signed(row.strength))] if standings.order is Order.STRENGTH else []),
        ("Rating", f"{decimal(row.mu)} ± {decimal(3 * row.sigma)}"),
        ("Matches", count(row.matches)),
        ("Wins", f"{wins(row.won)} ({percent(row.won, row.matches)})"),
        ("Mean rank", decimal(row.mean_rank)),
        ("Mean points", decimal(row.mean_score, 1)),
        ("Faults", count(row.faults)),
    ]
    return [tag("div", tag("dt", name), tag("dd", value)) for name, value in figures]


def _head_to_head(name: str, standings: Standings) -> Html:
    cross = standings.crosstable
    if name not in cross.bots:
        return empty("With so many bots no meetings are counted.")
    own = cross.bots.index(name)
    rows = []
    for other, bot in enumerate(cross.bots):
        met = cross.meetings[own][other]
        if other == own or not met:
            continue
        better, equal = cross.better[own][other], cross.equal[own][other]
        rows.append(
            tag(
                "tr",
                tag("th", name_of(bot), scope="row"),
                tag("td", count(better), class_="num"),
                tag("td", count(equal), class_="num"),
                tag("td", count(met - better - equal), class_="num"),
                tag("td", percent(better, met), class_="num"),
            )
        )
    if not rows:
        return empty("It has met no other bot yet.")
    heads = [
        tag("th", text, scope="col", class_=None if text == "Against" else "num")
        for text in ("Against", "Ahead", "Level", "Behind", "Share")
    ]
    caption = tag("caption", tag("span", "Head to head"))
    return tag(
        "div", tag("table", caption, tag("thead", tag("tr", *heads)), tag("tbody", *rows)), class_="scroll", tabindex=0
    )


def _matches(bot: Bot, matches: Sequence[NamedMatch], total: int, first: int) -> Html:
    if not matches:
        return panel("Matches", empty("It has played no match yet."))
    items = []
    for named in matches:
        match = named.match
        seats = [
            tag(
                "span",
                tag("span", f"{seat.rank}.", class_="place") if seat.rank else None,
                name_of(seat.name),
                None if seat.score is None else tag("b", count(seat.score)),
                tag("span", f"✕ {seat.fault}", class_="badge bad") if seat.fault not in (None, "finished") else None,
                class_="seat own" if seat.bot == bot.id else "seat",
            )
            for seat in match.seats
        ]
        items.append(
            tag(
                "li",
                tag("a", named.name, href=links.match(named.name), class_="number"),
                tag("span", *seats, class_="seats"),
                tag("span", match.state.value, class_="soft time"),
            )
        )
    pages = [
        tag("a", "‹ Later", href=links.link("/bots", bot.name, first=max(0, first - MOST_MATCHES))) if first else None,
        tag("a", "Earlier ›", href=links.link("/bots", bot.name, first=first + MOST_MATCHES))
        if first + MOST_MATCHES < total
        else None,
    ]
    return panel(
        "Matches",
        tag("p", plural(total, "match"), class_="soft"),
        tag("ul", *items, class_="matches"),
        tag("nav", *pages, class_="pager", aria_label="Pages of matches"),
    )
