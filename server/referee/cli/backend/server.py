"""A running server as the backend of a command, asked over gRPC."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.cli.backend.verbs import ControlResult, Row, complete_name
from referee.cli.connection import PUBLIC, call
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.standings_source import from_server
from referee.cli.tokens import admin_token

if TYPE_CHECKING:
    from referee.match.seat_log import SeatLog
    from referee.tournament.audit.folder import Published
    from referee.tournament.events import Event
    from referee.tournament.plan import Plan
    from referee_leaderboard import Standings

MOST_AT_ONCE = 1000
"""Matches that a server tells at once."""


@dataclass(slots=True)
class ServerBackend:
    """Connects for each verb; the token is the admin's."""

    server: str
    token: str | None = None
    ca: str | None = None

    @property
    def where(self) -> str:
        trusted = "" if self.ca is None else " --tls" if self.ca == PUBLIC else f" --ca {shlex.quote(self.ca)}"
        return f" --server {self.server}{trusted}"

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

    def add_admin(self, name: str, role: str) -> str:
        from arena.v1 import access_pb2 as pb

        token: str = self._access("AddAdmin", pb.AddAdminRequest(name=name, role=_role(role))).token
        return token

    def admins(self) -> list[Row]:
        from arena.v1 import access_pb2 as pb

        return [
            {
                "name": one.name,
                "role": pb.AdminRole.Name(one.role).removeprefix("ADMIN_ROLE_").lower(),
                "added": one.added_ms / 1000 or None,
            }
            for one in self._access("ListAdmins", pb.ListAdminsRequest()).admins
        ]

    def rotate_admin(self, name: str) -> str:
        from arena.v1 import access_pb2 as pb

        token: str = self._access("RotateAdmin", pb.RotateAdminRequest(name=name)).token
        return token

    def set_admin_role(self, name: str, role: str) -> None:
        from arena.v1 import access_pb2 as pb

        self._access("SetAdminRole", pb.SetAdminRoleRequest(name=name, role=_role(role)))

    def remove_admin(self, name: str) -> None:
        from arena.v1 import access_pb2 as pb

        self._access("RemoveAdmin", pb.RemoveAdminRequest(name=name))

    def invite(self, count: int, seconds: float | None, notes: Sequence[str]) -> list[Row]:
        from arena.v1 import access_pb2 as pb

        request = pb.CreateInvitationsRequest(count=count, expires_seconds=round(seconds or 0), notes=notes)
        made = self._access("CreateInvitations", request)
        return [{"code": code, **_invitation_row(one)} for code, one in zip(made.codes, made.invitations, strict=True)]

    def invitations(self) -> list[Row]:
        from arena.v1 import access_pb2 as pb

        return [
            _invitation_row(one) for one in self._access("ListInvitations", pb.ListInvitationsRequest()).invitations
        ]

    def revoke_invitations(self, numbers: Sequence[int]) -> None:
        from arena.v1 import access_pb2 as pb

        self._access("RevokeInvitations", pb.RevokeInvitationsRequest(numbers=numbers))

    def create(self, name: str, plan: Plan, bots: list[str], seed: str | None, *, repeatable: bool, start: bool) -> Row:
        from arena.v1 import admin_pb2 as pb
        from arena.v1.standings_pb2 import TableOrder

        request = pb.CreateTournamentRequest(
            name=name,
            game=plan.game,
            players=plan.players,
            schedule=pb.ScheduleKind.Value(f"SCHEDULE_KIND_{plan.schedule.upper()}"),
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
            format_json=json.dumps(dict(plan.format)) if plan.format else "",
            total_ms=round(plan.total * 1000),
            missed=pb.MissedMatches.Value(f"MISSED_MATCHES_{plan.missed.upper()}"),
            version_sigma=plan.version_sigma,
            order=TableOrder.Value(f"TABLE_ORDER_{(plan.order or 'unspecified').upper()}"),
        )
        made = self._admin("CreateTournament", request)
        return {"name": made.name, "matches": made.matches, "commitment": made.commitment, "repeatable": repeatable}

    def start(self, name: str, concurrency: int | None = None) -> ControlResult:
        return self._control(name, "START", concurrency)

    def resume(self, name: str, concurrency: int | None = None) -> ControlResult:
        return self._control(name, "RESUME", concurrency)

    def pause(self, name: str) -> ControlResult:
        return self._control(name, "PAUSE")

    def cancel(self, name: str) -> ControlResult:
        return self._control(name, "CANCEL")

    def join(self, name: str, bot: str, *, dry_run: bool = False) -> int:
        from arena.v1 import admin_pb2 as pb

        request = pb.JoinTournamentRequest(name=name, bot=bot, dry_run=dry_run)
        added: int = self._admin("JoinTournament", request).matches_added
        return added

    def extend(self, name: str, rounds: int, *, dry_run: bool = False) -> int:
        return self._amend(name, "EXTEND", rounds, dry_run)[0]

    def undo(self, name: str, *, dry_run: bool = False) -> tuple[int, list[str]]:
        return self._amend(name, "UNDO", 0, dry_run)

    def reopen(self, name: str) -> int:
        return self._amend(name, "REOPEN", 0, False)[0]

    def _amend(self, name: str, action: str, rounds: int, dry_run: bool) -> tuple[int, list[str]]:
        from arena.v1 import admin_pb2 as pb

        number = getattr(pb, f"TOURNAMENT_ACTION_{action}")
        request = pb.ControlTournamentRequest(name=name, action=number, rounds=rounds, dry_run=dry_run)
        answer = self._admin("ControlTournament", request)
        return answer.matches, list(answer.bots)

    def rule(self, name: str, action: str, subject: str, reason: str, *, annul: bool = False) -> str:
        from arena.v1 import admin_pb2 as pb

        number = getattr(pb, f"TOURNAMENT_ACTION_{action.upper()}")
        request = pb.ControlTournamentRequest(name=name, action=number, subject=subject, reason=reason, annul=annul)
        told: str = self._admin("ControlTournament", request).told
        return told

    def tournaments(self) -> list[Row]:
        from arena.v1 import tournament_pb2 as pb

        return [
            {
                "name": one.name,
                "game": one.game,
                "players": one.players,
                "state": _state(one.state),
                "matches_done": one.matches_done,
                "matches_set_aside": one.matches_set_aside,
                "matches_dealt_anew": one.matches_dealt_anew,
                "matches_total": one.matches_total,
                "bots": list(one.bots),
                "commitment": one.commitment,
                "root": one.root,
                "repeatable": one.repeatable,
                "seed_text": one.seed_text,
                "salt": one.salt,
                "nonces": [
                    {
                        "draw": draw.draw,
                        "first_match": draw.first_match,
                        "digest": draw.digest,
                        "entrants": [
                            {"name": each.name, "commitment": each.commitment, "nonce": each.nonce}
                            for each in draw.entrants
                        ],
                    }
                    for draw in one.nonces
                ],
                "settings": json.loads(one.settings_json),
                "rulings": list(one.rulings),
                "stage": one.stage,
                "head": {"entries": one.head.entries, "hash": one.head.hash},
            }
            for one in self._anybody("ListTournaments", pb.ListTournamentsRequest()).tournaments
        ]

    def find_matches(self, wanted: Mapping[str, Any], limit: int, offset: int = 0) -> tuple[list[Row], int]:
        from arena import results
        from arena.v1 import archive_pb2 as pb
        from arena.v1.tournament_pb2 import MatchState

        asked = {**wanted, "states": [MatchState.Value(f"MATCH_STATE_{word.upper()}") for word in wanted["states"]]}
        if "fault" in wanted:
            asked["fault"] = results.NUMBERS[wanted["fault"]]
        rows: list[Row] = []
        while True:
            page = min(limit - len(rows), MOST_AT_ONCE)
            request = pb.FindMatchesRequest(**asked, limit=max(1, page), offset=offset + len(rows))
            answer = call(self.server, None, self.ca, "ArchiveService", "FindMatches", request)
            rows += [_match_row(one) for one in answer.matches]
            if len(rows) >= min(limit, answer.total - offset) or not answer.matches:
                return rows[:limit], answer.total

    def match(self, name: str) -> Row:
        from arena.v1 import archive_pb2 as pb

        request = pb.FindMatchesRequest(match_id=self._whole(name))
        try:
            found = call(self.server, None, self.ca, "ArchiveService", "FindMatches", request)
        except Failure as failure:
            raise _no_match(failure, name) from None
        return _match_row(found.matches[0])

    def record(self, name: str) -> bytes | None:
        from arena.v1 import tournament_pb2 as pb

        whole = self._whole(name)
        if self.match(whole)["state"] != "finished":
            return None
        record: bytes = self._anybody("GetRecord", pb.GetRecordRequest(match_id=whole)).record_json
        return record

    def bot_logs(self, name: str) -> list[SeatLog]:
        """With the admin's token all of them, with a bot's its own, without any none."""
        from arena.v1 import archive_pb2 as pb
        from referee.match.seat_log import LogLine, SeatLog

        if not self.token:
            return []
        request = pb.GetBotLogsRequest(match_id=self._whole(name))
        try:
            answer = call(self.server, self.token, self.ca, "ArchiveService", "GetBotLogs", request)
        except Failure as failure:
            if "did not accept" not in str(failure):
                raise
            why = "it is neither the admin's nor a bot's, so there are no logs to see: leave it out"
            raise Failure(f"{self.server} did not accept the token: {why}", WRONG_USE) from None
        return [
            SeatLog(log.seat, tuple(LogLine(line.decision, line.shared, line.text) for line in log.lines), log.left_out)
            for log in answer.logs
        ]

    def _whole(self, name: str) -> str:
        return complete_name(name, [row["name"] for row in self.tournaments()]) if name.isdecimal() else name

    def standings(self, tournament: str) -> Standings:
        from arena.v1 import tournament_pb2 as pb
        from referee_leaderboard import Standings

        answer = self._anybody("GetStandings", pb.GetStandingsRequest(tournament=tournament))
        return Standings.from_json_value(json.loads(answer.standings_json))

    @contextmanager
    def published(self, tournament: str) -> Iterator[Published]:
        from referee.cli.backend.published import fetch

        with fetch(self.server, self.ca, tournament) as published:
            yield published

    def installation_events(self) -> list[Event]:
        """For admins, in words: the hashes of tokens are in that journal, so it does not leave the host's machine."""
        from arena.v1 import access_pb2 as pb
        from referee.tournament.events import Event

        if not self.token:
            return []
        return [
            Event(one.at_ms, "", one.kind, one.text, json.loads(one.about_json), one.alarm)
            for one in self._access("ListEvents", pb.ListEventsRequest()).events
        ]

    async def watch(self, tournament: str) -> None:
        from referee_leaderboard import watch

        await watch(from_server(self.server, self.ca, tournament))

    def _control(self, name: str, action: str, concurrency: int | None = None) -> ControlResult:
        from arena.v1 import admin_pb2 as pb

        if concurrency is not None:
            raise Failure("--concurrency is the server's affair: 'referee serve --concurrency N'", WRONG_USE)
        request = pb.ControlTournamentRequest(name=name, action=getattr(pb, f"TOURNAMENT_ACTION_{action}"))
        return ControlResult(_state(self._admin("ControlTournament", request).state))

    def _admin(self, method: str, request: Any, service: str = "AdminService") -> Any:
        self.token = admin_token(self.token)  # asked for once, however many calls there are
        return call(self.server, self.token, self.ca, service, method, request)

    def _access(self, method: str, request: Any) -> Any:
        return self._admin(method, request, "AccessService")

    def _anybody(self, method: str, request: Any) -> Any:
        """What needs no token."""
        return call(self.server, None, self.ca, "TournamentService", method, request)


