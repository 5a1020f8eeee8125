"""Admins with roles, invitations and who did what, over a real socket."""

from __future__ import annotations

import asyncio
import io
import json
import re
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import access_pb2, admin_pb2, archive_pb2, invitation_pb2, webhook_pb2
from arena.v1.access_pb2_grpc import AccessServiceStub
from arena.v1.admin_pb2_grpc import AdminServiceStub
from arena.v1.archive_pb2_grpc import ArchiveServiceStub
from arena.v1.invitation_pb2_grpc import InvitationServiceStub
from arena.v1.webhook_pb2_grpc import WebhookServiceStub
from referee.cli.main import main
from referee.net import access_service, admin_service, webhook_service
from referee.store import Role

from .conftest import Server

REFUSED = {
    "helper": grpc.StatusCode.PERMISSION_DENIED,
    "spectator": grpc.StatusCode.PERMISSION_DENIED,
    "nobody": grpc.StatusCode.UNAUTHENTICATED,
}


def bearer(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


async def status(call: Any) -> grpc.StatusCode:
    try:
        await call
    except grpc.aio.AioRpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK


async def tokens(server: Server) -> dict[str, str]:
    def make() -> dict[str, str]:
        made = {role.value: server.store.admins.add(f"the {role.value}", role).token for role in Role}
        return made | {"nobody": "0" * 64, "first": server.admin_token}

    return await asyncio.to_thread(make)


def requests() -> list[tuple[Any, str, Any]]:
    """Every call of these services, with a request that could do harm."""
    found = []
    for stub, module, needs in (
        (AdminServiceStub, admin_pb2, admin_service.NEEDS),
        (AccessServiceStub, access_pb2, access_service.NEEDS),
        (WebhookServiceStub, webhook_pb2, webhook_service.NEEDS),
    ):
        service = module.DESCRIPTOR.services_by_name[stub.__name__.removesuffix("Stub")]
        assert needs.keys() <= {method.name for method in service.methods}
        found += [(stub, method.name, getattr(module, method.input_type.name)()) for method in service.methods]
    return found


async def test_every_call_but_lists_is_refused_to_lesser_roles_before_anything_is_done(server: Server) -> None:
    given = await tokens(server)
    before = await asyncio.to_thread(lambda: server.store.journal.head(0))
    async with grpc.aio.insecure_channel(server.address) as channel:
        for stub, method, request in requests():
            for who, code in REFUSED.items():
                call = getattr(stub(channel), method)(request, metadata=bearer(given[who]))
                answer = call.read() if method == "PlayMatch" else call
                allowed = method.startswith("List") and who != "nobody"
                assert await status(answer) == (grpc.StatusCode.OK if allowed else code), (method, who)
    assert await asyncio.to_thread(lambda: server.store.journal.head(0)) == before


async def test_a_helper_may_pause_resume_and_annul_and_no_more(server: Server) -> None:
    given = await tokens(server)
    made = await asyncio.to_thread(main, _create(server, given["host"]))
    assert made == 0
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = AdminServiceStub(channel)
        may = {}
        for name, number in admin_pb2.TournamentAction.items():
            request = admin_pb2.ControlTournamentRequest(name="league", action=number, subject="0", reason="x")
            call = stub.ControlTournament(request, metadata=bearer(given["helper"]))
            may[name.removeprefix("TOURNAMENT_ACTION_")] = await status(call)
    allowed = {name for name, code in may.items() if code is not grpc.StatusCode.PERMISSION_DENIED}
    assert allowed == {"PAUSE", "RESUME", "ANNUL"}


async def test_logs_of_bots_are_for_helpers_and_not_for_spectators(server: Server) -> None:
    given = await tokens(server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = ArchiveServiceStub(channel)
        request = archive_pb2.GetBotLogsRequest(match_id="practice/1")
        codes = {who: await status(stub.GetBotLogs(request, metadata=bearer(token))) for who, token in given.items()}
    missing, refused = grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAUTHENTICATED
    assert codes == {
        **dict.fromkeys(("host", "helper", "first"), missing),
        **dict.fromkeys(("spectator", "nobody"), refused),
    }


async def test_what_an_admin_did_is_kept_with_the_name(server: Server) -> None:
    given = await tokens(server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        admin, access = AdminServiceStub(channel), AccessServiceStub(channel)
        await admin.AddBot(admin_pb2.AddBotRequest(name="ada"), metadata=bearer(given["host"]))
        request = access_pb2.CreateInvitationsRequest(count=2)
        made = await access.CreateInvitations(request, metadata=bearer(given["first"]))
        with pytest.raises(grpc.aio.AioRpcError):  # a refused one is not told as done
            await admin.AddBot(admin_pb2.AddBotRequest(name="ada"), metadata=bearer(given["host"]))
        told = await access.ListEvents(access_pb2.ListEventsRequest(), metadata=bearer(given["spectator"]))
    assert [one.text for one in told.events if one.kind == "action"] == [
        "the host (host) registered the bot ada",
        "host made invitations: 2",
    ]
    assert {one.made_by for one in made.invitations} == {"host"}
    assert not re.search("[0-9a-f]{64}", str(told))  # no hash of any token


async def test_a_role_and_a_removal_hold_from_the_next_call_on(server: Server) -> None:
    given = await tokens(server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        access = AccessServiceStub(channel)

        async def asks() -> grpc.StatusCode:
            request = access_pb2.CreateInvitationsRequest(count=1)
            return await status(access.CreateInvitations(request, metadata=bearer(given["helper"])))

        assert await asks() is grpc.StatusCode.PERMISSION_DENIED
        # Changed in the file, as a command without --server does it.
        await asyncio.to_thread(server.store.admins.set_role, "the helper", Role.HOST)
        assert await asks() is grpc.StatusCode.OK
        request = access_pb2.RemoveAdminRequest(name="the helper")
        await access.RemoveAdmin(request, metadata=bearer(given["host"]))
        assert await asks() is grpc.StatusCode.UNAUTHENTICATED


async def test_the_first_admin_token_is_replaced_while_serving(server: Server) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        admin, access = AdminServiceStub(channel), AccessServiceStub(channel)
        request = access_pb2.RotateAdminRequest(name="host")
        new = (await access.RotateAdmin(request, metadata=bearer(server.admin_token))).token
        assert await status(admin.ListBots(admin_pb2.ListBotsRequest(), metadata=bearer(server.admin_token))) is (
            grpc.StatusCode.UNAUTHENTICATED
        )
        assert await status(admin.ListBots(admin_pb2.ListBotsRequest(), metadata=bearer(new))) is grpc.StatusCode.OK
        newer = (await asyncio.to_thread(server.store.admins.rotate, "host")).token
        assert await status(admin.ListBots(admin_pb2.ListBotsRequest(), metadata=bearer(new))) is (
            grpc.StatusCode.UNAUTHENTICATED
        )
        assert await status(admin.ListBots(admin_pb2.ListBotsRequest(), metadata=bearer(newer))) is grpc.StatusCode.OK


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ada", grpc.StatusCode.ALREADY_EXISTS),
        ("Ada", grpc.StatusCode.ALREADY_EXISTS),
        ("random", grpc.StatusCode.INVALID_ARGUMENT),
        ("", grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
async def test_a_refused_name_leaves_the_invitation_open(server: Server, name: str, code: grpc.StatusCode) -> None:
    await server.token("ada")
    [made] = await asyncio.to_thread(server.store.invitations.create, 1, "host")
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = InvitationServiceStub(channel)
        assert await status(stub.RedeemInvitation(_redeem(made.code, name))) is code
        assert await status(stub.RedeemInvitation(_redeem(made.code, "bob"))) is grpc.StatusCode.OK
        assert await status(stub.RedeemInvitation(_redeem(made.code, "cy"))) is grpc.StatusCode.FAILED_PRECONDITION


async def test_a_class_of_thirty_comes_in_with_invitations_at_once(server: Server) -> None:
    made = await asyncio.to_thread(server.store.invitations.create, 30, "host")
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = InvitationServiceStub(channel)
        redeem = [stub.RedeemInvitation(_redeem(one.code, f"bot{one.invitation.number}")) for one in made]
        answers = [await one for one in redeem]
    assert len({answer.token for answer in answers}) == 30
    for answer in answers[:3]:  # a new bot is let in at once
        bot = await server.connect(answer.token)
        await bot.hello()


async def test_a_wrong_code_makes_the_server_write_nothing(server: Server) -> None:
    before = await asyncio.to_thread(lambda: server.store.journal.head(0))
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = InvitationServiceStub(channel)
        for code in ("", "0" * 20, "x" * 100_000, "\N{SNOWMAN}"):
            assert await status(stub.RedeemInvitation(_redeem(code, "ada"))) is grpc.StatusCode.NOT_FOUND
    assert await asyncio.to_thread(lambda: server.store.journal.head(0)) == before


async def test_a_host_invites_and_an_author_joins_without_a_token_on_any_command_line(
    server: Server, tmp_path: Path
) -> None:
    admin = tmp_path / "admin.env"
    admin.write_text(f"REFEREE_ADMIN_TOKEN={server.admin_token}\n")
    to = ["--server", server.address]
    host = [*to, "--admin-token-file", str(admin)]
    [row] = await types("invite", "--url", "https://arena.example.org/", *host, "--json")
    assert row["link"] == f"https://arena.example.org/join#{row['code']}"
    code = tmp_path / "code.txt"
    code.write_text(row["link"])
    saved = tmp_path / "mybot.env"
    join = ["join", *to, "--name", "mybot", "--code-file", str(code)]
    said = await types(*join, "--save", str(saved))
    assert saved.stat().st_mode & 0o777 == 0o600
    assert f"its token is in {saved}: set -a; . {saved}; set +a" in said
    token = saved.read_text().strip().removeprefix("REFEREE_TOKEN=")
    assert token not in said
    bot = await server.connect(token)
    await bot.hello()
    assert "this invitation has been used: ask the host" in await types(*join, code=2)
    assert "exists already: name a new file" in await types(*join, "--save", str(saved), code=2)
    rows = await types("invite", "list", *host, "--json")
    assert [(row["state"], row["bot"]) for row in rows] == [("redeemed", "mybot")]
    assert "did not accept the admin token" in await types(
        "invite", "list", *to, "--admin-token-file", str(saved), code=2
    )
    assert "this needs the admin token of" in await types("invite", "list", *to, code=2)


async def test_the_token_that_is_saved_here_is_read_from_here_by_every_shell(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    [made] = await asyncio.to_thread(server.store.invitations.create, 1, "host")
    (tmp_path / "code.txt").write_text(made.code)
    said = await types(
        *("join", "--server", server.address, "--name", "mybot"), *("--code-file", "code.txt", "--save", "my bot.env")
    )
    _, _, typed = said.partition("my bot.env: ")
    done = await asyncio.to_thread(
        subprocess.run, ["sh", "-c", f"{typed.strip()} && printenv REFEREE_TOKEN"], capture_output=True, check=True
    )
    assert len(done.stdout.strip()) == 64


async def test_admins_are_managed_by_commands_and_their_actions_listed(server: Server, tmp_path: Path) -> None:
    to = ["--server", server.address]
    host = [*to, "--admin-token", server.admin_token]
    made = await types("admin", "add", "ada", *host, "--json")
    assert [(row["name"], row["role"]) for row in await types("admin", "list", *host, "--json")] == [
        ("host", "host"),
        ("ada", "helper"),
    ]
    ada = [*to, "--admin-token", made["token"]]
    refused = await types("bot", "add", "bob", *ada, code=2)
    assert "ada is a helper here, and this needs a host: ask the host" in refused
    assert "ada is a host now" in await types("admin", "role", "ada", "host", *host)
    await types("bot", "add", "bob", *ada)
    renewed = await types("admin", "rotate", "ada", *host, "--json")
    assert "did not accept" in await types("bot", "list", *ada, code=2)
    events = await types("events", *to, "--admin-token", renewed["token"], "--kind", "action", "--json")
    assert [event["text"] for event in events["events"]] == [
        "host added the admin ada",
        "host gave the role host to ada",
        "ada (host) registered the bot bob",
        "host gave a new token to the admin ada",
    ]
    assert "ada is not an admin any more" in await types("admin", "remove", "ada", *host)
    assert "there is no admin named ada" in await types("admin", "remove", "ada", *host, code=2)
    assert "there is no role 'boss': choose host, helper, spectator" in await types(
        "admin", "add", "eve", "--role", "boss", *host, code=2
    )


async def test_webhooks_are_managed_by_commands_at_a_distance_and_keep_their_address(server: Server) -> None:
    host = ["--server", server.address, "--admin-token", server.admin_token]
    made = await types(
        "webhook", "add", "room", "https://chat.example.org/x1", "--on", "tournament.started", *host, "--json"
    )
    assert made["secret"].startswith("whsec_")
    assert server.store.webhooks.get("room").secret == made["secret"]
    assert await types("webhook", "list", *host, "--json") == [
        {"name": "room", "host": "chat.example.org", "form": "standard", "kinds": ["tournament.started"]}
    ]
    await types("webhook", "test", "room", *host)
    [message] = await types("webhook", "log", "room", *host, "--json")
    assert (message["kind"], message["attempts"], message["delivered"], message["error"]) == ("test", 0, None, "")
    assert message == (await asyncio.to_thread(server.store.webhooks.messages, "room"))[0]
    assert "needs https" in await types("webhook", "add", "far", "http://10.0.0.5/x", *host, code=2)
    assert "exists already" in await types("webhook", "add", "room", "https://a.example.org/x", *host, code=2)
    await types("webhook", "remove", "room", *host)
    assert "there is no webhook named room" in await types("webhook", "log", "room", *host, code=2)
    events = await types("events", *host, "--kind", "action", "--json")
    assert [event["text"] for event in events["events"]] == [
        "host added the webhook room",
        "host tested the webhook room",
        "host removed the webhook room",
    ]


def _create(server: Server, token: str) -> list[str]:
    words = ["tournament", "create", "league", "--game", "stop_me_go", "--bots", "random,random", "--rounds", "2"]
    return [*words, "--server", server.address, "--admin-token", token]


def _redeem(code: str, name: str) -> invitation_pb2.RedeemInvitationRequest:
    return invitation_pb2.RedeemInvitationRequest(code=code, name=name)


async def types(*words: str, code: int = 0) -> Any:
    """What a person at a terminal reads; with --json the value."""

    def run() -> Any:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name in ("REFEREE_ADMIN_TOKEN", "REFEREE_TOKEN", "REFEREE_INVITATION"):
                patch.delenv(name, raising=False)
            patch.setenv("COLUMNS", "200")
            patch.setattr("sys.stdin", io.StringIO())
            ended = main(words)
        assert ended == code, out.getvalue() + err.getvalue()
        return json.loads(out.getvalue()) if "--json" in words else out.getvalue() + err.getvalue()

    return await asyncio.to_thread(run)
