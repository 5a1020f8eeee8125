"""gRPC status codes as sentences for the author of a bot, and whether it helps to retry."""

from __future__ import annotations

from typing import Any

import grpc

from arena.errors import ArenaError, Gone, Refused
from arena.settings import Settings

REFUSALS = (
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
)


def meaning(code: Any, details: str | None, settings: Settings, first: bool = True) -> ArenaError:
    """The error to raise: `Refused` is final, after `Gone` it is worth trying again. `first`: never connected yet."""
    where, details = settings.server, details or ""
    if code is grpc.StatusCode.UNAUTHENTICATED:
        hint = "check REFEREE_TOKEN or --token" if settings.token else "give it with --token or REFEREE_TOKEN"
        return Refused(f"{where} did not accept the token: {hint}; the host makes one with 'referee bot add NAME'")
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return Refused(f"{where} is a gRPC server, but no Referee server of this version: {details}")
    if code in REFUSALS:
        return Refused(f"{where} refused: {details}")
    if code is grpc.StatusCode.UNAVAILABLE:
        return _unreachable(details, settings, first)
    return Gone(f"lost the connection to {where}{f' ({details})' if details else ''}")


def _unreachable(details: str, settings: Settings, first: bool) -> ArenaError:
    where = settings.server
    if "CERTIFICATE_VERIFY_FAILED" in details:
        return Refused(f"the certificate of {where} is not trusted: give the one to trust with --ca FILE")
    if "Hostname Verification" in details:
        return Refused(f"the certificate of {where} is made out to another name: ask for the server by that name")
    if "WRONG_VERSION_NUMBER" in details:
        return Refused(f"{where} does not speak TLS: leave out --tls and --ca")
    if "http1" in details.lower():
        return Refused(f"{where} is a web server, but no Referee server")
    hint = "" if settings.tls else "; if it speaks TLS, give --tls or --ca FILE"
    if first and "parsing HTTP/2" in details:
        return Refused(f"{where} answers, but not as a Referee server does: check the address{hint}")
    if "Connection refused" in details or "No such file" in details:
        return Gone(f"no Referee server listens at {where}")
    if "stopping" in details:
        return Gone(f"{where}: {details}")
    if not first:
        return Gone(f"lost the connection to {where}")
    why = details.rpartition(": ")[2].strip("]") or "no answer"
    return Gone(f"cannot reach a Referee server at {where} ({why}{hint})")
