"""Write a bot in five lines and let it play on a Referee server.

import arena

def decide(decision):
    return decision.legal[0]

arena.run(decide)
"""

from arena.bots import NotABot
from arena.client import Client
from arena.decision import Decision, Match
from arena.errors import ArenaError
from arena.launch import run, run_async
from arena.views import UnknownView

__version__ = "0.1.0"
__all__ = ["ArenaError", "Client", "Decision", "Match", "NotABot", "UnknownView", "run", "run_async"]
