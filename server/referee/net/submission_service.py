"""SubmissionService: uploads of bots by their authors, their versions and logs, going back and taking back.

A call is about the bot whose token it has. The host may make it about any bot, with the admin token.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import grpc
import grpc.aio

from arena.v1 import submission_pb2 as pb
from referee.hall.submissions import NO_SUBMISSIONS, Submissions
from referee.hall.tokens import Tokens
from referee.net.bearer import bearer_token, lookups
from referee.net.caller import CALLER
from referee.net.guard import NOT_DECODED, UNDECODABLE, Refusal
from referee.net.open_calls import Calls
from referee.net.play_service import NOT_ACCEPTED
from referee.rules.game import WrongUse
from referee.store import Admin, BotKind, BotVersion, Deed, NotAllowed, Refused, Role, Store, Unknown, VersionState
from referee.store.acting import acting
from referee.threads import in_thread

T = TypeVar("T")
STATES = {state: pb.VersionState.Value(f"VERSION_STATE_{state.name}") for state in VersionState}
NONE = Refusal(grpc.StatusCode.FAILED_PRECONDITION, NO_SUBMISSIONS)
NOT_YOURS = Refusal(grpc.StatusCode.PERMISSION_DENIED, "the token belongs to a bot of another name")
NAME_IT = Refusal(grpc.StatusCode.INVALID_ARGUMENT, "with the admin token, name the bot that is meant")
UPLOADS = 8
UPLOAD_SECONDS = 120.0
"""How long an upload may take: as long as over HTTP (`web/connections.py`)."""
BUSY = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED, "too many bots are being uploaded: try again in 10 seconds", retry_ms=10_000
)
TOO_SLOW = Refusal(grpc.StatusCode.DEADLINE_EXCEEDED, "the upload took too long: try again, or send a smaller package")


class SubmissionService:
    """Every call needs a bot's token, or the admin's."""

    def __init__(self, submissions: Submissions | None, store: Store, tokens: Tokens, calls: Calls) -> None:
        """`calls` is told on which connections bots are uploaded: these may send more than strangers."""
        self._submissions = submissions
        self._store = store
        self._tokens = tokens
        self._calls = calls
        self._uploads: set[str] = set()

    async def Submit(self, requests: Any, context: Any) -> None:  # noqa: N802 - the method's name in the protocol
        caller = await self._caller(context)
        submissions = self._open()
        until = time.monotonic() + UPLOAD_SECONDS
        with self._calls.bot(context.peer()):
            first = await _read(context, until)
            bot = await self._meant(caller, "" if first is None else first.bot)
            if bot in self._uploads:
                raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, f"{bot} is being uploaded already")
            if len(self._uploads) >= UPLOADS:
                raise BUSY
            self._uploads.add(bot)
            try:
                with _noted(caller, "submitted"):
                    version = await _answer(self._upload(submissions, bot, first, context, until))
            finally:
                self._uploads.discard(bot)
        await context.write(pb.SubmitResponse(version=_info(version)))
        await context.write(pb.SubmitResponse(version=_info(await submissions.settled(version))))

    async def ListVersions(self, request: pb.ListVersionsRequest, context: Any) -> pb.ListVersionsResponse:  # noqa: N802
        bot = await self._meant(await self._caller(context), request.bot)
        versions = await _answer(self._open().versions(bot))
        return pb.ListVersionsResponse(versions=[_info(version) for version in versions])

    async def GetVersionLog(self, request: pb.GetVersionLogRequest, context: Any) -> pb.GetVersionLogResponse:  # noqa: N802
        bot = await self._meant(await self._caller(context), request.bot)
        number = request.number
        if not number:
            known = await _answer(self._open().versions(bot))
            if not known:
                raise Refusal(grpc.StatusCode.NOT_FOUND, f"no version of {bot} was submitted")
            number = known[-1].number
        version = await _answer(self._open().version(bot, number))
        return pb.GetVersionLogResponse(version=_info(version), log=version.log)

    async def ActivateVersion(  # noqa: N802
        self, request: pb.ActivateVersionRequest, context: Any
    ) -> pb.ActivateVersionResponse:
        caller = await self._caller(context)
        bot = await self._meant(caller, request.bot)
        with _noted(caller, "made active"):
            version = await _answer(self._open().rollback(bot, request.number))
        return pb.ActivateVersionResponse(version=_info(version))

    async def RetireVersion(self, request: pb.RetireVersionRequest, context: Any) -> pb.RetireVersionResponse:  # noqa: N802
        caller = await self._caller(context)
        bot = await self._meant(caller, request.bot)
        with _noted(caller, "retired"):
            version = await _answer(self._open().retire(bot, request.reason))
        return pb.RetireVersionResponse(version=_info(version))

    def _open(self) -> Submissions:
        if self._submissions is None:
            raise NONE
        return self._submissions

    async def _caller(self, context: Any) -> str | Admin:
        """The bot whose token this is, or the host."""
        token, peer = bearer_token(context), context.peer()
        with lookups():
            admin = await self._tokens.admin(token, peer)
            if admin is not None and admin.may(Role.HOST):
                CALLER.set(admin)
                return admin
            bot = await self._tokens.authenticate(token, peer)
        if bot is None:
            raise NOT_ACCEPTED
        return bot

    async def _meant(self, caller: str | Admin, named: str) -> str:
        if isinstance(caller, str):
            if named not in ("", caller):
                raise NOT_YOURS
            return caller
        if not named:
            raise NAME_IT
        bot = await _answer(in_thread(self._store.bots.get, named))
        if bot.kind is not BotKind.REMOTE:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, f"{named} is a house bot: it comes with the server")
        return named

    async def _upload(
        self, submissions: Submissions, bot: str, first: pb.SubmitRequest | None, context: Any, until: float
    ) -> BotVersion:
        path = await in_thread(submissions.content.receive)
        try:
            await self._receive(path, first, submissions.content.limits.packed, context, until)
            return await submissions.submit(bot, path)
        finally:
            with suppress(FileNotFoundError):
                path.unlink()

    async def _receive(self, path: Path, piece: pb.SubmitRequest | None, most: int, context: Any, until: float) -> None:
        received = 0
        with path.open("wb") as file:
            while piece is not None:
                received += len(piece.chunk)
                if received > most:
                    raise WrongUse(f"the zip has more than {most >> 20:,} MB, which is the most that is taken")
                await in_thread(file.write, piece.chunk)
                piece = await _read(context, until)


def _noted(caller: str | Admin, words: str) -> AbstractContextManager[None]:
    """What the host does to the bot of an author is noted; what authors do to their own is told by its versions."""
    if isinstance(caller, str):
        return nullcontext()
    return acting(Deed(caller.name, caller.role.value, words, lambda it: f"version {it.number} of {it.bot_name}"))


async def _read(context: Any, until: float) -> pb.SubmitRequest | None:
    """The next piece; None at the end. An upload that stands still keeps its place until then."""
    reading = asyncio.ensure_future(context.read())
    done, _ = await asyncio.wait({reading}, timeout=until - time.monotonic())
    if not done:
        reading.cancel()
        raise TOO_SLOW
    piece = reading.result()
    if piece is UNDECODABLE:
        raise NOT_DECODED
    if piece is grpc.aio.EOF:
        return None
    read: pb.SubmitRequest = piece
    return read


def _info(version: BotVersion) -> pb.VersionInfo:
    return pb.VersionInfo(
        bot=version.bot_name,
        number=version.number,
        digest=version.digest,
        state=STATES[version.state],
        reason=version.reason,
        files=version.files,
        size=version.size,
        submitted_ms=version.created,
        settled_ms=version.settled or 0,
    )


async def _answer(work: Awaitable[T]) -> T:
    """What it comes to; refusals become statuses."""
    try:
        return await work
    except Unknown as error:
        raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
    except (Refused, NotAllowed) as error:
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, str(error)) from None
    except WrongUse as error:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from None
