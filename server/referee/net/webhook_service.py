"""WebhookService: where the host is told what happens, for admins at a distance."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import grpc

from arena.v1 import webhook_pb2 as pb
from referee.hall.competition import Competition
from referee.hall.webhook_forms import checked, new_secret
from referee.net.admin_gate import AdminGate, Need
from referee.net.admin_service import answer
from referee.net.guard import Refusal
from referee.rules.game import WrongUse
from referee.store import Role
from referee.store.outbox import TEST

FORMS = {
    pb.WEBHOOK_FORM_UNSPECIFIED: "standard",
    pb.WEBHOOK_FORM_STANDARD: "standard",
    pb.WEBHOOK_FORM_SLACK: "slack",
    pb.WEBHOOK_FORM_DISCORD: "discord",
}
NEEDS = {
    "AddWebhook": Need(words=lambda it: ("added the webhook", it.name)),
    "ListWebhooks": Need(Role.SPECTATOR),
    "RemoveWebhook": Need(words=lambda it: ("removed the webhook", it.name)),
    "TestWebhook": Need(words=lambda it: ("tested the webhook", it.name)),
    "GetWebhookLog": Need(),
}


class WebhookService:
    """Every call needs the token of an admin: `gate` sees to that."""

    def __init__(self, competition: Competition) -> None:
        self.gate = AdminGate(competition.store, competition.roster.tokens, NEEDS)
        self._webhooks = competition.store.webhooks

    async def AddWebhook(self, request: pb.AddWebhookRequest, context: Any) -> pb.AddWebhookResponse:  # noqa: N802
        form = FORMS.get(request.form, "")
        try:
            kinds = checked(request.url, form, list(request.topics) or None)
        except WrongUse as error:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from None
        secret = new_secret()
        await answer(self._webhooks.add, request.name, request.url, secret, form, kinds)
        return pb.AddWebhookResponse(secret=secret, topics=kinds)

    async def ListWebhooks(self, request: pb.ListWebhooksRequest, context: Any) -> pb.ListWebhooksResponse:  # noqa: N802
        return pb.ListWebhooksResponse(
            webhooks=[
                pb.WebhookInfo(
                    name=one.name,
                    host=urlsplit(one.url).hostname or "",
                    form=pb.WebhookForm.Value(f"WEBHOOK_FORM_{one.form.upper()}"),
                    topics=one.kinds,
                )
                for one in await answer(self._webhooks.all)
            ]
        )

    async def RemoveWebhook(self, request: pb.RemoveWebhookRequest, context: Any) -> pb.RemoveWebhookResponse:  # noqa: N802
        await answer(self._webhooks.remove, request.name)
        return pb.RemoveWebhookResponse()

    async def TestWebhook(self, request: pb.TestWebhookRequest, context: Any) -> pb.TestWebhookResponse:  # noqa: N802
        found = await answer(self._webhooks.get, request.name)
        await answer(self._webhooks.announce, TEST, {}, found.id)
        return pb.TestWebhookResponse()

    async def GetWebhookLog(  # noqa: N802
        self, request: pb.GetWebhookLogRequest, context: Any
    ) -> pb.GetWebhookLogResponse:
        return pb.GetWebhookLogResponse(
            messages=[
                pb.WebhookMessage(
                    id=row["message"],
                    topic=row["kind"],
                    created_ms=row["created"],
                    attempts=row["attempts"],
                    due_ms=row["due"] or 0,
                    delivered_ms=row["delivered"] or 0,
                    error=row["error"],
                )
                for row in await answer(self._webhooks.messages, request.name)
            ]
        )
