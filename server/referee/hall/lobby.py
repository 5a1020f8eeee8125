"""The lobby: matchmaking for practice matches against house bots or other bots that wait for the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from referee.hall.database_faults import for_strangers
from referee.hall.notices import NoticeCode
from referee.hall.options_json import read_options
from referee.hall.practice import GoneMeanwhile, PracticeMatches
from referee.hall.practice_request import PracticeRequest
from referee.hall.practice_wish import Wish, table_for
from referee.hall.presence import ConnectedBot, HallPlayer, Presence
from referee.hall.roster import ANYONE, Roster
from referee.hosting.bot import folders
from referee.match.clock import TimeControl
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.rules.spelling import brief, printable
from referee.store import Bot, NewEntrant, Refused, StoreError
from referee.threads import in_thread
from referee.tournament.plan import distinct

log = structlog.get_logger()
MOST_MATCHES = 1000
LOOK_AGAIN_AFTER = 1.0
"""Seconds after which a series that waits for a tournament is looked at again: no event says when that is over."""
LONGEST_TEXT = 500
"""Characters of a refusal: it may repeat what the bot sent."""


@dataclass(slots=True, eq=False)
class _Series:
    """Bots that play a series with each other; seats move on by one every time."""

    wishes: list[Wish]
    played: int = 0


class Lobby:
    """Wishes that wait, and the series that are made of them."""

    def __init__(
        self,
        roster: Roster,
        presence: Presence,
        practice: PracticeMatches,
        control: TimeControl,
        wanted: Callable[[str], bool] = lambda bot: False,
    ) -> None:
        """`wanted` tells whether a running tournament has a match for a bot: practice waits for that."""
        self._wanted = wanted
        self._roster = roster
        self._practice = practice
        self._control = control
        self._presence = presence
        self._wishes: dict[str, Wish] = {}
        """By the name of the bot, connected or away: a bot that comes back may do so as another object."""
        self._away: dict[str, asyncio.TimerHandle] = {}
        """Bots whose stream has ended, and when their wish is forgotten."""
        self._waiting: list[Wish] = []
        self._ready: list[_Series] = []
        self._seated: set[str] = set()
        """Who is at a practice table, or on the way to one: a bot practises one match after the other."""
        self._playing: set[_Series] = set()
        self._closed = False
        self._look_again: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        presence.on_change(self.look)

    def wish(self, bot: ConnectedBot, asked: PracticeRequest) -> bool:
        """A bot asks for practice, instead of what it asked for before; False if that cannot be had."""
        try:
            wish = self._read(bot, asked)
        except WrongUse as error:
            bot.notice(NoticeCode.REFUSED, printable(str(error), LONGEST_TEXT))
            return False
        self.gone(bot)
        self._wishes[bot.name] = wish
        self._place(wish)
        return True

    def gone(self, bot: ConnectedBot) -> None:
        """The bot wishes for nothing any more."""
        self._forget(bot.name)

    def away(self, bot: ConnectedBot) -> None:
        """The bot's stream has ended: its wish is kept for as long as a match would wait for it."""
        wish = self._wishes.get(bot.name)
        if wish is not None and wish.bot is bot:
            self._waiting = [other for other in self._waiting if other is not wish]
            self._stop_timer(bot.name)
            loop = asyncio.get_running_loop()
            self._away[bot.name] = loop.call_later(self._control.grace, self._forget, bot.name)

    def left(self, name: str) -> int:
        """Matches still to come of a bot's wish, beside the one that is being played."""
        wish = self._wishes.get(name)
        return 0 if wish is None or self._closed else max(0, wish.left - (name in self._seated))

    def back(self, bot: ConnectedBot) -> None:
        """The bot is connected again: its wish goes on where it was."""
        wish = self._wishes.get(bot.name)
        self._stop_timer(bot.name)
        if wish is None:
            return
        wish.bot = bot
        if not self.left(bot.name) and bot.name not in self._seated:
            self._forget(bot.name)
        elif wish not in self._waiting and not any(wish in series.wishes for series in (*self._ready, *self._playing)):
            self._place(wish)

    def _forget(self, name: str) -> None:
        self._stop_timer(name)
        wish = self._wishes.pop(name, None)
        if wish is not None:
            wish.dropped = True
            self._waiting = [other for other in self._waiting if not other.dropped]

    def _stop_timer(self, name: str) -> None:
        if (timer := self._away.pop(name, None)) is not None:
            timer.cancel()

    def look(self) -> None:
        """Start what was waiting for a bot to become free."""
        if self._look_again is not None:
            self._look_again.cancel()
            self._look_again = None
        for series in list(self._ready):
            if not all(wish.alive for wish in series.wishes):
                self._ready.remove(series)
                self._disband(series)
            elif self._can_start(series):
                self._ready.remove(series)
                self._seated.update(wish.bot.name for wish in series.wishes)
                self._playing.add(series)
                self._later(series)

    def _can_start(self, series: _Series) -> bool:
        """Whether all have a place for one more match, and no tournament wants it: practice never goes before one."""
        wanted = [wish for wish in series.wishes if self._wanted(wish.bot.name)]
        for wish in wanted:
            if not wish.told:
                wish.told = True
                wish.bot.notice(NoticeCode.WAITING, "practice waits while a tournament has matches for this bot")
        if wanted and self._look_again is None:
            self._look_again = asyncio.get_running_loop().call_later(LOOK_AGAIN_AFTER, self.look)
        return not wanted and all(wish.bot.free and wish.bot.name not in self._seated for wish in series.wishes)

    def close(self) -> None:
        """Start no more matches."""
        self._closed = True
        self._waiting.clear()
        self._ready.clear()
        for name in list(self._away):
            self._stop_timer(name)
        if self._look_again is not None:
            self._look_again.cancel()

    def _read(self, bot: ConnectedBot, asked: PracticeRequest) -> Wish:
        game = registry.find(asked.game)
        if not bot.plays(game.name):
            raise WrongUse(f"this bot said it does not play {game.name}")
        against = asked.against
        game.check_players(1 + len(against))
        matches = asked.matches or 1
        if matches > MOST_MATCHES:
            raise WrongUse(f"at most {MOST_MATCHES} practice matches at a time")
        options = game.resolve_options(read_options(asked.options_json))
        house = [name for name in against if name != ANYONE and not self._is_remote(name, game.name)]
        named = [name for name in against if name != ANYONE and name not in house]
        if bot.name in named:
            raise WrongUse(f"{bot.name} cannot practise against itself: name others, or 'anyone'")
        if len(set(named)) < len(named):
            raise WrongUse(f"{max(named, key=named.count)} is one bot and has one seat; house bots may have several")
        remote = 1 + len(against) - len(house)
        return Wish(bot, game, options, tuple(house), frozenset(named), remote, matches)

    def _is_remote(self, name: str, game: str) -> bool:
        """Whether it names a bot that comes by itself, not a house bot; WrongUse if there is neither."""
        if name in folders.names():
            self._roster.house_player(name, name)
            return False
        if name in self._presence.bots or self._roster.tokens.knows(name):
            return True
        there = sorted(self._presence.bots)
        connected = f"connected are {', '.join(there)}" if there else "no bot is connected"
        raise WrongUse(
            f"unknown bot {brief(name)}: house bots for {game} are "
            f"{', '.join(folders.names(game, inside=True))}; {connected}; 'anyone' is any other bot that waits"
        )

    def _place(self, wish: Wish) -> None:
        """Seat a wish with others that fit, if there are enough of them; else it waits."""
        if self._closed:
            wish.bot.notice(NoticeCode.CLOSED, "the server is stopping; no more practice matches")
            return
        partners = table_for(wish, self._waiting)
        missing = wish.remote - 1 - len(partners)
        if missing:
            self._waiting.append(wish)
            wish.bot.notice(NoticeCode.WAITING, self._waits_for(wish, missing))
            return
        for partner in partners:
            self._waiting.remove(partner)
        self._ready.append(_Series([*partners, wish]))
        self.look()

    def _waits_for(self, wish: Wish, missing: int) -> str:
        waits = {other.bot.name for other in self._waiting if wish.fits(other)}
        if named := sorted(wish.named - waits):
            return (
                f"waiting until {' and '.join(named)} ask{'s' * (len(named) == 1)} for practice at the same table: "
                f"{wish.game.name} with the same options and as many seats, against 'anyone' or {wish.bot.name}"
            )
        return f"waiting for {missing} more at {wish.game.name}"

    def _disband(self, series: _Series) -> None:
        """A bot has played all its matches, or has gone: the others wait for new partners."""
        for wish in series.wishes:
            if wish.alive:
                self._place(wish)
            elif self._wishes.get(wish.bot.name) is wish and (wish.left <= 0 or wish.bot.connected):
                self._forget(wish.bot.name)

    def _later(self, series: _Series) -> None:
        task = asyncio.get_running_loop().create_task(self._play(series))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(self, series: _Series) -> None:
        try:
            await self._start(series)
        except Exception as error:  # noqa: BLE001 - whatever it was: nobody waits for a match that does not come
            self._rise(series)
            if not all(wish.alive for wish in series.wishes):
                self._disband(series)
            elif isinstance(error, GoneMeanwhile):
                self._ready.append(series)  # all are back, on other streams
            else:
                for wish in series.wishes:
                    self.gone(wish.bot)
                    wish.bot.notice(NoticeCode.REFUSED, _why_not(error))
            self.look()

    def _rise(self, series: _Series) -> None:
        """They are at no table any more."""
        self._seated.difference_update(wish.bot.name for wish in series.wishes)
        self._playing.discard(series)

    async def _start(self, series: _Series) -> None:
        roster, wishes = self._roster, series.wishes
        game = wishes[0].game
        house = list(wishes[0].house)
        remote = [wish.bot.name for wish in wishes]
        shown = distinct(remote + house)

        def register() -> list[Bot]:
            known = {name: roster.house_bot(name, game.name) for name in set(house)}
            return [roster.bot(name, game.name) for name in remote] + [known[name] for name in house]

        bots = await in_thread(register)
        players: list[HallPlayer] = [wish.bot for wish in wishes]
        players += [roster.house_player(name, seen) for name, seen in zip(house, shown[len(remote) :], strict=True)]
        entrants = [NewEntrant(bot.id, name) for bot, name in zip(bots, shown, strict=True)]
        turn = series.played % len(players)

        def over(*_: object) -> None:
            self._rise(series)
            series.played += 1
            for wish in wishes:
                wish.left -= 1
            if not self._closed:
                self._ready.append(series)
                self.look()

        await self._practice.play(
            game,
            entrants[turn:] + entrants[:turn],
            players[turn:] + players[:turn],
            wishes[0].options,
            self._control,
            over=over,
        )


def _why_not(error: Exception) -> str:
    """Why a match could not be started, in a sentence for bots."""
    if isinstance(error, StoreError):
        return for_strangers(error)
    if isinstance(error, WrongUse | Refused):
        return str(error)
    log.error("a practice match could not be started", exc_info=error)
    return "the match could not be started; the host finds the reason in the log"
