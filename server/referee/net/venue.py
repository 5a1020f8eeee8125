"""The server as a place to play: connected bots and house bots meet in its hall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from referee.hall.hall import Hall
from referee.hall.house_player import HousePlayer
from referee.match.player import Player
from referee.net.play_service import PlayService
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture

HOUSE_PLACES = 256
"""How many matches a house bot plays at once."""


@dataclass(frozen=True, slots=True)
class Remote:
    """An entrant that connects by itself, under this name."""

    bot: str


class ServerVenue:
    """A `Venue`: entrants are house players, or bots that connect."""

    keeps_deal = False

    def __init__(
        self, hall: Hall, play: PlayService, entrants: Mapping[str, HousePlayer | Remote], game: str = ""
    ) -> None:
        """With `game`, a connected bot that says it does not play it counts as not there."""
        self.entrants = dict(entrants)
        self._game = game
        self._hall = hall
        self._play = play
        self._calls: list[Callable[[], object]] = []

    def same_deal(self, bots: Sequence[str]) -> bool:
        """Whether these bots may be dealt the same again: house bots keep nothing, who connects may remember."""
        return all(isinstance(self.entrants.get(bot), HousePlayer) for bot in bots)

    def present(self, bot: str) -> bool:
        entrant = self.entrants.get(bot)
        if entrant is None:  # it has joined this very moment
            return False
        if isinstance(entrant, HousePlayer):
            return True
        session = self._play.sessions.get(entrant.bot)
        if session is None or not session.connected or session.leaving:
            return False
        return not self._game or session.plays(self._game)

    def free(self, bot: str) -> int:
        entrant = self.entrants[bot]
        if isinstance(entrant, HousePlayer):
            return HOUSE_PLACES - entrant.tables
        session = self._play.sessions.get(entrant.bot)
        return session.free if session is not None else 0

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        players: list[Player] = []
        for bot in fixture.bots:
            entrant = self.entrants[bot]
            if isinstance(entrant, HousePlayer):
                players.append(entrant)
                continue
            session = self._play.sessions.get(entrant.bot)
            if session is None or not session.connected:  # gone between choosing and starting
                done(None)
                return
            players.append(session)
        self._hall.play(
            fixture.id,
            registry.find(fixture.game),
            players,
            fixture.options,
            fixture.seed,
            fixture.control,
            tournament=fixture.tournament,
            finished=lambda match, ending: done(Played.of(match, ending)),
        )

    def break_off(self, match: str) -> None:
        if match in self._hall.matches:
            self._hall.matches[match].break_off("the tournament was cancelled")

    def scores(self, match: str) -> Sequence[int] | None:
        running = self._hall.matches.get(match)
        return None if running is None else running.table.state.scores()

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)
        self._play.on_change.append(call)

    def close(self) -> None:
        """Nothing more is played here for this tournament."""
        for call in self._calls:
            self._play.on_change.remove(call)
        self._calls.clear()
