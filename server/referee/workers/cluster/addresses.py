"""Addresses of a scheduler (tls://HOST:PORT, tcp://HOST:PORT) and the TLS files with which it is spoken to.

TLS is the rule. Without it only an address of this machine is allowed: a scheduler of dask runs what it is sent, so
whoever reaches one that asks for no certificate owns it and all its workers.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.listening import is_public
from referee.rules.game import WrongUse

DEFAULT_PORT = 8786
CA = "ca.pem"
ROLES = ("client", "scheduler", "worker")
ABOUT = "an address of a scheduler is tls://HOST:PORT, such as tls://10.0.0.5:8786"
EXPIRED, NOT_YET_VALID = 10, 9
"""OpenSSL's numbers of what is wrong with a certificate."""
HOW_TO_GET_CERTS = "'referee cluster certs DIR' makes them, --certs DIR (or REFEREE_CERTS) names them"


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """A scheduler, and the folder of certificates with which it is reached, if it speaks TLS."""

    scheme: str
    host: str
    port: int
    certs: Path | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @classmethod
    def parse(cls, text: str, certs: Path | None) -> ClusterAddress:
        """Read an address; WrongUse if it is none, or a public one without TLS."""
        scheme, slashes, rest = text.strip().rpartition("://")
        if not slashes:
            scheme = "tls" if certs is not None else "tcp"
        if scheme not in ("tcp", "tls"):
            raise WrongUse(f"{text!r} starts with {scheme}://; {ABOUT}")
        host, colon, port = rest.rpartition(":")
        if not colon:
            host, port = rest, str(DEFAULT_PORT)
        host = host.strip("[]")
        if not host or "/" in rest or not port.isdecimal() or not 0 <= int(port) < 65536:
            raise WrongUse(f"{text!r} is not an address: {ABOUT}")
        if scheme == "tls" and certs is None:
            raise WrongUse(f"{text} needs certificates: {HOW_TO_GET_CERTS}")
        if scheme == "tcp":
            if is_public(f"{host}:{port}"):
                raise WrongUse(
                    f"{text} is public and without TLS, and a scheduler runs what it is sent: use tls://{host}:{port} "
                    f"with certificates ({HOW_TO_GET_CERTS})"
                )
            if certs is not None:
                raise WrongUse(f"{text} speaks no TLS, but --certs is given: write tls://{host}:{port}")
        return cls(scheme, host, int(port), certs)

    def security(self, role: str) -> Any:
        """What dask speaks TLS with, in one of the `ROLES`; None without TLS."""
        if self.certs is None:
            return None
        from distributed.security import Security

        ca, certificate, key = files_of(self.certs, role)
        _check(ca, certificate, key)
        names = {f"tls_{role}_cert": str(certificate), f"tls_{role}_key": str(key)}
        # A worker connects to others as a worker; the scheduler too.
        return Security(tls_ca_file=str(ca), require_encryption=True, **names)


def files_of(folder: Path, role: str) -> tuple[Path, Path, Path]:
    """The authority's certificate, the role's certificate and its key."""
    return folder / CA, folder / f"{role}.pem", folder / f"{role}-key.pem"


def _check(ca: Path, certificate: Path, key: Path) -> None:
    for file in (ca, certificate, key):
        try:
            file.read_bytes()
        except OSError as error:
            raise WrongUse(f"cannot read {file}: {error.strerror}; {HOW_TO_GET_CERTS}") from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(ca)
        context.load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        reason = error.reason or "unreadable"
        raise WrongUse(f"{certificate}, {key} and {ca} do not belong together, as PEM ({reason})") from None
    try:
        _accept(ca, certificate, key)
    except ssl.SSLCertVerificationError as error:
        raise WrongUse(f"{certificate} {about(error, ca)}") from None


def about(error: ssl.SSLCertVerificationError, ca: Path) -> str:
    """What is wrong with a certificate, to be put behind its name."""
    if error.verify_code == EXPIRED:
        return "has expired: 'referee cluster certs DIR' makes new ones, for all machines"
    if error.verify_code == NOT_YET_VALID:
        return "is not valid yet: check the clock of this machine"
    return f"is not of the authority in {ca}: all machines need certificates that were made together"


def _accept(ca: Path, certificate: Path, key: Path) -> None:
    """Judge a certificate as who is connected to would: in a handshake of TLS with ourselves, without a network."""
    ours, theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.check_hostname, ours.verify_mode = False, ssl.CERT_NONE
    theirs.verify_mode = ssl.CERT_REQUIRED
    theirs.load_verify_locations(ca)
    for context in (ours, theirs):
        context.load_cert_chain(certificate, key, password="")
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [ours.wrap_bio(back, there), theirs.wrap_bio(there, back, server_side=True)]
    for side in (*sides, *sides):
        with suppress(ssl.SSLWantReadError):
            side.do_handshake()
