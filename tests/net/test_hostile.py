"""Hostile input through the real socket of a real server: a fixed status, and nobody else disturbed."""

from __future__ import annotations

import grpc
import grpc.aio
import pytest

from arena.v1 import admin_pb2
from arena.v1 import match_pb2 as pb
from referee.net.admin_service import UNKNOWN_ACTION

from .conftest import NAMES, Process, open_channel
from .raw import Raw
from .steady import Steady

pytestmark = pytest.mark.xdist_group("hostile")  # one worker: what its tests share takes long to make


async def refused(bot: Raw) -> tuple[grpc.StatusCode, str]:
    """How a stream ends that was turned down before anything was said."""
    bot.listen()
    status = await bot.status()
    await bot.close()
    return status


UNKNOWN_TOKEN = (grpc.StatusCode.UNAUTHENTICATED, "the token is missing, unknown or revoked")


@pytest.mark.parametrize(
    "token", [None, "", "x", "0" * 64, "\x01\x02", "' OR 1=1 --", "a" * 4000, "Bearer", " " * 64], ids=repr
)
async def test_a_wrong_token_is_not_accepted(served: Process, token: str | None) -> None:
    if token == "\x01\x02":  # gRPC itself lets no such metadata out: say it in its binary form
        bot = Raw(served.address, None, metadata=[("authorization-bin", b"Bearer \x01")])
    else:
        bot = Raw(served.address, token)
    assert await refused(bot) == UNKNOWN_TOKEN


async def test_another_scheme_than_bearer_is_not_accepted(served: Process) -> None:
    token = served.token(next(NAMES))
    bot = Raw(served.address, None, metadata=[("authorization", f"Basic {token}")])
    assert await refused(bot) == UNKNOWN_TOKEN


async def test_a_revoked_token_is_void_and_its_stream_ends(served: Process, good: Steady) -> None:
    name = next(NAMES)
    token = served.token(name)
    bot = Raw(served.address, token)
    await bot.hello()
    async with open_channel(served) as channel:
        revoke = channel.unary_unary(
            "/arena.v1.AdminService/RevokeBot",
            request_serializer=admin_pb2.RevokeBotRequest.SerializeToString,
            response_deserializer=admin_pb2.RevokeBotResponse.FromString,
        )
        await revoke(
            admin_pb2.RevokeBotRequest(name=name), metadata=(("authorization", f"Bearer {served.admin_token}"),)
        )
    assert await bot.status() == UNKNOWN_TOKEN
    await bot.close()
    assert await refused(Raw(served.address, token)) == UNKNOWN_TOKEN


async def test_admin_calls_without_the_admin_token_are_not_accepted(served: Process) -> None:
    async with open_channel(served) as channel:
        for method in admin_pb2.DESCRIPTOR.services_by_name["AdminService"].methods:
            for token in ("", served.token(next(NAMES))):
                call = channel.unary_stream if method.server_streaming else channel.unary_unary
                metadata = (("authorization", f"Bearer {token}"),)
                made = call(f"/arena.v1.AdminService/{method.name}")(b"", metadata=metadata)
                assert await made.code() is grpc.StatusCode.UNAUTHENTICATED, method.name
                assert await made.details() == "this needs the admin token"


async def test_bytes_that_are_no_message_end_the_stream(bad: Raw, good: Steady) -> None:
    await bad.send_bytes(b"\xff\xff\xff\xff garbage")
    assert await bad.status() == (grpc.StatusCode.INVALID_ARGUMENT, "the message cannot be decoded")


async def test_bytes_that_are_no_hello_end_the_stream(served: Process) -> None:
    bot = Raw(served.address, served.token(next(NAMES)))
    bot.listen()
    await bot.send_bytes(b"\x0a\xff")
    assert await bot.status() == (grpc.StatusCode.INVALID_ARGUMENT, "the message cannot be decoded")
    await bot.close()


async def test_a_string_that_is_not_utf8_ends_the_stream(bad: Raw) -> None:
    await bad.send_bytes(bytes.fromhex("0a0612041a02fffe"))  # a body with an Act whose move is the bytes FF FE
    assert (await bad.status())[0] is grpc.StatusCode.INVALID_ARGUMENT


