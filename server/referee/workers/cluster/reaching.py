"""Whether a scheduler answers at an address: asked before dask connects, whose errors do not tell mistakes apart.

A scheduler of dask greets everyone who connects, before it is asked anything. So one byte from it shows that host,
port, TLS and certificates are right.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
import time
from contextlib import suppress

from referee.workers.cluster.addresses import CA, ClusterAddress, about, files_of

CONNECT_SECONDS = 10.0
GREETING_SECONDS = 10.0
"""How long an overloaded scheduler may take to greet."""
AGAIN_SECONDS = 0.25


class Unreachable(Exception):
    """The scheduler does not answer: says how."""


class Mistaken(Unreachable):
    """To wait does not help: certificates do not fit, or one side speaks TLS and the other does not."""


async def reach(address: ClusterAddress, role: str, patience: float = CONNECT_SECONDS) -> None:
    """Return when the scheduler has greeted; it may take so many seconds to listen. Unreachable or Mistaken if not."""
    security = address.security(role)
    context = None if security is None else security.get_connection_args(role)["ssl_context"]
    until = time.monotonic() + patience
    while True:
        try:
            await _greeted(address, role, context)
        except socket.gaierror:
            raise Unreachable(f"there is no host {address.host}") from None
        except TimeoutError:
            if context is None and await _speaks_tls(address):
                raise Mistaken(f"it speaks TLS: write tls://{address.host}:{address.port} and name --certs") from None
            raise Unreachable("it says nothing, as a scheduler would") from None
        except OSError as error:
            if time.monotonic() > until:
                raise Unreachable(_in_words(error)) from None
            await asyncio.sleep(AGAIN_SECONDS)
        else:
            return


async def _greeted(address: ClusterAddress, role: str, context: ssl.SSLContext | None) -> None:
    """Connect and read the first byte; OSError or TimeoutError if that cannot be, Mistaken if TLS does not agree."""
    try:
        async with asyncio.timeout(GREETING_SECONDS):
            reader, writer = await asyncio.open_connection(address.host, address.port, ssl=context)
            try:
                await reader.readexactly(1)
            finally:
                await _closed(writer)
    except asyncio.IncompleteReadError:
        raise ConnectionResetError(errno.ECONNRESET, "it closes the connection at once") from None
    except ssl.SSLCertVerificationError as error:
        assert address.certs is not None
        raise Mistaken(f"its certificate {about(error, address.certs / CA)}") from None
    except ssl.SSLError as error:
        reason = error.reason or ""
        if "ALERT" in reason:
            assert address.certs is not None
            said = reason.rpartition("ALERT_")[2].replace("_", " ").lower()
            raise Mistaken(f"it does not accept {files_of(address.certs, role)[1]} ({said})") from None
        if "EOF" in reason:
            raise ConnectionResetError(errno.ECONNRESET, "it closes the connection at once") from None
        raise Mistaken("it does not speak TLS") from None


async def _speaks_tls(address: ClusterAddress) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        async with asyncio.timeout(GREETING_SECONDS):
            _, writer = await asyncio.open_connection(address.host, address.port, ssl=context)
            await _closed(writer)
    except (OSError, TimeoutError):
        return False
    return True


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError, TimeoutError):
        async with asyncio.timeout(1):
            await writer.wait_closed()


def _in_words(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno in (errno.ECONNREFUSED, errno.EHOSTUNREACH) else str(error)