def _role(word: str) -> Any:
    from arena.v1 import access_pb2 as pb

    return pb.AdminRole.Value(f"ADMIN_ROLE_{word.upper()}")


def _invitation_row(one: Any) -> Row:
    """An invitation as plain values, in the form of `file.invitation_row`."""
    from arena.v1.access_pb2 import InvitationState

    return {
        "number": one.number,
        "state": InvitationState.Name(one.state).removeprefix("INVITATION_STATE_").lower(),
        "note": one.note,
        "bot": one.bot,
        "made_by": one.made_by,
        "created": one.created_ms / 1000,
        "expires": one.expires_ms / 1000 or None,
    }


def _state(number: int) -> str:
    """The state of a tournament as commands write it: `running`."""
    from arena.v1.standings_pb2 import TournamentState

    return TournamentState.Name(TournamentState.ValueType(number)).removeprefix("TOURNAMENT_STATE_").lower()


def _match_row(one: Any) -> Row:
    """A match as plain values, in the form of `file.match_row`."""
    from arena import results
    from arena.v1.tournament_pb2 import MatchState

    match = one.info
    state = MatchState.Name(match.state).removeprefix("MATCH_STATE_").lower()
    over = state == "finished"
    return {
        "match": match.match_id,
        "tournament": one.tournament,
        "game": match.game,
        "state": state,
        "round": match.round if one.tournament else None,
        "table": match.table if one.tournament else None,
        "attempt": one.attempt,
        "bots": list(match.bots),
        "ranks": list(match.result.ranks) if over else [],
        "scores": list(match.result.scores) if over else [],
        "terminations": results.words(match.result) if over else [],
        "reason": one.reason,
        "strikes": list(one.strikes),
        "decisions": list(one.decisions),
        "time_ms": list(one.time_ms),
        "started": one.started_ms / 1000 or None,
        "finished": one.finished_ms / 1000 or None,
        "why": one.why,
    }


def _no_match(failure: Failure, name: str) -> Failure:
    if "no match of that name" in str(failure):
        return Failure(f"there is no match named {name!r}: 'referee matches' lists them", WRONG_USE)
    return failure
