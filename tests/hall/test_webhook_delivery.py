"""Webhooks, to a real HTTP server on this machine: signed, retried with back-off, given up, and never in the way."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from referee.hall.announcements import Announcements
from referee.hall.competition import Competition
from referee.hall.webhook_delivery import PAUSES, WebhookDelivery
from referee.hall.webhook_forms import check_url, new_secret, signature
from referee.rules.game import WrongUse
from referee.store import NameTaken, Store, TournamentState, Unknown
from referee.store.outbox import AWAY, BENCHED, FINISHED, KINDS, LEADER, STARTED
from referee.tournament.audit.database import check_installation
from referee.tournament.events import latest_of_installation
from referee.tournament.plan import Plan
from referee_leaderboard.standings import Standing, Standings

from ..waiting import PATIENCE
from .conftest import LocalBot
from .test_missed import over, register


@dataclass
class Receiver:
    """An HTTP server that answers with the statuses it is given, then with 204; `None` never answers."""

    statuses: list[int | None] = field(default_factory=list)
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        async with server:
            self.port = server.sockets[0].getsockname()[1]
            yield f"http://127.0.0.1:{self.port}/hooks/abc?x=1"

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            headers["request"] = head[0]
            values = dict(line.split(": ", 1) for line in head[1:] if line)
            headers["signature"] = values["webhook-signature"]
            self.got.append((headers, await reader.readexactly(int(headers["content-length"]))))
            status = self.statuses.pop(0) if self.statuses else 204
            if status is None:
                await asyncio.Event().wait()
            writer.write(f"HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n".encode())
            await writer.drain()
            writer.close()


@dataclass
class Clock:
    now: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(tmp_path / "hall.db", owner="server", now=clock) as opened:
        yield opened


def messages(store: Store) -> list[dict[str, Any]]:
    return store.webhooks.messages("mine")


async def test_starts_and_ends_of_tournaments_are_told_and_signed(competition: Competition, store: Store) -> None:
    receiver, secret = Receiver(), new_secret()
    async with receiver.listening() as url:
        store.webhooks.add("mine", url, secret, "standard", KINDS)
        plan = Plan("stop_me_go", 2, rounds=2)
        await competition.director.create("league", plan, ["random", "random"], None, True)
        await over(competition)
        assert await WebhookDelivery(store, PATIENCE).send_due() == 2
    told = [json.loads(body) for _, body in receiver.got]
    assert sorted(one["type"] for one in told) == [FINISHED, STARTED]
    finished = next(one for one in told if one["type"] == FINISHED)
    assert finished["timestamp"] == "2027-01-15T08:00:00.000Z"
    assert finished["data"]["text"] == "league is finished: 2 of 2 matches played"
    for headers, body in receiver.got:
        assert headers["request"] == "POST /hooks/abc?x=1 HTTP/1.1"
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        key = base64.b64decode(secret.removeprefix("whsec_"))
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        assert headers["signature"] == f"v1,{expected}"
    assert all(one["delivered"] for one in messages(store))
    check_installation(store)


def test_the_signature_is_that_of_the_standard() -> None:
    """The example of the specification's own libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    assert signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body) == (
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    )


async def test_why_there_was_no_answer_is_told_in_words(store: Store) -> None:
    async def without_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """What a web server answers to a greeting that is not HTTP."""
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(without_tls, "127.0.0.1", 0) as server:
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        store.webhooks.add("mine", f"https://{address}/", new_secret(), "standard", KINDS)
        store.webhooks.announce(AWAY, {"tournament": "league", "bot": "ada"})
        await WebhookDelivery(store, PATIENCE).send_due()
    assert messages(store)[0]["error"].startswith("it does not speak TLS as it should (")
    store.webhooks.remove("mine")
    store.webhooks.add("mine", f"http://{address}/", new_secret(), "standard", KINDS)  # nobody listens there any more
    store.webhooks.announce(AWAY, {"tournament": "league", "bot": "ada"})
    await WebhookDelivery(store, PATIENCE).send_due()
    assert messages(store)[0]["error"] == "no connection (connection refused)"


async def test_a_message_is_tried_again_later_and_keeps_its_id(store: Store, clock: Clock) -> None:
    receiver = Receiver([500, 429])
    async with receiver.listening() as url:
        store.webhooks.add("mine", url, new_secret(), "standard", KINDS)
        store.webhooks.announce(AWAY, {"tournament": "league", "bot": "ada"})
        delivery = WebhookDelivery(store, PATIENCE)
        for pause in PAUSES[:2]:
            assert await delivery.send_due() == 1
            clock.now += pause * 1000 - 1
            assert await delivery.send_due() == 0
            clock.now += 1
        assert await delivery.send_due() == 1
        clock.now += 10**9
        assert await delivery.send_due() == 0
    (told,) = messages(store)
    assert (told["attempts"], told["error"], told["delivered"] is not None) == (3, "", True)
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1


async def test_what_cannot_be_delivered_is_given_up_in_the_end(store: Store, clock: Clock) -> None:
    receiver = Receiver()
    async with receiver.listening() as url:
        pass  # nothing listens there any more
    store.webhooks.add("mine", url, new_secret(), "standard", KINDS)
    store.webhooks.announce(AWAY, {"tournament": "league", "bot": "ada"})
    delivery = WebhookDelivery(store, PATIENCE)
    for _ in range(len(PAUSES) + 1):
        assert await delivery.send_due() == 1
        clock.now += max(PAUSES) * 1000
    assert await delivery.send_due() == 0
    (told,) = messages(store)
    assert (told["due"], told["delivered"], told["attempts"]) == (None, None, len(PAUSES) + 1)
    assert told["error"]


