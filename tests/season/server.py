"""One process of the host's server by the virtual clock: competition, gRPC services without sockets, the audit log.

Calls go through the same guard and gate as on a socket: tokens, roles, and a note of what was done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio

from arena.v1 import access_pb2, admin_pb2, invitation_pb2, submission_pb2
from referee.hall.announcements import Announcements
from referee.hall.competition import Competition, SubmissionPlan
from referee.hall.event_log import EventLog
from referee.hosting.submission.content_store import ContentStore
from referee.match.clock import TimeControl
from referee.net.access_service import AccessService
from referee.net.admin_service import AdminService
from referee.net.guard import handlers
from referee.net.invitation_service import InvitationService
from referee.net.open_calls import Calls
from referee.net.play_service import PlayService
from referee.net.submission_service import SubmissionService
from referee.store import Store
from referee.tournament.events import Event

from ..simulation.bots import Wire
from .hosted import InProcessHost, trial

GRACE = 10.0


class Declined(Exception):
    """A call was refused: a status and a sentence."""

    def __init__(self, code: grpc.StatusCode, text: str) -> None:
        super().__init__(f"{code.name}: {text}")
        self.code = code


class Caller:
    """A caller of the services, as gRPC shows one."""

    def __init__(self, token: str, requests: tuple[Any, ...] = ()) -> None:
        self._token = token
        self._requests = list(requests)
        self.answers: list[Any] = []

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._token}"),)

    def peer(self) -> str:
        return "ipv4:10.0.1.1:40000"

    async def read(self) -> Any:
        return self._requests.pop(0) if self._requests else grpc.aio.EOF

    async def write(self, answer: Any) -> None:
        self.answers.append(answer)

    async def abort(self, code: grpc.StatusCode, text: str, told: object = ()) -> None:
        raise Declined(code, text)


class Server:
    """From `start` to the end of the process, whichever way it ends."""

    def __init__(self, store: Store, content: ContentStore, seed: str, told: Callable[[Event], object]) -> None:
        """`told` hears what the log tells."""
        self.store = store
        plan = SubmissionPlan(content, lambda hall, thread: InProcessHost(seed), trial=trial)
        control = TimeControl(1.0, 2.0, grace=GRACE)
        self.competition = Competition(store, control=control, concurrency=8, submissions=plan)
        assert self.competition.submissions is not None
        self.submissions = self.competition.submissions
        tokens = self.competition.roster.tokens
        calls = Calls(self.competition.admission)
        self._play = PlayService(
            tokens,
            self.competition.presence,
            self.competition.lobby,
            grace=GRACE,
            heads=self.competition.director.heads,
            hosted=self.competition.hosted,
        )
        self.submissions.on_active = self._play.give_way
        self._handlers = {
            descriptor.name: handlers(descriptor, servicer, calls)
            for descriptor, servicer in (
                (
                    admin_pb2.DESCRIPTOR.services_by_name["AdminService"],
                    AdminService(self.competition, self._play),
                ),
                (access_pb2.DESCRIPTOR.services_by_name["AccessService"], AccessService(self.competition)),
                (
                    submission_pb2.DESCRIPTOR.services_by_name["SubmissionService"],
                    SubmissionService(self.submissions, store, tokens, calls),
                ),
                (
                    invitation_pb2.DESCRIPTOR.services_by_name["InvitationService"],
                    InvitationService(self.competition.roster.invitations),
                ),
            )
        }
        self.failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self.competition.director.on_failure = self._fails
        self._log = EventLog(store, told)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """As `referee serve`: go on with what was interrupted."""
        self._log.skip_to_now()
        await self.competition.prepare()
        self.competition.start()
        follow = (self._log.follow(), Announcements(self.competition).follow())
        self._tasks = [asyncio.ensure_future(one) for one in follow]
        await self.competition.director.resume_all()

    def connect(self, wire: Wire) -> Any:
        """The stream of a bot."""
        return partial(self._play.Play, None)(wire)

    async def call(self, service: str, method: str, request: Any, token: str) -> Any:
        """The answer to a call, or Declined."""
        handler = self._handler(service, method)
        return await handler.unary_unary(request, Caller(token))

    async def upload(self, token: str, *pieces: submission_pb2.SubmitRequest) -> list[Any]:
        """The answers to an upload: the version as it was taken, and as it was settled."""
        caller = Caller(token, pieces)
        await self._handler("SubmissionService", "Submit").stream_stream(None, caller)
        return [answer.version for answer in caller.answers]

    async def drain(self) -> None:
        """As after Ctrl-C."""
        self._play.drain("the server is stopping")
        await self.competition.drain(lambda said: None)
        await self.competition.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _handler(self, service: str, method: str) -> Any:
        details = SimpleNamespace(method=f"/arena.v1.{service}/{method}", invocation_metadata=())
        return self._handlers[service].service(details)

    def _fails(self, error: BaseException) -> None:
        if not self.failed.done():
            self.failed.set_result(error)
