"""A competition without a network: house bots, and bots that are connected with nothing but a Python object."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from referee.hall.competition import Competition
from referee.hall.nonce_call import NonceCall
from referee.hall.notices import NoticeCode
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.rules.game import Seat
from referee.store import Store


class LocalBot:
    """A `ConnectedBot` that plays the first legal move."""

    wants_legal = True
    client = "local/1"

    def __init__(
        self, competition: Competition, name: str, *, games: tuple[str, ...] = (), concurrency: int = 1
    ) -> None:
        self.name = name
        self.games = games
        self.concurrency = concurrency
        self.connected = True
        self.leaving = False
        self.seats: dict[str, tuple[Match, Seat]] = {}
        self.notices: list[tuple[str, str]] = []
        self.endings: list[Ending] = []
        self._presence = competition.presence
        self.gives_nonces = False
        self.nonce_calls: list[NonceCall] = []

    @property
    def free(self) -> int:
        return self.concurrency - len(self.seats) if self.connected and not self.leaving else 0

    def plays(self, game: str) -> bool:
        return not self.games or game in self.games

    def notice(self, code: NoticeCode, text: str) -> None:
        self.notices.append((code, text))

    def nonces(self, call: NonceCall, answered: Callable[[str], object] | None = None) -> None:
        self.nonce_calls.append(call)

    def started(self, match: Match, seat: Seat) -> None:
        self.seats[match.id] = (match, seat)

    def ask(self, question: Question) -> None:
        loop = asyncio.get_running_loop()
        match, seat, number = question.match, question.seat, question.number

        def answer() -> None:
            match.sent(seat, number, loop.time())
            match.answer(seat, number, question.legal[0], loop.time())

        loop.call_soon(answer)

    def rejected(self, match: Match, rejected: Rejected) -> None:
        raise AssertionError(rejected.message)

    def ended(self, match: Match, ending: Ending) -> None:
        self.seats.pop(match.id, None)
        self.endings.append(ending)
        self._presence.changed()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "hall.db", owner="server") as opened:
        yield opened


@pytest.fixture
async def competition(store: Store) -> AsyncIterator[Competition]:
    opened = Competition(store, control=TimeControl(60.0, 60.0), concurrency=4)
    await opened.prepare()
    opened.start()
    yield opened
    await opened.stop()
