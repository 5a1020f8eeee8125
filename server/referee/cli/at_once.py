"""Command lines that are answered without a parser: to load typer takes longer than to answer these.

Some stand here word by word. Of those that look at a database, only the usual options of a SQLite file are read here,
and only what `store/quick_look.py` can answer is answered. Any other line, `--help` included, is left to the parser;
both end in the same functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from referee import __version__
from referee.cli.defaults import DEFAULT_DB

if TYPE_CHECKING:
    from referee.store import Store
    from referee_leaderboard.standings import Standings


def answered(words: Sequence[str]) -> bool:
    """Answer a command line, if that can be done at once; else nothing has happened."""
    line = tuple(words)
    if line in AT_ONCE:
        AT_ONCE[line]()
        return True
    if line[:1] == ("leaderboard",):
        return _leaderboard(_read(line[1:]))
    if line[:2] in (("tournament", "status"), ("tournament", "show")):
        return _tournament(line[1], _read(line[2:]))
    return False


def _version() -> None:
    sys.stdout.write(f"referee {__version__}\n")


def _games(as_json: bool) -> None:
    from referee.cli.games_list import list_games

    list_games(as_json)


AT_ONCE: Mapping[tuple[str, ...], Callable[[], None]] = {
    ("--version",): _version,
    ("games",): partial(_games, as_json=False),
    ("games", "--json"): partial(_games, as_json=True),
}


class _Line(NamedTuple):
    """A command line about one tournament in a file."""

    name: str
    db: str
    flags: frozenset[str]


def _read(words: Sequence[str]) -> _Line | None:
    """A name, `--db FILE`, `--once` and `--json`, each at most once; None if there is anything else."""
    name, db, flags = "", "", set[str]()
    rest = iter(words)
    for word in rest:
        if word in ("--once", "--json") and word not in flags:
            flags.add(word)
        elif word == "--db" and not db:
            db = next(rest, "")
            if not db or db.startswith("-"):
                return None
        elif word and not word.startswith("-") and not name:
            name = word
        else:
            return None
    db = db or DEFAULT_DB
    return _Line(name, db, frozenset(flags)) if os.path.isfile(db) else None


def _leaderboard(line: _Line | None) -> bool:
    if line is None or not line.flags:  # without a flag it is a live screen
        return False
    from referee.cli.output import print_json, print_table
    from referee.store.quick_look import kept_table
    from referee_leaderboard.standings import Standings

    value = kept_table(line.db, line.name)
    standings = _open_table(line.db, line.name) if value is None else Standings.from_json_value(value)
    if standings is None:
        return False
    if "--json" in line.flags:
        print_json(standings.to_json_value() if value is None else value)
    else:
        print_table(standings)
    return True


def _open_table(db: str, name: str) -> Standings | None:
    """The standings of a tournament that is not over, unless it is one of those that only the store can tell."""
    from referee.store.quick_store import UNUSUAL, open_to_look
    from referee.store.values import TournamentState

    try:
        with open_to_look(db) as store:
            name = store.tournaments.meant(name)
            tournament = store.tournaments.get(name)
            if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
                return None  # it is kept when it has been worked out
            from referee.tournament.standings import Follower

            return Follower(cast("Store", store), name).update()  # it has the verbs that are needed
    except UNUSUAL:
        return None


def _tournament(verb: str, line: _Line | None) -> bool:
    """`status`, and `show` in JSON, where both tell the same."""
    if line is None or not line.name or "--once" in line.flags or (verb == "show" and not line.flags):
        return False
    from referee.store.quick_look import tournament

    look = tournament(line.db, line.name)
    if look is None or (line.flags and look.rulings):
        return False
    from referee.cli.tournament_row import tournament_row

    row = tournament_row(look)
    if line.flags:
        from referee.cli.output import print_json

        print_json(row)
        return True
    from referee.cli.listing import print_progress

    print_progress(row)
    return True
