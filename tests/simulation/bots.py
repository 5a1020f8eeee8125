"""Simulated bots: what each does with what it is told, over a connection that may be slow, cut or repeat itself."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc.aio

from arena.v1 import match_pb2 as pb

from .absences import Absences

Heard = Callable[["Bot", pb.RefereeBody], None]


@dataclass(frozen=True)
class Manner:
    """How a bot behaves and how good its connection is. All are shares of one, but for seconds."""

    think: float = 0.05
    """The longest it thinks, in seconds."""
    network: float = 0.01
    """The longest that a message takes, in seconds."""
    cut: float = 0.0
    """How likely the connection breaks at a message …"""
    away: float = 0.0
    """… and for how long at most, in seconds."""
    late: float = 0.0
    """How likely it thinks far too long."""
    illegal: float = 0.0
    twice: float = 0.0
    stray: float = 0.0
    """Answers to a match that is not its own."""
    flood: float = 0.0
    hung: float = 0.0
    """How likely it never answers a question."""
    resign: float = 0.0

    @property
    def honest(self) -> bool:
        """Whether no fault may ever be charged to it: a connection that breaks now and then for a second is none."""
        bad = (
            self.cut > 0.05 or self.away > 1.0,
            self.late,
            self.illegal,
            self.twice,
            self.stray,
            self.flood,
            self.hung,
            self.resign,
        )
        return not any(bad) and self.think + 2 * self.network < 0.8


class Wire:
    """One stream between a bot and the server: the server's side of it, as gRPC shows it."""

    def __init__(self, bot: Bot, number: int) -> None:
        self._bot = bot
        self._number = number
        self._up: asyncio.Queue[Any] = asyncio.Queue()
        self.broken = False

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self._bot.token}"),)

    def peer(self) -> str:
        return f"ipv4:10.0.0.{self._bot.number}:{40000 + self._number}"

    async def read(self) -> Any:
        return await self._up.get()

    async def write(self, frame: pb.PlayResponse) -> None:
        if self.broken:
            raise grpc.aio.BaseError
        self._bot.deliver(self, pb.PlayResponse.FromString(frame.SerializeToString()))

    def arrive(self, frame: pb.PlayRequest) -> None:
        if not self.broken:
            self._up.put_nowait(frame)

    def cut(self) -> None:
        if not self.broken:
            self.broken = True
            self._bot.gone()
            self._up.put_nowait(grpc.aio.EOF)


class Bot:
    """One bot; it lives on while servers come and go."""

    def __init__(
        self,
        number: int,
        name: str,
        token: str,
        manner: Manner,
        seed: str,
        absences: Absences,
        *,
        heard: Heard,
        sent: Heard,
    ) -> None:
        """`sent` is called with each body when the server sends it, `heard` when it arrives."""
        self.number, self.name, self.token, self.manner = number, name, token, manner
        self.calm = False
        """Whether all faults have ceased."""
        self.wire: Wire | None = None
        self._chance = random.Random(f"{seed} {name}")
        self._absences = absences
        self._heard = heard
        self._sent = sent
        self._session = ""
        self._wires = 0
        self._play: Callable[[Wire], Any] | None = None

    def server_is(self, play: Callable[[Wire], Any]) -> None:
        """A server is there: connect to it."""
        self._play = play
        self.wire = None
        self._connect()

    def _connect(self) -> None:
        assert self._play is not None
        if self.wire is not None and not self.wire.broken:
            return
        self._wires += 1
        wire = self.wire = Wire(self, self._wires)
        hello = pb.Hello(protocol_version=1, concurrency=4, resume=self._session)
        self._send(wire, pb.BotBody(hello=hello))
        asyncio.ensure_future(self._play(wire)).add_done_callback(lambda done: self._ended(wire, done))

    def _ended(self, wire: Wire, done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # a refusal: it comes back all the same
        wire.broken = True
        if self.wire is wire:
            self.gone()
            away = 0.5 + self._chance.random() * (0.5 if self.calm else max(0.5, self.manner.away))
            asyncio.get_running_loop().call_later(away, self._connect)

    def gone(self) -> None:
        """The connection has broken at this moment, or had before."""
        self._absences.gone(self.name, asyncio.get_running_loop().time())

    def deliver(self, wire: Wire, frame: pb.PlayResponse) -> None:
        manner = self.manner
        for body in frame.bodies:
            self._sent(self, body)
        if not self.calm and self._chance.random() < manner.cut:
            asyncio.get_running_loop().call_later(self._chance.uniform(0, manner.network), wire.cut)
        delay = self._chance.uniform(0.0, manner.network)
        asyncio.get_running_loop().call_later(delay, self._hear, wire, frame)

    def _hear(self, wire: Wire, frame: pb.PlayResponse) -> None:
        if wire.broken:
            return
        for body in frame.bodies:
            self._heard(self, body)
            if body.HasField("welcome"):
                self._session = body.welcome.session
                self._absences.back(self.name, asyncio.get_running_loop().time())
            elif body.HasField("decide"):
                self._decide(wire, body.decide)
            elif body.HasField("rejected") and body.rejected.open and body.rejected.HasField("question"):
                self._decide(wire, body.rejected.question)

    def _decide(self, wire: Wire, decide: pb.Decide) -> None:
        chance, manner = self._chance, self.manner
        wild = Manner(think=manner.think, network=manner.network) if self.calm else manner
        if chance.random() < wild.hung:
            return
        seconds = chance.uniform(0.0, wild.think) + (30.0 if chance.random() < wild.late else 0.0)
        move = chance.choice(list(decide.legal))
        if chance.random() < wild.illegal:
            move = chance.choice(["", "nonsense", "stop 99", "\x00", "x" * 5000])
        act = pb.BotBody(act=pb.Act(match_id=decide.match_id, decision=decide.decision, move_text=move))
        bodies = [act]
        if chance.random() < wild.twice:
            bodies.append(act)
        if chance.random() < wild.stray:
            bodies.append(pb.BotBody(act=pb.Act(match_id="elsewhere/1", decision=1, move_text=move)))
        if chance.random() < wild.flood:
            bodies += [act] * 700
        if chance.random() < wild.resign:
            bodies.append(pb.BotBody(resign=pb.Resign(match_id=decide.match_id)))
        asyncio.get_running_loop().call_later(seconds, self._send, wire, *bodies)

    def _send(self, wire: Wire, *bodies: pb.BotBody) -> None:
        frame = pb.PlayRequest(bodies=bodies)
        asyncio.get_running_loop().call_later(self._chance.uniform(0.0, self.manner.network), wire.arrive, frame)
