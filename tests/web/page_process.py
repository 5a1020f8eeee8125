"""The page in a process of its own, with the installed wheel, and told over a pipe what is to happen in it.

    python -m tests.web.page_process FOLDER        in the environment of an `Installation`, from the checkout

The first line that it prints says where the page is. Then it takes a JSON list per line, such as
`["move", "league/0", 7]`, does it, and prints `["done", null]`, or what there is to tell in place of null.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import referee
from referee.hall.competition import Competition
from referee.logs import log_to_stderr
from referee.store import Store
from referee.web.play import pages as play_pages

from ..installation import ROOT, Installation
from ..waiting import PATIENCE
from ..workers.submission_plan import plan
from .conftest import SlowMatch, competing, play, serving

QUICK = 0.02
"""Seconds between two states of a person's table: nobody reads here."""


class PageProcess:
    """The process, from the side of a test."""

    def __init__(self, installation: Installation) -> None:
        words = [str(installation.python), "-m", "tests.web.page_process", str(installation.home)]
        self._child = subprocess.Popen(
            words, env=installation.environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.url, self.package = json.loads(self._line())

    async def tell(self, *order: Any) -> Any:
        """Have something done, and wait until it is; what the process tells of it."""
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(order) + "\n")
        self._child.stdin.flush()
        async with asyncio.timeout(PATIENCE):
            said = await asyncio.to_thread(self._line)
        assert said, "the process has ended"
        done, told = json.loads(said)
        assert done == "done", said
        return told

    def _line(self) -> str:
        assert self._child.stdout is not None
        return self._child.stdout.readline()

    def stop(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(PATIENCE)
        self._child.kill()
        self._child.wait()
        assert self._child.stdout is not None
        self._child.stdout.close()


class Told:
    """What can be told to it."""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        self._slow: dict[str, SlowMatch] = {}

    async def play(self, name: str) -> None:
        """A short tournament, to its end."""
        await play(self._competition, name)

    async def sit(self, match: str, game: str) -> None:
        """Start a match that goes on as it is told."""
        self._slow[match] = SlowMatch(self._competition, match, game)

    async def move(self, match: str, decisions: int) -> None:
        self._slow[match].move(decisions)

    async def invite(self) -> str:
        """An invitation; returns its code."""
        [made] = self._competition.store.invitations.create(1, "host")
        return made.code

    async def register(self, bot: str) -> str:
        """A bot of an author; returns its token."""
        token = self._competition.store.bots.add(bot).token
        assert token is not None
        return token


async def _main(folder: Path) -> None:
    log_to_stderr()  # a busy machine is told of in the log; stdout is for answers
    loop = asyncio.get_running_loop()
    orders = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    play_pages.PAUSE = QUICK
    with Store.open(folder / "page.db", owner="server") as store:
        async with competing(store, plan(folder)) as competition, serving(competition) as page:
            told = Told(competition)
            print(json.dumps([page.server.url, referee.__file__]), flush=True)
            while line := await orders.readline():
                what, *words = json.loads(line)
                print(json.dumps(["done", await getattr(told, what)(*words)]), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1])))
