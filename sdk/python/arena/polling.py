"""How gRPC polls the network (GRPC_EXPERIMENTS).

It knows two ways. In the older one, the thread that waits for a message reads it from the socket itself. In the newer
one, which Python has used since gRPC 1.80, threads of gRPC's own read it and hand it on to each other. Each hand-over
costs time. With the older way a question and its answer are exchanged about half as fast again, and a server at many
tables needs a fifth less of the processor. It will go away one day, so only versions that are known to have it are
asked for it; all others do as they like. If GRPC_EXPERIMENTS is set already, it stays as it is.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

KNOWN_FROM, KNOWN_TO = (1, 80), (1, 85)
POLL_IN_CALLER = "-event_engine_client,-event_engine_listener"


def choose() -> None:
    """Choose the older way where there are two; to be called before grpc is first imported."""
    version = _version()
    if sys.platform == "linux" and version is not None and KNOWN_FROM <= version <= KNOWN_TO:
        os.environ.setdefault("GRPC_EXPERIMENTS", POLL_IN_CALLER)


def _version() -> tuple[int, int] | None:
    """The first two numbers of gRPC's version, looked up without importing it."""
    spec = find_spec("grpc")
    if spec is None or spec.origin is None:
        return None
    for folder in Path(spec.origin).parent.parent.glob("grpcio-*.dist-info"):
        numbers = folder.name.removeprefix("grpcio-").split(".")
        if len(numbers) > 2 and numbers[0].isdecimal() and numbers[1].isdecimal():
            return int(numbers[0]), int(numbers[1])
    return None
