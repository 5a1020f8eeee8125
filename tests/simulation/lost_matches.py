"""A venue whose workers die: a match that is being played there comes back without a result, as from a dead worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from referee.hall.hall_venue import HallVenue
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture


class LossyVenue(HallVenue):
    """The hall, but for matches that are lost."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.playing: dict[str, bool] = {}
        """The matches that are being played, and whether they are lost."""

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        playing = self.playing
        playing[fixture.id] = False

        def over(played: Played | None) -> None:
            lost = playing.pop(fixture.id, False)
            done(None if lost else played)
            if lost and played is not None:
                played.announce()  # its bots are free again

        super().play(fixture, over)

    def lose(self, match: str) -> None:
        """The worker that plays this match is gone."""
        self.playing[match] = True
        self.break_off(match)
