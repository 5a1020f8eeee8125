"""Tables at which people play against house bots: unrated, kept in memory only, with a generous clock.

Nothing of it is written to the store: any stranger may sit down. A table is known by a long random name, which is all
that lets its player move. One that is left alone is cleared.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena import Decision
from arena import Match as Info
from arena.bots import Player as BotInMatch
from referee.hall.competition import Competition
from referee.hall.house_player import HouseBotThread, HousePlayer
from referee.hall.places import PlacesTaken
from referee.hosting.bot import folders
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.rules import registry
from referee.rules.game import Game, Seat, WrongUse
from referee.tournament.plan import distinct

PEOPLE = "people"
YOU = "human"
CONTROL = TimeControl(limit=1800.0, bank=3600.0, strikes=1000, grace=1800.0)
"""A person may think for half an hour, and mistype as often as he likes."""
BOT_BUDGET = 1.0
"""What house bots are told they have for a decision: those who plan by the clock should not plan for half an hour."""
LEFT_ALONE_SECONDS = 300.0
"""A table without its page is cleared after so long."""
LOOK_EVERY = 30.0
MOST_KEPT = 64
"""Finished matches whose replay is kept."""
MOST_PER_ADDRESS = 4


class PersonsTable:
    """One match of a person against house bots."""

    name = YOU

    def __init__(self, token: str, address: str, game: Game[Any]) -> None:
        self.token = token
        self.address = address
        self.game = game
        self.changed = asyncio.Event()
        self.match: Match | None = None
        self.seat: Seat = 0
        self.question: Question | None = None
        self.rejected = ""
        self.seen = time.monotonic()

    @property
    def over(self) -> bool:
        return self.match is not None and self.match.ending is not None

    # What the match tells.

    def started(self, match: Match, seat: Seat) -> None:
        self.match, self.seat = match, seat

    def ask(self, question: Question) -> None:
        question.left(time.monotonic())
        self.question, self.rejected = question, ""
        self.changed.set()

    def refuse(self, text: str) -> None:
        self.rejected = text
        self.changed.set()

    def ended(self, match: Match, ending: Ending) -> None:
        self.question = None
        self.changed.set()

    def to_value(self) -> dict[str, Any]:
        """What the person sees: the same view and the same legal moves as a bot in this seat."""
        match = self.match
        assert match is not None
        view = match.table.state.view(self.seat)
        question = self.question
        legal: Sequence[str] = () if question is None else question.legal
        ending = match.ending
        return {
            "match": match.id,
            "seat": self.seat,
            "names": match.names,
            "decision": None if question is None else question.number,
            "decisions": match.table.decisions,
            "legal": legal,
            "spots": [spot.to_value() for spot in match.game.spots(view, legal, names=match.names)],
            "complete": question is None or question.complete,
            "picture": match.game.picture(view, names=match.names),
            "events": match.game.told(view, names=match.names),
            "scores": match.table.state.scores(),
            "rejected": self.rejected,
            "ending": None if ending is None else ending.to_value(),
        }


class _Seated:
    """The person as the match knows him: a `Player`."""

    wants_legal = True
    connected = True

    def __init__(self, table: PersonsTable) -> None:
        self._table = table
        self.name = table.name

    def started(self, match: Match, seat: Seat) -> None:
        self._table.started(match, seat)

    def ask(self, question: Question) -> None:
        self._table.ask(question)

    def rejected(self, match: Match, rejected: Rejected) -> None:
        self._table.refuse(rejected.message)

    def ended(self, match: Match, ending: Ending) -> None:
        self._table.ended(match, ending)


class _QuickBot(HousePlayer):
    """A house bot that is told to think as long as in a tournament, whatever the person's clock is."""

    def ask(self, question: Question) -> None:
        super().ask(replace(question, budget=BOT_BUDGET, bank=BOT_BUDGET))


