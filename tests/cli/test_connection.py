"""A command that cannot reach the server it was told of says why, in the same words whichever way it asks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.v1 import admin_pb2
from referee.cli import connection
from referee.cli.errors import Failure

from ..waiting import PATIENCE
from .conftest import Referee

NOBODY = "127.0.0.1:1"


@pytest.mark.parametrize(
    "command",
    [
        ("leaderboard",),
        ("leaderboard", "--once"),
        ("leaderboard", "--json"),
        ("tournament", "list"),
        ("tournament", "pause", "league"),
        ("bot", "list"),
        ("match", "flip7", "random", "random", "random"),
    ],
    ids=" ".join,
)
class TestWhatIsWrongWithTheWayToTheServer:
    def test_a_certificate_that_is_not_there(self, referee: Referee, command: tuple[str, ...], tmp_path: Path) -> None:
        done = referee(*command, "--server", NOBODY, "--ca", tmp_path / "no.pem")
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: cannot read {tmp_path / 'no.pem'}: No such file or directory\n"

    def test_a_file_without_a_certificate(self, referee: Referee, command: tuple[str, ...], tmp_path: Path) -> None:
        garbage = tmp_path / "garbage.pem"
        garbage.write_text("no certificate at all\n")
        done = referee(*command, "--server", NOBODY, "--ca", garbage)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: {garbage} holds no certificate (PEM)\n"

    def test_what_is_no_address(self, referee: Referee, command: tuple[str, ...]) -> None:
        done = referee(*command, "--server", "no address")
        assert (done.code, done.out) == (2, "")
        assert done.err == "error: 'no address' is not an address: write HOST:PORT or unix:PATH\n"

    def test_nobody_there(self, referee: Referee, command: tuple[str, ...]) -> None:
        done = referee(*command, "--server", NOBODY)
        said = f"no Referee server answers at {NOBODY}: start one with 'referee serve'"
        assert (done.code, done.err) == (3, f"error: {said}\n")
        if "--json" in command:
            assert done.json == {"error": said, "exit_code": 3}
        else:
            assert done.out == ""


class SlowAdmin:
    """A server that takes as long for a schedule as the test likes."""

    def __init__(self) -> None:
        self.asked, self.ready = threading.Event(), threading.Event()

    def CreateTournament(self, request: Any, context: Any) -> Any:
        self.asked.set()
        assert self.ready.wait(PATIENCE)
        return admin_pb2.CreateTournamentResponse(name=request.name, matches=120_000, commitment="c")


@pytest.fixture
def slow() -> Iterator[tuple[SlowAdmin, str]]:
    admin, server = SlowAdmin(), grpc.server(ThreadPoolExecutor(2))
    method = grpc.unary_unary_rpc_method_handler(
        admin.CreateTournament,
        admin_pb2.CreateTournamentRequest.FromString,
        admin_pb2.CreateTournamentResponse.SerializeToString,
    )
    handlers = grpc.method_handlers_generic_handler("arena.v1.AdminService", {"CreateTournament": method})
    server.add_generic_rpc_handlers((handlers,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield admin, f"127.0.0.1:{port}"
    admin.ready.set()
    server.stop(None).wait()


def test_long_work_of_a_server_is_waited_for_and_told(
    slow: tuple[SlowAdmin, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No deadline: a schedule that takes longer than other calls may is no failure."""
    admin, address = slow
    monkeypatch.setattr(connection, "SECONDS", 0.001)
    monkeypatch.setattr(connection, "TELL_EVERY", 0.01)
    told: list[str] = []

    class Console:
        def print(self, text: str, **_: object) -> None:
            told.append(text)
            if len(told) == 3:
                admin.ready.set()

    monkeypatch.setattr(connection, "stderr_console", Console)
    request = admin_pb2.CreateTournamentRequest(name="league")
    made = connection.call(address, "t", None, "AdminService", "CreateTournament", request)
    assert (made.name, made.matches) == ("league", 120_000)
    assert told[0].startswith("… the server works out and stores the schedule (0 s)")
    assert len(told) >= 3


def test_other_calls_have_a_deadline(slow: tuple[SlowAdmin, str], monkeypatch: pytest.MonkeyPatch) -> None:
    _admin, address = slow
    monkeypatch.setattr(connection, "LONG", {})
    monkeypatch.setattr(connection, "SECONDS", 0.01)
    request = admin_pb2.CreateTournamentRequest(name="league")
    with pytest.raises(Failure, match="did not answer as it should"):
        connection.call(address, "t", None, "AdminService", "CreateTournament", request)
