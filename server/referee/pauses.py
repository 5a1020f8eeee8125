"""Short pauses: nothing may hold up the loop in which all clocks are read."""

from __future__ import annotations

import gc
import sys

GIVE_WAY_SECONDS = 0.002
"""How long a thread that computes may keep the loop waiting; Python's own five milliseconds add up."""
COLLECT_AFTER = (2000, 20, 100)
"""How many new objects make Python look for garbage among the youngest, and how many such looks for a wider one.
Nearly everything here is cleared away without it; a look through everything is needed every few minutes at most."""


def shorten_pauses() -> None:
    """Call once, when a process is ready to referee.

    Python looks through everything that is loaded whenever it collects garbage thoroughly, and everybody waits
    meanwhile: about a tenth of a second in a server. What is there now stays until the end and need not be looked at
    again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(GIVE_WAY_SECONDS)