async def test_a_receiver_that_wants_no_more_or_never_answers_holds_nothing_up(store: Store) -> None:
    receiver = Receiver([410, None])
    async with receiver.listening() as url:
        store.webhooks.add("mine", url, new_secret(), "standard", KINDS)
        store.webhooks.announce(AWAY, {"tournament": "league", "bot": "ada"})
        await WebhookDelivery(store, PATIENCE).send_due()
        assert (messages(store)[0]["due"], messages(store)[0]["error"]) == (None, "answered with 410")
        store.webhooks.announce(AWAY, {"tournament": "league", "bot": "ada"})
        await WebhookDelivery(store, 0.2).send_due()
        assert messages(store)[0]["error"] == "no answer within 0.2 s"
        assert messages(store)[0]["due"] is not None


async def test_chat_rooms_get_their_own_form_and_no_name_rings_a_bell(store: Store) -> None:
    receiver = Receiver()
    async with receiver.listening() as url:
        for form in ("slack", "discord"):
            store.webhooks.add(form, url, new_secret(), form, [LEADER])
        store.webhooks.announce(LEADER, {"tournament": "a<b", "bot": "@everyone", "before": "bob"})
        await WebhookDelivery(store, PATIENCE).send_due()
    slack, discord = sorted((json.loads(body) for _, body in receiver.got), key=lambda one: "content" in one)
    assert slack == {"text": "@everyone leads a&lt;b now, ahead of bob"}
    assert discord["content"] == "@everyone leads a<b now, ahead of bob"
    assert discord["allowed_mentions"] == {"parse": []}


async def test_absent_and_benched_bots_and_new_leaders_are_told_once(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.webhooks.add("mine", "http://127.0.0.1:9/x", new_secret(), "standard", [AWAY, BENCHED, LEADER])
    competition.presence.arrived(register(competition, "ada")[0])
    store.bots.add("eve")
    director, announcements = competition.director, Announcements(competition)
    plan = Plan("stop_me_go", 2, rounds=2, absence=3600.0)
    await director.create("league", plan, ["ada", "eve"], None, True)
    leader = "ada"

    async def standings(name: str) -> Standings:
        return Standings(name, "stop_me_go", 2, rows=(Standing(1, leader, 25.0, 1.0, 3),))

    monkeypatch.setattr(director, "standings", standings)
    await announcements.look()
    assert messages(store) == []
    monkeypatch.setattr(director.runners["league"], "overdue", lambda: ["eve"])
    monkeypatch.setattr(competition.hosted, "benched", lambda: {"dee"})
    leader = "bob"
    await announcements.look()
    await announcements.look()
    assert sorted(one["kind"] for one in messages(store)) == [AWAY, BENCHED, LEADER]
    await director.control("league", "cancel")


async def test_that_a_bot_was_benched_is_kept_as_an_event_though_no_webhook_wants_it(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    announcements = Announcements(competition)
    for benched in ({"dee"}, {"dee"}, set[str](), {"dee"}):
        monkeypatch.setattr(competition.hosted, "benched", lambda now=benched: now)
        await announcements.look()
    told = [event for event in latest_of_installation(store) if event.kind == "benched"]
    assert [event.text for event in told] == ["bot dee kept crashing and forfeits its matches for a while"] * 2
    assert all(event.alarm for event in told)
    check_installation(store)


async def test_a_bot_that_is_waited_for_no_longer_is_overdue(competition: Competition, store: Store) -> None:
    competition.presence.arrived(LocalBot(competition, register(competition, "ada")[0].name))
    store.bots.add("eve")
    plan = Plan("stop_me_go", 2, rounds=2, absence=3600.0)
    await competition.director.create("league", plan, ["ada", "eve"], None, True)
    runner = competition.director.runners["league"]
    assert runner.overdue() == []
    runner._window.absent["eve"] = float("-inf")
    assert runner.overdue() == ["eve"]
    await competition.director.control("league", "cancel")
    assert store.tournaments.get("league").state is TournamentState.CANCELLED


@pytest.mark.parametrize(
    "url", ["https://chat.example.org/x", "http://127.0.0.1:8080/x", "http://localhost/", "http://[::1]:1/"]
)
def test_https_or_this_machine(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("http://10.0.0.5/x", "needs https"),
        ("http://localhost.example.org/x", "needs https"),
        ("ftp://example.org/x", "is not the address"),
        ("https://", "is not the address"),
        ("https://example.org:port/", "is not the address"),
        ("https://a:b@example.org/", "no user and no password"),
        ("https://example.org/\r\nX: y", "is not the address"),
    ],
)
def test_other_addresses_are_refused(url: str, says: str) -> None:
    with pytest.raises(WrongUse, match=says):
        check_url(url)


def test_webhooks_have_names_and_are_forgotten_with_their_messages(store: Store) -> None:
    store.webhooks.add("mine", "https://example.org/", new_secret(), "slack", [FINISHED])
    with pytest.raises(NameTaken):
        store.webhooks.add("mine", "https://example.org/", new_secret(), "slack", [FINISHED])
    assert store.webhooks.announce(STARTED, {}) == 0
    assert store.webhooks.announce(FINISHED, {}) == 1
    store.webhooks.remove("mine")
    assert store.webhooks.due(10) == []
    with pytest.raises(Unknown):
        store.webhooks.get("mine")
    check_installation(store)
