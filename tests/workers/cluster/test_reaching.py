"""Mistakes of addresses and certificates are told in words, before dask is asked; a worker ends with them."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from referee.rules.game import WrongUse
from referee.workers.cluster import reaching
from referee.workers.cluster.addresses import ClusterAddress
from referee.workers.cluster.certs import make_certs
from referee.workers.cluster.reaching import Mistaken, Unreachable, reach

from .processes import REFEREE, RealCluster

pytest.importorskip("distributed", reason="referee-arena[cluster] is not installed")


@pytest.fixture
def certs(tmp_path: Path) -> Path:
    make_certs(tmp_path / "certs")
    return tmp_path / "certs"


@pytest.fixture
def others(tmp_path: Path) -> Path:
    make_certs(tmp_path / "others")
    return tmp_path / "others"


@pytest.fixture(autouse=True)
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "GREETING_SECONDS", 3.0)


def address(port: int, certs: Path | None) -> ClusterAddress:
    return ClusterAddress.parse(f"127.0.0.1:{port}", certs)


@asynccontextmanager
async def listening(certs: Path | None, greeting: bytes = bytes(64)) -> AsyncIterator[int]:
    """What greets as a scheduler does, with these certificates; its port."""

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        with suppress(OSError, asyncio.CancelledError):
            await reader.read()
        writer.close()

    security = None if certs is None else ClusterAddress.parse("127.0.0.1", certs).security("scheduler")
    context = None if security is None else security.get_listen_args("scheduler")["ssl_context"]
    async with await asyncio.start_server(greet, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def test_a_scheduler_that_greets_is_reached_with_tls_and_without(certs: Path) -> None:
    for given in (None, certs):
        async with listening(given) as port:
            await reach(address(port, given), "worker")


async def test_certificates_of_another_authority_are_a_mistake(certs: Path, others: Path) -> None:
    async with listening(certs) as port:
        with pytest.raises(Mistaken, match=r"its certificate is not of the authority in .*others/ca\.pem"):
            await reach(address(port, others), "client")


async def test_a_scheduler_that_does_not_accept_a_certificate_is_heard(certs: Path, others: Path) -> None:
    """It trusts another authority than the one that its own certificate is of."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certs / "scheduler.pem", certs / "scheduler-key.pem")
    context.load_verify_locations(others / "ca.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    async with await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0, ssl=context) as server:
        with pytest.raises(Unreachable, match=r"it does not accept .*worker\.pem|it closes the connection at once"):
            await reach(address(server.sockets[0].getsockname()[1], certs), "worker", patience=0)


async def test_tls_on_one_side_only_is_a_mistake_on_either_side(certs: Path) -> None:
    async with listening(None) as port:
        with pytest.raises(Mistaken, match="it does not speak TLS"):
            await reach(address(port, certs), "worker")
    async with listening(certs) as port:
        with pytest.raises(Mistaken, match=rf"it speaks TLS: write tls://127\.0\.0\.1:{port} and name --certs"):
            await reach(address(port, None), "worker")


async def test_what_says_nothing_is_no_scheduler(certs: Path) -> None:
    async with listening(None, greeting=b"") as port:
        for given in (None, certs):
            with pytest.raises(Unreachable, match=r"it says nothing|it closes"):
                await reach(address(port, given), "worker", patience=0)


async def test_nothing_listens_there(certs: Path) -> None:
    async with listening(None) as port:
        pass
    with pytest.raises(Unreachable, match="connection refused"):
        await reach(address(port, certs), "worker", patience=0)
    with pytest.raises(Unreachable, match=r"there is no host no\.such\.host\.invalid"):
        await reach(ClusterAddress.parse("no.such.host.invalid", certs), "worker")


async def test_a_certificate_that_has_expired_is_named(certs: Path, tmp_path: Path) -> None:
    async with listening(certs) as port:
        make_certs(tmp_path / "old", days=0)
        with pytest.raises(WrongUse, match="has expired"):
            await reach(address(port, tmp_path / "old"), "worker")


@pytest.mark.timeout(600)
def test_a_person_hears_of_other_certificates_in_one_sentence(certs: Path, others: Path, tmp_path: Path) -> None:
    cluster = RealCluster(tmp_path, certs)
    try:
        beside = ["--certs", str(others)]
        run = [*REFEREE, "run", "flip7", "odds", "cautious", "random", "--cluster", cluster.address, *beside]
        worker = [*REFEREE, "worker", "--scheduler", cluster.address, "--no-sandbox", *beside]
        for words in (run, worker):
            ended = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
            assert ended.returncode == 3, ended.stderr
            assert ended.stderr == (
                f"error: the scheduler {cluster.address} cannot be used: its certificate is not of the authority in "
                f"{others}/ca.pem: all machines need certificates that were made together\n"
            )
    finally:
        cluster.close()
