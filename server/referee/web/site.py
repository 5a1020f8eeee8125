"""The site: what all pages share, opened and closed with the server."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from referee.web.answers import Answers
from referee.web.histories import Histories
from referee.web.live import Channels
from referee.web.live_match import ShownMatches
from referee.web.metrics import Metrics
from referee.web.source import Source

if TYPE_CHECKING:
    from referee.web.play.tables import PeoplesTables
    from referee.web.server import WebSettings

TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the client."""

    content: bytes
    media_type: str


class Site:
    """Everything behind the pages."""

    def __init__(self, source: Source, settings: WebSettings) -> None:
        self.source = source
        self.settings = settings
        self.assets = _assets()
        self.version = hashlib.sha256(b"".join(asset.content for asset in self.assets.values())).hexdigest()[:12]
        """Changes with the client's files, so that a browser may keep them for as long as it likes."""
        self.answers = Answers()
        self.channels = Channels(settings.watchers, settings.watchers_per_address)
        self.shown = ShownMatches(source.running.delay)
        self.histories = Histories(source.store)
        self.metrics = Metrics(source, self.channels)
        self.people: PeoplesTables | None = None
        if source.competition is not None and settings.people > 0:
            from referee.web.play.tables import PeoplesTables

            self.people = PeoplesTables(source.competition, settings.people)

    @property
    def takes_submissions(self) -> bool:
        """Whether authors can submit bots here."""
        return self.source.competition is not None and self.source.competition.submissions is not None

    def asset(self, name: str) -> str:
        """The address of a file of the client."""
        return f"/static/{self.version}/{name}"

    def open(self) -> None:
        """The page can be reached."""
        self.metrics.open()

    async def close(self) -> None:
        """End all that the page began."""
        self.metrics.close()
        if self.people is not None:
            self.people.close()
        await self.channels.close()
        self.answers.close()


def _assets() -> dict[str, Asset]:
    found = {}
    for file in sorted(files("referee.web").joinpath("static").iterdir(), key=lambda file: file.name):
        ending = file.name.rpartition(".")[2]
        if file.is_file() and ending in TYPES:
            found[file.name] = Asset(file.read_bytes(), TYPES[ending])
    return found
