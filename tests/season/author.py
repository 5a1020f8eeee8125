"""A bot of an author in a season: connected by itself, but for holidays."""

from __future__ import annotations

from ..simulation.bots import Bot


class SeasonBot(Bot):
    """A bot of an author, who may be on holiday."""

    away = False

    def leave(self) -> None:
        self.away = True
        if self.wire is not None:
            self.wire.cut()

    def come_back(self) -> None:
        self.away = False
        if self._play is not None:
            self._connect()

    def _connect(self) -> None:
        if not self.away:
            super()._connect()