async def test_undecodable_bytes_to_every_other_method_are_refused_with_a_fixed_text(served: Process) -> None:
    from arena.v1 import tournament_pb2

    metadata = (("authorization", f"Bearer {served.admin_token}"),)
    async with open_channel(served) as channel:
        for module, service in ((admin_pb2, "AdminService"), (tournament_pb2, "TournamentService")):
            for method in module.DESCRIPTOR.services_by_name[service].methods:
                call = channel.unary_stream if method.server_streaming else channel.unary_unary
                made = call(f"/arena.v1.{service}/{method.name}")(b"\xff\xff\xff", metadata=metadata)
                assert await made.code() is grpc.StatusCode.INVALID_ARGUMENT, method.name
                assert await made.details() == "the message cannot be decoded"


async def test_an_unknown_enum_value_is_refused(served: Process) -> None:
    async with open_channel(served) as channel:
        call = channel.unary_unary("/arena.v1.AdminService/ControlTournament")
        request = bytes.fromhex("0a01781063")  # name "x", action 99
        made = call(request, metadata=(("authorization", f"Bearer {served.admin_token}"),))
        assert await made.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert await made.details() == UNKNOWN_ACTION


async def test_an_empty_body_means_nothing(bad: Raw) -> None:
    await bad.send_all(pb.BotBody(), pb.BotBody())
    await bad.send_bytes(b"")
    await bad.send(hello=pb.Hello(protocol_version=1))
    assert (await bad.hear("notice")).code == pb.NOTICE_CODE_IGNORED


async def test_an_empty_first_message_is_no_hello(served: Process) -> None:
    for first in (b"", pb.PlayRequest(bodies=[pb.BotBody()]).SerializeToString()):
        bot = Raw(served.address, served.token(next(NAMES)))
        bot.listen()
        await bot.send_bytes(first)
        assert await bot.status() == (grpc.StatusCode.INVALID_ARGUMENT, "the first body of a stream must be Hello")
        await bot.close()


async def test_a_message_of_5_mib_is_not_read(served: Process, bad: Raw, good: Steady) -> None:
    before = served.memory
    await bad.send(act=pb.Act(match_id="m", decision=1, move_text="x" * (5 << 20)))
    code, text = await bad.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "larger than max" in text
    assert served.memory < before + 20


async def test_compressed_messages_are_refused_unread(served: Process) -> None:
    bot = Raw(served.address, served.token(next(NAMES)), compression=grpc.Compression.Gzip)
    assert await refused(bot) == (grpc.StatusCode.UNIMPLEMENTED, "Compression algorithm 'gzip' is disabled.")


