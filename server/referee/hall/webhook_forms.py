"""What a webhook is sent: the address that is allowed, the body in the form of a chat room, and the signature.

Signed as https://www.standardwebhooks.com describes: the headers `webhook-id`, `webhook-timestamp` and
`webhook-signature`, the last an HMAC-SHA-256 over the first two and the body.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from referee.rules.game import WrongUse
from referee.store import Message
from referee.store.outbox import AWAY, BENCHED, CANCELLED, FINISHED, KINDS, LEADER, STARTED

PREFIX = "whsec_"
FORMS = ("standard", "slack", "discord")
"""`slack` is what Mattermost, Rocket.Chat and Matrix bridges take as well."""


def new_secret() -> str:
    """What signs the messages of a webhook, as the receiver needs it."""
    return PREFIX + base64.b64encode(secrets.token_bytes(24)).decode()


def check_url(url: str) -> None:
    """WrongUse if messages may not be sent there: over https to anywhere, without it to this machine only."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        parts, host = urlsplit(""), ""
    if not host or parts.scheme not in ("http", "https") or not url.isascii() or not url.isprintable() or " " in url:
        raise WrongUse(f"{url!r} is not the address of a webhook: give one such as https://chat.example.org/hooks/…")
    if parts.username is not None:
        raise WrongUse("the address of a webhook holds no user and no password: its path is its secret")
    if parts.scheme == "http" and not _is_loopback(host):
        raise WrongUse(f"{host} is another machine: a webhook there needs https, or anybody on the way reads it")


def checked(url: str, form: str, kinds: Sequence[str] | None) -> list[str]:
    """The kinds of messages that a new webhook is told, all of them without a choice; WrongUse for what cannot be."""
    check_url(url)
    if form not in FORMS:
        raise WrongUse(f"there is no form {form!r}: choose {', '.join(FORMS)}")
    if kinds is None:
        return list(KINDS)
    for kind in kinds:
        if kind not in KINDS:
            raise WrongUse(f"there is no kind {kind!r}: choose from {', '.join(KINDS)}")
    if not kinds:
        raise WrongUse(f"no kind is chosen: choose from {', '.join(KINDS)}, or leave it out for all of them")
    return list(kinds)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def body_of(message: Message) -> bytes:
    """The body, in the form of its webhook."""
    form = message.webhook.form
    if form == "slack":
        text = told(message.kind, message.about)
        for sign, instead in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
            text = text.replace(sign, instead)
        value: dict[str, Any] = {"text": text}
    elif form == "discord":
        # A bot may be called @everyone.
        value = {"content": told(message.kind, message.about), "allowed_mentions": {"parse": []}}
    else:
        at = datetime.fromtimestamp(message.created / 1000, UTC).isoformat(timespec="milliseconds")
        value = {"type": message.kind, "timestamp": at.replace("+00:00", "Z"), "data": dict(message.about)}
        value["data"]["text"] = told(message.kind, message.about)
    return json.dumps(value, ensure_ascii=False).encode()


def told(kind: str, about: Mapping[str, Any]) -> str:
    """A message in a sentence."""
    tournament, bot = about.get("tournament", ""), about.get("bot", "")
    match kind:
        case _ if kind == STARTED:
            return f"{tournament} has started: {about['game']}, {about['matches']:,} matches scheduled"
        case _ if kind in (FINISHED, CANCELLED):
            aside = f", {about['set_aside']:,} set aside" if about["set_aside"] else ""
            ended = "is finished" if kind == FINISHED else "was cancelled"
            return f"{tournament} {ended}: {about['finished']:,} of {about['matches']:,} matches played{aside}"
        case _ if kind == AWAY:
            return f"{bot} is away from {tournament}: its matches are set aside until it comes back"
        case _ if kind == BENCHED:
            return f"{bot} keeps crashing and forfeits its matches for a while"
        case _ if kind == LEADER:
            return f"{bot} leads {tournament} now, ahead of {about['before']}"
    return "a test of this webhook"


def headers(message: Message, body: bytes, now: int) -> dict[str, str]:
    """The headers that name and sign a message, at this time (seconds since 1970)."""
    return {
        "webhook-id": message.id,
        "webhook-timestamp": str(now),
        "webhook-signature": signature(message.webhook.secret, message.id, now, body),
    }


def signature(secret: str, id: str, now: int, body: bytes) -> str:
    """`v1,` and the HMAC-SHA-256 of id, time and body, in base64."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = hmac.new(key, f"{id}.{now}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"
