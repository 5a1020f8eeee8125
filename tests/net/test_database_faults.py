"""Calls to a server whose database cannot be used: one sentence, the right status, and nothing of the inside."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import access_pb2, admin_pb2, invitation_pb2, submission_pb2, tournament_pb2
from arena.v1.access_pb2_grpc import AccessServiceStub
from arena.v1.admin_pb2_grpc import AdminServiceStub
from arena.v1.invitation_pb2_grpc import InvitationServiceStub
from arena.v1.submission_pb2_grpc import SubmissionServiceStub
from arena.v1.tournament_pb2_grpc import TournamentServiceStub
from referee.net.submission_service import SubmissionService
from referee.store import Store

from .conftest import CONTROL, Server
from .test_access import bearer, types

CODES = grpc.StatusCode


@pytest.fixture
async def impatient(tmp_path: Path) -> AsyncIterator[Server]:
    """A server that does not wait long for a locked database."""
    with Store.open(str(tmp_path / "league.db"), owner="server", timeout=0.1) as store:
        server = Server(store, CONTROL)
        await server.referee.start()
        try:
            yield server
        finally:
            await server.close()


@contextmanager
def full(store: Store) -> Iterator[None]:
    """SQLite may take no page more, and says so itself."""
    with pragma(store, "max_page_count = 1", "max_page_count = 1000000"):  # 1 means: as many as there are
        yield


@contextmanager
def read_only(store: Store) -> Iterator[None]:
    with pragma(store, "query_only = ON", "query_only = OFF"):
        yield


@contextmanager
def pragma(store: Store, during: str, afterwards: str) -> Iterator[None]:
    connection = store._writing.raw_connection()
    try:
        connection.cursor().execute(f"PRAGMA {during}")
    finally:
        connection.close()  # it goes back to those who write
    try:
        yield
    finally:
        connection = store._writing.raw_connection()
        connection.cursor().execute(f"PRAGMA {afterwards}")
        connection.close()


@contextmanager
def locked(store: Store) -> Iterator[None]:
    """Another program holds the write lock."""
    other = sqlite3.connect(str(store.address.path), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.close()


FAULTS = {
    "full": (full, CODES.RESOURCE_EXHAUSTED, "no room left to write", "the server has no room left to store this"),
    "read-only": (read_only, CODES.FAILED_PRECONDITION, "is read-only: make the file", "tell the host"),
    "locked": (locked, CODES.UNAVAILABLE, "is locked by another program", "try again in a while"),
}


async def refusal(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


def actions(store: Store) -> int:
    return sum('"kind":"action"' in one.entry for one in store.journal.read(0))


@pytest.mark.parametrize("fault", FAULTS)
async def test_an_admin_hears_what_is_wrong_with_the_database(impatient: Server, fault: str) -> None:
    make, code, sentence, _ = FAULTS[fault]
    store = impatient.store
    request = admin_pb2.AddBotRequest(name="a" * 60)
    async with grpc.aio.insecure_channel(impatient.address) as channel:
        admin: Any = AdminServiceStub(channel)
        with make(store):
            error = await refusal(_fill(admin, impatient, request))
            told = await types("bot", "add", "b" * 60, *_host(impatient), code=3)
        assert (error.code(), sentence in (error.details() or "")) == (code, True), error.details()
        assert f"{impatient.address} could not do it: " in told
        assert sentence in told
        assert "internal error" not in told
        retry = dict(error.trailing_metadata() or ()).get("retry-after-ms")
        assert (retry is not None) == (code is CODES.UNAVAILABLE)
        before = actions(store)
        assert {bot.name for bot in store.bots.all()} == {f"filler{number}" for number in range(before)}
        await admin.AddBot(request, metadata=bearer(impatient.admin_token))  # it goes on by itself
    assert actions(store) == before + 1


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_stranger_hears_no_more_than_whether_to_try_again(impatient: Server, fault: str) -> None:
    make, code, _, sentence = FAULTS[fault]
    made = await asyncio.to_thread(impatient.store.invitations.create, 40, "host")
    async with grpc.aio.insecure_channel(impatient.address) as channel:
        stub = InvitationServiceStub(channel)

        async def all_of_them() -> None:
            for one in made:
                name = f"bot{one.invitation.number:0>50}"
                await stub.RedeemInvitation(invitation_pb2.RedeemInvitationRequest(code=one.code, name=name))

        with make(impatient.store):
            error = await refusal(all_of_them())
    assert (error.code(), sentence in (error.details() or "")) == (code, True), error.details()
    assert "league.db" not in str(error)
    assert str(impatient.store.address.path) not in str(error)


async def test_a_file_that_is_no_database_any_more_is_told_to_strangers_without_its_name(impatient: Server) -> None:
    path = impatient.store.address.path
    assert path is not None
    for connection in (impatient.store._readers, impatient.store._writing):
        connection.dispose()
    for beside in path.parent.glob("league.db-*"):
        if not beside.name.endswith("lock"):
            beside.unlink()
    path.write_bytes(b"no database" * 1000)
    async with grpc.aio.insecure_channel(impatient.address) as channel:
        anybody, admin = TournamentServiceStub(channel), AccessServiceStub(channel)
        error = await refusal(anybody.ListTournaments(tournament_pb2.ListTournamentsRequest()))
        assert (error.code(), error.details()) == (
            CODES.FAILED_PRECONDITION,
            "the server cannot use its database: tell the host",
        )
        error = await refusal(anybody.WatchStandings(tournament_pb2.WatchStandingsRequest(tournament="x")).read())
        assert error.code() is CODES.FAILED_PRECONDITION
        request = access_pb2.ListEventsRequest()
        error = await refusal(admin.ListEvents(request, metadata=bearer(impatient.admin_token)))
        assert "internal error" not in (error.details() or "")


async def test_an_upload_for_which_there_is_no_room_is_told_so(
    impatient: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def receive() -> Path:
        """Writing there ends as on a disk that is full."""
        link = tmp_path / "upload"
        link.symlink_to("/dev/full")
        return link

    content = SimpleNamespace(receive=receive, limits=SimpleNamespace(packed=1 << 20))
    monkeypatch.setattr(SubmissionService, "_open", lambda self: SimpleNamespace(content=content))
    token = await impatient.token("ada")
    async with grpc.aio.insecure_channel(impatient.address) as channel:
        pieces = iter([submission_pb2.SubmitRequest(chunk=b"x" * 100_000)])
        call = SubmissionServiceStub(channel).Submit(pieces, metadata=bearer(token))
        error = await refusal(call.read())
    assert (error.code(), error.details()) == (
        CODES.RESOURCE_EXHAUSTED,
        "the server has no room left to store this: tell the host",
    )


async def _fill(admin: Any, server: Server, request: admin_pb2.AddBotRequest) -> None:
    """Register bots until the database refuses one: a page or two may have room left."""
    for number in range(200):
        again = admin_pb2.AddBotRequest(name=f"filler{number}")
        await admin.AddBot(again, metadata=bearer(server.admin_token))
    await admin.AddBot(request, metadata=bearer(server.admin_token))


def _host(server: Server) -> list[str]:
    return ["--server", server.address, "--admin-token", server.admin_token]
