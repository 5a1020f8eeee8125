"""The hall as a place to play tournaments: connected bots and house bots meet at its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from referee.hall.hall import Hall
from referee.hall.house_player import HousePlayer
from referee.hall.presence import Presence
from referee.match.player import Player
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture

HOUSE_PLACES = 256
"""How many matches a house bot plays at once."""


@dataclass(frozen=True, slots=True)
class Remote:
    """An entrant that connects by itself, under this name."""

    bot: str


class HallVenue:
    """A `Venue`: entrants are house players, or bots that connect."""

    def __init__(
        self, hall: Hall, presence: Presence, entrants: Mapping[str, HousePlayer | Remote], game: str = ""
    ) -> None:
        """With `game`, a connected bot that says it does not play it counts as not there."""
        self.entrants = dict(entrants)
        self._game = game
        self._hall = hall
        self._presence = presence
        self._calls: list[Callable[[], object]] = []

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        """House bots keep nothing and may be dealt the same again; who connects may remember."""
        return all(isinstance(self.entrants.get(bot), HousePlayer) for bot in bots)

    def present(self, bot: str) -> bool:
        entrant = self.entrants.get(bot)
        if entrant is None:  # it has joined this very moment
            return False
        if isinstance(entrant, HousePlayer):
            return True
        connected = self._presence.find(entrant.bot)
        if connected is None or connected.leaving:
            return False
        return not self._game or connected.plays(self._game)

    def free(self, bot: str) -> int:
        entrant = self.entrants[bot]
        if isinstance(entrant, HousePlayer):
            return HOUSE_PLACES - entrant.tables
        connected = self._presence.find(entrant.bot)
        return connected.free if connected is not None else 0

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        players: list[Player] = []
        for bot in fixture.bots:
            entrant = self.entrants[bot]
            if isinstance(entrant, HousePlayer):
                players.append(entrant)
                continue
            connected = self._presence.find(entrant.bot)
            if connected is None:  # gone between choosing and starting
                done(None)
                return
            players.append(connected)
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
        self._presence.on_change(call)

    def close(self) -> None:
        """Nothing more is played here for this tournament."""
        for call in self._calls:
            self._presence.forget(call)
        self._calls.clear()
