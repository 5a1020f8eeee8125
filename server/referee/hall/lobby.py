"""The lobby: an author asks for practice matches against house bots or whoever else is waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.hall.options_json import read_options
from referee.hall.practice import Practice
from referee.hall.practice_request import PracticeRequest
from referee.hall.presence import ConnectedBot, HallPlayer, Presence
from referee.hall.roster import ANYONE, Roster
from referee.match.clock import TimeControl
from referee.match.player import shorten
from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.store import Bot, NewEntrant, Refused, StoreError
from referee.threads import in_thread
from referee.tournament.plan import distinct

MOST_MATCHES = 1000
LOOK_AGAIN_AFTER = 1.0
"""Seconds after which a party that waits for a tournament is looked at again: nobody tells when that is over."""
LONGEST_TEXT = 500
"""Characters of a refusal: it may repeat what the bot sent."""


@dataclass(slots=True, eq=False)
class _Wish:
    """What a bot waits for."""

    bot: ConnectedBot
    game: Game[Any]
    options: Mapping[str, Any]
    against: tuple[str, ...]
    left: int
    """Matches still to play."""
    dropped: bool = False
    told: bool = False
    """Whether the bot knows that it waits for its tournament."""

    def fits(self, other: _Wish) -> bool:
        """Whether both want the same table, but for the seats that are open."""
        return (
            self.game is other.game
            and self.options == other.options
            and sorted(self.against) == sorted(other.against)
            and self.bot is not other.bot
        )

    @property
    def alive(self) -> bool:
        return not self.dropped and self.left > 0 and self.bot.connected and not self.bot.leaving


@dataclass(slots=True, eq=False)
class _Party:
    """Bots that play a series with each other; seats move on by one every time."""

    wishes: list[_Wish]
    played: int = 0


class Lobby:
    """Wishes that wait, and parties that are made of them."""

    def __init__(
        self,
        roster: Roster,
        presence: Presence,
        practice: Practice,
        control: TimeControl,
        wanted: Callable[[str], bool] = lambda bot: False,
    ) -> None:
        """`wanted` tells whether a running tournament has a match for a bot: practice waits for that."""
        self._wanted = wanted
        self._roster = roster
        self._practice = practice
        self._control = control
        self._wishes: dict[ConnectedBot, _Wish] = {}
        self._waiting: list[_Wish] = []
        self._ready: list[_Party] = []
        self._seated: set[ConnectedBot] = set()
        """Who is at a practice table, or on the way to one: a bot practises one match after the other."""
        self._closed = False
        self._look_again: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        presence.on_change(self.look)

    def wish(self, bot: ConnectedBot, asked: PracticeRequest) -> bool:
        """A bot asks for practice, instead of what it asked for before; False if that cannot be had."""
        try:
            wish = self._read(bot, asked)
        except WrongUse as error:
            bot.notice("refused", shorten(str(error), LONGEST_TEXT))
            return False
        self.gone(bot)
        self._wishes[bot] = wish
        self._place(wish)
        return True

    def gone(self, bot: ConnectedBot) -> None:
        """The bot wishes for nothing any more."""
        if bot in self._wishes:
            self._wishes.pop(bot).dropped = True
            self._waiting = [wish for wish in self._waiting if not wish.dropped]

    def look(self) -> None:
        """Start what was waiting for a bot to become free."""
        if self._look_again is not None:
            self._look_again.cancel()
            self._look_again = None
        for party in list(self._ready):
            if not all(wish.alive for wish in party.wishes):
                self._ready.remove(party)
                self._disband(party)
            elif self._can_start(party):
                self._ready.remove(party)
                self._seated.update(wish.bot for wish in party.wishes)
                self._later(party)

    def _can_start(self, party: _Party) -> bool:
        """Whether all have a place for one more match, and no tournament wants it: practice never goes before one."""
        wanted = [wish for wish in party.wishes if self._wanted(wish.bot.name)]
        for wish in wanted:
            if not wish.told:
                wish.told = True
                wish.bot.notice("waiting", "practice waits while a tournament has matches for this bot")
        if wanted and self._look_again is None:
            self._look_again = asyncio.get_running_loop().call_later(LOOK_AGAIN_AFTER, self.look)
        return not wanted and all(wish.bot.free and wish.bot not in self._seated for wish in party.wishes)

    def close(self) -> None:
        """Start no more matches."""
        self._closed = True
        self._waiting.clear()
        self._ready.clear()
        if self._look_again is not None:
            self._look_again.cancel()

    def _read(self, bot: ConnectedBot, asked: PracticeRequest) -> _Wish:
        game = registry.find(asked.game)
        if not bot.plays(game.name):
            raise WrongUse(f"this bot said it does not play {game.name}")
        against = asked.against
        game.check_players(1 + len(against))
        matches = asked.matches or 1
        if matches > MOST_MATCHES:
            raise WrongUse(f"at most {MOST_MATCHES} practice matches at a time")
        options = game.resolve_options(read_options(asked.options_json))
        for name in against:
            if name != ANYONE:
                self._roster.house_player(name, name)
        return _Wish(bot, game, options, against, matches)

    def _place(self, wish: _Wish) -> None:
        """Seat a wish with others that fit, if there are enough of them; else it waits."""
        if self._closed:
            wish.bot.notice("closed", "the server is stopping; no more practice matches")
            return
        wanted = wish.against.count(ANYONE)
        partners = [other for other in self._waiting if wish.fits(other)][:wanted]
        if len(partners) < wanted:
            self._waiting.append(wish)
            missing = wanted - len(partners)
            wish.bot.notice("waiting", f"waiting for {missing} more at {wish.game.name}")
            return
        for partner in partners:
            self._waiting.remove(partner)
        self._ready.append(_Party([*partners, wish]))
        self.look()

    def _disband(self, party: _Party) -> None:
        """Somebody has had enough, or has gone: the others wait for new partners."""
        for wish in party.wishes:
            if wish.alive:
                self._place(wish)
            elif self._wishes.get(wish.bot) is wish:
                del self._wishes[wish.bot]

    def _later(self, party: _Party) -> None:
        task = asyncio.get_running_loop().create_task(self._play(party))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, party: _Party) -> None:
        try:
            await self._start(party)
        except (WrongUse, Refused, StoreError) as error:
            self._rise(party)
            if all(wish.alive for wish in party.wishes):
                for wish in party.wishes:
                    self.gone(wish.bot)
                    wish.bot.notice("refused", str(error))
            else:
                self._disband(party)
            self.look()

    def _rise(self, party: _Party) -> None:
        """They are at no table any more."""
        self._seated.difference_update(wish.bot for wish in party.wishes)

    async def _start(self, party: _Party) -> None:
        roster, wishes = self._roster, party.wishes
        game = wishes[0].game
        house = [name for name in wishes[0].against if name != ANYONE]
        guests = [wish.bot.name for wish in wishes]
        shown = distinct(guests + house)

        def register() -> list[Bot]:
            known = {name: roster.house_bot(name, game.name) for name in set(house)}
            return [roster.bot(name, game.name) for name in guests] + [known[name] for name in house]

        bots = await in_thread(register)
        players: list[HallPlayer] = [wish.bot for wish in wishes]
        players += [roster.house_player(name, seen) for name, seen in zip(house, shown[len(guests) :], strict=True)]
        entrants = [NewEntrant(bot.id, name) for bot, name in zip(bots, shown, strict=True)]
        turn = party.played % len(players)

        def over(*_: object) -> None:
            self._rise(party)
            party.played += 1
            for wish in wishes:
                wish.left -= 1
            if not self._closed:
                self._ready.append(party)
                self.look()

        await self._practice.play(
            game,
            entrants[turn:] + entrants[:turn],
            players[turn:] + players[:turn],
            wishes[0].options,
            self._control,
            over=over,
        )
