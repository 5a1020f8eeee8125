"""Submitted bots without a sandbox: real packages, tried and played in this process by the virtual clock.

What a version does stands in the file `manner` of its package: it takes the first legal move or any, it never answers,
or it is not fit to be taken.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from referee.hall.hosted_bots import HostedSeat, Unseated
from referee.hosting.submission.trial import TrialSettings, Verdict
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.match.seat_log import SeatLog

MANNER = "manner"
FIRST, ANY, HUNG, UNFIT = "first", "any", "hung", "unfit"
AT_ONCE = 4
LONGEST_THOUGHT = 0.4


async def trial(name: str, folder: Path, settings: TrialSettings) -> Verdict:
    """Takes a while, as a build does, and refuses what says that it is not fit."""
    await asyncio.sleep(3.0)
    if manner(folder) == UNFIT:
        return Verdict(False, "the check failed: it says so itself", "built\nFAIL it says so itself\n")
    return Verdict(True, "", f"{name} is fit to play\n")


def manner(folder: Path) -> str:
    """What a version does; a package without a word of it, made for the sandbox, takes the first move."""
    file = folder / MANNER
    return file.read_text() if file.is_file() else FIRST


class HostedPlayer:
    """A version in one match. It is a `Player`."""

    wants_legal = True

    def __init__(self, name: str, does: str, chance: random.Random) -> None:
        self.name = name
        self._does = does
        self._chance = chance

    def started(self, match: Match, seat: int) -> None: ...

    def ask(self, question: Question) -> None:
        loop = asyncio.get_running_loop()
        question.left(loop.time())
        if self._does == HUNG:
            return
        move = question.legal[0] if self._does == FIRST else self._chance.choice(question.legal)

        def answer() -> None:
            if question.open:
                question.match.answer(question.seat, question.number, move, loop.time())

        loop.call_later(self._chance.uniform(0.0, LONGEST_THOUGHT), answer)

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class InProcessHost:
    """It is a `VersionHosting`: one version of a bot at a time, the next when the matches of the former are over."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._wanted: dict[str, tuple[int, Path | None]] = {}
        self._tables: dict[str, dict[str, int]] = {}
        """The versions that are held for each match."""
        self._playing: dict[str, Counter[int]] = {}
        self._calls: list[Callable[[], object]] = []

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def put(self, bot: str, version: int, folder: Path | None) -> None:
        self._wanted[bot] = (version, folder)
        self._changed()

    def take_back(self, bot: str) -> None:
        self._wanted.pop(bot, None)
        self._changed()

    def version(self, bot: str) -> int | None:
        return self._wanted[bot][0] if bot in self._wanted else None

    def plays(self, bot: str, game: str) -> bool:
        return bot in self._wanted and self._wanted[bot][1] is not None

    def free(self, bot: str) -> int:
        playing = self._playing.get(bot, Counter())
        if not self.plays(bot, "") or any(number != self.version(bot) for number in +playing):
            return 0
        return AT_ONCE - playing.total()

    def busy(self, bot: str) -> bool:
        return self._playing.get(bot, Counter()).total() > 0

    def hold(self, match: str, hosted: Sequence[str]) -> None:
        self._tables[match] = {bot: self._wanted[bot][0] for bot in hosted}
        for bot, number in self._tables[match].items():
            self._playing.setdefault(bot, Counter())[number] += 1

    async def seat(self, match: str, bots: Sequence[str], decisions: Callable[[], int]) -> dict[str, HostedSeat]:
        seats = {}
        for bot, held in self._tables[match].items():
            number, folder = self._wanted[bot]
            if folder is None or number != held:
                raise Unseated(f"another version of {bot} becomes active")
            chance = random.Random(f"{self._seed} {bot} {number} {match}")
            seats[bot] = HostedSeat(HostedPlayer(bot, manner(folder), chance), number)
        return seats

    def logs(self, match: str) -> tuple[SeatLog, ...]:
        return ()

    def leave(self, match: str) -> None:
        for bot, number in self._tables.pop(match, {}).items():
            self._playing[bot][number] -= 1
        self._changed()

    def benched(self) -> Collection[str]:
        return ()

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)

    def forget(self, call: Callable[[], object]) -> None:
        self._calls.remove(call)

    def _changed(self) -> None:
        for call in list(self._calls):
            call()
