"""A database file as the backend of a command; a PostgreSQL address will do as well."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.cli.backend.verbs import Row, Steered
from referee.cli.database import open_store
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.standings_source import from_file, meant
from referee.masking import shown

if TYPE_CHECKING:
    from referee.tournament.plan import Plan
    from referee_leaderboard import Standings


@dataclass(frozen=True, slots=True)
class FileBackend:
    """Opens the database for each verb, and closes it again."""

    db: str | None

    @property
    def where(self) -> str:
        return f" --db {shlex.quote(shown(self.db))}" if self.db else ""

    def add_bot(self, name: str) -> str:
        from referee.hall.roster import Roster

        with open_store(self.db) as store:
            return Roster(store).add(name).token or ""

    def rotate_bot(self, name: str) -> str:
        with open_store(self.db, create=False) as store:
            return store.bots.rotate(name).token or ""

    def revoke_bot(self, name: str) -> None:
        with open_store(self.db, create=False) as store:
            store.bots.revoke(name)

    def bots(self) -> list[Row]:
        with open_store(self.db, create=False) as store:
            return [
                {
                    "name": bot.name,
                    "kind": bot.kind.value,
                    "revoked": bot.revoked is not None,
                    "added": bot.created / 1000,
                }
                for bot in store.bots.all()
            ]

    def create(self, name: str, plan: Plan, bots: list[str], seed: str | None, *, repeatable: bool, start: bool) -> Row:
        from referee.hall.roster import Roster
        from referee.tournament import plan as plans

        if start:
            raise Failure("--start needs --server; or use 'referee tournament start' afterwards", WRONG_USE)
        with open_store(self.db) as store:
            entrants = Roster(store).entrants(bots, plan.game)
            tournament = plans.create(store, name, plan, entrants, seed, repeatable=repeatable)
            matches = store.tournaments.counts(tournament.id).total
        return {"name": name, "matches": matches, "commitment": tournament.commitment, "repeatable": repeatable}

    def start(self, name: str, concurrency: int | None = None) -> Steered:
        from referee.cli.onsite import play_here

        return Steered(code=play_here(name, self.db, concurrency))

    def resume(self, name: str, concurrency: int | None = None) -> Steered:
        return self.start(name, concurrency)

    def pause(self, name: str) -> Steered:
        from referee.store import TournamentState

        with open_store(self.db, owner="tournament", create=False) as store:
            store.tournaments.set_state(store.tournaments.get(name).id, TournamentState.PAUSED)
        return Steered("paused")

    def cancel(self, name: str) -> Steered:
        from referee.tournament import plan as plans

        with open_store(self.db, owner="tournament", create=False) as store:
            plans.cancel(store, name)
        return Steered("cancelled")

    def join(self, name: str, bot: str) -> int:
        from referee.hall.roster import Roster
        from referee.tournament import plan as plans

        with open_store(self.db, owner="join", create=False) as store:
            game = store.tournaments.get(name).game
            return plans.join(store, name, Roster(store).entrants([bot], game))

    def tournaments(self) -> list[Row]:
        rows = []
        with open_store(self.db, create=False) as store:
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

    def standings(self, tournament: str) -> Standings:
        from referee.tournament.standings import from_store

        with open_store(self.db, create=False) as store:
            return from_store(store, meant(store, tournament))

    async def watch(self, tournament: str) -> None:
        from referee_leaderboard import watch

        with open_store(self.db, create=False) as store:
            await watch(from_file(store, meant(store, tournament)))
