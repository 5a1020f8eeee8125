"""A scripted server for tests of a whole bot program: it asks what the test says, and returns what the bot answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

import grpc
from google.protobuf.message import Message

from arena import results, views
from arena.errors import ArenaError, BotFailed, Gone
from arena.testing.made_up import made_up_view, view_type_of
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server

PATIENCE = 30.0
"""Seconds that a test waits for the bot, unless it says otherwise."""
OVER = (grpc.StatusCode.FAILED_PRECONDITION, "the test is over")
SECOND_BOT = (grpc.StatusCode.FAILED_PRECONDITION, "this server of a test is for one bot and one connection")
GONE = "the bot is gone: look at what its program printed"
ENDED = (grpc.StatusCode.OK, "")


class Server(MatchServiceServicer):
    """One bot plays on it, over one connection. Use it in a `with` statement and start the bot with `--server ADDRESS`.

    A bot that has left, as one with `--practice` does after its matches, ends by itself. Any other bot is refused at
    the end of the `with` statement, so that its program ends with exit code 2.
    """

    def __init__(self, name: str = "me", patience: float = PATIENCE) -> None:
        self.name = name
        self.patience = patience
        self.address = ""
        self._hello: SimpleQueue[pb.Hello] = SimpleQueue()
        self._known: pb.Hello | None = None
        self._matches: dict[str, ServerMatch] = {}
        self._started = 0
        self._leaving = self._connected = self._gone = False
        self._lock = threading.Lock()
        self._to_send: SimpleQueue[pb.PlayResponse | tuple[grpc.StatusCode, str]] = SimpleQueue()
        self._server = grpc.server(ThreadPoolExecutor(4, "arena.testing.Server"))
        add_MatchServiceServicer_to_server(self, self._server)

    def __enter__(self) -> Self:
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._to_send.put(OVER)
        self._server.stop(1.0).wait()

    def hello(self) -> pb.Hello:
        """What the bot said of itself; waits until it is there."""
        if self._known is None:
            try:
                self._known = self._hello.get(timeout=self.patience)
            except Empty:
                raise Gone(f"no bot has connected to {self.address} within {self.patience:g} seconds") from None
        return self._known

    def start(
        self,
        game: str,
        names: Sequence[str] = ("me", "other"),
        *,
        seat: int = 0,
        options: Mapping[str, Any] | None = None,
        limit: float = 1.0,
        bank: float = 10.0,
    ) -> ServerMatch:
        """Start a match, as soon as the bot is there."""
        self.hello()
        with self._lock:
            if self._gone:
                raise Gone(GONE)
            self._started += 1
            match = ServerMatch(self, f"test/{self._started}", game, seat, len(names), limit, bank)
            self._matches[match.id] = match
        self.say(
            match_start=pb.MatchStart(
                match_id=match.id,
                game=game,
                seat=seat,
                names=names,
                options_json=json.dumps(dict(options or {})),
                time_control=pb.TimeControl(limit_ms=round(limit * 1000), bank_ms=round(bank * 1000)),
                view_type=views.view_type(game) or views.JSON,
            )
        )
        return match

    def say(self, **body: Any) -> None:
        """Send a message of the protocol, such as `say(notice=match_pb2.Notice(text="hello"))`."""
        self._to_send.put(pb.PlayResponse(bodies=[pb.RefereeBody(**body)]))

    def ended(self, match: str) -> None:
        """A match is over; a bot that wants to leave may go after its last one."""
        with self._lock:
            self._matches.pop(match, None)
            if self._leaving and not self._matches:
                self._to_send.put(ENDED)

    # The bot's side: gRPC calls these in threads of its own.

    def Play(self, request_iterator: Iterator[pb.PlayRequest], context: Any) -> Iterator[pb.PlayResponse]:  # noqa: N802
        with self._lock:
            second, self._connected = self._connected, True
        if second:
            context.abort(*SECOND_BOT)
        context.add_callback(lambda: self._to_send.put(ENDED))
        threading.Thread(target=self._read, args=(request_iterator,), daemon=True).start()
        while isinstance(message := self._to_send.get(), pb.PlayResponse):
            yield message
        if message != ENDED:
            context.abort(*message)

    def _read(self, requests: Iterator[pb.PlayRequest]) -> None:
        try:
            for request in requests:
                for body in request.bodies:
                    self._hear(body)
        except grpc.RpcError:  # the bot is gone
            pass
        finally:
            with self._lock:
                self._gone = True
                for match in self._matches.values():
                    match.heard.put(None)

    def _hear(self, body: pb.BotBody) -> None:
        if body.HasField("hello"):
            self.say(welcome=pb.Welcome(session="test", name=self.name, protocol_version=1, server="arena.testing"))
            self._hello.put(body.hello)
        elif body.HasField("leave"):
            with self._lock:
                self._leaving = True
                if not self._matches:
                    self._to_send.put(ENDED)
        elif body.HasField("act") and (match := self._matches.get(body.act.match_id)):
            match.heard.put(body.act)
        elif body.HasField("resign") and (match := self._matches.get(body.resign.match_id)):
            match.heard.put(body.resign)


class ServerMatch:
    """A match on a `Server`, made by `Server.start`."""

    def __init__(self, server: Server, id: str, game: str, seat: int, seats: int, limit: float, bank: float) -> None:
        self.id = id
        self.heard: SimpleQueue[pb.Act | pb.Resign | None] = SimpleQueue()
        self._server = server
        self._game = game
        self._seat = seat
        self._seats = seats
        self._limit, self._bank = limit, bank
        self._asked = 0
        self._last = ""
        self._question = pb.Decide()

    def ask(
        self,
        legal: Sequence[str],
        view: Message | Mapping[str, Any] | None = None,
        *,
        complete: bool = True,
        budget: float | None = None,
    ) -> str:
        """Ask the bot and return its move; BotFailed if it resigns, Gone if it does not answer."""
        self._asked += 1
        seen = made_up_view(self._game, view, self._seat)
        if view_type_of(seen) != (views.view_type(self._game) or views.JSON):
            raise ArenaError(f"{view_type_of(seen)} is not the view of {self._game}")
        self._question = pb.Decide(
            match_id=self.id,
            decision=self._asked,
            view=views.write(seen),
            legal=legal,
            complete=complete,
            budget_ms=round((self._limit if budget is None else budget) * 1000),
            bank_ms=round(self._bank * 1000),
        )
        self._server.say(decide=self._question)
        return self._answer()

    def reject(self, message: str, strikes_left: int = 2) -> str:
        """Refuse the move that the bot has just made, and return the one it makes instead."""
        self._server.say(
            rejected=pb.Rejected(
                match_id=self.id,
                decision=self._asked,
                kind=pb.REJECTION_KIND_ILLEGAL,
                code="test",
                message=message,
                move_text=self._last,
                strikes_left=strikes_left,
                open=True,
                question=self._question,
            )
        )
        return self._answer()

    def end(self, ranks: Sequence[int] = (), scores: Sequence[int] = (), reason: str = "finished") -> None:
        """End the match; without `ranks`, all share the first place."""
        many = self._seats
        result = results.message(ranks or [1] * many, scores or [0] * many, ["finished"] * many, [""] * many, reason)
        self._server.say(match_end=pb.MatchEnd(match_id=self.id, result=result))
        self._server.ended(self.id)

    def _answer(self) -> str:
        while True:
            try:
                said = self.heard.get(timeout=self._server.patience)
            except Empty:
                raise Gone(f"the bot has not answered within {self._server.patience:g} seconds") from None
            if said is None:
                self.heard.put(None)
                raise Gone(GONE)
            if isinstance(said, pb.Resign):
                raise BotFailed(f"the bot resigned: {said.reason}")
            if said.decision == self._asked:
                self._last = said.move_text
                return self._last
