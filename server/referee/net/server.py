"""The referee's server: a competition with its gRPC services, put on an address, drained and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from arena.v1 import (
    access_pb2,
    admin_pb2,
    archive_pb2,
    invitation_pb2,
    match_pb2,
    submission_pb2,
    tournament_pb2,
    webhook_pb2,
)
from referee.hall.competition import Competition
from referee.listening import Tls
from referee.net.access_service import AccessService
from referee.net.admin_service import REVOKED, AdminService
from referee.net.archive_service import ArchiveService
from referee.net.invitation_service import InvitationService
from referee.net.limits import Limits
from referee.net.listener import Wire
from referee.net.open_calls import Calls
from referee.net.play_service import PlayService
from referee.net.submission_service import SubmissionService
from referee.net.watch_service import WatchService
from referee.net.webhook_service import WebhookService
from referee.store import BotKind, StoreError

log = structlog.get_logger()
REVOCATIONS_EVERY = 2.0
STOPPING_TEXT = "the server is stopping after the running matches: come back in a while"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where a server listens and how many it lets in."""

    listen: str = "127.0.0.1:7700"
    tls: Tls | None = None
    max_bots: int = 2000
    limits: Limits = field(default_factory=Limits)
    addresses: tuple[str, ...] = ()
    """Further addresses under which bots reach this server."""


class RefereeServer:
    """Lets bots, watchers and the host in to a competition. `start`, then `drain` and `stop`."""

    def __init__(self, competition: Competition, settings: ServerSettings | None = None) -> None:
        self.competition = competition
        self.settings = settings or ServerSettings()
        self.address = ""
        self.on_full: Callable[[str], object] = log.error
        """Told, with a sentence, when memory has run short for good: this server should drain."""
        calls = Calls(competition.admission)
        self.play = PlayService(
            competition.roster.tokens,
            competition.presence,
            competition.lobby,
            grace=competition.control.grace,
            max_bots=self.settings.max_bots,
            calls=calls,
            addresses=self.settings.addresses,
            heads=competition.director.heads,
            hosted=competition.hosted,
        )
        if competition.submissions is not None:
            competition.submissions.on_active = self.play.give_way
        limits = self.settings.limits
        self._watch = WatchService(competition.store, competition.director, competition.hall, limits)
        self._archive = ArchiveService(competition.store, competition.roster.tokens)
        self._wire = Wire(
            [
                (match_pb2.DESCRIPTOR.services_by_name["MatchService"], self.play),
                (tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"], self._watch),
                (archive_pb2.DESCRIPTOR.services_by_name["ArchiveService"], self._archive),
                (
                    submission_pb2.DESCRIPTOR.services_by_name["SubmissionService"],
                    SubmissionService(competition.submissions, competition.store, competition.roster.tokens, calls),
                ),
                (admin_pb2.DESCRIPTOR.services_by_name["AdminService"], AdminService(competition, self.play)),
                (access_pb2.DESCRIPTOR.services_by_name["AccessService"], AccessService(competition)),
                (webhook_pb2.DESCRIPTOR.services_by_name["WebhookService"], WebhookService(competition)),
                (
                    invitation_pb2.DESCRIPTOR.services_by_name["InvitationService"],
                    InvitationService(competition.roster.invitations),
                ),
            ],
            calls,
            limits,
            on_full=lambda sentence: self.on_full(sentence),
        )
        self._revocations: asyncio.Task[None] | None = None

    @property
    def most_connections(self) -> int:
        """How many connections there may be at a time."""
        return self._wire.room

    async def start(self) -> list[str]:
        """Listen and go on with what was interrupted; returns the tournaments that were."""
        await self.competition.prepare()
        self.address = await self._wire.start(self.settings.listen, self.settings.tls)
        self.competition.start()
        self._revocations = asyncio.get_running_loop().create_task(self._watch_revocations())
        return await self.competition.director.resume_all()

    async def drain(self, say: Callable[[str], object]) -> None:
        """Take nothing new, wait for the running matches, say what is being waited for."""
        await self._wire.drain()
        self.play.drain(STOPPING_TEXT)
        await self.competition.drain(say)

    async def stop(self) -> None:
        """Stop at once: running matches are interrupted and will be played again."""
        await self.competition.director.abandon()  # first, so that no tournament goes on without its bots
        self.play.close_all()
        await self._wire.stop(1.0)
        if self._revocations is not None:
            self._revocations.cancel()
            await asyncio.gather(self._revocations, return_exceptions=True)
        self._watch.close()
        self._archive.close()
        await self.competition.stop()

    async def _watch_revocations(self) -> None:
        """Bots may be revoked by a command on the file: their streams end soon after."""
        known: dict[str, int | None] = {}
        while True:
            try:
                bots = await self.competition.roster.tokens.refresh()
                if self.competition.submissions is not None:
                    revoked = frozenset(bot.name for bot in bots if bot.revoked)
                    await self.competition.submissions.follow_revocations(revoked)
            except StoreError as error:
                log.error("the bots could not be looked up", why=str(error))
                await asyncio.sleep(REVOCATIONS_EVERY)
                continue
            for bot in bots:
                if bot.kind is BotKind.REMOTE and (bot.revoked or known.get(bot.name, bot.rotated) != bot.rotated):
                    self.play.close(bot.name, REVOKED)
            known = {bot.name: bot.rotated for bot in bots}
            await asyncio.sleep(REVOCATIONS_EVERY)
