"""AdminService: what only the host may do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

from arena.v1 import admin_pb2 as pb
from arena.v1.standings_pb2 import TableOrder
from referee.hall.competition import Competition
from referee.hall.options_json import read_options
from referee.hall.presence import HallPlayer
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.result import Ending
from referee.net.admin_gate import AdminGate, Need
from referee.net.guard import Refusal
from referee.net.messages import match_result
from referee.net.play_service import STOPPING, PlayService
from referee.net.states import MISSED_MATCHES, RATING_ORDERS, SCHEDULES, TOURNAMENT_STATES
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import BotKind, NameTaken, NotAllowed, Refused, Role, Unknown
from referee.threads import in_thread
from referee.tournament import moderation
from referee.tournament.moderation import Action
from referee.tournament.plan import ABSENCE, Plan

ACTIONS = {
    pb.TOURNAMENT_ACTION_START: "start",
    pb.TOURNAMENT_ACTION_PAUSE: "pause",
    pb.TOURNAMENT_ACTION_RESUME: "resume",
    pb.TOURNAMENT_ACTION_CANCEL: "cancel",
}
RULINGS = {
    pb.TOURNAMENT_ACTION_DISQUALIFY: Action.DISQUALIFY,
    pb.TOURNAMENT_ACTION_WITHDRAW: Action.WITHDRAW,
    pb.TOURNAMENT_ACTION_ANNUL: Action.ANNUL,
    pb.TOURNAMENT_ACTION_REPLAY: Action.REPLAY,
}
AMENDMENTS = (pb.TOURNAMENT_ACTION_REOPEN, pb.TOURNAMENT_ACTION_EXTEND, pb.TOURNAMENT_ACTION_UNDO)
UNKNOWN_ACTION = (
    "the action must be START, PAUSE, RESUME, CANCEL, DISQUALIFY, WITHDRAW, ANNUL, REPLAY, REOPEN, EXTEND or UNDO"
)
SEED_BYTES = 32
REVOKED = Refusal(grpc.StatusCode.UNAUTHENTICATED, "the token is missing, unknown or revoked")


HELPERS = ("pause", "resume", Action.ANNUL)


def _control_need(request: pb.ControlTournamentRequest) -> Role:
    action = ACTIONS.get(request.action) or RULINGS.get(request.action)
    return Role.HELPER if action in HELPERS else Role.HOST


def _control_words(request: pb.ControlTournamentRequest) -> tuple[str, str] | None:
    if request.dry_run:
        return None
    if (ruling := RULINGS.get(request.action)) is not None:
        return moderation.DONE[ruling], f"{request.subject} in {request.name}: {request.reason}"
    if request.action == pb.TOURNAMENT_ACTION_EXTEND:
        return "extended the tournament", f"{request.name} by {request.rounds} rounds"
    if request.action == pb.TOURNAMENT_ACTION_UNDO:
        return "took back the latest addition to", request.name
    return f"{CONTROLLED.get(ACTIONS.get(request.action, 'reopen'), 'controlled')} the tournament", request.name


CONTROLLED = {"start": "started", "pause": "paused", "resume": "resumed", "cancel": "cancelled", "reopen": "reopened"}
NEEDS = {
    "AddBot": Need(words=lambda it: ("registered the bot", it.name)),
    "ListBots": Need(Role.SPECTATOR),
    "RevokeBot": Need(words=lambda it: ("revoked the bot", it.name)),
    "RotateBot": Need(words=lambda it: ("gave a new token to the bot", it.name)),
    "PlayMatch": Need(words=lambda it: ("let play a match of", f"{it.game}: {', '.join(it.bots)}")),
    "CreateTournament": Need(words=lambda it: ("created the tournament", it.name)),
    "ControlTournament": Need(_control_need, _control_words),
    "JoinTournament": Need(words=lambda it: None if it.dry_run else ("entered", f"{it.bot} in {it.name}")),
}
"""Which role each call needs, and how it is told afterwards."""


class AdminService:
    """Every call needs the token of an admin whose role allows it: `gate` sees to that."""

    def __init__(self, competition: Competition, play: PlayService) -> None:
        self.gate = AdminGate(competition.store, competition.roster.tokens, NEEDS)
        self._store = competition.store
        self._roster = competition.roster
        self._presence = competition.presence
        self._hosted = competition.hosted
        self._practice = competition.practice
        self._director = competition.director
        self._control = competition.control
        self._play = play

    async def AddBot(self, request: pb.AddBotRequest, context: Any) -> pb.AddBotResponse:  # noqa: N802
        made = await answer(self._roster.add, request.name)
        await self._roster.tokens.refresh()
        return pb.AddBotResponse(name=made.bot.name, token=made.token or "")

    async def ListBots(self, request: pb.ListBotsRequest, context: Any) -> pb.ListBotsResponse:  # noqa: N802
        return pb.ListBotsResponse(bots=[self._info(bot) for bot in await answer(self._store.bots.all)])

    async def RevokeBot(self, request: pb.RevokeBotRequest, context: Any) -> pb.RevokeBotResponse:  # noqa: N802
        await answer(self._store.bots.revoke, request.name)
        await self._roster.tokens.refresh()
        self._play.close(request.name, REVOKED)
        return pb.RevokeBotResponse()

    async def RotateBot(self, request: pb.RotateBotRequest, context: Any) -> pb.RotateBotResponse:  # noqa: N802
        made = await answer(self._store.bots.rotate, request.name)
        await self._roster.tokens.refresh()
        self._play.close(request.name, REVOKED)
        return pb.RotateBotResponse(token=made.token or "")

    async def PlayMatch(  # noqa: N802
        self, request: pb.PlayMatchRequest, context: Any
    ) -> AsyncIterator[pb.PlayMatchResponse]:
        try:
            game = registry.find(request.game)
            game.check_players(len(request.bots))
            options = game.resolve_options(read_options(request.options_json))
            seed = _seed(request.seed)
        except WrongUse as error:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from None
        control = TimeControl(
            request.limit_ms / 1000 if request.limit_ms else self._control.limit,
            # Who gives a limit gives a bank too, and that may be none.
            request.bank_ms / 1000 if request.bank_ms or request.limit_ms else self._control.bank,
            grace=self._control.grace,
            total=self._control.total,
        )
        entrants = await answer(self._roster.entrants, list(request.bots), game.name)
        if seed is not None and request.matches > 1:
            await self._check_house_only(request.bots)
        for number in range(request.matches or 1):
            if self._play.draining:
                raise STOPPING
            players = [
                await self._player(name, entrant.name) for name, entrant in zip(request.bots, entrants, strict=True)
            ]
            turn = number % len(players)
            ended: asyncio.Future[tuple[Match, Ending]] = asyncio.get_running_loop().create_future()

            def over(match: Match, ending: Ending, ended: asyncio.Future[Any] = ended) -> None:
                if not ended.done():
                    ended.set_result((match, ending))

            try:
                await self._practice.play(
                    game,
                    entrants[turn:] + entrants[:turn],
                    players[turn:] + players[:turn],
                    options,
                    control,
                    seed=seed,
                    over=over,
                )
            except WrongUse as error:
                raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, str(error)) from None
            match, ending = await ended
            yield pb.PlayMatchResponse(
                match_id=match.id,
                bots=match.names,
                result=match_result(ending),
                decisions=match.table.decisions,
            )

    async def CreateTournament(  # noqa: N802
        self, request: pb.CreateTournamentRequest, context: Any
    ) -> pb.CreateTournamentResponse:
        try:
            plan = Plan(
                game=request.game,
                players=request.players,
                schedule=_schedule(request.schedule),
                rounds=request.rounds or None,
                limit=request.limit_ms / 1000 if request.limit_ms else self._control.limit,
                # Who gives a limit gives a bank too, and that may be none.
                bank=request.bank_ms / 1000 if request.bank_ms or request.limit_ms else self._control.bank,
                grace=self._control.grace,
                total=request.total_ms / 1000,
                missed=_missed(request.missed),
                options=read_options(request.options_json),
                allow_join=request.allow_join,
                absence=request.absence_ms / 1000 if request.absence_ms else ABSENCE,
                format=read_options(request.format_json),
                order=_order(request.order),
                version_sigma=request.version_sigma,
            )
            tournament = await self._director.create(
                request.name,
                plan,
                list(request.bots),
                request.seed or None,
                request.start,
                repeatable=request.repeatable,
            )
        except NameTaken as error:
            raise Refusal(grpc.StatusCode.ALREADY_EXISTS, str(error)) from None
        except (WrongUse, Refused) as error:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from None
        counts = await answer(self._store.tournaments.counts, tournament.id)
        return pb.CreateTournamentResponse(name=tournament.name, matches=counts.total, commitment=tournament.commitment)

    async def ControlTournament(  # noqa: N802
        self, request: pb.ControlTournamentRequest, context: Any
    ) -> pb.ControlTournamentResponse:
        action, ruling = ACTIONS.get(request.action), RULINGS.get(request.action)
        if action is None and ruling is None and request.action not in AMENDMENTS:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, UNKNOWN_ACTION)
        told, matches = "", 0
        bots: Sequence[str] = ()
        try:
            if request.action in AMENDMENTS:
                matches, bots = await self._amend(request)
                action = "look"
            if ruling is not None:
                ruled = await self._director.rule(
                    request.name, ruling, request.subject, request.reason, annul=request.annul
                )
                told, action = moderation.told(ruled), "look"
            assert action is not None
            state = await self._director.control(request.name, action)
        except Unknown as error:
            raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
        except (WrongUse, Refused) as error:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, str(error)) from None
        return pb.ControlTournamentResponse(state=TOURNAMENT_STATES[state], told=told, matches=matches, bots=bots)

    async def _amend(self, request: pb.ControlTournamentRequest) -> tuple[int, Sequence[str]]:
        """How many matches it is about, and which bots."""
        name, dry = request.name, request.dry_run
        if request.action == pb.TOURNAMENT_ACTION_REOPEN:
            return await self._director.reopen(name), ()
        if request.action == pb.TOURNAMENT_ACTION_EXTEND:
            return await self._director.extend(name, request.rounds, dry_run=dry), ()
        undone = await self._director.undo(name, dry_run=dry)
        return undone.matches, undone.bots

    async def JoinTournament(  # noqa: N802
        self, request: pb.JoinTournamentRequest, context: Any
    ) -> pb.JoinTournamentResponse:
        try:
            join = self._director.join_dry_run if request.dry_run else self._director.join
            added = await join(request.name, request.bot)
        except Unknown as error:
            raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
        except (WrongUse, Refused) as error:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, str(error)) from None
        return pb.JoinTournamentResponse(matches_added=added)

    async def _player(self, bot: str, shown: str) -> HallPlayer:
        found = await answer(self._store.bots.get, bot)
        if found.kind is BotKind.HOUSE:
            return self._roster.house_player(bot, shown)
        connected = self._presence.find(bot)
        if connected is None:
            version = self._hosted.version(bot)
            why = "is not connected" if version is None else f"plays here as version {version}, in tournaments only"
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, f"{bot} {why}")
        if not connected.free:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, f"{bot} plays as many matches as it can take")
        return connected

    async def _check_house_only(self, bots: Sequence[str]) -> None:
        """With one seed every match has the same deal: a remote bot would know it from the second match on."""
        for name in bots:
            if (await answer(self._store.bots.get, name)).kind is BotKind.REMOTE:
                raise Refusal(
                    grpc.StatusCode.INVALID_ARGUMENT,
                    f"with a seed every match has the same deal, and {name} would know it after the first: ask for one "
                    "match, or leave out the seed",
                )

    def _info(self, bot: Any) -> pb.BotInfo:
        connected = self._presence.find(bot.name)
        info = pb.BotInfo(
            name=bot.name,
            revoked=bot.revoked is not None,
            house=bot.kind is BotKind.HOUSE,
            added=bot.created / 1000,
        )
        if connected is not None:
            info.connected = True
            info.client = connected.client
            info.concurrency = connected.concurrency
            info.playing = len(connected.seats)
        return info


def _schedule(kind: pb.ScheduleKind.ValueType) -> str:
    if kind not in SCHEDULES:
        raise WrongUse("the schedule must be BALANCED or FULL")
    return SCHEDULES[kind]


def _missed(missed: pb.MissedMatches.ValueType) -> str:
    if missed not in MISSED_MATCHES:
        raise WrongUse("missed matches must be ASIDE or LOST")
    return MISSED_MATCHES[missed]


def _order(order: TableOrder.ValueType) -> str:
    if order not in RATING_ORDERS:
        raise WrongUse("the order must be TRUESKILL or STRENGTH")
    return RATING_ORDERS[order]


def _seed(text: str) -> bytes | None:
    """The seed of a match, in hex; None to have one drawn.

    It is as long as one that is drawn: bots hear its SHA-256 before the match, and a short one is found by trying.
    """
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        raise WrongUse("the seed must be hexadecimal") from None
    if 0 < len(seed) < SEED_BYTES:
        raise WrongUse(
            f"the seed has {len(seed)} bytes and could be guessed from its commitment: give at least {SEED_BYTES} "
            f"({2 * SEED_BYTES} hex digits), or leave it out"
        )
    return seed or None


async def answer(work: Any, *arguments: Any) -> Any:
    """Do something with the store beside the loop; its refusals become statuses."""
    try:
        return await in_thread(work, *arguments)
    except NameTaken as error:
        raise Refusal(grpc.StatusCode.ALREADY_EXISTS, str(error)) from None
    except Unknown as error:
        raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
    except (Refused, NotAllowed, WrongUse) as error:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from None
