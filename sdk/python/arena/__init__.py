"""Write a bot in five lines and let it play on a Referee server.

import arena

def decide(decision):
    return decision.legal[0]

arena.run(decide)
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena import polling

if TYPE_CHECKING:
    from arena.bots import NotABot
    from arena.client import Client
    from arena.decision import Decision, Match
    from arena.errors import ArenaError
    from arena.launch import run, run_async
    from arena.settings import Settings
    from arena.views import UnknownView

# gRPC's own lines about every failed handshake would bury the one that says what to do. Read when grpc is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
polling.choose()

__version__ = "0.1.0"
__all__ = ["ArenaError", "Client", "Decision", "Match", "NotABot", "Settings", "UnknownView", "run", "run_async"]

# Looked up on first use: reading a view must not load the network.
_HOMES = {
    "ArenaError": "errors",
    "Client": "client",
    "Decision": "decision",
    "Match": "decision",
    "NotABot": "bots",
    "Settings": "settings",
    "UnknownView": "views",
    "run": "launch",
    "run_async": "launch",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    return getattr(import_module(f"arena.{_HOMES[name]}"), name)
