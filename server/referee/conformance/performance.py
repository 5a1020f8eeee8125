"""One conformance case played over gRPC: servers and bot are started, the script is followed step by step.

Every wait ends as soon as what it waits for happens, when the bot exits, or when the patience is over. A bot that is
still running at the end is killed.
"""

from __future__ import annotations

import asyncio
import shlex
import socket
import time
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from arena.v1 import match_pb2 as pb
from referee.conformance import bodies, case
from referee.conformance.bot_under_test import BotUnderTest
from referee.conformance.outcome import Mismatch, check_exit, check_texts, filled, how_it_ended, hung, last_words
from referee.conformance.recorded import check_record
from referee.conformance.relay import Relay, closed_port
from referee.net.scripted_server import ScriptedServer, Stream
from referee.tournament import nonces

AFTERWARDS = 2.0
"""Seconds in which what a bot sent last arrives after its exit."""
STARTING = 3
"""How many times as long as anything else a program may take to start."""
ADDRESSES = 2
"""How many addresses a bot may be told of: {where} and {where2}."""

Found = TypeVar("Found")


class Performance:
    """One case with one bot. `await play()` raises Mismatch if the bot does something else; `close()` in any case."""

    def __init__(self, what: case.Case, command: Sequence[str], folder: Path, patience: float) -> None:
        self.case = what
        self.bot: BotUnderTest | None = None
        self._command = command
        self._started_as = ""
        self._folder = folder
        self._patience = patience
        self._servers: list[ScriptedServer] = []
        self._relays: list[Relay] = []
        self._closed: socket.socket | None = None
        self._words: dict[str, str] = {}
        self._stream: Stream | None = None
        self._pending: deque[tuple[int, dict[str, Any]]] = deque()
        self._messages = 0
        self._ended_at = 0.0
        self._together = False
        self._read_to = 0

    async def play(self) -> None:
        await self._open()
        what = self.case
        usual = () if what.bare else ("--server", self._words["where"], "--token", case.TOKEN)
        words, variables = [*self._command, *usual, *self._filled(what.args)], self._filled(what.env)
        self._started_as = " ".join(
            [*(f"{name}={shlex.quote(text)}" for name, text in variables.items()), shlex.join(words)]
        )
        self.bot = await BotUnderTest.start(words, variables)
        for number, step in enumerate(what.script, 1):
            try:
                await self._follow(self._filled(step))
            except Mismatch as error:
                raise Mismatch(f"step {number}: {error}") from None
            except bodies.NotABody as error:
                raise bodies.NotABody(f"{what.theme}.toml, case {what.name!r}, step {number}: {error}") from None
        right = what.exit
        if right is None:
            right = (2,)
            self._end({"code": "FAILED_PRECONDITION", "details": case.OVER})
        code = await self._exit(f"that the bot ends with exit code {right[0]}")
        if not what.any_rest:
            await self._check_nothing_left()
        check_exit(self.bot, code, right, what.lasts)
        check_texts(self.bot, self._filled(what.stderr), self._filled(what.never), self._filled(what.stdout))
        if what.one_message and not self._together:
            raise Mismatch("expected the answers to the questions of one message in one message\nseen: one by one")
        if what.record is not None:
            check_record(self._folder / "record.jsonl", self._filled(what.record))

    async def close(self) -> None:
        try:
            if self.bot is not None:
                await self.bot.kill()
        finally:
            for relay in self._relays:
                await relay.close()
            for server in self._servers:
                await server.stop()
            if self._closed is not None:
                self._closed.close()

    # The scene.

    async def _open(self) -> None:
        kind = self.case.server
        keys = case.folder() / "certificates"
        name = {"tls": "localhost", "tls_other_name": "elsewhere"}.get(kind)
        certificate = (
            ((keys / f"{name}.key").read_bytes(), (keys / f"{name}.pem").read_bytes()) if name is not None else None
        )
        streams: asyncio.Queue[Stream] | None = None
        for number in range(1, ADDRESSES + 1):
            path = self._folder / f"server{number}"
            server = ScriptedServer(path, certificate, foreign=kind == "foreign", number=number, streams=streams)
            streams = server.streams
            relay = Relay(str(path), unix=str(self._folder / f"bot{number}") if kind == "unix" else "", plain=not name)
            self._servers.append(server)
            self._relays.append(relay)
            await server.start()
            await relay.open()
        where, where2 = (relay.where for relay in self._relays)
        if kind == "closed":
            self._closed, where = closed_port()
        self._words = {
            "where": where,
            "where2": where2,
            "port": where.rpartition(":")[2],
            "folder": str(self._folder),
            "certificates": str(keys),
            "other_commitment": "5e" * 32,
        }

    def _filled(self, value: Any) -> Any:
        return filled(value, self._words)

    # The steps.

    async def _follow(self, step: Mapping[str, Any]) -> None:
        ((verb, value),) = step.items()
        result = getattr(self, f"_{verb}")(value)
        if result is not None:
            await result

    async def _opens(self, wanted: Mapping[str, Any]) -> None:
        patience = STARTING * self._patience if self._stream is None else 0.0
        try:
            stream = await self._until(self._servers[0].streams.get(), "that the bot opens a stream", patience)
        except Mismatch as error:
            raise Mismatch(f"{error}\nstarted as: {self._started_as}" if self._stream is None else str(error)) from None
        await self._check_nothing_left()
        self._stream = stream
        if (address := wanted.get("address")) is not None and stream.server != address:
            raise Mismatch(f"expected a stream to address {address}, seen one to address {stream.server}")
        token = stream.metadata.get("authorization", "")
        if not bodies.fits(wanted.get("authorization", f"Bearer {case.TOKEN}"), token):
            raise Mismatch(
                f"expected authorization {wanted.get('authorization', f'Bearer {case.TOKEN}')!r}, seen {token!r}"
            )
        pause = stream.opened - self._ended_at
        if pause < wanted.get("after", 0.0):
            raise Mismatch(f"expected a pause of at least {wanted['after']:g} s, seen {pause:.3f} s")

    async def _greet(self, fields: Mapping[str, Any]) -> None:
        await self._opens({})
        await self._hear({"hello": {"protocol_version": 1}})
        self._say({"welcome": fields})

    def _say(self, said: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        tables = [said] if isinstance(said, Mapping) else said
        self._current().say(pb.PlayResponse(bodies=[bodies.from_table(table) for table in tables]))

    async def _hear(self, wanted: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> None:
        left = [wanted] if isinstance(wanted, Mapping) else list(wanted)
        several = len(left) > 1
        messages = set()
        while left:
            message, table = await self._next_body(left)
            place = next((place for place, one in enumerate(left) if bodies.fits(one, table)), None)
            if place is None:
                keys = left[0] if next(iter(left[0])) in table else None
                raise Mismatch(f"expected {_all(left)}\nseen: {bodies.shown(table, keys)}")
            messages.add(message)
            del left[place]
            if "nonce" in table:
                self._note_nonce(table["nonce"])
        if several and len(messages) == 1:
            self._together = True

    def _note_nonce(self, given: Mapping[str, Any]) -> None:
        """{commitment} and {nonce} are what the bot said last; a nonce has to be the one it had committed itself to."""
        self._words |= {name: given[name] for name in ("commitment", "nonce") if given[name]}
        if nonce := given["nonce"]:
            promised = self._words.get("commitment", "")
            kept = nonces.HEX.fullmatch(nonce) and nonces.keeps(
                promised, given["tournament"], given["draw"], bytes.fromhex(nonce)
            )
            if not kept:
                raise Mismatch(f"expected the nonce of the commitment {promised}\nseen: {nonce}")

    async def _next_body(self, left: Sequence[Mapping[str, Any]]) -> tuple[int, dict[str, Any]]:
        while not self._pending:
            message = await self._until(self._current().heard.get(), _all(left))
            self._current().read = True
            if message is None:
                how = await self._how_it_left()
                raise Mismatch(f"expected {_all(left)}\nseen: the bot ended the stream{how}")
            self._take(message)
        return self._pending.popleft()

    def _take(self, message: pb.PlayRequest) -> None:
        self._messages += 1
        self._pending.extend((self._messages, bodies.to_table(body)) for body in message.bodies)

    def _start_all(self, count: int) -> None:
        self._say([{"match_start": {"match_id": f"m/{number}"}} for number in range(1, count + 1)])

    async def _ask_all(self, fields: Mapping[str, Any]) -> None:
        said, heard = asked_at_once(fields)
        self._say(said)
        await self._hear(heard)

    def _end(self, how: str | Mapping[str, Any]) -> None:
        fields = {"code": how} if isinstance(how, str) else how
        self._ended_at = time.monotonic()
        self._current().end(fields["code"], fields.get("details", ""))

    def _cut(self, _: object) -> None:
        self._ended_at = time.monotonic()
        for relay in self._relays:
            relay.cut()

    def _gone(self, address: int) -> None:
        self._ended_at = time.monotonic()
        self._relays[address - 1].gone()

    async def _silence(self, seconds: float) -> None:
        """Nothing is said for a while, and nothing may be heard."""
        if not self._pending:
            heard = asyncio.ensure_future(self._current().heard.get())
            await asyncio.wait((heard,), timeout=seconds)
            if not heard.done():
                heard.cancel()
                return
            if (message := heard.result()) is None:
                raise Mismatch(f"expected silence for {seconds:g} s\nseen: the bot ended the stream")
            self._take(message)
        if self._pending:
            raise Mismatch(f"expected silence for {seconds:g} s\nseen: {bodies.shown(self._pending[0][1])}")

    def _signal(self, name: str) -> None:
        assert self.bot is not None
        self.bot.send(name)

    async def _stderr(self, text: str) -> None:
        assert self.bot is not None
        self._read_to = await self._until(self.bot.says(text, self._read_to), f"on stderr: {text}")

    async def _ping(self, _: object) -> None:
        relay = self._relays[0]
        answers = relay.answers
        relay.ping()
        await self._until(relay.until(lambda: relay.answers > answers), "the answer to an HTTP/2 ping")

    async def _pinged(self, seconds: float) -> None:
        relay = self._relays[0]
        pings = relay.pings
        await self._until(relay.until(lambda: relay.pings > pings), "an HTTP/2 ping of the bot's own", seconds)

    # Waiting and looking.

    async def _exit(self, what: str) -> int:
        """The exit code, once the bot has ended and all that it wrote is there. It opens no further stream before."""
        assert self.bot is not None
        stream = asyncio.ensure_future(self._servers[0].streams.get())
        ended = asyncio.wait((stream, self.bot.exited), return_when=asyncio.FIRST_COMPLETED)
        try:
            await self._until(ended, what)
        finally:
            stream.cancel()
        if stream.done() and not stream.cancelled():
            raise Mismatch(f"expected {what}\nseen: it opened another stream; {last_words(self.bot)}")
        await self.bot.output_ends()
        return self.bot.exited.result()

    def _current(self) -> Stream:
        if self._stream is None:
            raise Mismatch("the script has no stream yet: it needs an 'opens' or a 'greet' before this step")
        return self._stream

    async def _until(self, waiting: Awaitable[Found], what: str, patience: float = 0.0) -> Found:
        assert self.bot is not None
        task = asyncio.ensure_future(waiting)
        patience = max(patience, self._patience)
        try:
            await asyncio.wait((task, self.bot.exited), timeout=patience, return_when=asyncio.FIRST_COMPLETED)
            if not task.done() and self.bot.exited.done():
                await asyncio.wait((task,), timeout=AFTERWARDS)
            if task.done():
                return task.result()
        finally:
            task.cancel()
        if self.bot.exited.done():
            raise Mismatch(f"expected {what}\nseen: {how_it_ended(self.bot.exited.result())}; {last_words(self.bot)}")
        raise Mismatch(f"expected {what}\nseen: {hung(self.bot, patience)}")

    async def _how_it_left(self) -> str:
        assert self.bot is not None
        await asyncio.wait((self.bot.exited,), timeout=AFTERWARDS)
        if not self.bot.exited.done():
            return f"; {last_words(self.bot)}"
        await self.bot.output_ends()
        return f" with {how_it_ended(self.bot.exited.result())}; {last_words(self.bot)}"

    async def _check_nothing_left(self) -> None:
        """Whether the bot has sent anything on its latest stream that no step expects, but for an unread Hello."""
        if (stream := self._stream) is None:
            return
        await asyncio.wait((asyncio.ensure_future(stream.over.wait()),), timeout=AFTERWARDS)
        while not stream.heard.empty():
            if (message := stream.heard.get_nowait()) is not None:
                self._take(message)
        if self._pending and not stream.read and "hello" in self._pending[0][1]:
            self._pending.popleft()
        if self._pending:
            raise Mismatch(f"expected nothing more\nseen: {bodies.shown(self._pending[0][1])}")


def asked_at_once(fields: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The questions of an `ask_all` step, and the answers that are expected."""
    number = fields["decision"]
    said, heard = [], []
    for place in range(1, fields["matches"] + 1):
        match = f"m/{place}"
        legal = fields.get("legal", [f"move {place}", "other"])
        said.append({"decide": {"match_id": match, "decision": number, "legal": legal}})
        answer = fields.get("answer", legal[0])
        heard.append({"act": {"match_id": match, "decision": number, "move_text": answer}})
    return said, heard


def _all(left: Sequence[Mapping[str, Any]]) -> str:
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    return f"{bodies.shown(left[0], left[0])}{more}"
