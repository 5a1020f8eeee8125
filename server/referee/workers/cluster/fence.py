"""Unpickling, fenced: what workers and scheduler send to the host can name no class but plain values.

dask sends results, exceptions and types as pickles, and reading a pickle runs what its writer wants. A worker would
need no lie about a match to own the machine that stores the results. Everything that we let workers return is bytes, so
the process that stores results reads no pickle that names anything else. Workers and the scheduler cannot be fenced so:
tasks are pickles (`SECURITY.md`).
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

PLAIN = frozenset({"bytes", "bytearray", "str", "int", "float", "bool", "list", "dict", "tuple", "set", "frozenset"})


class NotPlain(TypeError):
    """A pickle names something that is no plain value. A TypeError, which dask takes for an unreadable message."""


class PlainUnpickler(pickle.Unpickler):
    """Reads plain values and nothing that would have to be imported."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in PLAIN:
            return super().find_class(module, name)
        raise NotPlain(f"a message names {module}.{name}: it is not read")


def plain_loads(data: bytes, *, buffers: Iterable[Any] = ()) -> Any:
    """`pickle.loads` for plain values."""
    return PlainUnpickler(io.BytesIO(data), buffers=buffers or None).load()


def fence() -> None:
    """From here on this process reads no other pickles from dask; it can be no worker and no scheduler any more."""
    import distributed.protocol.pickle as dasks
    from distributed.client import Client

    names = ("dumps", "Pickler", "HIGHEST_PROTOCOL")
    dasks.pickle = SimpleNamespace(loads=plain_loads, **{name: getattr(pickle, name) for name in names})
    Client._default_event_handlers = {}  # they print, warn and unpickle what a worker likes
