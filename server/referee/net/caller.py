"""The admin who makes a call, for whatever is done in its context; bots and strangers leave it unset."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a worker reads this module, and does without the database
    from referee.store import Admin

CALLER: ContextVar[Admin] = ContextVar("the admin who calls")
