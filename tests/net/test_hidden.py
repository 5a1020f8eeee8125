"""Hidden stays hidden over the wire: the bytes to a seat and to a watcher are the same whatever they may not know.

Every game is played twice over real sockets, from the same seed with the same moves. In the second match, whatever is
sent to a seat or to a watcher is made from another state: one that differs only in what that seat, or the public, may
not know (`State.redealt`). `tests/web/test_hidden.py` shows the same of the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from arena.v1 import match_pb2
from arena.v1 import tournament_pb2 as pb
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.net import broadcast
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Seat

from ..waiting import PATIENCE, soon
from .conftest import Server, serving
from .raw import Raw

NAMES = ("ada", "bob", "cy")
CONTROL = TimeControl(limit=3600.0, bank=3600.0)
"""So long that no message depends on how long anything took."""
DECISIONS = 40


class Otherwise:
    """Exchanges the state of a match for one that differs in what somebody may not know, while something is sent."""

    def __init__(self, salt: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        self.differed = 0
        self._salt = salt
        self._drawn = 0
        ask, show = Match._ask, broadcast.Broadcast._show

        def asked(match: Match, seat: Seat, chair: Any, again: bool = False) -> None:
            with self._exchanged(match, seat):
                ask(match, seat, chair, again)

        async def shown(watched: broadcast.Broadcast) -> None:
            with self._exchanged(watched._match, None):
                await show(watched)

        monkeypatch.setattr(Match, "_ask", asked)
        monkeypatch.setattr(broadcast.Broadcast, "_show", shown)

    @contextmanager
    def _exchanged(self, match: Match, seat: Seat | None) -> Iterator[None]:
        self._drawn += 1
        real = match.table.state
        twin = real.redealt(seat, Seeded(self._salt + self._drawn.to_bytes(4, "big")))
        self.differed += any(real.view_bytes(other) != twin.view_bytes(other) for other in range(real.players))
        match.table.state = twin
        try:
            yield
        finally:
            match.table.state = real


class Told:
    """A match over real sockets, and the bytes of all that its seats and a watcher are sent."""

    def __init__(self, server: Server, bots: list[Raw], match: Match, watching: Any) -> None:
        self.server, self.bots, self.match = server, bots, match
        self.seats: list[list[bytes]] = [[] for _ in bots]
        self.watcher: list[bytes] = []
        self._watching = watching

    async def play(self, decisions: int) -> None:
        """So many decisions, each seen by the watcher before the next; the moves depend on nothing that is hidden."""
        while self.match.ending is None and self.match.table.decisions < decisions:
            number = self.match.table.decisions
            questions = [(seat, await self.question(seat)) for seat in self.match.table.pending()]
            await self._see(number)
            for seat, question in questions:
                await self.bots[seat].act(question, question.legal[(number + seat) % len(question.legal)])
            await soon(lambda number=number: self.match.table.decisions != number)  # type: ignore[misc]

    async def question(self, seat: Seat) -> match_pb2.Decide:
        """What this seat is asked next; all that it was sent before is noted."""
        while True:
            body = await asyncio.wait_for(self.bots[seat]._bodies.get(), PATIENCE)
            assert body is not None
            self.seats[seat].append(body.SerializeToString(deterministic=True))
            if body.HasField("decide"):
                return body.decide

    async def _see(self, decisions: int) -> None:
        """What the watcher is sent of this moment."""
        while True:
            data: bytes = await asyncio.wait_for(self._watching.read(), PATIENCE)
            if pb.WatchMatchResponse.FromString(data).decisions == decisions:
                self.watcher.append(data)
                return


def folder(path: Path, name: str) -> Path:
    made = path / name
    made.mkdir()
    return made


async def played(place: Path, game: str, decisions: int, first: int = 0) -> Told:
    """The first decisions of a match; in the next, if several are asked, one has answered: its move `first`."""
    async with serving(place) as server, grpc.aio.insecure_channel(server.address) as channel:
        bots = await server.bots(*NAMES)
        match = server.sit(*NAMES, game=game, control=CONTROL)
        watch: Any = channel.unary_stream(
            "/arena.v1.TournamentService/WatchMatch", request_serializer=pb.WatchMatchRequest.SerializeToString
        )
        told = Told(server, bots, match, watch(pb.WatchMatchRequest(match_id=match.id)))
        await told.play(decisions)
        pending = match.table.pending()
        if len(pending) > 1:
            questions = [await told.question(seat) for seat in pending]
            await bots[pending[0]].act(questions[0], questions[0].legal[first])
            await soon(lambda: match.table.sealed)
            for seat in pending[1:]:
                assert await bots[seat].until_now() == [], "the others hear nothing of a sealed answer"
        seed = match.seed
        if match.ending is None:
            for sent in (*told.seats, told.watcher):
                assert not any(seed in data or seed.hex().encode() in data for data in sent)
        return told


@pytest.mark.parametrize("game", registry.names())
async def test_the_bytes_to_seats_and_watchers_tell_nothing_that_they_may_not_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(broadcast, "LEAST_PAUSE", 0.0)
    real = await played(folder(tmp_path, "real"), game, DECISIONS)
    with monkeypatch.context() as patched:
        otherwise = Otherwise(b"otherwise", patched)
        twin = await played(folder(tmp_path, "twin"), game, DECISIONS)
    assert all(real.seats)
    assert real.watcher
    assert twin.seats == real.seats
    assert twin.watcher == real.watcher
    if game == "stop":
        assert otherwise.differed, "a game with hidden hands: the states did differ"


@pytest.mark.parametrize(("game", "decisions"), [("stop_me_go", 1), ("encore", 1), ("stop", 2)])
async def test_a_sealed_answer_is_told_to_nobody_before_all_have_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, decisions: int
) -> None:
    monkeypatch.setattr(broadcast, "LEAST_PAUSE", 0.0)
    one = await played(folder(tmp_path, "one"), game, decisions, first=0)
    other = await played(folder(tmp_path, "other"), game, decisions, first=-1)
    assert one.match.table.sealed != other.match.table.sealed
    assert (one.seats, one.watcher) == (other.seats, other.watcher)


async def test_the_comparison_finds_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of the test: a referee that shows each seat what its neighbour may see is found out."""
    monkeypatch.setattr(broadcast, "LEAST_PAUSE", 0.0)
    game = registry.find("stop")
    kind = type(game.start(len(NAMES), game.resolve_options({}), bytes(32)))
    view = kind.view_bytes
    leak = lambda state, seat: view(state, None if seat is None else (seat + 1) % len(NAMES))  # noqa: E731
    monkeypatch.setattr(kind, "view_bytes", leak)
    real = await played(folder(tmp_path, "real"), "stop", 4)
    with monkeypatch.context() as patched:
        Otherwise(b"otherwise", patched)
        twin = await played(folder(tmp_path, "twin"), "stop", 4)
    assert twin.seats != real.seats
    assert twin.watcher == real.watcher
