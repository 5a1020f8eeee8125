"""Where a command looks that was not told where to look."""

from __future__ import annotations

DEFAULT_DB = "referee.db"
DEFAULT_SERVER = "127.0.0.1:7700"
