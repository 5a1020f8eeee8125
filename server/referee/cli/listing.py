"""Bots, tournaments and forecasts for people to read: the tables and lines that commands print without `--json`."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from referee.cli.output import paper

if TYPE_CHECKING:
    from referee.cli.backend import Row


def print_bots(rows: list[Row]) -> None:
    """A table of bots."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        paper().print("no bots yet; register one with: referee bot add NAME", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("bot", "kind", "state", "added"):
        table.add_column(heading)
    for row in rows:
        state = "revoked" if row["revoked"] else ""
        if row.get("connected"):
            state = f"connected ({row['client']}), {row['playing']} playing"
        added = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["added"]))
        table.add_row(Text(row["name"]), row["kind"], Text(state), added)
    paper().print(table)


def print_tournaments(rows: list[Row]) -> None:
    """A table of tournaments."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        paper().print("no tournaments yet; 'referee tournament create' makes one", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("tournament", "game", "state", "matches", "bots"):
        table.add_column(heading)
    for row in rows:
        aside = f", {row['matches_set_aside']} set aside" if row["matches_set_aside"] else ""
        done = f"{row['matches_done']}/{row['matches_total']}{aside}"
        table.add_row(Text(row["name"]), row["game"], row["state"], done, Text(", ".join(row["bots"])))
    paper().print(table)


def print_progress(row: Row) -> None:
    """State and progress of a tournament on one line."""
    aside = f", {row['matches_set_aside']} of them set aside without a result" if row["matches_set_aside"] else ""
    paper().print(
        f"{row['name']} is {row['state']}: {row['matches_done']} of {row['matches_total']} matches{aside}",
        markup=False,
        soft_wrap=True,
    )


def print_details(row: Row) -> None:
    """All that is known of a tournament, a line each."""
    for key in (
        *("name", "game", "players", "state", "matches_done", "matches_set_aside", "matches_total"),
        *("commitment", "root", "seed_text", "salt"),
    ):
        if row[key] not in ("", None) and (key, row[key]) != ("matches_set_aside", 0):
            paper().print(f"{key.replace('_', ' '):>16}  {row[key]}", markup=False, soft_wrap=True)
    if row["repeatable"]:
        paper().print(f"{'repeatable':>16}  yes: whoever guesses the seed's text knows every deal", markup=False)
    paper().print(f"{'bots':>16}  {', '.join(row['bots'])}", markup=False, soft_wrap=True)
    for key, value in row["settings"].items():
        if key not in ("game", "players"):
            paper().print(f"{key.replace('_', ' '):>16}  {json.dumps(value)}", markup=False, soft_wrap=True)


def print_forecast(value: dict[str, Any], players: int) -> None:
    """What a tournament would be like that is not created yet."""
    from referee_leaderboard.names import duration

    each = value["matches_per_bot"]
    for_each = f"{each:,.0f}" if each == int(each) else f"{int(each):,} or {int(each) + 1:,}"
    # TrueSkill learns nothing from a match of one: solo bots are ranked by their points.
    sure = f"expect σ near {value['sigma']:.2f} in the end" if players > 1 else "ranked by points, without σ"
    lasts = duration(value["seconds"]) if value["seconds"] >= 60 else f"{max(1, round(value['seconds']))} s"
    paper().print(
        f"{value['matches']:,} matches, {for_each} for each bot; with quick bots about {lasts} on this machine; {sure}",
        markup=False,
        soft_wrap=True,
    )
