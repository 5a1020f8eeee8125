"""Results as a flat table, one row per seat and match, for pandas, R and spreadsheets."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from referee.tournament.audit.folder import Published
from referee.tournament.audit.journal_story import BrokenJournal, tell
from referee.tournament.audit.replay import DoesNotHold

COLUMNS = (
    *("tournament", "game", "match", "round", "table", "state", "seat", "bot", "rank", "score", "termination"),
    *("decisions", "strikes", "time_ms", "players", "reason", "attempt", "started", "finished", "seed"),
    "version",
)


def rows_of(published: Published) -> Iterator[dict[str, Any]]:
    """A row for every seat of every match, in the order of the schedule; None where there is no result."""
    try:
        story = tell(published.entries)
    except BrokenJournal as error:
        raise DoesNotHold(f"the journal is broken: {error}") from None
    created = story.created
    for number, text in zip(range(story.total), published.schedule, strict=False):
        line, told = json.loads(text), story.match(number)
        over = told.state == "finished"
        for seat, bot in enumerate(line["seats"]):
            by_seat = (told.ranks, told.scores, told.terminations, told.decisions, told.strikes, told.time_ms)
            yield dict(
                zip(
                    COLUMNS,
                    (
                        *(created["name"], created["game"], number, line["round"], line["table"], told.state),
                        *(seat, bot),
                        *(values[seat] if over else None for values in by_seat),
                        *(len(line["seats"]), told.reason or None, told.attempt, told.started, told.finished),
                        told.seed or None,
                        told.versions[seat] if over and told.versions else None,
                    ),
                    strict=True,
                )
            )


def write_csv(rows: Iterable[dict[str, Any]], file: IO[str]) -> int:
    """With a head line; an empty cell is no value. Returns how many rows."""
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    count = 0
    for row in rows:
        writer.writerow(row)
        count += 1
    return count


def write_jsonl(rows: Iterable[dict[str, Any]], file: IO[str]) -> int:
    """A JSON object a line. Returns how many rows."""
    count = 0
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
        count += 1
    return count
