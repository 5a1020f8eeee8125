"""Addresses to listen on (HOST:PORT, unix:PATH): whether they are public, whether they can be had, and TLS files.

Shared by the gRPC server and the page, so that both say the same about an address.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path


class CannotListen(Exception):
    """The address cannot be had: says why and what to do."""


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate chain and its private key, as PEM files."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """What a Python server speaks TLS with; CannotListen says what is wrong with the files."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password="")
        except ssl.SSLError as error:
            raise CannotListen(
                f"{self.certificate} and {self.key} are not a certificate with its key, as PEM without password "
                f"({error.reason or 'unreadable'})"
            ) from None
        except OSError as error:
            for file in (self.key, self.certificate):  # Python does not say which of the two it could not read
                try:
                    file.read_bytes()
                except OSError as unreadable:
                    raise CannotListen(f"cannot read {unreadable.filename}: {unreadable.strerror}") from None
            raise CannotListen(f"cannot read {self.certificate}: {error.strerror}") from None
        return context

    def check(self) -> None:
        """CannotListen if the files are not what they should be: gRPC would not say why."""
        self.context()


def is_address(listen: str) -> bool:
    """Whether it reads as something to listen on; whether that can be had is another question."""
    port = listen.rpartition(":")[2]
    return listen.startswith("unix:") or (":" in listen and port.isdecimal() and int(port) < 65536)


def is_public(listen: str) -> bool:
    """Whether others than this machine could reach the address."""
    if listen.startswith("unix:"):
        return False
    host = listen.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


def try_bind(listen: str) -> None:
    """The operating system's own words on an address that cannot be had; gRPC keeps them to itself."""
    if listen.startswith("unix:"):
        path = Path(listen.removeprefix("unix:"))
        if path.is_dir():
            raise OSError(errno.EISDIR, "a unix socket needs a path of its own, such as unix:/tmp/referee.sock")
        if not path.parent.is_dir():
            raise OSError(errno.ENOENT, f"there is no folder {path.parent}")
        if path.exists() and not path.is_socket():
            raise OSError(errno.EEXIST, f"{path} is a file; choose another path")
        if len(os.fsencode(path)) > 100:
            raise OSError(errno.ENAMETOOLONG, "the path of a unix socket has at most 100 bytes")
        with socket.socket(socket.AF_UNIX) as probe:
            # gRPC would take the path away from a server that listens there.
            if probe.connect_ex(os.fspath(path)) == 0:
                raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        return
    if not is_address(listen):
        raise OSError(errno.EINVAL, "an address is HOST:PORT, such as 127.0.0.1:7700")
    host, _, port = listen.rpartition(":")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[:1]:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)


def why_not(error: Exception, option: str = "--listen") -> str:
    """Why an address cannot be had; `option` is where another one is given."""
    if isinstance(error, OSError):
        if error.errno == errno.EADDRINUSE:
            return f"it is taken; is another server running? Choose another address with {option}"
        if isinstance(error, socket.gaierror):
            return "there is no such host"
        return error.strerror or str(error)
    if isinstance(error, UnicodeError):  # it cannot even be asked for
        return "there is no such host"
    return "the address cannot be bound"
