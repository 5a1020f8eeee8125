"""What can happen in the open, and the phases of a match: numbered as in `stop.proto`.

An event in the log is a plain tuple: its kind, its seat, and for some kinds one or two numbers more.
"""

from __future__ import annotations

CALLS, OPENING, PLAYS, SPLIT, OVER = range(1, 6)
"""What is being decided."""

DREW, SKIPPED, ELIMINATED, RED_PASSED, SHUFFLED_BACK, CALLED, BID, RAISED, WON, TIED, RECEIVED = range(1, 12)
"""(kind, seat), and further: ELIMINATED, BID, RECEIVED a heap; RAISED the bid's owner and a heap; WON the tokens."""

Event = tuple[int, ...]
