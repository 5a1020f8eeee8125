"""What the page shows: the store, the standings of tournaments, and the matches that are played in this process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee.hall.public_match import RunningMatches
from referee.hall.standings_feed import StandingsFeed
from referee.store import Bot, BotVersion, MatchState, Store, StoredMatch
from referee.store.versions import VersionResults
from referee.threads import in_thread
from referee.tournament.meant import meant
from referee.tournament.standings import Follower

if TYPE_CHECKING:
    from referee.hall.competition import Competition
    from referee.hall.hall import Hall
    from referee.tournament.running.runner import Runner

MOST_FEEDS = 32


@dataclass(frozen=True, slots=True)
class Source:
    """Where the page gets what it shows."""

    store: Store
    feed: Callable[[str], StandingsFeed]
    """The standings of a tournament that exists."""
    running: RunningMatches
    """The matches that are being played, which can be watched."""
    hall: Hall | None = None
    """The matches of this process; None where worker processes play them."""
    competition: Competition | None = None
    """With one, people can play against house bots."""
    runner: Runner | None = None
    """The tournament whose matches worker processes play; None where this process plays them."""

    def find_tournament(self, name: str) -> str:
        """The tournament meant; without a name the running or newest one. Unknown or WrongUse if there is none."""
        return meant(self.store, name)

    def find_match(self, name: str) -> StoredMatch | None:
        """The match named `tournament/ordinal` or `practice/number`."""
        named = self.store.matches.named(name)
        return None if named is None else named.match

    def versions(self, bot: Bot) -> list[tuple[BotVersion, VersionResults]]:
        """What was submitted of a bot, the oldest first, and how each version has done."""
        results = self.store.versions.results(bot.id)
        return [(one, results.get(one.number, VersionResults())) for one in self.store.versions.of(bot.id)]

    def is_running(self, name: str, match: StoredMatch | None) -> bool:
        """Whether a match is being played: then nothing but the public's view leaves."""
        return self.running.is_running(name) or (match is not None and match.state is MatchState.PLAYING)


def of_competition(competition: Competition) -> Source:
    """The page of `referee serve`."""
    return Source(competition.store, competition.director.feed, competition.hall, competition.hall, competition)


def of_run(store: Store, runner: Runner, running: RunningMatches) -> Source:
    """The page of `referee run`: one tournament that this process leads, and whatever else the file holds."""
    name = runner.tournament.name
    feeds: dict[str, StandingsFeed] = {name: StandingsFeed(runner.standings)}
    runner.on_news(feeds[name].news)

    def feed(wanted: str) -> StandingsFeed:
        if wanted not in feeds:
            for idle in [known for known, one in feeds.items() if known != name and not one.watched]:
                if len(feeds) >= MOST_FEEDS:
                    del feeds[idle]
            feeds[wanted] = _followed(store, wanted)
        return feeds[wanted]

    return Source(store, feed, running, runner=runner)


def _followed(store: Store, name: str) -> StandingsFeed:
    followers: list[Follower] = []

    def update() -> Any:
        if not followers:
            followers.append(Follower(store, name))
        return followers[0].update()

    async def read() -> Any:
        return await in_thread(update)

    return StandingsFeed(read)
