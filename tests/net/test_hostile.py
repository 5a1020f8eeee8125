"""Hostile input through the real socket of a real server: a fixed status, and nobody else disturbed."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import socket
import struct
from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import admin_pb2
from arena.v1 import match_pb2 as pb

from .conftest import Process
from .raw import PLAY, Raw
from .steady import Steady, steady

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes.fromhex("000000040000000000")
NAMES = (f"bot{number}" for number in itertools.count())


@pytest.fixture
async def good(served: Process) -> AsyncIterator[Steady]:
    """A bot that plays as it should before, during and after what the test does."""
    async with steady(served.address, served.token(next(NAMES))) as bot:
        yield bot


@pytest.fixture
async def bad(served: Process) -> AsyncIterator[Raw]:
    """A registered bot that has said hello."""
    bot = Raw(served.address, served.token(next(NAMES)))
    await bot.hello()
    yield bot
    await bot.close()


def open_channel(served: Process) -> Any:
    return grpc.aio.insecure_channel(served.address, options=[("grpc.use_local_subchannel_pool", 1)])


async def refused(bot: Raw) -> tuple[grpc.StatusCode, str]:
    """How a stream ends that was turned down before anything was said."""
    bot.listen()
    status = await bot.status()
    await bot.close()
    return status


async def flood(served: Process, frames: Iterable[bytes], first: bytes | None = None) -> tuple[grpc.StatusCode, str]:
    """Send all this without a pause, after a hello; how the stream ended."""
    hello = pb.PlayRequest(bodies=[pb.Up(hello=pb.Hello(protocol_version=1))]).SerializeToString()
    token = served.token(next(NAMES))

    def send() -> tuple[grpc.StatusCode, str]:
        with grpc.insecure_channel(served.address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            method: Any = channel.stream_stream(PLAY)
            call = method(
                itertools.chain([hello], frames), metadata=(("authorization", f"Bearer {token}"),), timeout=20
            )
            try:
                for _ in call:
                    pass
            except grpc.RpcError:
                pass
            return call.code(), call.details()

    return await asyncio.to_thread(send)


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
        assert await made.details() == "the action must be START, PAUSE, RESUME or CANCEL"


async def test_an_empty_body_means_nothing(bad: Raw) -> None:
    await bad.send_all(pb.Up(), pb.Up())
    await bad.send_bytes(b"")
    await bad.send(hello=pb.Hello(protocol_version=1))
    assert (await bad.hear("notice")).code == "ignored"


async def test_an_empty_first_message_is_no_hello(served: Process) -> None:
    for first in (b"", pb.PlayRequest(bodies=[pb.Up()]).SerializeToString()):
        bot = Raw(served.address, served.token(next(NAMES)))
        bot.listen()
        await bot.send_bytes(first)
        assert await bot.status() == (grpc.StatusCode.INVALID_ARGUMENT, "the first body of a stream must be Hello")
        await bot.close()


async def test_a_message_of_5_mib_is_not_read(served: Process, bad: Raw, good: Steady) -> None:
    before = served.memory
    await bad.send(act=pb.Act(match="m", decision=1, move="x" * (5 << 20)))
    code, text = await bad.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "larger than max" in text
    assert served.memory < before + 20


async def test_compressed_messages_are_refused_unread(served: Process) -> None:
    bot = Raw(served.address, served.token(next(NAMES)), compression=grpc.Compression.Gzip)
    assert await refused(bot) == (grpc.StatusCode.UNIMPLEMENTED, "Compression algorithm 'gzip' is disabled.")


async def test_a_message_that_unpacks_to_something_huge_is_not_unpacked(served: Process, good: Steady) -> None:
    """Sent by hand: no library would go on after the refusal."""
    before = served.memory
    bomb = gzip.compress(bytes(64 << 20), 9)
    fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", PLAY),
        (":authority", "x"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        ("grpc-encoding", "gzip"),
        ("authorization", f"Bearer {served.token(next(NAMES))}"),
    ]
    block = b"".join(b"\x00" + bytes([len(k)]) + k.encode() + bytes([len(v)]) + v.encode() for k, v in fields)
    message = b"\x01" + struct.pack(">I", len(bomb)) + bomb

    def explode() -> None:
        with dial(served) as connection:
            connection.sendall(PREFACE + SETTINGS + frame(1, 4, 1, block))
            try:
                for start in range(0, len(message), 16384):
                    connection.sendall(frame(0, 0, 1, message[start : start + 16384]))
                is_closed_within(connection, 0.5)
            except OSError:
                pass

    await asyncio.to_thread(explode)
    await good.plays_on(20)
    assert served.memory < before + 20


async def test_huge_metadata_is_refused(served: Process, good: Steady) -> None:
    bot = Raw(served.address, served.token(next(NAMES)), metadata=[("x-filler", "y" * 100_000)])
    code, _ = await refused(bot)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_long_list_of_bodies_is_flooding(served: Process, bad: Raw, good: Steady) -> None:
    before = served.memory
    await bad.send_bytes(b"\x0a\x00" * 500_000)
    assert await bad.status() == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too many messages; answer each question once",
    )
    assert served.memory < before + 80


def frames_of(body: pb.Up, count: int) -> Iterable[bytes]:
    return itertools.repeat(pb.PlayRequest(bodies=[body]).SerializeToString(), count)


FLOODED = (grpc.StatusCode.RESOURCE_EXHAUSTED, "too many messages; answer each question once")


async def test_a_flood_of_moves_ends_the_stream(served: Process, good: Steady) -> None:
    before = served.memory
    moves = frames_of(pb.Up(act=pb.Act(match="m", decision=1, move="hit")), 50_000)
    assert await flood(served, moves) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too many answers to matches of others",
    )
    assert served.memory < before + 20


async def test_a_flood_of_empty_messages_ends_the_stream(served: Process, good: Steady) -> None:
    assert await flood(served, itertools.repeat(b"", 50_000)) == FLOODED


async def test_a_flood_of_wishes_ends_the_stream(served: Process, good: Steady) -> None:
    wish = pb.Up(practice=pb.Practice(game="flip7", against=["anyone", "anyone"]))
    assert await flood(served, frames_of(wish, 20_000)) == FLOODED


async def test_a_flood_of_wishes_with_large_options_ends_the_stream(served: Process, good: Steady) -> None:
    options = json.dumps({"target_score": [1] * 5_000})
    wish = pb.Up(practice=pb.Practice(game="flip7", against=["random", "random"], options_json=options))
    frame = pb.PlayRequest(bodies=[wish] * 60).SerializeToString()
    assert await flood(served, [frame]) == FLOODED


async def test_a_flood_of_wishes_for_what_there_is_not_ends_the_stream(served: Process, good: Steady) -> None:
    wish = pb.Up(practice=pb.Practice(game="flip7", against=["nobody", "random"]))
    frame = pb.PlayRequest(bodies=[wish] * 100).SerializeToString()
    assert await flood(served, [frame]) == FLOODED


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
    assert notice.code == "refused"
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


# Below gRPC.


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def dial(served: Process) -> socket.socket:
    host, _, port = served.address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=10)


def is_closed_within(connection: socket.socket, seconds: float) -> bool:
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


async def test_a_flood_of_pings_is_sent_away(served: Process, good: Steady) -> None:
    ping = frame(6, 0, 0, b"pingpong")

    def attack() -> bool:
        with dial(served) as connection:
            connection.sendall(PREFACE + SETTINGS)
            try:
                for _ in range(200):
                    connection.sendall(ping * 50)
            except OSError:
                return True
            return is_closed_within(connection, 5)

    assert await asyncio.to_thread(attack)


async def test_a_flood_of_settings_disturbs_nobody(served: Process, good: Steady) -> None:
    before = served.memory

    def attack() -> None:
        with dial(served) as connection:
            try:
                connection.sendall(PREFACE + SETTINGS)
                for _ in range(200):
                    connection.sendall(SETTINGS * 100)
            except OSError:
                pass

    await asyncio.to_thread(attack)
    assert served.memory < before + 20


@pytest.mark.parametrize("first", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", bytes(4096)])
async def test_another_protocol_is_turned_away(served: Process, first: bytes) -> None:
    def knock() -> bool:
        with dial(served) as connection:
            connection.sendall(first)
            return is_closed_within(connection, 12)

    assert await asyncio.to_thread(knock)


async def test_a_frame_that_claims_to_be_huge_is_turned_away(served: Process, good: Steady) -> None:
    def knock() -> bool:
        with dial(served) as connection:
            connection.sendall(PREFACE + SETTINGS + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01")
            return is_closed_within(connection, 5)

    assert await asyncio.to_thread(knock)


async def test_who_says_nothing_is_sent_away(served: Process, good: Steady) -> None:
    """Sockets that stay silent, and a bot that never says hello."""
    before = served.memory
    sockets = [dial(served) for _ in range(100)]
    bot = Raw(served.address, served.token(next(NAMES)))
    bot.listen()
    await good.plays_on(20)
    assert served.memory < before + 40
    closed = asyncio.to_thread(lambda: all(is_closed_within(connection, 12) for connection in sockets))
    assert await bot.status(15) == (grpc.StatusCode.DEADLINE_EXCEEDED, "no Hello within 10 seconds")
    assert await closed
    await bot.close()
    for connection in sockets:
        connection.close()


async def test_thousands_of_streams_disturb_nobody(served: Process, good: Steady) -> None:
    before = served.memory
    token = served.token(next(NAMES))
    async with open_channel(served) as channel:
        metadata = (("authorization", f"Bearer {token}"),)
        calls = [channel.stream_stream(PLAY)(metadata=metadata) for _ in range(2000)]
        await good.plays_on(20)
        assert served.memory < before + 60
        for call in calls:
            call.cancel()
    await good.plays_on(20)


async def test_thousands_of_garbage_tokens_disturb_nobody(served: Process, good: Steady) -> None:
    before = served.memory
    async with open_channel(served) as channel:
        calls = [
            channel.stream_stream(PLAY)(metadata=(("authorization", f"Bearer {number:064x}"),))
            for number in range(1000)
        ]
        codes = await asyncio.gather(*[call.code() for call in calls])
    # More than 64 at once are not even heard (REFUSED_STREAM, which gRPC shows as UNAVAILABLE).
    assert set(codes) <= {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNAVAILABLE}
    assert codes.count(grpc.StatusCode.UNAUTHENTICATED) >= 64
    assert served.memory < before + 40


async def test_a_bot_that_never_reads_holds_up_nobody(served: Process, good: Steady) -> None:
    """It asks for answers without end and reads none: what the server keeps for it is bounded."""
    bot = Raw(served.address, served.token(next(NAMES)))
    before = served.memory
    await bot.send(hello=pb.Hello(protocol_version=1))
    for _ in range(450):
        await bot.send(hello=pb.Hello(protocol_version=1, client="x" * 1000))
    await good.plays_on(50)
    assert served.memory < before + 20
    await bot.close()


async def test_no_trace_of_the_inside_leaves_the_server(served: Process) -> None:
    """Unknown methods and services, and the standard ones with garbage: fixed texts."""
    async with open_channel(served) as channel:
        for path in ("/arena.v1.MatchService/Cheat", "/arena.v2.MatchService/Play", "/grpc.health.v1.Health/Check"):
            call = channel.unary_unary(path)(b"\xff\xff")
            details = await call.details() or ""
            assert await call.code() is not grpc.StatusCode.OK
            assert "Traceback" not in details
            assert ".py" not in details


async def test_the_log_knows_of_no_unexpected_error(served: Process) -> None:
    """Whatever the tests before did, none of it was a surprise to the server. (Runs last in this file.)"""
    assert served.child.poll() is None
    served.stop()
    assert "unexpected error" not in served.said
    assert "Traceback" not in served.said
