"""An entrant exports and verifies a tournament over the network, and needs no file from the host."""

from __future__ import annotations

import asyncio
import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import grpc
import pytest

from arena.v1 import tournament_pb2 as pb
from arena.v1 import tournament_pb2_grpc
from referee.cli.main import main
from referee.store import Store
from referee.tournament.audit import folder
from referee.tournament.audit.verify import verify
from referee.tournament.standings import from_store

from .conftest import serving


def referee(*words: object) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a server with a finished tournament and one that was not started."""
    db = tmp_path / "test.db"
    plan = ("--game", "stop_me_go", "--rounds", 3, "--bots", "random,patient", "--seed", "a secret", "--db", db)
    for name in ("league", "later"):
        assert referee("tournament", "create", name, *plan)[0] == 0
    assert referee("tournament", "start", "league", "--db", db)[0] == 0
    return tmp_path


async def test_what_is_fetched_is_what_the_host_exports(home: Path) -> None:
    assert referee("export", "league", home / "hosts", "--db", home / "test.db")[0] == 0
    async with serving(home) as server:
        words = ("export", "league", home / "mine", "--csv", home / "mine.csv", "--server", server.address)
        code, said, err = await asyncio.to_thread(referee, *words)
        assert (code, "with 3 records" in said) == (0, True), err
        code, said, err = await asyncio.to_thread(referee, "verify", "league", "--server", server.address, "--json")
        assert code == 0, err
        for name, message in (("nobody", "there is no tournament named nobody"), ("", "there is no tournament")):
            code, _, err = await asyncio.to_thread(referee, "verify", name, "--server", server.address)
            assert (code, message in err) == (2, True), err
    with Store.open(home / "test.db") as store:
        assert json.loads(said)[0]["digest"] == from_store(store, "league").digest
    for path in (home / "hosts").rglob("*"):
        if path.is_file():
            assert (home / "mine" / path.relative_to(home / "hosts")).read_bytes() == path.read_bytes()
    assert len((home / "mine.csv").read_text().splitlines()) == 1 + 3 * 2


async def test_the_secrets_of_a_tournament_that_is_not_over_are_not_told(home: Path) -> None:
    with Store.open(home / "test.db") as store:
        secret = store.tournaments.secret(2)
    async with serving(home) as server:
        code, _, err = await asyncio.to_thread(referee, "export", "later", home / "mine", "--server", server.address)
        assert code == 0, err
    told = "".join(path.read_text() for path in (home / "mine").iterdir() if path.is_file())
    assert secret.salt is not None
    assert not any(word in told for word in (secret.root.hex(), secret.salt.hex(), "a secret"))
    assert verify(folder.read(home / "mine")).open == 3


async def test_the_journal_alone_can_be_fetched_and_many_exports_at_once_are_refused(home: Path) -> None:
    async with serving(home) as server, grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        request = pb.ExportTournamentRequest(tournament="league", without_records=True)
        pieces = [piece async for piece in stub.ExportTournament(request)]
        assert sum(len(piece.schedule) for piece in pieces) == 3
        assert not any(piece.records for piece in pieces)
        calls = [stub.ExportTournament(request) for _ in range(30)]
        codes = set()
        for call in calls:
            try:
                _ = [piece async for piece in call]
            except grpc.aio.AioRpcError as error:
                codes.add(error.code())
        assert codes <= {grpc.StatusCode.RESOURCE_EXHAUSTED}


async def test_a_match_of_a_tournament_is_no_practice_match(home: Path) -> None:
    """Rows are numbered together; a record of a tournament is found by its name there only."""
    async with serving(home) as server, grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        assert (await stub.GetRecord(pb.GetRecordRequest(match_id="league/0"))).record_json
        for number in range(8):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.GetRecord(pb.GetRecordRequest(match_id=f"practice/{number}"))
            assert refused.value.code() is grpc.StatusCode.NOT_FOUND
