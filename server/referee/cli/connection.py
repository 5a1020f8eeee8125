"""The gRPC connection of a command to a server: address, certificates, token, and refusals said in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.settings import is_address, is_token, read_certificates
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import stderr_console

if TYPE_CHECKING:
    import grpc
    import grpc.aio


KEEPALIVE = 20_000
"""Milliseconds between two signs of life of a server that is waited for."""
PUBLIC = ""
"""In place of the name of a file: certificates that known authorities have signed are trusted."""
SECONDS = 30.0
"""How long a server may take for an answer that needs no long work."""
LONG = {
    "CreateTournament": "the server works out and stores the schedule",
    "JoinTournament": "the server works out and stores further matches",
    "ControlTournament": "the server is at work on it",
}
"""Calls that take as long as there are matches, with what to say meanwhile."""
TELL_EVERY = 5.0
FAULT = "referee-fault"
"""In the trailing metadata of a refusal that is not about the request: a database of the server cannot be used."""


def call(server: str, token: str | None, ca: str | None, service: str, method: str, request: Any) -> Any:
    """One unary call to a server; its refusals become one sentence. Long work is waited for, and told."""
    import grpc

    with channel(server, ca) as connection:
        verb = getattr(stub(connection, service), method)
        try:
            if method not in LONG:
                return verb(request, metadata=metadata(token), timeout=SECONDS)
            return _wait(verb.future(request, metadata=metadata(token)), LONG[method])
        except grpc.RpcError as error:
            raise failure(error, server, token) from None


def _wait(answer: Any, what: str) -> Any:
    """The answer of a call without a deadline: keepalive notices a server that is gone."""
    import grpc

    seconds = 0.0
    try:
        while True:
            try:
                return answer.result(timeout=TELL_EVERY)
            except grpc.FutureTimeoutError:
                seconds += TELL_EVERY
                stderr_console().print(f"… {what} ({seconds:.0f} s)", style="dim", markup=False, soft_wrap=True)
    finally:
        answer.cancel()


def stub(connection: Any, service: str) -> Any:
    from importlib import import_module

    module = import_module(f"arena.v1.{service.removesuffix('Service').lower()}_pb2_grpc")
    return getattr(module, f"{service}Stub")(connection)


@contextmanager
def channel(server: str, ca: str | None) -> Iterator[Any]:
    """A channel for calls that block."""
    import grpc

    trusted = credentials(server, ca)
    options = [("grpc.keepalive_time_ms", KEEPALIVE)]
    if trusted is None:
        made = grpc.insecure_channel(server, options=options)
    else:
        made = grpc.secure_channel(server, trusted, options=options)
    with made as connection:
        yield connection


def live_channel(server: str, trusted: grpc.ChannelCredentials | None) -> grpc.aio.Channel:
    """A channel for a stream that lasts: a lost server is noticed, and the reader of the stream asks again."""
    import grpc.aio

    options = [("grpc.keepalive_time_ms", KEEPALIVE), ("grpc.enable_retries", 0)]
    if trusted is None:
        return grpc.aio.insecure_channel(server, options=options)
    return grpc.aio.secure_channel(server, trusted, options=options)


def credentials(server: str, ca: str | None) -> grpc.ChannelCredentials | None:
    """What is trusted on the way to this address, None without TLS; Failure if either cannot be what was meant."""
    import grpc

    if not is_address(server):
        raise Failure(f"{server!r} is not an address: write HOST:PORT or unix:PATH", WRONG_USE)
    if ca is None:
        return None
    if ca == PUBLIC:
        return grpc.ssl_channel_credentials()
    try:
        return grpc.ssl_channel_credentials(read_certificates(Path(ca)))
    except OSError as error:
        raise Failure(f"cannot read {ca}: {error.strerror}", WRONG_USE) from None
    except ValueError as error:
        raise Failure(str(error), WRONG_USE) from None


def metadata(token: str | None) -> list[tuple[str, str]]:
    if token and not is_token(token):
        raise Failure("the admin token has characters that no token has: copy it again", WRONG_USE)
    return [("authorization", f"Bearer {token}")] if token else []


def failure(error: Any, server: str, token: str | None = "") -> Failure:
    """What a refused call means to the host; `token` is None where none was given."""
    import grpc

    code, details = error.code(), error.details() or ""
    if FAULT in dict(error.trailing_metadata() or ()):
        return Failure(f"{server} could not do it: {details}", ENVIRONMENT)
    if code is grpc.StatusCode.UNAVAILABLE:
        return Failure(_unavailable(server, details), ENVIRONMENT)
    if code is grpc.StatusCode.UNAUTHENTICATED:
        if token is None:
            how = "give it in REFEREE_ADMIN_TOKEN, or name its file with --admin-token-file"
            return Failure(f"this needs the admin token of {server}: {how}", WRONG_USE)
        return Failure(
            f"{server} did not accept the admin token: give it in REFEREE_ADMIN_TOKEN or --admin-token-file "
            "('referee admin rotate host' makes a new one, on the machine with the database)",
            WRONG_USE,
        )
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return Failure(f"{server} is not a Referee server of this version", ENVIRONMENT)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return Failure(f"{server} is busy: {details or 'try again in a while'}", ENVIRONMENT)
    if code is grpc.StatusCode.DATA_LOSS:
        return Failure(f"does not hold: {details}", DID_NOT_HOLD)
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
        return f"{server} does not speak TLS: leave out --ca and --tls"
    tls = "" if "Connection refused" in details else "; if it speaks TLS, give --ca FILE or --tls"
    return f"no Referee server answers at {server}: start one with 'referee serve'{tls}"
