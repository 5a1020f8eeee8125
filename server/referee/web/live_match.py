"""A running match, live: the public's view drawn once for all who watch, decision by decision, and told in words."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from referee.hall.public_match import PublicMatch, WatchableMatch
from referee.rules.views import to_value
from referee.web.live import Channel, Parts
from referee.web.pages import match as draw

if TYPE_CHECKING:
    from referee.web.site import Site

PAUSE = 0.5
"""Seconds between two states that are shown."""
MOST_WORDS = 40


class ShownMatch(PublicMatch):
    """A match as the public may see it, drawn and told."""

    def __init__(self, match: WatchableMatch, delay: int) -> None:
        super().__init__(match, delay)
        self.words: deque[tuple[int, str]] = deque(maxlen=MOST_WORDS)
        self._tell()

    def step(self) -> bool:
        followed = super().step()
        if followed:
            self._tell()
        return followed

    def view(self) -> Any:
        """The public's view of the position that may be shown."""
        return self.state.view(None)

    def scores(self) -> list[int]:
        return self.state.scores()

    def picture(self) -> str:
        return self.match.game.picture(self.view(), names=self.match.names)

    def to_value(self) -> dict[str, Any]:
        """As a JSON object, for programs: the public's view and nothing else."""
        ending = self.match.outcome if self.over else None
        return {
            "decisions": self.decisions,
            "delay": self.delay,
            "scores": self.scores(),
            "view": to_value(self.view()),
            "events": [text for number, text in self.words if number == self.decisions],
            "over": self.over,
            "ending": None if ending is None else ending.to_value(),
        }

    def parts(self) -> Parts:
        """As the page shows it."""
        return {
            "board": self.picture(),
            "live": draw.live_head(self),
            "words": draw.words(self.words),
            "seats": draw.live_seats(self),
        }

    def _tell(self) -> None:
        for text in self.match.game.told(self.view(), names=self.match.names):
            self.words.append((self.decisions, text))


class ShownMatches:
    """The matches that somebody looks at, each followed once."""

    def __init__(self, delay: int) -> None:
        self._delay = delay
        self._followed: dict[str, ShownMatch] = {}

    async def followed(self, match: WatchableMatch) -> ShownMatch:
        """A running match, up to the decision that may be shown now."""
        for id, other in list(self._followed.items()):
            if other.match.outcome is not None and other.match is not match:
                del self._followed[id]
        shown = self._followed.get(match.id)
        if shown is None or shown.match is not match:
            shown = self._followed[match.id] = ShownMatch(match, self._delay)
        await shown.catch_up()
        return shown


def channel(site: Site, match: WatchableMatch, kind: str) -> Channel:
    """The stream of a match: `parts` for the page, `value` for programs."""
    return site.channels.channel(("match", match.id, kind), lambda: _open(site, match, kind))


def _open(site: Site, match: WatchableMatch, kind: str) -> Channel:
    running = site.source.running
    moved = running.watch(match.id)

    async def show() -> Parts:
        moved.clear()
        shown = await site.shown.followed(match)
        return {"match": shown.to_value()} if kind == "value" else shown.parts()

    async def pause() -> bool:
        if match.outcome is not None:
            shown = await site.shown.followed(match)
            return not shown.over
        await moved.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(PAUSE):
                while match.outcome is None:  # the end is shown at once
                    moved.clear()
                    await moved.wait()
        return True

    opened = Channel(show, pause, site.channels.wakeups)
    opened.on_close = lambda: running.unwatch(match.id, moved)
    return opened
