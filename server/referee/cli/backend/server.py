"""A running server as the backend of a command, asked over gRPC."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.cli.backend.verbs import Row, Steered
from referee.cli.connection import call
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.standings_source import from_server

if TYPE_CHECKING:
    from referee.tournament.plan import Plan
    from referee_leaderboard import Standings


@dataclass(frozen=True, slots=True)
class ServerBackend:
    """Connects for each verb; the token is the admin's."""

    server: str
    token: str | None = None
    ca: str | None = None

    @property
    def where(self) -> str:
        return f" --server {self.server}"

    def add_bot(self, name: str) -> str:
        from arena.v1 import admin_pb2 as pb

        token: str = self._admin("AddBot", pb.AddBotRequest(name=name)).token
        return token

    def rotate_bot(self, name: str) -> str:
        from arena.v1 import admin_pb2 as pb

        token: str = self._admin("RotateBot", pb.RotateBotRequest(name=name)).token
        return token

    def revoke_bot(self, name: str) -> None:
        from arena.v1 import admin_pb2 as pb

        self._admin("RevokeBot", pb.RevokeBotRequest(name=name))

    def bots(self) -> list[Row]:
        """All bots, and who is connected."""
        from arena.v1 import admin_pb2 as pb

        return [
            {
                "name": bot.name,
                "kind": "house" if bot.house else "remote",
                "revoked": bot.revoked,
                "added": bot.added,
                "connected": bot.connected,
                "client": bot.client,
                "playing": bot.playing,
            }
            for bot in self._admin("ListBots", pb.ListBotsRequest()).bots
        ]

    def create(self, name: str, plan: Plan, bots: list[str], seed: str | None, *, repeatable: bool, start: bool) -> Row:
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
        made = self._admin("CreateTournament", request)
        return {"name": made.name, "matches": made.matches, "commitment": made.commitment, "repeatable": repeatable}

    def start(self, name: str, concurrency: int | None = None) -> Steered:
        return self._steer(name, "START", concurrency)

    def resume(self, name: str, concurrency: int | None = None) -> Steered:
        return self._steer(name, "RESUME", concurrency)

    def pause(self, name: str) -> Steered:
        return self._steer(name, "PAUSE")

    def cancel(self, name: str) -> Steered:
        return self._steer(name, "CANCEL")

    def join(self, name: str, bot: str) -> int:
        from arena.v1 import admin_pb2 as pb

        added: int = self._admin("JoinTournament", pb.JoinTournamentRequest(name=name, bot=bot)).matches_added
        return added

    def tournaments(self) -> list[Row]:
        from arena.v1 import tournament_pb2 as pb

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
            for one in self._anybody("ListTournaments", pb.ListTournamentsRequest()).tournaments
        ]

    def standings(self, tournament: str) -> Standings:
        from arena.v1 import tournament_pb2 as pb
        from referee_leaderboard import Standings

        answer = self._anybody("GetStandings", pb.GetStandingsRequest(tournament=tournament))
        return Standings.from_json_value(json.loads(answer.standings_json))

    async def watch(self, tournament: str) -> None:
        from referee_leaderboard import watch

        await watch(from_server(self.server, self.ca, tournament))

    def _steer(self, name: str, action: str, concurrency: int | None = None) -> Steered:
        from arena.v1 import admin_pb2 as pb

        if concurrency is not None:
            raise Failure("--concurrency is the server's affair: 'referee serve --concurrency N'", WRONG_USE)
        request = pb.ControlTournamentRequest(name=name, action=getattr(pb, f"TOURNAMENT_ACTION_{action}"))
        return Steered(self._admin("ControlTournament", request).state)

    def _admin(self, method: str, request: Any) -> Any:
        return call(self.server, self.token, self.ca, "AdminService", method, request)

    def _anybody(self, method: str, request: Any) -> Any:
        """What needs no token."""
        return call(self.server, None, self.ca, "TournamentService", method, request)
