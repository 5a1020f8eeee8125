"""The hall as a place to play tournaments: connected bots, submitted bots and house bots meet at its tables."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import structlog

from referee.hall.absent_player import AbsentPlayer
from referee.hall.hall import Hall
from referee.hall.hosted_bots import HostedBots, HostedSeat, NoHostedBots, Unseated
from referee.hall.house_player import HousePlayer
from referee.hall.presence import Presence
from referee.match.match import Match
from referee.match.player import Player
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture

log = structlog.get_logger()
AGAIN_SECONDS = 1.0
"""After so long it is tried again to start the submitted bots of a match."""
HOUSE_PLACES = 256
"""How many matches a house bot plays at once."""


class EntrantPlayer(Protocol):
    """One who plays in a tournament of this hall."""

    @property
    def connects_as(self) -> str:
        """The name of the bot that has to be connected; empty if the hall has the player itself."""

    def present(self, game: str) -> bool:
        """Whether it is there, and plays this game; any game without a name."""

    def free(self) -> int:
        """How many more matches it takes now."""

    def player(self) -> Player | None:
        """Who sits down for it; None if it has just gone."""


@dataclass(frozen=True, slots=True)
class HouseEntrant:
    """An entrant that is a house bot."""

    house: HousePlayer
    connects_as: str = ""

    def present(self, game: str) -> bool:
        return True

    def free(self) -> int:
        return HOUSE_PLACES - self.house.tables

    def player(self) -> Player:
        return self.house


@dataclass(frozen=True, slots=True)
class RemoteEntrant:
    """An entrant that is registered as `connects_as`: its submitted version plays, or else it connects by itself.

    Never both: a version that has become active waits until the matches of the connected bot are over, and the other
    way round.
    """

    connects_as: str
    presence: Presence
    hosted: HostedBots = field(default_factory=NoHostedBots)

    def present(self, game: str) -> bool:
        if self.hosted.version(self.connects_as) is not None:
            return self.hosted.plays(self.connects_as, game)
        connected = self.presence.find(self.connects_as)
        if connected is None or connected.leaving:
            return False
        return not game or connected.plays(game)

    def free(self) -> int:
        if self.hosted.version(self.connects_as) is not None:
            playing = self.presence.bots.get(self.connects_as)
            return 0 if playing is not None and playing.seats else self.hosted.free(self.connects_as)
        if self.hosted.busy(self.connects_as):
            return 0
        connected = self.presence.find(self.connects_as)
        return connected.free if connected is not None else 0

    def player(self) -> Player | None:
        return self.presence.find(self.connects_as)


class HallVenue:
    """A `Venue`: entrants are house players, bots that connect, or submitted bots that are started when needed."""

    def __init__(
        self,
        hall: Hall,
        presence: Presence,
        entrants: Mapping[str, EntrantPlayer],
        game: str = "",
        hosted: HostedBots | None = None,
    ) -> None:
        """With `game`, a bot that says it does not play it counts as not there."""
        self._hosted = hosted or NoHostedBots()
        self._seating: dict[str, asyncio.Task[dict[str, HostedSeat] | None]] = {}
        """Matches whose submitted bots are being started."""
        self._waiting: Counter[str] = Counter()
        """In how many of these each of the other bots is."""
        self._entrants = dict(entrants)
        self._game = game
        self._hall = hall
        self._presence = presence
        self._calls: list[Callable[[], object]] = []

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        """House bots keep no memory and may be dealt the same again; a bot that connects may remember the deal."""
        return all(bot in self._entrants and not self._entrants[bot].connects_as for bot in bots)

    @property
    def names(self) -> frozenset[str]:
        """The entrants."""
        return frozenset(self._entrants)

    @property
    def remote(self) -> dict[str, str]:
        """The entrants that connect by themselves, with the names of their bots."""
        return {name: entrant.connects_as for name, entrant in self._entrants.items() if entrant.connects_as}

    def has(self, bot: str) -> bool:
        """Whether the registered bot of that name plays here."""
        return any(entrant.connects_as == bot for entrant in self._entrants.values())

    def join(self, entrants: Mapping[str, EntrantPlayer]) -> None:
        """Further entrants play here from now on."""
        self._entrants.update(entrants)

    def present(self, bot: str) -> bool:
        return bot in self._entrants and self._entrants[bot].present(self._game)  # one may have joined this very moment

    def free(self, bot: str) -> int:
        return self._entrants[bot].free() - self._waiting[bot]

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        hosted = self._hosted_among(fixture.bots)
        if not hosted:
            self._begin(fixture, {}, done)
            return
        # The others have no seat yet, but must not be given to further matches meanwhile.
        waiting = [bot for bot in fixture.bots if bot not in hosted]
        self._waiting.update(waiting)
        self._hosted.hold(fixture.id, hosted)
        task = asyncio.get_running_loop().create_task(self._seat(fixture, hosted))
        self._seating[fixture.id] = task

        def seated(task: asyncio.Task[dict[str, HostedSeat] | None]) -> None:
            del self._seating[fixture.id]
            self._waiting.subtract(waiting)
            error = None if task.cancelled() else task.exception()
            if error is not None:
                log.error("the bots of a match could not be seated", match=fixture.id, exc_info=error)
            seats = None if task.cancelled() or error is not None else task.result()
            if seats is None:
                self._hosted.leave(fixture.id)
                done(None)
            else:
                self._begin(fixture, seats, done)

        task.add_done_callback(seated)

    def _hosted_among(self, bots: Sequence[str]) -> list[str]:
        """Those of the bots of a match whose submitted version plays; such entrants are called as their bots."""
        return [bot for bot in bots if self._entrants[bot].connects_as and self._hosted.version(bot) is not None]

    async def _seat(self, fixture: Fixture, hosted: Sequence[str]) -> dict[str, HostedSeat] | None:
        """The submitted bots of a match, once they have been started; None if one of them is hosted no longer."""
        while self._hosted_among(fixture.bots) == hosted:
            try:
                return await self._hosted.seat(fixture.id, fixture.bots, lambda: self._decisions(fixture.id))
            except Unseated as error:
                log.warning("a match waits for its bots", match=fixture.id, why=str(error))
                await asyncio.sleep(AGAIN_SECONDS)
        return None

    def _begin(
        self, fixture: Fixture, hosted: Mapping[str, HostedSeat], done: Callable[[Played | None], object]
    ) -> None:
        players: list[Player] = []
        for bot in fixture.bots:
            if bot in fixture.away:
                player: Player | None = AbsentPlayer(bot)
            else:
                player = hosted[bot].player if bot in hosted else self._entrants[bot].player()
            if player is None:  # gone between choosing and starting
                if hosted:
                    self._hosted.leave(fixture.id)
                done(None)
                return
            players.append(player)

        def finished(match: Match, ending: Ending) -> None:
            played = Played.of(match, ending)
            done(self._with_versions(played, match, hosted) if hosted else played)

        match = self._hall.play(
            fixture.id,
            registry.find(fixture.game),
            players,
            fixture.options,
            fixture.seed,
            fixture.control,
            tournament=fixture.tournament,
            nonces=fixture.nonces,
            attempt=fixture.attempt,
            finished=finished,
        )
        for seat, bot in enumerate(fixture.bots):
            if bot in hosted and hosted[bot].why_not:
                match.forfeit(seat, Termination.CRASH, hosted[bot].why_not)

    def _with_versions(self, played: Played, match: Match, hosted: Mapping[str, HostedSeat]) -> Played:
        """What was played, with the versions of the submitted bots and what they wrote."""

        def announce() -> None:
            match.announce()
            self._hosted.leave(match.id)

        versions = tuple(hosted[name].version if name in hosted else None for name in match.names)
        logs = tuple(one.pack() for one in self._hosted.logs(match.id))
        return replace(played, announce=announce, logs=logs, versions=versions)

    def _decisions(self, match: str) -> int:
        running = self._hall.matches.get(match)
        return 0 if running is None else running.table.decisions

    def break_off(self, match: str) -> None:
        if match in self._seating:
            self._seating[match].cancel()
        elif match in self._hall.matches:
            self._hall.matches[match].break_off("the tournament was cancelled")

    def scores(self, match: str) -> Sequence[int] | None:
        if self._hall.delay:  # matches are shown late: their scores are not told early
            return None
        running = self._hall.matches.get(match)
        return None if running is None else running.table.state.scores()

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)
        self._presence.on_change(call)
        self._hosted.on_change(call)

    def close(self) -> None:
        """Nothing more is played here for this tournament."""
        for task in list(self._seating.values()):
            task.cancel()
        for call in self._calls:
            self._presence.forget(call)
            self._hosted.forget(call)
        self._calls.clear()
