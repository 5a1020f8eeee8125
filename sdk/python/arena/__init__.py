"""Write a bot in five lines and let it play on a Referee server.

import arena

def decide(decision):
    return decision.legal[0]

arena.run(decide)
"""

import os
import sys
from typing import TYPE_CHECKING

from arena import polling

# gRPC's own lines about every failed handshake would bury the one that says what to do. Read when grpc is imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
polling.choose()

__version__ = "0.1.0"
__all__ = [
    "ArenaError",
    "Client",
    "Decision",
    "Match",
    "NotABot",
    "Practice",
    "Result",
    "Settings",
    "UnknownView",
    "run",
    "run_async",
    "testing",
]

if TYPE_CHECKING:  # what editors and type checkers read
    from arena import testing
    from arena.bots import NotABot
    from arena.client import Client
    from arena.decision import Decision, Match
    from arena.errors import ArenaError
    from arena.launch import run, run_async
    from arena.results import Result
    from arena.settings import Practice, Settings
    from arena.views import UnknownView
else:
    # Looked up on first use: reading a view must not load the network, and a command's `--version` must load nothing.
    # Type checkers do not see this, so that a misspelled name stays an error to them.
    _MODULE_OF = {
        "ArenaError": "errors",
        "Client": "client",
        "Decision": "decision",
        "Match": "decision",
        "NotABot": "bots",
        "Practice": "settings",
        "Result": "results",
        "Settings": "settings",
        "UnknownView": "views",
        "run": "launch",
        "run_async": "launch",
    }

    def __getattr__(name):
        from importlib import import_module

        if name == "testing":
            return import_module("arena.testing")
        if name not in _MODULE_OF:  # `obj` and `__dir__` let Python ask "Did you mean"
            raise AttributeError(f"module 'arena' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        value = globals()[name] = getattr(import_module(f"arena.{_MODULE_OF[name]}"), name)
        return value

    def __dir__():
        return [*__all__, "__doc__", "__file__", "__name__", "__version__"]
