"""Testing a bot without a host: made-up and recorded decisions, matches in process, a scripted server.

- `decision(…)` makes up one question, `recorded(file)` reads what `--record` has kept: for unit tests of `decide`.
- `play(bot, others, game=…)` plays whole matches in this process, thousands of decisions a second. It needs the rules
  of the games, which come with `pip install referee-arena`.
- `Server()` is a server on this machine that does what the test says: for a test of the whole program.
"""

from arena.testing.made_up import decision
from arena.testing.recorded import Recorded, recorded
from arena.testing.scripted_server import Server, ServerMatch
from arena.testing.table import NoRules, Series, play

__all__ = ["NoRules", "Recorded", "Series", "Server", "ServerMatch", "decision", "play", "recorded"]
