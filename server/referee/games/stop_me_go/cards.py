"""The cards of STOP me GO: the gangsters, and what an agent holds."""

from __future__ import annotations

MOST_PLAYERS = 6
GANGSTERS = tuple(range(1, 11))
HAND = 5
"""Cards of an agent: four `go` and one `stop`."""
IN_LINE = 4
"""Gangsters on the table when one card is left in each hand: the oldest is due for arrest."""
