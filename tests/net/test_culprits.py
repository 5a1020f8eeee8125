"""Culprits: seeded faults over real sockets. The bot that is at fault is blamed, for what it did, and no other ever.

Each match has an honest bot and one that commits a fault after a few decisions. `make soak` tries 5,000 faults.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import grpc
import pytest

from arena.v1 import match_pb2 as pb
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.result import Termination

from ..waiting import PATIENCE, soon
from .conftest import Server, serving
from .raw import Raw

SHORT = 45
LONG = 5000
AT_ONCE = 90
"""Matches of which each waits for a clock or a grace: together they take no longer than one."""
CONTROL = TimeControl(limit=4.0, bank=2.0, grace=4.0)
"""Plenty for the honest bot, which answers at once while no other test runs."""


class Gone(Exception):
    """The bot has gone and will not come back."""


async def _illegal(bot: Raw, decide: pb.Decide) -> None:
    for move in ("nonsense", "", "stop 99"):
        await bot.act(decide, move)


async def _out_of_turn(bot: Raw, decide: pb.Decide) -> None:
    for ahead in (1000, 1001, 1002):
        await bot.act(decide, decision=decide.decision + ahead)


async def _silent(bot: Raw, decide: pb.Decide) -> None:
    """No answer, ever."""


async def _vanish(bot: Raw, decide: pb.Decide) -> None:
    await bot.close()
    raise Gone


async def _garbage(bot: Raw, decide: pb.Decide) -> None:
    await bot.send_bytes(b"\xff" * 64)
    await bot.status()
    await bot.close()
    raise Gone


async def _flood(bot: Raw, decide: pb.Decide) -> None:
    stray = pb.BotBody(practice=pb.Practice(game="stop_me_go", against=["nobody"]))
    await bot.send_all(*[stray] * 500)


async def _trespass(bot: Raw, decide: pb.Decide) -> None:
    stray = pb.BotBody(act=pb.Act(match_id="elsewhere/1", decision=1, move_text="go"))
    await bot.send_all(*[stray] * 25)


async def _resign(bot: Raw, decide: pb.Decide) -> None:
    await bot.send(resign=pb.Resign(match_id=decide.match_id, reason="enough"))


async def _twice(bot: Raw, decide: pb.Decide) -> None:
    act = pb.BotBody(act=pb.Act(match_id=decide.match_id, decision=decide.decision, move_text=decide.legal[0]))
    await bot.send_all(act, act)


async def _one_slip(bot: Raw, decide: pb.Decide) -> None:
    await bot.act(decide, "nonsense")
    await bot.act(decide)


FAULTS: dict[str, tuple[Callable[[Raw, pb.Decide], Awaitable[None]], Termination]] = {
    "illegal": (_illegal, Termination.ILLEGAL),
    "out of turn": (_out_of_turn, Termination.ILLEGAL),
    "silent": (_silent, Termination.TIMEOUT),
    "vanishes": (_vanish, Termination.DISCONNECT),
    "garbage": (_garbage, Termination.DISCONNECT),
    "floods": (_flood, Termination.FLOOD),
    "answers for others": (_trespass, Termination.FLOOD),
    "resigns": (_resign, Termination.RESIGNED),
    # No faults: they cost strikes, or nothing.
    "answers twice": (_twice, Termination.FINISHED),
    "one slip": (_one_slip, Termination.FINISHED),
    "comes back": (_vanish, Termination.FINISHED),
}


class Culprit:
    """A bot that commits one fault, after so many decisions."""

    def __init__(self, server: Server, name: str, fault: str, after: int) -> None:
        self.server, self.name, self.fault, self.after = server, name, fault, after
        self.committed = False
        self._token = ""
        self._bot: Raw | None = None

    @property
    def blame(self) -> Termination:
        return FAULTS[self.fault][1] if self.committed else Termination.FINISHED

    async def arrive(self) -> None:
        self._token = self._token or await self.server.token(self.name)
        self._bot = await self.server.connect(self._token)
        await self._bot.hello()

    async def play(self) -> None:
        """Until the match is over for it."""
        asked = 0
        while True:
            assert self._bot is not None
            body = await asyncio.wait_for(self._bot._bodies.get(), 5 * PATIENCE)
            if body is None or body.HasField("match_end"):
                return
            if not body.HasField("decide"):
                continue
            asked += 1
            # Asked again because the machine was late: what it did about the withdrawn question does not count.
            again = self.committed and self.fault in ("silent", "illegal")
            if not again and (self.committed or asked <= self.after):
                try:
                    await self._bot.act(body.decide)
                except (asyncio.InvalidStateError, grpc.RpcError):
                    if not self.committed:
                        raise
                    return  # it was shown out for what it did, and this question was still on its way
                continue
            self.committed = True
            try:
                await FAULTS[self.fault][0](self._bot, body.decide)
            except Gone:
                if self.fault != "comes back":
                    return
                await self.arrive()


async def honest(bot: Raw, matches: int) -> None:
    """Answers everything at once."""
    await bot.play(matches)


async def accuse(server: Server, chance: random.Random, count: int) -> list[str]:
    """So many matches, each with a culprit; returns what was judged wrong."""
    kinds = list(FAULTS)
    number = len(server._bots)
    good = await server.bot(f"honest{number}", concurrency=1000)
    culprits = [
        Culprit(server, f"culprit{number}-{each}", kinds[each % len(kinds)], chance.randrange(3))
        for each in range(count)
    ]
    for culprit in culprits:
        await culprit.arrive()
    matches: list[tuple[Match, Culprit, int]] = []
    for culprit in culprits:
        names = [good_name := f"honest{number}", culprit.name]
        chance.shuffle(names)
        matches.append((server.sit(*names, control=CONTROL), culprit, names.index(good_name)))
    await asyncio.gather(honest(good, count), *(culprit.play() for culprit in culprits))
    await soon(lambda: all(match.ending is not None for match, _, _ in matches))
    wrong = []
    seen: Counter[str] = Counter()
    for match, culprit, seat in matches:
        assert match.ending is not None
        found = match.ending.terminations
        seen[culprit.fault] += culprit.committed
        if found[seat] is not Termination.FINISHED:
            wrong.append(f"the honest bot is blamed ({match.ending.texts[seat]}) where the other {culprit.fault}")
        if found[1 - seat] is not culprit.blame:
            wrong.append(f"{culprit.fault}: {found[1 - seat]} instead of {culprit.blame} ({match.ending.texts})")
    assert all(seen[fault] for fault in kinds), f"not every fault was committed: {seen}"
    return wrong


async def judge(folder: Path, faults: int) -> None:
    seed = os.environ.get("REFEREE_FAULT_SEED") or str(random.randrange(1 << 32))
    chance = random.Random(seed)
    async with serving(folder) as server:
        for first in range(0, faults, AT_ONCE):
            wrong = await accuse(server, chance, min(AT_ONCE, faults - first))
            assert not wrong, f"REFEREE_FAULT_SEED={seed}: {wrong}"
            done = min(first + AT_ONCE, faults)
            print(f"{done} of {faults} faults, each with its culprit; REFEREE_FAULT_SEED={seed}", flush=True)
            for bot in server._bots:
                await bot.close()
            await soon(lambda: not server.competition.presence.bots)


@pytest.mark.alone
async def test_the_culprit_is_blamed_for_what_it_did_and_no_other_bot(tmp_path: Path) -> None:
    await judge(tmp_path, SHORT)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_five_thousand_faults(tmp_path: Path) -> None:
    await judge(tmp_path, int(os.environ.get("REFEREE_FAULTS", LONG)))
