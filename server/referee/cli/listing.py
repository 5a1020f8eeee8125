"""Bots, tournaments and forecasts for people to read: the tables and lines that commands print without `--json`."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from referee.cli.output import stdout_console
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.cli.backend import Row


SHOWN_BOTS = 12
"""Bots that a row of the list of tournaments names."""


def print_bots(rows: list[Row]) -> None:
    """A table of bots."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        stdout_console().print("no bots yet; register one with: referee bot add NAME", markup=False)
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
    stdout_console().print(table)


def print_tournaments(rows: list[Row]) -> None:
    """A table of tournaments."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        stdout_console().print("no tournaments yet; 'referee tournament create' makes one", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("tournament", "game", "state", "matches", "bots"):
        table.add_column(heading)
    for row in rows:
        aside = f", {row['matches_set_aside']} set aside" if row["matches_set_aside"] else ""
        done = f"{row['matches_done']}/{row['matches_total']}{aside}"
        table.add_row(Text(row["name"]), row["game"], row["state"], done, Text(_some(row["bots"])))
    stdout_console().print(table)


def _some(names: list[str]) -> str:
    """The first names, and how many more there are: a list is for finding a tournament, `show` names everybody."""
    more = len(names) - SHOWN_BOTS
    return ", ".join(names) if more < 2 else f"{', '.join(names[:SHOWN_BOTS])} and {more} more"


UNUSUAL = {"matches_set_aside": "set aside", "matches_dealt_anew": "dealt anew"}
"""Counts that are shown where there is something to count."""


def print_progress(row: Row) -> None:
    """State and progress of a tournament on one line."""
    aside = f", {row['matches_set_aside']} of them set aside without a result" if row["matches_set_aside"] else ""
    aside += f", {row['matches_dealt_anew']:,} dealt anew" if row["matches_dealt_anew"] else ""
    sys.stdout.write(  # no console: one line of plain text needs none, and it takes a while to load
        f"{row['name']} is {row['state']}: {row['matches_done']} of "
        f"{plural(row['matches_total'], 'match', 'matches')}{aside}; "
        f"hash chain of {plural(row['head']['entries'], 'entry', 'entries')}, head {row['head']['hash']}\n"
    )


def print_details(row: Row) -> None:
    """All that is known of a tournament, a line each."""
    for key in (
        *("name", "game", "players", "state", "stage", "matches_done", "matches_set_aside", "matches_total"),
        *("matches_dealt_anew", "commitment", "root", "seed_text", "salt"),
    ):
        if row[key] not in ("", None) and not (key in UNUSUAL and row[key] == 0):
            stdout_console().print(
                f"{UNUSUAL.get(key, key.replace('_', ' ')):>16}  {row[key]}", markup=False, soft_wrap=True
            )
    if row["repeatable"]:
        stdout_console().print(
            f"{'repeatable':>16}  yes: whoever guesses the seed's text knows every deal", markup=False
        )
    stdout_console().print(
        f"{'hash chain':>16}  {plural(row['head']['entries'], 'entry', 'entries')}, head {row['head']['hash']}",
        markup=False,
        soft_wrap=True,
    )
    for draw in row["nonces"]:
        given = ", ".join(f"{each['name']}{'' if each['nonce'] else ' (not told)'}" for each in draw["entrants"])
        since = f", from match {draw['first_match']} on" if draw["first_match"] else ""
        stdout_console().print(f"{'nonces':>16}  of {given}{since}: {draw['digest']}", markup=False, soft_wrap=True)
    for ruling in row["rulings"]:
        stdout_console().print(f"{'ruling':>16}  {ruling}", markup=False, soft_wrap=True)
    stdout_console().print(f"{'bots':>16}  {', '.join(row['bots'])}", markup=False, soft_wrap=True)
    for key, value in row["settings"].items():
        if key not in ("game", "players"):
            stdout_console().print(f"{key.replace('_', ' '):>16}  {json.dumps(value)}", markup=False, soft_wrap=True)


def print_forecast(value: dict[str, Any], players: int) -> None:
    """What a tournament would be like that is not created yet."""
    from referee_leaderboard.names import duration

    if value["matches"] is None:
        hourly = float(f"{3600 / value['seconds_per_match']:.1g}")  # a rough figure, and told as one
        text = f"a {value['format']} has no end of its own; with quick bots about {hourly:,.0f} matches an hour here"
        stdout_console().print(text, markup=False, soft_wrap=True)
        return
    each = value["matches_per_bot"]
    for_each = f"{each:,.0f} for each bot" if each == int(each) else f"{int(each):,} or {int(each) + 1:,} for each bot"
    if "format" in value:
        least, most = value["rounds"]
        rounds = f"{most:,} round{'' if most == 1 else 's'}" if least == most else f"{least:,} to {most:,} rounds"
        up_to = "" if value.get("matches_least", value["matches"]) == value["matches"] else "up to "
        for_each = f"in {rounds}, {up_to}{each:,.1f} for each bot on average"
    # TrueSkill learns nothing from a match of one: solo bots are ranked by their points.
    sure = f"expect σ near {value['sigma']:.2f} in the end" if players > 1 else "ranked by points, without σ"
    if (power := value.get("power")) is not None:
        tells = "nothing" if power["tells"] is None else f"{100 * power['tells']:.0f} % from 50 %"
        sure += (
            f"; tells {100 * power['share']:.0f} % from 50 % with power {100 * power['power']:.0f} % after "
            f"{power['matches']:,} matches ({power['meetings']:,} meetings of every two bots): these tell {tells}"
        )
    lasts = duration(value["seconds"]) if value["seconds"] >= 60 else f"{max(1, round(value['seconds']))} s"
    fewer = value.get("matches_least", value["matches"])
    count = f"{value['matches']:,}" if fewer == value["matches"] else f"{fewer:,} to {value['matches']:,}"
    stdout_console().print(
        f"{count} matches, {for_each}; with quick bots about {lasts} on this machine; {sure}",
        markup=False,
        soft_wrap=True,
    )
