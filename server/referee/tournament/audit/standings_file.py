"""`standings.json` of an export: the standings that follow from the results, with the sums behind them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from referee.tournament.audit.story import Story
from referee.tournament.plan import Plan, is_final
from referee.tournament.standings import draw_probability, empty_board
from referee.tournament.standings.ordering import by_strength, with_strengths
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard
from referee_leaderboard.standings import Order


def standings_of(story: Story, schedule: Iterable[str]) -> tuple[Scoreboard, int]:
    """The board with all results that a journal tells, and how many matches are open; nothing is replayed."""
    board = empty_board(plan_of(story), [entrant.name for entrant in story.entrants], story.shared_deals)
    name = story.created["name"]
    open_ = 0
    for number, text in enumerate(schedule):
        told = story.match(number)
        if told.state == "finished":
            line = json.loads(text)
            bots = tuple(line["seats"])
            result = (told.ranks, told.scores, told.terminations, told.reason, told.versions)
            board.add(Score.of(name, number, line["round"], bots, *result))
        elif told.state == "scheduled":
            open_ += 1
        else:
            board.skip(number)
    return board, open_


def plan_of(story: Story) -> Plan:
    settings = story.created["settings"]
    return Plan(**{name: value for name, value in settings.items() if name in Plan.__slots__})


def standings_text(board: Scoreboard, story: Story, open_: int, places: list[list[str]] | None = None) -> str:
    """The whole file; `places` is the order by the count of a format that draws rounds."""
    plan = plan_of(story)
    final = is_final(plan, story.state, open_)
    value: dict[str, Any] = {
        "draw_probability": draw_probability(plan),
        "matches": board.matches,
        "aside": board.aside,
        "open": open_,
        "provisional": not final,
        "rows": [
            {"rank": row.rank, "bot": row.bot, "mu": row.mu, "sigma": row.sigma, **board.totals(row.bot)}
            for row in board.rows()
        ],
    }
    if plan.version_sigma:
        value["version_sigma"] = plan.version_sigma
    if places is not None:
        value["places"] = places
    if plan.order:  # the host has chosen: tournaments of before, and those that leave it open, say nothing of it
        value["order"] = plan.order
    if plan.order == Order.STRENGTH and final:
        ordered = by_strength(with_strengths(board.rows(final=True), board.strengths(now=True)))
        value["ordered"] = [[row.bot for row in group] for _, group in groupby(ordered, key=lambda row: row.rank)]
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
