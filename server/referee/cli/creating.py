"""Creating a tournament, on the database file or on a running server, and the dry run of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from referee.cli.connection import call, open_store
from referee.cli.output import paper, print_json

if TYPE_CHECKING:
    from referee.hall.roster import Roster
    from referee.store import Store
    from referee.tournament.plan import Plan


def create_on_file(
    name: str, plan: Plan, bots: list[str], seed: str | None, repeatable: bool, db: str | None
) -> dict[str, Any]:
    """Store a tournament; returns its name, how many matches it has, and the commitment to its deals."""
    from referee.tournament import plan as plans

    with open_store(db) as store:
        entrants = people_of(store).entrants(bots, plan.game)
        tournament = plans.create(store, name, plan, entrants, seed, repeatable=repeatable)
        total = store.tournaments.counts(tournament.id).total
    return {"name": name, "matches": total, "commitment": tournament.commitment, "repeatable": repeatable}


def create_on_server(
    name: str,
    plan: Plan,
    bots: list[str],
    seed: str | None,
    repeatable: bool,
    start: bool,
    server: str,
    token: str | None,
    ca: str | None,
) -> dict[str, Any]:
    """Let a server create it; returns the same."""
    from arena.v1 import admin_pb2 as pb

    request = pb.CreateTournamentRequest(
        name=name,
        game=plan.game,
        players=plan.players,
        schedule=plan.schedule,
        rounds=plan.rounds or 0,
        bots=bots,
        limit_ms=round(plan.limit * 1000),
        bank_ms=round(plan.bank * 1000),
        absence_ms=max(1, round(plan.absence * 1000)),
        options_json=json.dumps(dict(plan.options)),
        allow_join=plan.allow_join,
        seed=seed or "",
        repeatable=repeatable,
        start=start,
    )
    answer = call(server, token, ca, "AdminService", "CreateTournament", request)
    return {
        "name": answer.name,
        "matches": answer.matches,
        "commitment": answer.commitment,
        "repeatable": repeatable,
    }


def dry_run(plan: Plan, bots: list[str], as_json: bool) -> None:
    """Say what the tournament would be like, without creating it."""
    from referee.tournament.forecast import forecast
    from referee_leaderboard.names import duration

    value = forecast(plan, bots)
    if as_json:
        print_json(value)
        return
    each = value["matches_per_bot"]
    for_each = f"{each:,.0f}" if each == int(each) else f"{int(each):,} or {int(each) + 1:,}"
    # TrueSkill learns nothing from a match of one: solo bots are ranked by their points.
    sure = f"expect σ near {value['sigma']:.2f} in the end" if plan.players > 1 else "ranked by points, without σ"
    lasts = duration(value["seconds"]) if value["seconds"] >= 60 else f"{max(1, round(value['seconds']))} s"
    paper().print(
        f"{value['matches']:,} matches, {for_each} for each bot; with quick bots about {lasts} on this machine; {sure}",
        markup=False,
        soft_wrap=True,
    )


def people_of(store: Store) -> Roster:
    """The bots that may be named."""
    from referee.hall.roster import Roster

    return Roster(store)