class PeoplesTables:
    """All of them."""

    def __init__(self, competition: Competition, most: int) -> None:
        self._competition = competition
        self._most = most
        self._tables: dict[str, PersonsTable] = {}
        self._records: OrderedDict[str, tuple[int, bytes]] = OrderedDict()
        self._loaded: dict[str, Any] = {}
        self._thread: HouseBotThread | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._closed = False

    def find(self, token: str) -> PersonsTable | None:
        """The table of that name; looking at it keeps it."""
        table = self._tables.get(token)
        if table is not None:
            table.seen = time.monotonic()
        return table

    def sit_down(self, address: str, game_name: str, against: Sequence[str], seat: int | None = None) -> PersonsTable:
        """Start a match; WrongUse or PlacesTaken says why not."""
        game = registry.find(game_name)
        players = game.check_players(1 + len(against))
        if seat is not None and not 0 <= seat < players:
            raise WrongUse(f"there is no seat {seat}: the match has the seats 0 to {players - 1}")
        resolved = game.resolve_options()
        bots = [self._bot(name, game.name) for name in against]
        if self._closed:
            raise PlacesTaken("the server is stopping")
        open_ = [table for table in self._tables.values() if not table.over]
        if len(open_) >= self._most:
            raise PlacesTaken(f"{self._most} people are playing already: try again in a while")
        if sum(table.address == address for table in open_) >= MOST_PER_ADDRESS:
            raise PlacesTaken(f"{MOST_PER_ADDRESS} matches are being played from your address: end one of them first")
        if self._thread is None:
            self._thread = HouseBotThread()
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)
        token = "p" + secrets.token_urlsafe(18)
        table = PersonsTable(token, address, game)
        names = distinct(list(against))
        sitting: list[Any] = [_QuickBot(name, bot, self._thread) for name, bot in zip(names, bots, strict=True)]
        sitting.insert(secrets.randbelow(players) if seat is None else seat, _Seated(table))
        self._tables[token] = table
        self._competition.hall.play(
            f"{PEOPLE}/{token}", game, sitting, resolved, secrets.token_bytes(32), CONTROL, finished=self._finished
        )
        if table.match is not None and table.match.ending is not None and table.match.ending.void:
            del self._tables[token]
            raise WrongUse(table.match.ending.texts[0])
        return table

    def move(self, table: PersonsTable, decision: int, text: str) -> None:
        """The person's answer."""
        if table.match is None or table.question is None or table.question.number != decision:
            table.refuse("that was asked before: look at the board again")
            return
        table.rejected = ""
        question = table.question
        table.question = None
        accepted = table.match.answer(table.seat, decision, text, time.monotonic())
        if not accepted and table.question is None and table.match.is_asked(table.seat, decision):
            table.question = question
        table.changed.set()

    def resign(self, table: PersonsTable) -> None:
        if table.match is not None and not table.over:
            table.question = None
            table.match.resign(table.seat)

    async def advice(self, table: PersonsTable, bot: str) -> str:
        """What a house bot would do here: it sees what the person sees."""
        question, match = table.question, table.match
        if question is None or match is None or self._thread is None:
            raise WrongUse("nothing is asked at this moment")
        loaded = self._bot(bot, table.game.name)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[str] = loop.create_future()

        def think() -> Any:
            try:
                info = Info(
                    match.id,
                    match.game.name,
                    table.seat,
                    tuple(match.names),
                    dict(match.options),
                    BOT_BUDGET,
                    BOT_BUDGET,
                    match.game.version,
                    "",
                    match.view_type,
                    view_descriptor=match.view_descriptor,
                )
                decision = Decision(
                    info, question.number, question.legal, question.view, complete=question.complete, budget=BOT_BUDGET
                )
                move = BotInMatch(loaded, info).decide(decision)
                text = move if isinstance(move, str) else ""
            except Exception:  # noqa: BLE001 - a bot may raise anything; there is no advice then
                text = ""

            def tell() -> None:
                if not answer.done():
                    answer.set_result(text)

            return tell

        self._thread.submit(think)
        async with asyncio.timeout(30):
            text = await answer
        if not text:
            raise WrongUse(f"{bot} has no answer here")
        return text

    def record(self, name: str) -> bytes | None:
        """The record of a finished match of a person."""
        found = self._records.get(name)
        return None if found is None else found[1]

    def players(self, name: str) -> int:
        """How many sat there; 0 if it is no finished match of a person."""
        found = self._records.get(name)
        return 0 if found is None else found[0]

    def close(self) -> None:
        """Clear all tables: the server stops."""
        self._closed = True
        if self._looking is not None:
            self._looking.cancel()
        for table in list(self._tables.values()):
            if table.match is not None:
                table.match.break_off("the server is stopping")
        self._tables.clear()
        if self._thread is not None:
            self._thread.close()
            self._thread = None

    def _bot(self, name: str, game: str) -> Any:
        if name not in self._loaded:
            folder = folders.find(name, game)
            folders.check_inside(folder)
            self._loaded[name] = folders.load(folder)
        else:
            folders.find(name, game)
        return self._loaded[name]

    def _finished(self, match: Match, ending: Ending) -> None:
        if not ending.void:
            self._records[match.id] = (len(match.names), match.record())
            while len(self._records) > MOST_KEPT:
                self._records.popitem(last=False)
        match.announce()

    def _look(self) -> None:
        """Clear the tables that were left alone."""
        now = time.monotonic()
        for token, table in list(self._tables.items()):
            if now - table.seen > LEFT_ALONE_SECONDS:
                del self._tables[token]
                if table.match is not None:
                    table.match.break_off("the person has left")
        self._looking = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look) if self._tables else None
