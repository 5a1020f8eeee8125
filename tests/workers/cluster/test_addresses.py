"""Addresses of schedulers: TLS is the rule, and what is wrong is told in a sentence."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from referee.rules.game import WrongUse
from referee.workers.cluster.addresses import ClusterAddress
from referee.workers.cluster.certs import make_certs


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("tcp://127.0.0.1:9000", "tcp://127.0.0.1:9000"),
        ("127.0.0.1", "tcp://127.0.0.1:8786"),
        ("tcp://localhost:1", "tcp://localhost:1"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_an_address_of_this_machine_needs_no_certificate(text: str, read: str) -> None:
    assert str(ClusterAddress.parse(text, None)) == read


@pytest.mark.parametrize("text", ["tcp://10.0.0.5:8786", "tcp://scheduler:8786", "0.0.0.0:8786", "tcp://[::]:8786"])
def test_a_public_address_without_tls_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="public and without TLS"):
        ClusterAddress.parse(text, None)


@pytest.mark.parametrize(
    ("text", "certs", "said"),
    [
        ("http://10.0.0.5:8786", None, "starts with http"),
        ("tls://10.0.0.5:8786", None, "needs certificates"),
        ("tcp://127.0.0.1:x", None, "is not an address"),
        ("tcp://127.0.0.1:99999", None, "is not an address"),
        ("tcp://:8786", None, "is not an address"),
        ("tcp://127.0.0.1:8786", Path("certs"), "speaks no TLS, but --certs is given"),
    ],
)
def test_what_is_no_address_is_told(text: str, certs: Path | None, said: str) -> None:
    with pytest.raises(WrongUse, match=said):
        ClusterAddress.parse(text, certs)


def test_certificates_are_for_their_owner_only_and_fit_together(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    made = make_certs(tmp_path / "certs")
    assert stat.S_IMODE((tmp_path / "certs").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o600}
    address = ClusterAddress.parse("10.0.0.5", tmp_path / "certs")
    assert str(address) == "tls://10.0.0.5:8786"
    for role in ("client", "scheduler", "worker"):
        assert address.security(role).require_encryption
    with pytest.raises(WrongUse, match="is there already"):
        make_certs(tmp_path / "certs")
    make_certs(tmp_path / "others")
    (tmp_path / "certs" / "worker-key.pem").write_bytes((tmp_path / "others" / "worker-key.pem").read_bytes())
    with pytest.raises(WrongUse, match="do not belong together"):
        address.security("worker")
    for file in ("worker.pem", "worker-key.pem"):
        (tmp_path / "certs" / file).write_bytes((tmp_path / "others" / file).read_bytes())
    with pytest.raises(WrongUse, match=r"worker\.pem is not of the authority in .*ca\.pem"):
        address.security("worker")
    (tmp_path / "certs" / "client.pem").unlink()
    with pytest.raises(WrongUse, match=r"cannot read .*client\.pem"):
        address.security("client")


def test_a_certificate_that_has_expired_is_told_before_anything_is_connected(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    make_certs(tmp_path / "certs", days=0)
    with pytest.raises(WrongUse, match=r"worker\.pem has expired: 'referee cluster certs DIR' makes new ones"):
        ClusterAddress.parse("10.0.0.5", tmp_path / "certs").security("worker")