async def test_huge_metadata_is_refused(served: Process, good: Steady) -> None:
    bot = Raw(served.address, served.token(next(NAMES)), metadata=[("x-filler", "y" * 100_000)])
    code, _ = await refused(bot)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    ("practice", "word"),
    [
        (pb.Practice(game="chess"), "chess"),
        (pb.Practice(game="x" * 500_000), "xxx"),
        (pb.Practice(game="flip7", against=["y" * 500_000, "random"]), "yyy"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"%s": 1}' % ("z" * 500_000)), "16,384"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"%s": 1}' % ("z" * 16_000)), "zzz"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json="é" * 8_200), "16,384"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"a": %s}' % ("9" * 9_000)), "JSON"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"target_score": NaN}'), "JSON"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"target_score": 1e999}'), "inf"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"rules": "\\ud800"}'), "surrogate"),
        (
            pb.Practice(game="flip7", against=["random"] * 2, options_json='{"rules": ' + "[" * 900 + "]" * 900 + "}"),
            "nest",
        ),
        (pb.Practice(game="flip7", against=["../../bots/random", "random"]), "unknown bot"),
        (pb.Practice(game="flip7", against=["random/", "random"]), "unknown bot"),
        (pb.Practice(game="../flip7", against=["random", "random"]), "unknown game"),
        (pb.Practice(game="flip7", against=["nobody", "random"]), "nobody"),
        (pb.Practice(game="flip7", against=["random"]), "3"),
        (pb.Practice(game="flip7", against=["random"] * 5000), "players"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json="[1]"), "JSON"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json="[" * 100_000), "JSON"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json="[" * 10_000), "JSON"),
        (pb.Practice(game="flip7", against=["random"] * 2, options_json='{"speed": 9}'), "speed"),
        (pb.Practice(game="flip7", against=["random"] * 2, matches=1 << 31), "1000"),
        (pb.Practice(game="flip7", against=["tidy", "tidy"]), "tidy"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_a_wish_that_cannot_be_granted_is_refused_in_a_sentence(
    bad: Raw, practice: pb.Practice, word: str
) -> None:
    await bad.send(practice=practice)
    notice = await bad.hear("notice")
    assert notice.code == pb.NOTICE_CODE_REFUSED
    assert word in notice.text
    assert len(notice.text) <= 500


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({"protocol_version": 0}, grpc.StatusCode.FAILED_PRECONDITION, "protocol 1, the bot 0"),
        ({"protocol_version": 2}, grpc.StatusCode.FAILED_PRECONDITION, "protocol 1, the bot 2"),
        ({"name": "n" * 10_000}, grpc.StatusCode.INVALID_ARGUMENT, "at most 64 printable characters"),
        ({"name": "a\x00\x1b[2J"}, grpc.StatusCode.INVALID_ARGUMENT, "at most 64 printable characters"),
        ({"name": "somebody"}, grpc.StatusCode.PERMISSION_DENIED, "the token belongs to a bot of another name"),
        ({"games": ["g"] * 101}, grpc.StatusCode.INVALID_ARGUMENT, "at most 100 games with short names"),
        ({"games": ["g" * 65]}, grpc.StatusCode.INVALID_ARGUMENT, "at most 100 games with short names"),
    ],
    ids=lambda value: str(value)[:30],
)
async def test_a_hello_that_cannot_be(
    served: Process, fields: dict[str, object], code: grpc.StatusCode, text: str
) -> None:
    bot = Raw(served.address, served.token(next(NAMES)))
    bot.listen()
    await bot.send(hello=pb.Hello(**{"protocol_version": 1, **fields}))  # type: ignore[arg-type]
    found, details = await bot.status()
    assert found is code
    assert text in details
    assert details.isprintable()
    assert len(details) < 200
    await bot.close()


async def test_what_a_bot_calls_its_client_is_cut_and_cleaned(served: Process) -> None:
    name = next(NAMES)
    bot = Raw(served.address, served.token(name))
    await bot.hello(client="\x1b[31m" + "c" * 10_000)
    async with open_channel(served) as channel:
        call = channel.unary_unary(
            "/arena.v1.AdminService/ListBots", response_deserializer=admin_pb2.ListBotsResponse.FromString
        )
        bots = (await call(b"", metadata=(("authorization", f"Bearer {served.admin_token}"),))).bots
    [info] = [info for info in bots if info.name == name]
    assert info.client.isprintable()
    assert len(info.client) == 80
    await bot.close()


@pytest.mark.parametrize("name", ["n" * 10_000, "a\nb", "\x1b[2J", "", "  ", "a/b\x00", "odds", "anyone", "a,b"])
async def test_a_bot_cannot_be_registered_under_such_a_name(served: Process, name: str) -> None:
    async with open_channel(served) as channel:
        call = channel.unary_unary(
            "/arena.v1.AdminService/AddBot", request_serializer=admin_pb2.AddBotRequest.SerializeToString
        )
        made = call(admin_pb2.AddBotRequest(name=name), metadata=(("authorization", f"Bearer {served.admin_token}"),))
        assert await made.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert len(await made.details()) <= 500


async def test_no_trace_of_the_inside_leaves_the_server(served: Process) -> None:
    """Unknown methods and services, and the standard ones with garbage: fixed texts."""
    async with open_channel(served) as channel:
        for path in ("/arena.v1.MatchService/Cheat", "/arena.v2.MatchService/Play", "/grpc.health.v1.Health/Check"):
            call = channel.unary_unary(path)(b"\xff\xff")
            details = await call.details() or ""
            assert await call.code() is not grpc.StatusCode.OK
            assert "Traceback" not in details
            assert ".py" not in details
