"""Tournaments as rows for lists and details, from the database file or from a running server."""

from __future__ import annotations

import json
from typing import Any

from referee.cli.connection import call, open_store
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.output import paper


def rows_of(db: str | None, server: str | None, ca: str | None) -> list[dict[str, Any]]:
    """All tournaments, newest first."""
    one_of(db, server)
    if server:
        from arena.v1 import tournament_pb2 as pb

        answer = call(server, None, ca, "TournamentService", "ListTournaments", pb.ListTournamentsRequest())
        return [
            {
                "name": one.name,
                "game": one.game,
                "players": one.players,
                "state": one.state,
                "matches_done": one.matches_done,
                "matches_set_aside": one.matches_set_aside,
                "matches_total": one.matches_total,
                "bots": list(one.bots),
                "commitment": one.commitment,
                "root": one.root,
                "repeatable": one.repeatable,
                "seed_text": one.seed_text,
                "salt": one.salt,
                "settings": json.loads(one.settings_json),
            }
            for one in answer.tournaments
        ]
    rows = []
    with open_store(db, create=False) as store:
        for one in reversed(store.tournaments.all()):
            counts = store.tournaments.counts(one.id)
            rows.append(
                {
                    "name": one.name,
                    "game": one.game,
                    "players": one.players,
                    "state": one.state.value,
                    "matches_done": counts.total - counts.open,
                    "matches_set_aside": counts.aside,
                    "matches_total": counts.total,
                    "bots": [entrant.name for entrant in store.tournaments.entrants(one.id)],
                    "commitment": one.commitment,
                    "root": one.root.hex() if one.root else "",
                    "repeatable": one.repeatable,
                    "seed_text": one.seed_text or "",
                    "salt": one.salt.hex() if one.salt else "",
                    "settings": dict(one.settings),
                }
            )
    return rows


def row_of(name: str, db: str | None, server: str | None, ca: str | None) -> dict[str, Any]:
    """The tournament of that name."""
    for row in rows_of(db, server, ca):
        if row["name"] == name:
            return row
    raise Failure(f"there is no tournament named {name!r}; 'referee tournament list' shows all", WRONG_USE)


def print_details(row: dict[str, Any]) -> None:
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


def one_of(db: str | None, server: str | None) -> None:
    """Refuse to be told both where the file and where the server is."""
    if db and server:
        raise Failure("give --db or --server, not both", WRONG_USE)
