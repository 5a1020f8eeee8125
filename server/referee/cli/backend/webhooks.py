"""Webhooks of a database file or of a running server, with the same verbs: what `referee webhook` asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.cli.backend.file import acting_here
from referee.cli.backend.verbs import Row
from referee.cli.connection import call
from referee.cli.database import open_store
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.tokens import admin_token


class Webhooks(Protocol):
    """The webhooks of an installation."""

    def add(self, name: str, url: str, form: str, kinds: Sequence[str]) -> str:
        """Returns the secret that signs its messages, which is told once."""

    def all(self) -> list[Row]:
        """Name, host, form and kinds of each."""

    def remove(self, name: str) -> None: ...

    def test(self, name: str) -> None:
        """Put a test message into the outbox."""

    def messages(self, name: str) -> list[Row]:
        """What became of the latest messages, the latest first; times in milliseconds, None where there is none."""


def webhooks_of(db: str | None, server: str | None, token: str | None, ca: str | None) -> Webhooks:
    """Those of the file or the server that was named. Nothing is opened yet."""
    if db and server:
        raise Failure("give --db or --server, not both", WRONG_USE)
    return ServerWebhooks(server, token, ca) if server else FileWebhooks(db)


@dataclass(frozen=True, slots=True)
class FileWebhooks:
    """Opens the database for each verb, and closes it again."""

    db: str | None

    def add(self, name: str, url: str, form: str, kinds: Sequence[str]) -> str:
        from referee.hall.webhook_forms import new_secret

        secret = new_secret()
        with open_store(self.db, create=False) as store, acting_here(store, "added the webhook", name):
            store.webhooks.add(name, url, secret, form, kinds)
        return secret

    def all(self) -> list[Row]:
        from urllib.parse import urlsplit

        with open_store(self.db, create=False) as store:
            return [
                {"name": one.name, "host": urlsplit(one.url).hostname, "form": one.form, "kinds": list(one.kinds)}
                for one in store.webhooks.all()
            ]

    def remove(self, name: str) -> None:
        with open_store(self.db, create=False) as store, acting_here(store, "removed the webhook", name):
            store.webhooks.remove(name)

    def test(self, name: str) -> None:
        from referee.store.outbox import TEST

        with open_store(self.db, create=False) as store, acting_here(store, "tested the webhook", name):
            store.webhooks.announce(TEST, {}, store.webhooks.get(name).id)

    def messages(self, name: str) -> list[Row]:
        with open_store(self.db, create=False) as store:
            return store.webhooks.messages(name)


@dataclass(slots=True)
class ServerWebhooks:
    """Connects for each verb; the token is the admin's."""

    server: str
    token: str | None = None
    ca: str | None = None

    def add(self, name: str, url: str, form: str, kinds: Sequence[str]) -> str:
        from arena.v1 import webhook_pb2 as pb

        number = pb.WebhookForm.Value(f"WEBHOOK_FORM_{form.upper()}")
        request = pb.AddWebhookRequest(name=name, url=url, form=number, topics=kinds)
        secret: str = self._call("AddWebhook", request).secret
        return secret

    def all(self) -> list[Row]:
        from arena.v1 import webhook_pb2 as pb

        return [
            {
                "name": one.name,
                "host": one.host,
                "form": pb.WebhookForm.Name(one.form).removeprefix("WEBHOOK_FORM_").lower(),
                "kinds": list(one.topics),
            }
            for one in self._call("ListWebhooks", pb.ListWebhooksRequest()).webhooks
        ]

    def remove(self, name: str) -> None:
        from arena.v1 import webhook_pb2 as pb

        self._call("RemoveWebhook", pb.RemoveWebhookRequest(name=name))

    def test(self, name: str) -> None:
        from arena.v1 import webhook_pb2 as pb

        self._call("TestWebhook", pb.TestWebhookRequest(name=name))

    def messages(self, name: str) -> list[Row]:
        from arena.v1 import webhook_pb2 as pb

        return [
            {
                "message": one.id,
                "kind": one.topic,
                "created": one.created_ms,
                "attempts": one.attempts,
                "due": one.due_ms or None,
                "delivered": one.delivered_ms or None,
                "error": one.error,
            }
            for one in self._call("GetWebhookLog", pb.GetWebhookLogRequest(name=name)).messages
        ]

    def _call(self, method: str, request: Any) -> Any:
        self.token = admin_token(self.token)
        return call(self.server, self.token, self.ca, "WebhookService", method, request)
