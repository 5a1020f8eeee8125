"""Every action of an admin and its note are one transaction: never the one without the other."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import grpc.aio
import pytest
from sqlalchemy import Connection, event

from arena.v1 import access_pb2 as access
from arena.v1 import admin_pb2 as admin
from arena.v1 import webhook_pb2 as webhook
from arena.v1.access_pb2_grpc import AccessServiceStub
from arena.v1.admin_pb2_grpc import AdminServiceStub
from arena.v1.webhook_pb2_grpc import WebhookServiceStub
from referee.net import access_service, admin_service, webhook_service
from referee.store import Store

from ..waiting import PATIENCE, soon
from .conftest import Server
from .test_access import bearer

STUBS = {
    AdminServiceStub: admin_service.NEEDS,
    AccessServiceStub: access_service.NEEDS,
    WebhookServiceStub: webhook_service.NEEDS,
}


def control(action: str, **more: Any) -> Any:
    number = admin.TournamentAction.Value(f"TOURNAMENT_ACTION_{action}")
    return "ControlTournament", admin.ControlTournamentRequest(name="league", action=number, **more)


def season(played: int) -> list[tuple[str, Any, str]]:
    """Every call that does something, each with its note; `played` is the number of a match that is over."""
    match = {"subject": str(played), "reason": "seen"}
    return [
        (*control("PAUSE"), "paused the tournament league"),
        (*control("RESUME"), "resumed the tournament league"),
        (*control("RESUME"), "resumed the tournament league"),  # nothing is stored, and it is noted all the same
        (*control("ANNUL", **match), f"annulled match {played} in league: seen"),
        (*control("REPLAY", **match), f"let play again match {played} in league: seen"),
        (*control("WITHDRAW", subject="fay", reason="tired"), "withdrew fay in league: tired"),
        (*control("DISQUALIFY", subject="eve", reason="seen"), "disqualified eve in league: seen"),
        (*control("CANCEL"), "cancelled the tournament league"),
        (*control("REOPEN"), "reopened the tournament league"),
        (*control("CANCEL"), "cancelled the tournament league"),
    ]


def beginning() -> list[tuple[str, Any, str]]:
    create = admin.CreateTournamentRequest(
        name="league", game="flip7", players=3, bots=["random", "odds", "cautious", "eve"], rounds=3, allow_join=True
    )
    host = access.ADMIN_ROLE_HOST
    play = admin.PlayMatchRequest(game="flip7", bots=["random", "odds", "random"], matches=2)
    hook = webhook.AddWebhookRequest(name="room", url="https://chat.example.org/x")
    return [
        ("AddBot", admin.AddBotRequest(name="ada"), "registered the bot ada"),
        ("RotateBot", admin.RotateBotRequest(name="ada"), "gave a new token to the bot ada"),
        ("RevokeBot", admin.RevokeBotRequest(name="ada"), "revoked the bot ada"),
        ("AddWebhook", hook, "added the webhook room"),
        ("TestWebhook", webhook.TestWebhookRequest(name="room"), "tested the webhook room"),
        ("RemoveWebhook", webhook.RemoveWebhookRequest(name="room"), "removed the webhook room"),
        ("AddAdmin", access.AddAdminRequest(name="mo", role=access.ADMIN_ROLE_HELPER), "added the admin mo"),
        ("RotateAdmin", access.RotateAdminRequest(name="mo"), "gave a new token to the admin mo"),
        ("SetAdminRole", access.SetAdminRoleRequest(name="mo", role=host), "gave the role host to mo"),
        ("RemoveAdmin", access.RemoveAdminRequest(name="mo"), "removed the admin mo"),
        ("CreateInvitations", access.CreateInvitationsRequest(count=2), "made invitations: 2"),
        ("RevokeInvitations", access.RevokeInvitationsRequest(numbers=[1]), "revoked invitations: 1"),
        ("PlayMatch", play, "let play a match of flip7: random, odds, random"),
        ("CreateTournament", create, "created the tournament league"),
        (*control("EXTEND", rounds=1), "extended the tournament league by 1 rounds"),
        (*control("UNDO"), "took back the latest addition to league"),
        ("JoinTournament", admin.JoinTournamentRequest(name="league", bot="fay"), "entered fay in league"),
        (*control("START"), "started the tournament league"),
    ]


DRY = [
    control("EXTEND", rounds=1, dry_run=True),
    control("UNDO", dry_run=True),
    ("JoinTournament", admin.JoinTournamentRequest(name="league", bot="gil", dry_run=True)),
]
REFUSED = [
    ("AddBot", admin.AddBotRequest(name="ada")),
    ("RotateBot", admin.RotateBotRequest(name="nobody")),
    ("RevokeBot", admin.RevokeBotRequest(name="nobody")),
    ("AddWebhook", webhook.AddWebhookRequest(name="room", url="ftp://x")),
    ("TestWebhook", webhook.TestWebhookRequest(name="nothing")),
    ("RemoveWebhook", webhook.RemoveWebhookRequest(name="nothing")),
    ("AddAdmin", access.AddAdminRequest(name="host", role=access.ADMIN_ROLE_HELPER)),
    ("RotateAdmin", access.RotateAdminRequest(name="nobody")),
    ("SetAdminRole", access.SetAdminRoleRequest(name="host", role=access.ADMIN_ROLE_HELPER)),
    ("RemoveAdmin", access.RemoveAdminRequest(name="host")),
    ("CreateInvitations", access.CreateInvitationsRequest(count=100_000)),
    ("RevokeInvitations", access.RevokeInvitationsRequest(numbers=[77])),
    ("PlayMatch", admin.PlayMatchRequest(game="flip7", bots=["cautious", "random", "eve"])),
    # Its house bot is registered on the way: that is not the tournament.
    (
        "CreateTournament",
        admin.CreateTournamentRequest(name="league", game="flip7", players=3, bots=["random", "odds", "simple"]),
    ),
    ("JoinTournament", admin.JoinTournamentRequest(name="league", bot="eve")),
    control("START"),
    control("EXTEND", rounds=1),
    control("UNDO"),
    control("ANNUL", subject="999", reason="seen"),
    control("CANCEL"),
]


class Book:
    """What every transaction wrote: how many rows, and which notes."""

    def __init__(self, store: Store) -> None:
        self.pages: list[tuple[int, list[str]]] = []
        self._rows = 0
        self._last = store.journal.head(0).entries - 1
        event.listen(store._writing, "commit", self._commit)
        event.listen(store._writing, "begin", self._begin)

    def _begin(self, connection: Connection) -> None:
        self._rows = self._changes(connection)

    def _commit(self, connection: Connection) -> None:
        query = f"SELECT number, entry FROM journal WHERE chain = 0 AND number > {self._last} ORDER BY number"
        found = connection.exec_driver_sql(query).all()
        self._last = max([self._last, *(number for number, _ in found)])
        told = [json.loads(entry) for _, entry in found]
        notes = [f"{one['action']} {one['subject']}" for one in told if one["kind"] == "action"]
        self.pages.append((self._changes(connection) - self._rows, notes))

    def _changes(self, connection: Connection) -> int:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        changes: int = raw.total_changes
        return changes


@contextmanager
def notes(book: Book) -> Iterator[list[tuple[int, str]]]:
    """What is noted inside, each with how many other rows its transaction wrote."""
    since = len(book.pages)
    found: list[tuple[int, str]] = []
    yield found
    found += [(rows - len(texts), text) for rows, texts in book.pages[since:] for text in texts]


async def do(channel: Any, token: str, method: str, request: Any) -> None:
    stub = next(stub for stub, needs in STUBS.items() if method in needs)(channel)
    call = getattr(stub, method)(request, metadata=bearer(token), timeout=PATIENCE)
    if method == "PlayMatch":
        async for _ in call:
            pass
    else:
        await call


async def finished_match(store: Store) -> int:
    tournament = store.tournaments.get("league").id
    async with asyncio.timeout(PATIENCE):
        while True:
            for match in await asyncio.to_thread(lambda: list(store.matches.in_schedule_order(tournament))):
                if match.state.value == "finished":
                    assert match.ordinal is not None
                    return match.ordinal
            await asyncio.sleep(0.05)


async def test_every_call_notes_one_action_in_the_transaction_of_what_it_stores(server: Server) -> None:
    for name in ("eve", "fay", "gil"):
        await server.token(name)
    book = Book(server.store)
    done = set()
    async with grpc.aio.insecure_channel(server.address) as channel:

        async def check(method: str, request: Any, text: str) -> None:
            with notes(book) as found:
                await do(channel, server.admin_token, method, request)
            assert [note for _, note in found] == [text], method
            resumed_twice = text in done and text.startswith("resumed")
            assert (found[0][0] > 0) != resumed_twice, f"the note of {method} was stored apart from what it did"
            done.update([text, method])

        for one in beginning():
            await check(*one)
        for one in season(await finished_match(server.store)):
            await check(*one)
        every = {method for needs in STUBS.values() for method, need in needs.items() if need.words is not None}
        assert every <= done
        for method, request in REFUSED:
            with notes(book) as found, pytest.raises(grpc.aio.AioRpcError):
                await do(channel, server.admin_token, method, request)
            assert not found, method
        assert {method for method, _ in REFUSED} >= every


async def test_a_dry_run_notes_nothing(server: Server) -> None:
    for name in ("eve", "fay", "gil"):
        await server.token(name)
    async with grpc.aio.insecure_channel(server.address) as channel:
        for method, request, _ in beginning()[-5:-1]:
            await do(channel, server.admin_token, method, request)
        book = Book(server.store)
        with notes(book) as found:
            for method, request in DRY:
                await do(channel, server.admin_token, method, request)
        assert not found


async def test_what_is_done_after_its_caller_has_gone_is_noted(server: Server) -> None:
    """The call is broken off while the database is busy: it is done to its end, and so is its note."""
    await server.token("eve")
    release, waiting = threading.Event(), threading.Event()

    def busy(connection: Connection) -> None:
        waiting.set()
        release.wait(PATIENCE)

    try:
        async with grpc.aio.insecure_channel(server.address) as channel:
            create = admin.CreateTournamentRequest(
                name="league", game="flip7", players=3, rounds=1, bots=["random", "odds", "random"]
            )
            server.store.bots.ensure_house("random")
            server.store.bots.ensure_house("odds")
            writer = server.store.writer
            writer.submit(busy)
            await asyncio.to_thread(waiting.wait, PATIENCE)
            call = AdminServiceStub(channel).CreateTournament(create, metadata=bearer(server.admin_token))
            await soon(lambda: writer.waiting > 0 or call.done())
            assert not call.done()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.sleep(0.2)  # the server hears of it
    finally:
        release.set()
    await soon(lambda: server.store.tournaments.find("league") is not None)
    last = list(server.store.journal.read(0))[-1].entry
    assert json.loads(last)["action"] == "created the tournament"
