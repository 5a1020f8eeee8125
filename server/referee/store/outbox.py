"""The outbox: messages to webhooks, stored together with what they tell, sent later (`hall/webhook_delivery.py`).

A message is put in the transaction that stores what happened. So none is sent of what did not happen, and none is lost
when the server dies in between.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, insert, select

from referee.store import tables as t

STARTED, FINISHED, CANCELLED = "tournament.started", "tournament.finished", "tournament.cancelled"
AWAY, BENCHED, LEADER, TEST = "bot.away", "bot.benched", "leader.changed", "test"
KINDS = (STARTED, FINISHED, CANCELLED, AWAY, BENCHED, LEADER)
"""What a webhook can be told; `test` is sent when the host asks for it."""


def put(connection: Connection, kind: str, about: Mapping[str, Any], now: int, webhook: int | None = None) -> int:
    """A message to every webhook that wants this kind, or to one, inside the caller's transaction; how many."""
    c = t.webhooks.c
    wanted = select(c.id, c.kinds) if webhook is None else select(c.id, c.kinds).where(c.id == webhook)
    rows = [
        {
            **{"webhook_id": row.id, "message": f"msg_{secrets.token_hex(12)}", "kind": kind, "about": dict(about)},
            **{"created": now, "attempts": 0, "due": now, "error": ""},
        }
        for row in connection.execute(wanted.order_by(c.id))
        if webhook is not None or kind in row.kinds
    ]
    if rows:
        connection.execute(insert(t.outbox), rows)
    return len(rows)
