"""What the commands around a server share: options, durations, the database, the connection of an admin."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.settings import is_address, is_token, read_certificates
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import print_warning

if TYPE_CHECKING:
    from referee.store import Store

DEFAULT_DB = "referee.db"
DEFAULT_SERVER = "127.0.0.1:7700"

Db = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="The database: a file, or a PostgreSQL URL.", show_default=DEFAULT_DB),
]
Server = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help="Ask a running server instead of the database file.")
]
AdminToken = Annotated[
    str | None,
    typer.Option(
        "--admin-token", envvar="REFEREE_ADMIN_TOKEN", metavar="TOKEN", help="The admin token, with --server."
    ),
]
Ca = Annotated[
    str | None, typer.Option("--ca", metavar="FILE", help="Certificate to trust, where the server speaks TLS.")
]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
LONGEST_HOURS = 1000
"""More milliseconds than this has do not fit into the messages that tell bots about their clocks."""


def seconds(text: str) -> float:
    """A duration as people write it: 500ms, 1s, 2m, 1.5."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|)", text.strip())
    if not found:
        raise Failure(f"{text!r} is not a duration; write 500ms, 1s or 2m", WRONG_USE)
    given = float(found[1]) * _UNITS[found[2]]
    if given > LONGEST_HOURS * 3600:
        raise Failure(f"{text} is too long: {LONGEST_HOURS}h is the most", WRONG_USE)
    return given


def free_time(text: str) -> float:
    """The time per decision: without any, every bot would forfeit at its first question."""
    given = seconds(text)
    if given < 0.001:
        raise Failure(f"--time {text} is too short: a millisecond (1ms) is the least", WRONG_USE)
    return given


@contextmanager
def open_store(db: str | None, *, owner: str | None = None, create: bool = True) -> Iterator[Store]:
    """The database, closed afterwards; what is wrong with it becomes one sentence and exit code 3.

    Commands that own or may create it write to it: they tell the host if others can read what they write.
    """
    from referee.store import (
        NameTaken,
        NotAllowed,
        Refused,
        Store,
        StoreError,
        Unknown,
    )

    try:
        with Store.open(db or DEFAULT_DB, owner=owner, create=create) as store:
            if (owner is not None or create) and (exposure := store.exposure) is not None:
                print_warning(exposure)
            yield store
    except (NameTaken, NotAllowed, Refused, Unknown) as error:
        raise Failure(str(error), WRONG_USE) from None
    except StoreError as error:
        raise Failure(str(error), ENVIRONMENT) from None


def call(server: str, token: str | None, ca: str | None, service: str, method: str, request: Any) -> Any:
    """One unary call to a server; its refusals become one sentence."""
    import grpc

    with channel(server, ca) as connection:
        try:
            return getattr(stub(connection, service), method)(request, metadata=metadata(token), timeout=30)
        except grpc.RpcError as error:
            raise failure(error, server) from None


def stub(connection: Any, service: str) -> Any:
    from importlib import import_module

    module = import_module(f"arena.v1.{service.removesuffix('Service').lower()}_pb2_grpc")
    return getattr(module, f"{service}Stub")(connection)


@contextmanager
def channel(server: str, ca: str | None) -> Iterator[Any]:
    import grpc

    if not is_address(server):
        raise Failure(f"{server!r} is no address; write HOST:PORT, or unix:PATH", WRONG_USE)
    if ca is None:
        connection = grpc.insecure_channel(server)
    else:
        try:
            credentials = grpc.ssl_channel_credentials(read_certificates(Path(ca)))
        except OSError as error:
            raise Failure(f"cannot read {ca}: {error.strerror}", WRONG_USE) from None
        except ValueError as error:
            raise Failure(str(error), WRONG_USE) from None
        connection = grpc.secure_channel(server, credentials)
    with connection:
        yield connection


def metadata(token: str | None) -> list[tuple[str, str]]:
    if token and not is_token(token):
        raise Failure("the admin token has characters that no token has: copy it again", WRONG_USE)
    return [("authorization", f"Bearer {token}")] if token else []


def failure(error: Any, server: str) -> Failure:
    """What a refused call means to the host."""
    import grpc

    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.UNAVAILABLE:
        return Failure(_unavailable(server, details), ENVIRONMENT)
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return Failure(
            f"{server} did not accept the admin token: give it with --admin-token or REFEREE_ADMIN_TOKEN "
            "('referee serve --new-admin-token' makes a new one)",
            WRONG_USE,
        )
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return Failure(f"{server} is no Referee server of this version", ENVIRONMENT)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return Failure(f"{server} is busy: {details or 'it takes nothing more; try again in a while'}", ENVIRONMENT)
    if code in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN):
        return Failure(f"{server} did not answer as it should: {details or code.name}", ENVIRONMENT)
    return Failure(details or code.name, WRONG_USE)


def _unavailable(server: str, details: str) -> str:
    if "stopping" in details:
        return f"{server}: {details}"
    if "CERTIFICATE_VERIFY_FAILED" in details:
        return f"the certificate of {server} is not trusted: give the one to trust with --ca FILE"
    if "Hostname Verification" in details:
        return f"the certificate of {server} is made out to another name: ask for the server by that name"
    if "WRONG_VERSION_NUMBER" in details:
        return f"{server} does not speak TLS: leave out --ca"
    tls = "" if "Connection refused" in details else "; if it speaks TLS, give --ca FILE"
    return f"no Referee server answers at {server}; start one with 'referee serve'{tls}"
