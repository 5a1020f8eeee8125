"""Authorization of admins (interceptor): who calls, whether the role allows it, and a note of what was done.

It is the gate of a service (`guard.py`): no method runs before it. A call that is not listed is the host's alone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import grpc
import structlog

from referee.hall.tokens import Tokens
from referee.net.bearer import bearer_token, lookups
from referee.net.guard import Refusal
from referee.store import Admin, Role, Store
from referee.threads import in_thread

log = structlog.get_logger()
NOT_ADMIN = Refusal(grpc.StatusCode.UNAUTHENTICATED, "this needs the admin token")
CALLER: ContextVar[Admin] = ContextVar("the admin who calls")
Words = Callable[[Any], tuple[str, str] | None]


@dataclass(frozen=True, slots=True)
class Need:
    """What a call needs, and how it is told afterwards: in the past tense, and what it was done to."""

    role: Role | Callable[[Any], Role] = Role.HOST
    words: Words | None = None
    """None, or a call of it that gives None, for what only reads."""

    def of(self, request: Any) -> Role:
        return self.role if isinstance(self.role, Role) else self.role(request)


class AdminGate:
    """Lets admins in to the methods of one service."""

    def __init__(self, store: Store, tokens: Tokens, needs: Mapping[str, Need]) -> None:
        self._store = store
        self._tokens = tokens
        self._needs = needs

    async def __call__(self, method: str, request: Any, context: Any) -> Callable[[], Awaitable[None]]:
        """Refused without the token of an admin who may do this; returns what notes it once it is done."""
        with lookups():
            admin = await self._tokens.admin(bearer_token(context), context.peer())
        if admin is None:
            raise NOT_ADMIN
        need = self._needs.get(method) or Need(words=_unlisted(method))
        if not admin.may(role := need.of(request)):
            log.warning("an admin asked for more than the role allows", who=admin.name, role=admin.role, asked=method)
            raise Refusal(
                grpc.StatusCode.PERMISSION_DENIED,
                f"{admin.name} is a {admin.role} here, and this needs a {role}: ask the host",
            )
        CALLER.set(admin)

        async def note() -> None:
            if need.words is not None and (words := need.words(request)) is not None:
                await in_thread(self._store.admins.note, admin.name, admin.role.value, *words)

        return note


def _unlisted(method: str) -> Words:
    return lambda request: ("called", f"{method} {getattr(request, 'name', '')}".strip())
