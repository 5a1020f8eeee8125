"""Submissions: bots that authors send to the server, from the upload to the version that plays.

A package is checked and stored by its digest, then built and examined in the sandbox, one after the other. If it is
fit, it is active at once: it plays in place of the version before, and in place of the connected bot. The author sees
number, digest, state, reason and log of each version, may go back to an earlier one, and may take the bot back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from referee.hall.hosted_bots import VersionHosting
from referee.hosting.submission.content_store import ContentStore, MissingPackage
from referee.hosting.submission.trial import TrialSettings, Verdict, try_out
from referee.store import Bot, BotVersion, NotAllowed, Refused, Store, StoreError, VersionState
from referee.store.connections import wall_clock
from referee.threads import in_thread

log = structlog.get_logger()
MOST_TRIES = 3
"""How often a trial may fail because of the machine before the version is refused."""
AGAIN_SECONDS = 5.0
HOUR = 3_600_000
PAST = (VersionState.REPLACED, VersionState.RETIRED)
KEPT = 10
"""Versions of a bot that one can go back to; the files of older ones are removed."""
LOST = "its files are not on the server as they were sent: submit them again"
NO_SUBMISSIONS = "this server takes no submissions: its host allows them with 'referee serve --submissions'"


@dataclass(frozen=True, slots=True)
class SubmissionSettings:
    """What a host allows."""

    trial: TrialSettings = field(default_factory=TrialSettings)
    per_hour: int = 30
    """Submissions of one bot."""


Trial = Callable[[str, Path, TrialSettings], Awaitable[Verdict]]


class Submissions:
    """The submitted versions of all bots. `start`, then `stop`."""

    def __init__(
        self,
        store: Store,
        content: ContentStore,
        host: VersionHosting,
        settings: SubmissionSettings | None = None,
        trial: Trial = try_out,
    ) -> None:
        self.content = content
        self.host = host
        self.settings = settings or SubmissionSettings()
        self.on_active: Callable[[str], object] = lambda bot: None
        """Called with the name of a bot when a version of it has become active."""
        self._store = store
        self._trial = trial
        self._queue: asyncio.Queue[BotVersion] = asyncio.Queue()
        self._settled: dict[int, asyncio.Event] = {}
        """Of versions that are being tested: set when that is over."""
        self._shut_out: set[str] = set()
        """Bots with an active version that are revoked."""
        self._lock = asyncio.Lock()
        self._testing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Host what is active, and go on testing what a stopped server had not tested."""
        await in_thread(self.content.open)
        await self.host.open()
        for version in await in_thread(self._store.versions.in_state, VersionState.ACTIVE):
            self._put(version)
        for version in await in_thread(self._store.versions.in_state, VersionState.TESTING):
            self._enqueue(version)
        self._testing = asyncio.get_running_loop().create_task(self._test_all())

    async def stop(self) -> None:
        if self._testing is not None:
            self._testing.cancel()
            await asyncio.gather(self._testing, return_exceptions=True)
        await self.host.close()

    async def submit(self, bot: str, upload: Path) -> BotVersion:
        """Take a zip in as the next version of a bot, to be tested; PackageRefused or NotAllowed says why not."""
        found = await in_thread(self._store.bots.get, bot)
        async with self._lock:
            version = await in_thread(self._take, found, upload)
        self._enqueue(version)
        return version

    async def settled(self, version: BotVersion) -> BotVersion:
        """Wait until a version has been tested."""
        event = self._settled.get(version.id)
        if event is not None:
            await event.wait()
        return await in_thread(self._store.versions.get, version.bot, version.number)

    async def versions(self, bot: str) -> list[BotVersion]:
        """The versions of a bot, the oldest first."""
        return await in_thread(lambda: self._store.versions.of(self._store.bots.get(bot).id))

    async def version(self, bot: str, number: int) -> BotVersion:
        """One of them with its log."""
        return await in_thread(lambda: self._store.versions.get(self._store.bots.get(bot).id, number))

    async def rollback(self, bot: str, number: int) -> BotVersion:
        """Make an earlier version, or one that was retired, active again."""
        found = await in_thread(self._store.bots.get, bot)
        async with self._lock:
            chosen = await in_thread(self._store.versions.get, found.id, number)
            if chosen.state in PAST and not self.content.is_built(chosen.id):
                raise NotAllowed(f"the files of version {number} are no longer there: submit them again")
            version = await in_thread(self._store.versions.activate, found.id, number)
        self._put(version)
        return version

    async def retire(self, bot: str, reason: str = "") -> BotVersion:
        """Take the active version back: the bot may connect again."""
        found = await in_thread(self._store.bots.get, bot)
        async with self._lock:
            version = await in_thread(self._store.versions.retire, found.id, reason)
        self.host.take_back(bot)
        return version

    async def follow_revocations(self, revoked: frozenset[str]) -> None:
        """Bots that are revoked at this moment do not play; one that is let in again plays as before."""
        for bot in revoked - self._shut_out:
            if self.host.version(bot) is not None:
                self._shut_out.add(bot)
                self.host.take_back(bot)
        if back := self._shut_out - revoked:
            self._shut_out &= revoked
            for version in await in_thread(self._store.versions.in_state, VersionState.ACTIVE):
                if version.bot_name in back:
                    self._put(version)

    def _take(self, bot: Bot, upload: Path) -> BotVersion:
        recent = self._store.versions.since(bot.id, wall_clock() - HOUR)
        if recent >= self.settings.per_hour:
            raise NotAllowed(f"{bot.name} was submitted {recent} times within an hour: wait a while")
        package = self.content.take(upload)
        try:
            for other in self._store.versions.of(bot.id):
                if other.digest == package.digest and other.state is not VersionState.REFUSED:
                    raise NotAllowed(
                        f"these are the files of version {other.number}, which is {other.state}: change something, "
                        "or go back to that version"
                    )
            return self._store.versions.add(bot.id, package.digest, package.files, package.size)
        except BaseException:
            self._drop_unused(package.digest)
            raise

    def _drop_unused(self, digest: str) -> None:
        """Remove the files of a digest that no version needs any more."""
        versions = self._store.versions.with_digest(digest)
        if all(one.state is VersionState.REFUSED or self._is_cleared(one) for one in versions):
            self.content.drop(digest)

    def _is_cleared(self, version: BotVersion) -> bool:
        return version.state in PAST and not self.content.is_built(version.id)

    def _clear_old(self, bot: int) -> None:
        """Remove the files of versions that are too old to go back to."""
        past = [one for one in self._store.versions.of(bot) if one.state in PAST]
        for version in past[:-KEPT]:
            if self.content.is_built(version.id):
                self.content.drop_built(version.id)
                self._drop_unused(version.digest)

    def _enqueue(self, version: BotVersion) -> None:
        self._settled[version.id] = asyncio.Event()
        self._queue.put_nowait(version)

    async def _test_all(self) -> None:
        while True:
            version = await self._queue.get()
            try:
                await self._test(version)
            except StoreError as error:  # it stays in the store as being tested, and is tested by the next server
                log.error("what became of a submission could not be stored", bot=version.bot_name, why=str(error))
            except Exception:
                log.exception("a submission could not be tested", bot=version.bot_name, version=version.number)
                verdict = Verdict(False, "the server could not test it: tell the host", "")
                with suppress(StoreError, Refused):
                    await self._refuse(version, verdict)
            finally:
                if (event := self._settled.pop(version.id, None)) is not None:
                    event.set()

    async def _test(self, version: BotVersion) -> None:
        tries = 0
        while True:
            tries += 1
            try:
                folder = await in_thread(self.content.lay_out, version.digest, version.id)
            except MissingPackage as error:
                log.error("the files of a submission are not what they were", bot=version.bot_name, why=str(error))
                await self._refuse(version, Verdict(False, LOST, ""))
                return
            verdict = await self._trial(version.bot_name, folder, self.settings.trial)
            if verdict.fit or not verdict.again or tries >= MOST_TRIES:
                break
            await asyncio.sleep(AGAIN_SECONDS)
        if not verdict.fit:
            await self._refuse(version, verdict)
            return
        async with self._lock:
            active = await in_thread(self._store.versions.activate, version.bot, version.number, verdict.log)
        self._put(active)
        await in_thread(self._clear_old, version.bot)

    async def _refuse(self, version: BotVersion, verdict: Verdict) -> None:
        async with self._lock:
            await in_thread(self._store.versions.refuse, version.bot, version.number, verdict.reason, verdict.log)
            await in_thread(self.content.drop_built, version.id)
            await in_thread(self._drop_unused, version.digest)

    def _put(self, version: BotVersion) -> None:
        folder = self.content.built(version.id)
        if not folder.is_dir():
            log.error(
                "the files of a submitted bot are missing: it counts as not there until they are restored",
                bot=version.bot_name,
                version=version.number,
                folder=str(folder),
            )
        self.host.put(version.bot_name, version.number, folder if folder.is_dir() else None)
        self.on_active(version.bot_name)
