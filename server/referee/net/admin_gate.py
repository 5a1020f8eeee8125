"""Authorization of admins (interceptor): who calls, whether the role allows it, and a note of what was done.

It is the gate of a service (`guard.py`): no method runs before it. A call that is not listed is the host's alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import grpc
import structlog

from referee.hall.tokens import Tokens
from referee.net.bearer import bearer_token, lookups
from referee.net.caller import CALLER
from referee.net.guard import Refusal
from referee.store import Deed, Role, Store
from referee.store.acting import begin
from referee.threads import in_thread

log = structlog.get_logger()
NOT_ADMIN = Refusal(grpc.StatusCode.UNAUTHENTICATED, "this needs the admin token")
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

    async def __call__(self, method: str, request: Any, context: Any) -> AbstractAsyncContextManager[object]:
        """Refused without the token of an admin who may do this; what is done in the answer is noted."""
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
        words = need.words(request) if need.words is not None else None
        return nullcontext() if words is None else Noting(self._store, Deed(admin.name, admin.role.value, *words))


class Noting(AbstractAsyncContextManager[None]):
    """Around the work of a call: it is noted in the transaction of what it stores first, or at its end.

    If the caller goes away meanwhile, what has begun is done to its end, and noted then.
    """

    def __init__(self, store: Store, deed: Deed) -> None:
        self._store = store
        self._deed = deed

    async def __aenter__(self) -> None:
        begin(self._deed)

    async def __aexit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is None:
            await in_thread(self._store.admins.note, self._deed)
        elif issubclass(kind, Exception):
            self._deed.take()  # refused: what is stored later in this context is not this action


def _unlisted(method: str) -> Words:
    return lambda request: ("called", f"{method} {getattr(request, 'name', '')}".strip())
