"""Many connections: strangers cannot use up what bots, the database and honest spectators need."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.v1 import admin_pb2, admin_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from referee.hall.places import address_of
from referee.net import connection_limits, health_and_reflection
from referee.net.connection_limits import ConnectionLimiter, room_for
from referee.net.limits import Limits
from referee.net.open_calls import Calls, endpoint_of
from referee.net.open_connections import Connection, Connections

from ..waiting import PATIENCE, eventually, soon
from .conftest import Process, Server, serving
from .elsewhere import PREFACE, dial, door_at, is_open
from .steady import steady


def open_ones(connections: list[socket.socket]) -> int:
    return sum(is_open(connection) for connection in connections)


# The whole of it.


async def test_with_all_descriptors_asked_for_bots_log_in_and_the_tournament_goes_on(tmp_path: Path) -> None:
    process = Process(tmp_path, "--concurrency", "2", files=256)
    assert "at most 128 connections at a time, fewer than max_bots (2000), for 'ulimit -n' is 256" in process.said
    token = process.token("alice")
    with ExitStack() as stack, grpc.insecure_channel(process.address) as channel:
        stack.callback(process.stop)
        admin: Any = admin_pb2_grpc.AdminServiceStub(channel)
        league = admin_pb2.CreateTournamentRequest(
            name="league", game="stop_me_go", players=2, bots=["patient", "patient"], rounds=2000, start=True
        )
        metadata = (("authorization", f"Bearer {process.admin_token}"),)
        await asyncio.to_thread(admin.CreateTournament, league, metadata=metadata, timeout=PATIENCE)
        watch: Any = tournament_pb2_grpc.TournamentServiceStub(channel)

        def done() -> int:
            request = tournament_pb2.ListTournamentsRequest()
            return int(watch.ListTournaments(request, timeout=PATIENCE).tournaments[0].matches_done)

        crowd = [stack.enter_context(dial(process.address, f"127.0.0.{2 + n % 3}")) for n in range(300)]
        before = await asyncio.to_thread(done)
        # Of each address a quarter of the room is left, and of all together three quarters.
        await asyncio.to_thread(eventually, lambda: open_ones(crowd) <= 96, PATIENCE)
        async with steady(process.address, token) as bot:
            crowd += [stack.enter_context(dial(process.address, f"127.0.0.{2 + n % 3}")) for n in range(100)]
            await bot.plays_on(20, PATIENCE)
            await asyncio.to_thread(eventually, lambda: open_ones(crowd) <= 96, PATIENCE)
            await bot.plays_on(20, PATIENCE)
        await asyncio.to_thread(eventually, lambda: done() > before, PATIENCE)
        assert process.child.poll() is None
    assert "Traceback" not in process.said


# Too many from one address.


async def test_bots_count_for_no_address_and_are_never_the_ones_to_end(tmp_path: Path) -> None:
    async with serving(tmp_path, Limits(connections_per_address=3)) as server:
        bots = await server.bots("alice", "bob", "carol", "dave")
        with ExitStack() as stack:
            crowd = [stack.enter_context(dial(server.address)) for _ in range(12)]
            await soon(lambda: open_ones(crowd) <= 3, PATIENCE)
            late = await server.bot("erin")
            match = server.sit("alice", "erin")
            await asyncio.gather(bots[0].play(), late.play())
            assert match.ending is not None
            assert all(server.session(name).connected for name in ("alice", "bob", "carol", "dave", "erin"))


async def test_an_address_with_too_many_keeps_no_other_out(tmp_path: Path) -> None:
    async with serving(tmp_path, Limits(connections_per_address=3)) as server:
        with ExitStack() as stack:
            crowd = [stack.enter_context(dial(server.address, "127.0.0.2")) for _ in range(12)]
            others = [stack.enter_context(dial(server.address, "127.0.0.3")) for _ in range(3)]
            await soon(lambda: open_ones(crowd) <= 3, PATIENCE)
            assert open_ones(others) == 3


@pytest.mark.parametrize("first", [b"", PREFACE, None], ids=["tcp", "preface", "settings"])
async def test_a_connection_on_which_nothing_is_called_ends(
    server: Server, monkeypatch: pytest.MonkeyPatch, first: bytes | None
) -> None:
    called: list[int] = []
    judge = ConnectionLimiter.surplus

    def look(limiter: ConnectionLimiter, connections: list[Connection], now: float) -> list[Connection]:
        ended = judge(limiter, connections, now)
        called.append(sum(one.heard for one in connections))
        return ended

    monkeypatch.setattr(ConnectionLimiter, "surplus", look)
    await server.bot("alice")
    async with grpc.aio.insecure_channel(server.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        await health.Check(health_pb2.HealthCheckRequest())
        await soon(lambda: 2 in called)  # the limiter has seen both
        monkeypatch.setattr(connection_limits, "SILENT_SECONDS", 0.2)
        with dial(server.address) if first is None else dial(server.address, first=first) as silent:
            await soon(lambda: not is_open(silent), PATIENCE)
        assert channel.get_state() is grpc.ChannelConnectivity.READY  # something was called here once
        assert server.session("alice").connected


# The standard services.


async def test_streams_of_the_standard_services_are_few_and_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = health_and_reflection.MOST_STREAMS_PER_ADDRESS
    async with grpc.aio.insecure_channel(server.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = reflection_pb2.ServerReflectionRequest(list_services="")
        watching = [health.Watch(health_pb2.HealthCheckRequest()) for _ in range(most)]
        asking = [reflection.ServerReflectionInfo() for _ in range(most)]
        for stream in watching:
            assert (await stream.read()).status == health_pb2.HealthCheckResponse.SERVING
        for stream in asking:
            await stream.write(asked)
            assert (await stream.read()).list_services_response.service
        for refused in (health.Watch(health_pb2.HealthCheckRequest()), reflection.ServerReflectionInfo()):
            assert await refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "8 such streams are open from your address" in await refused.details()
        async with door_at(server.address, "127.0.0.2") as door, grpc.aio.insecure_channel(door) as elsewhere:
            other: Any = health_pb2_grpc.HealthStub(elsewhere)
            assert (await other.Watch(health_pb2.HealthCheckRequest()).read()).status
        for stream in (*watching, *asking):
            stream.cancel()
        wire = server.referee._wire
        await soon(lambda: wire._health._places.taken == wire._reflection._places.taken == 0)
        monkeypatch.setattr(health_and_reflection, "WATCH_SECONDS", 0.1)
        monkeypatch.setattr(health_and_reflection, "REFLECTION_SECONDS", 0.1)
        for short in (health.Watch(health_pb2.HealthCheckRequest()), reflection.ServerReflectionInfo()):
            async with asyncio.timeout(PATIENCE):
                assert await how_it_ended(short) == (
                    grpc.StatusCode.UNAVAILABLE,
                    health_and_reflection.LONG_ENOUGH.text,
                )


async def how_it_ended(stream: Any) -> tuple[grpc.StatusCode, str | None]:
    try:
        async for _ in stream:
            pass
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details()
    return grpc.StatusCode.OK, None


# Which ones end.


def connection(number: int, host: str, since: float) -> Connection:
    return Connection(number, number, host, f"{host} {number}", since)


async def test_who_has_nothing_going_ends_first_and_the_oldest_of_them_first_of_all() -> None:
    calls = Calls()
    limiter = ConnectionLimiter(0, calls, Limits(connections_per_address=3), 1000)
    ones = [connection(number, "192.0.2.1", float(number)) for number in range(6)]
    for one in ones:
        calls.begin(f"ipv4:192.0.2.1:{one.inode}")
    for one in ones[1:]:
        calls.end(f"ipv4:192.0.2.1:{one.inode}")
    limiter._counted = 10.0
    with calls.bot("ipv4:192.0.2.1:2"):
        assert [one.inode for one in limiter.surplus(ones, 10.0)] == [3, 1]
    limiter.close()


async def test_where_it_is_too_many_in_all_every_address_keeps_as_many() -> None:
    limiter = ConnectionLimiter(
        0, Calls(), Limits(connections_per_address=100), 16
    )  # twelve for strangers, four per address
    ones = [connection(100 * host + number, f"192.0.2.{host}", 0.0) for host in range(6) for number in range(host)]
    left = set(range(len(ones))) - {ones.index(one) for one in limiter.surplus(ones, 1.0)}
    kept = [sum(ones[place].host == f"192.0.2.{host}" for place in left) for host in range(6)]
    assert kept == [0, 1, 2, 3, 3, 3]
    limiter.close()


async def test_of_an_address_that_calls_too_often_the_busiest_connections_end() -> None:
    calls = Calls()
    limiter = ConnectionLimiter(0, calls, Limits(), 1000)
    made = {1: 1500, 2: 1, 3: 900, 4: 2000}
    ones = [connection(number, "192.0.2.1", 0.0) for number in made] + [connection(5, "192.0.2.2", 0.0)]

    def call(host: str, port: int, times: int) -> None:
        for _ in range(times):
            calls.begin(f"ipv4:{host}:{port}")
            calls.end(f"ipv4:{host}:{port}")

    now = limiter._counted
    with calls.bot("ipv4:192.0.2.1:4"):  # whatever a bot does is judged elsewhere
        for number, times in made.items():
            call("192.0.2.1", number, times)
        call("192.0.2.2", 5, 2000)
        assert [one.inode for one in limiter.surplus(ones, now)] == [1]
        call("192.0.2.1", 3, int(connection_limits.CALLS_PER_SECOND / 10) + 1)
        assert limiter.surplus(ones, now + 0.1) == [ones[2]]  # nothing was left but what has come in since
        call("192.0.2.1", 3, int(connection_limits.CALLS_PER_SECOND / 2))
        assert limiter.surplus(ones, now + 1.1) == []
        assert limiter.surplus(ones, now + 60) == []
    assert not limiter._allowances  # whoever keeps quiet is forgotten
    limiter.close()


def test_what_counts_as_one_address() -> None:
    assert address_of("ipv4:192.0.2.1:5") == address_of("ipv6:%5B::ffff:192.0.2.1%5D:6") == "192.0.2.1"
    assert address_of("ipv6:%5B2001:db8::1%5D:5") == address_of("ipv6:%5B2001:db8::ffff:2%5D:6")
    assert address_of("ipv6:%5B2001:db8::1%5D:5") != address_of("ipv6:%5B2001:db8:0:1::1%5D:5")
    assert address_of("unix:/tmp/x") is None
    assert endpoint_of("ipv6:%5B::ffff:192.0.2.1%5D:6") == endpoint_of("ipv4:192.0.2.1:6")


def test_connections_leave_descriptors_for_everything_else() -> None:
    assert room_for(Limits(), 65536) == 5000
    assert room_for(Limits(), 1024) == 1024 - 128
    assert room_for(Limits(), 64) == 32


def test_a_connection_is_ended_only_as_long_as_it_is_the_one_that_was_seen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        seen = Connections(port)
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted = listening.accept()[0]
            [found] = seen.look(0.0)
            assert found.where == f"127.0.0.1 {client.getsockname()[1]}"
            before = len(os.listdir("/proc/self/fd"))
            # Another connection takes its descriptor.
            with socket.create_connection(("127.0.0.1", port)) as second:
                other = listening.accept()[0]
                os.dup2(other.fileno(), accepted.fileno())
                assert not seen.end(found)
                assert is_open(second)
                assert seen.end(seen.look(1.0)[0])
                assert not is_open(second)
                other.close()
            assert len(os.listdir("/proc/self/fd")) == before
            accepted.close()
        seen.close()
