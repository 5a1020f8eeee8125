"""The lobby: an author asks for practice matches against house bots or whoever else is waiting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.v1 import match_pb2 as pb

from referee.match.clock import TimeControl
from referee.match.port import Player
from referee.net.people import People
from referee.net.play import notice
from referee.net.practice import Practice
from referee.net.session import Session
from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.store import NewEntrant, StoreError
from referee.tournament.plan import distinct

ANYONE = "anyone"
MOST_MATCHES = 1000


@dataclass(slots=True)
class _Wish:
    """What a bot waits for."""

    session: Session
    game: Game[Any]
    options: Mapping[str, Any]
    against: tuple[str, ...]
    matches: int

    @property
    def players(self) -> int:
        return 1 + len(self.against)

    def matches_with(self, other: _Wish) -> bool:
        """Whether both want the same table, but for the seats that are open."""
        return (
            self.game is other.game
            and self.options == other.options
            and sorted(self.against) == sorted(other.against)
            and self.session is not other.session
        )


class Lobby:
    """Wishes that wait, and tables that are made of them."""

    def __init__(self, people: People, practice: Practice, control: TimeControl) -> None:
        self._people = people
        self._practice = practice
        self._control = control
        self._waiting: list[_Wish] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def wish(self, session: Session, practice: pb.Practice) -> None:
        """A bot asks for practice."""
        try:
            wish = self._read(session, practice)
        except WrongUse as error:
            session.send(notice("refused", str(error)))
            return
        self.gone(session)
        if ANYONE in wish.against:
            self._waiting.append(wish)
            session.send(notice("waiting", f"waiting for {wish.against.count(ANYONE)} more at {wish.game.name}"))
            self._try_tables(wish)
        else:
            self._seat([wish])

    def gone(self, session: Session) -> None:
        """The bot waits no more."""
        self._waiting = [wish for wish in self._waiting if wish.session is not session]

    def _read(self, session: Session, practice: pb.Practice) -> _Wish:
        game = registry.find(practice.game)
        if not session.plays(game.name):
            raise WrongUse(f"this bot said it does not play {game.name}")
        against = tuple(practice.against)
        game.check_players(1 + len(against))
        try:
            given = json.loads(practice.options_json or "{}")
        except ValueError:
            given = None
        if not isinstance(given, dict):
            raise WrongUse("the options must be a JSON object")
        for name in against:
            if name != ANYONE:
                self._people.house_player(name, name)
        matches = practice.matches or 1
        if matches > MOST_MATCHES:
            raise WrongUse(f"at most {MOST_MATCHES} practice matches at a time")
        return _Wish(session, game, game.resolve_options(given), against, matches)

    def _try_tables(self, wish: _Wish) -> None:
        """Seat this wish with others that fit, if there are enough of them."""
        partners = [other for other in self._waiting if other is wish or wish.matches_with(other)]
        wanted = 1 + wish.against.count(ANYONE)
        if len(partners) >= wanted:
            table = partners[:wanted] if wish in partners[:wanted] else [*partners[: wanted - 1], wish]
            for partner in table:
                self._waiting.remove(partner)
            self._seat(table)

    def _seat(self, wishes: list[_Wish]) -> None:
        task = asyncio.get_running_loop().create_task(self._play(wishes, 0))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, wishes: list[_Wish], number: int) -> None:
        """Play the next of the wished matches; seats move on by one every time."""
        first = wishes[0]
        names = [wish.session.name for wish in wishes] + [name for name in first.against if name != ANYONE]
        shown = distinct(names)
        sitting = [wish.session for wish in wishes if wish.session.connected and not wish.session.leaving]
        if len(sitting) < len(wishes):
            for session in sitting:
                session.send(notice("refused", "another bot of this practice table has gone"))
            return
        players: list[Player] = [*sitting]
        loop = asyncio.get_running_loop()
        try:
            bots = [await loop.run_in_executor(None, self._people.bot, name, first.game.name) for name in names]
            players += [
                self._people.house_player(bot.name, name)
                for bot, name in zip(bots[len(wishes) :], shown[len(wishes) :], strict=True)
            ]
            turn = number % len(players)
            players = players[turn:] + players[:turn]
            entrants = [NewEntrant(bot.id, name) for bot, name in zip(bots, shown, strict=True)]
            entrants = entrants[turn:] + entrants[:turn]

            def over(*_: object) -> None:
                if number + 1 < min(wish.matches for wish in wishes):
                    task = loop.create_task(self._play(wishes, number + 1))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)

            await self._practice.play(first.game, entrants, players, first.options, self._control, over=over)
        except (WrongUse, StoreError) as error:
            for session in sitting:
                session.send(notice("refused", str(error)))
