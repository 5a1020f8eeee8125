"""The backend of commands that work on a database directly: a file, or a PostgreSQL address."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.cli.backend.verbs import ControlResult, Row, complete_name
from referee.cli.database import open_or_make_store, open_store
from referee.cli.errors import DID_NOT_HOLD, WRONG_USE, Failure
from referee.cli.standings_source import from_file, meant
from referee.masking import shown

if TYPE_CHECKING:
    from referee.match.seat_log import SeatLog
    from referee.store import Invitation, NamedMatch, Store
    from referee.tournament.audit.folder import Published
    from referee.tournament.events import Event
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

        with open_or_make_store(self.db) as store, acting_here(store, "registered the bot", name):
            return Roster(store).add(name).token or ""

    def rotate_bot(self, name: str) -> str:
        with open_store(self.db, create=False) as store, acting_here(store, "gave a new token to the bot", name):
            return store.bots.rotate(name).token or ""

    def revoke_bot(self, name: str) -> None:
        with open_store(self.db, create=False) as store, acting_here(store, "revoked the bot", name):
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

    def add_admin(self, name: str, role: str) -> str:
        from referee.store import Role

        with open_or_make_store(self.db) as store, acting_here(store, "added the admin", name):
            return store.admins.add(name, Role(role)).token

    def admins(self) -> list[Row]:
        with open_store(self.db, create=False) as store:
            return [
                {"name": one.name, "role": one.role.value, "added": one.created and one.created / 1000}
                for one in store.admins.all()
            ]

    def rotate_admin(self, name: str) -> str:
        with open_store(self.db, create=False) as store, acting_here(store, "gave a new token to the admin", name):
            return store.admins.rotate(name).token

    def set_admin_role(self, name: str, role: str) -> None:
        from referee.store import Role

        with open_store(self.db, create=False) as store, acting_here(store, "gave the role", f"{role} to {name}"):
            store.admins.set_role(name, Role(role))

    def remove_admin(self, name: str) -> None:
        with open_store(self.db, create=False) as store, acting_here(store, "removed the admin", name):
            store.admins.remove(name)

    def invite(self, count: int, seconds: float | None, notes: Sequence[str]) -> list[Row]:
        with open_or_make_store(self.db) as store:
            with acting_here(store, "made invitations:", str(count)):
                made = store.invitations.create(count, _user(), seconds, notes)
            return [{"code": one.code, **invitation_row(one.invitation)} for one in made]

    def invitations(self) -> list[Row]:
        with open_store(self.db, create=False) as store:
            return [invitation_row(one) for one in store.invitations.all()]

    def revoke_invitations(self, numbers: Sequence[int]) -> None:
        which = ", ".join(map(str, numbers))
        with open_store(self.db, create=False) as store, acting_here(store, "revoked invitations:", which):
            store.invitations.revoke(numbers)

    def create(self, name: str, plan: Plan, bots: list[str], seed: str | None, *, repeatable: bool, start: bool) -> Row:
        from referee.hall.roster import Roster
        from referee.tournament import lifecycle

        if start:
            raise Failure("--start needs --server; or use 'referee tournament start' afterwards", WRONG_USE)
        with open_or_make_store(self.db) as store:
            entrants = Roster(store).entrants(bots, plan.game)
            with acting_here(store, "created the tournament", name):
                tournament = lifecycle.create(store, name, plan, entrants, seed, repeatable=repeatable)
            matches = store.tournaments.counts(tournament.id).total
        return {"name": name, "matches": matches, "commitment": tournament.commitment, "repeatable": repeatable}

    def start(self, name: str, concurrency: int | None = None) -> ControlResult:
        return self._play(name, concurrency, "started the tournament")

    def resume(self, name: str, concurrency: int | None = None) -> ControlResult:
        return self._play(name, concurrency, "resumed the tournament")

    def _play(self, name: str, concurrency: int | None, words: str) -> ControlResult:
        from referee.cli.onsite import play_here

        return ControlResult(code=play_here(name, self.db, concurrency, lambda store: acting_here(store, words, name)))

    def pause(self, name: str) -> ControlResult:
        from referee.tournament import lifecycle

        opened = open_store(self.db, owner="tournament", create=False)
        with opened as store, acting_here(store, "paused the tournament", name):
            lifecycle.pause(store, name)
        return ControlResult("paused")

    def cancel(self, name: str) -> ControlResult:
        from referee.tournament import lifecycle

        opened = open_store(self.db, owner="tournament", create=False)
        with opened as store, acting_here(store, "cancelled the tournament", name):
            lifecycle.cancel(store, name)
        return ControlResult("cancelled")

    def join(self, name: str, bot: str, *, dry_run: bool = False) -> int:
        from referee.hall.roster import Roster
        from referee.tournament import lifecycle

        join = lifecycle.join_matches if dry_run else lifecycle.join
        with open_store(self.db, owner=None if dry_run else "join", create=False) as store:
            game = store.tournaments.get(name).game
            entrants = Roster(store).entrants([bot], game)
            with nullcontext() if dry_run else acting_here(store, "entered", f"{bot} in {name}"):
                return join(store, name, entrants)

    def extend(self, name: str, rounds: int, *, dry_run: bool = False) -> int:
        from referee.tournament import lifecycle

        with open_store(self.db, owner=None if dry_run else "tournament", create=False) as store:
            what = f"{name} by {rounds} rounds"
            with nullcontext() if dry_run else acting_here(store, "extended the tournament", what):
                return lifecycle.extend(store, name, rounds, dry_run=dry_run)

    def undo(self, name: str, *, dry_run: bool = False) -> tuple[int, list[str]]:
        from referee.tournament import lifecycle

        opened = open_store(self.db, owner=None if dry_run else "tournament", create=False)
        words = "took back the latest addition to"
        with opened as store, nullcontext() if dry_run else acting_here(store, words, name):
            undone = lifecycle.undo(store, name, dry_run=dry_run)
        return undone.matches, list(undone.bots)

    def reopen(self, name: str) -> int:
        from referee.tournament import lifecycle

        opened = open_store(self.db, owner="tournament", create=False)
        with opened as store, acting_here(store, "reopened the tournament", name):
            return lifecycle.reopen(store, name)

    def rule(self, name: str, action: str, subject: str, reason: str, *, annul: bool = False) -> str:
        from referee.tournament.moderation import DONE, Action, rule, told

        meant = Action(action)
        opened = open_store(self.db, owner="moderation", create=False)
        with opened as store, acting_here(store, DONE[meant], f"{subject} in {name}: {reason}"):
            return told(rule(store, name, meant, subject, reason, annul=annul))

    def tournaments(self) -> list[Row]:
        from referee.cli.tournament_row import tournament_row
        from referee.store.values import TournamentLook
        from referee.tournament.moderation import told

        rows = []
        with open_store(self.db, create=False) as store:
            for one in reversed(store.tournaments.all()):
                rulings = store.rulings.all(one.id)
                look = TournamentLook(
                    one,
                    store.tournaments.counts(one.id),
                    store.tournaments.dealt_anew(one.id),
                    tuple([entrant.name for entrant in store.tournaments.entrants(one.id)]),
                    store.nonces.draws(one.id),
                    store.rounds.stage(one.id),
                    len(rulings),
                    store.journal.head(one.id),
                )
                rows.append(tournament_row(look, [told(ruling) for ruling in rulings]))
        return rows

    def find_matches(self, wanted: Mapping[str, Any], limit: int, offset: int = 0) -> tuple[list[Row], int]:
        from referee.store import MatchQuery, MatchState

        query = MatchQuery(**{**wanted, "states": tuple(MatchState(word) for word in wanted["states"])})
        with open_store(self.db, create=False) as store:
            found, total = store.matches.search(query, offset, limit)
            reasons = store.rounds.reasons([one.match for one in found])
        return [match_row(one, why) for one, why in zip(found, reasons, strict=True)], total

    def match(self, name: str) -> Row:
        with open_store(self.db, create=False) as store:
            found = _named(store, name)
            return match_row(found, store.rounds.reasons([found.match])[0])

    def record(self, name: str) -> bytes | None:
        from referee.store import NotADatabase

        with open_store(self.db, create=False) as store:
            try:
                return store.matches.record(_named(store, name).match.id)
            except NotADatabase as error:
                raise Failure(f"does not hold: {error}", DID_NOT_HOLD) from None

    def bot_logs(self, name: str) -> list[SeatLog]:
        """All of them: whoever has the database is the host."""
        from referee.match.seat_log import SeatLog
        from referee.store import NotADatabase

        with open_store(self.db, create=False) as store:
            try:
                logs = store.matches.logs(_named(store, name).match.id)
                return [SeatLog.from_bytes(log.seat, log.body) for log in logs]
            except (NotADatabase, ValueError) as error:
                raise Failure(f"does not hold: {error}", DID_NOT_HOLD) from None

    def standings(self, tournament: str) -> Standings:
        from referee.tournament.standings import from_store

        with open_store(self.db, create=False) as store:
            return from_store(store, meant(store, tournament))

    @contextmanager
    def published(self, tournament: str) -> Iterator[Published]:
        from referee.tournament.audit.database import published

        with open_store(self.db, create=False) as store:
            yield published(store, tournament)

    def installation_events(self) -> list[Event]:
        from referee.tournament.events import latest_of_installation

        with open_store(self.db, create=False) as store:
            return latest_of_installation(store)

    async def watch(self, tournament: str) -> None:
        from referee_leaderboard import watch

        with open_store(self.db, create=False) as store:
            await watch(from_file(store, meant(store, tournament)))


HERE = "this machine"
"""In place of a role: whoever has the database may do everything."""


def acting_here(store: Store, words: str, subject: str | Callable[[Any], str]) -> AbstractContextManager[None]:
    """What is done inside is kept with who did it: the user of this machine. `subject` as in `Deed`."""
    from referee.store import Deed

    return store.admins.acting(Deed(_user(), HERE, words, subject))


def _user() -> str:
    import getpass
    import os

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return f"user {os.getuid()}"


def invitation_row(one: Invitation) -> Row:
    """An invitation as plain values; the code is not kept."""
    from referee.store.connections import wall_clock

    return {
        "number": one.number,
        "state": one.state(wall_clock()),
        "note": one.note,
        "bot": one.bot,
        "made_by": one.made_by,
        "created": one.created / 1000,
        "expires": None if one.expires is None else one.expires / 1000,
    }


def match_row(one: NamedMatch, why: str) -> Row:
    """A match as plain values, everything by seat; ranks, scores and terminations are empty until it is finished."""
    match = one.match
    over = match.state.value == "finished"
    return {
        "match": one.name,
        "tournament": one.tournament,
        "game": match.game,
        "state": match.state.value,
        "round": match.round,
        "table": match.table,
        "attempt": match.attempt,
        "bots": [seat.name for seat in match.seats],
        "ranks": [seat.rank for seat in match.seats] if over else [],
        "scores": [seat.score for seat in match.seats] if over else [],
        "terminations": [seat.fault or "finished" for seat in match.seats] if over else [],
        "reason": match.reason,
        "strikes": [seat.strikes for seat in match.seats],
        "decisions": [seat.decisions for seat in match.seats],
        "time_ms": [seat.time_ms for seat in match.seats],
        "started": None if match.started is None else match.started / 1000,
        "finished": None if match.finished is None else match.finished / 1000,
        "why": why,
    }


def _named(store: Store, name: str) -> NamedMatch:
    found = store.matches.named(complete_name(name, [one.name for one in store.tournaments.all()]))
    if found is None:
        raise Failure(f"there is no match named {name!r}: 'referee matches' lists them", WRONG_USE)
    return found
