"""A simulation with bots that are programs: the matches of a series at a venue, tallied as if played in this process.

Match n has the same seed as in a series within one process, so that a bot that plays alike gives the same records.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from referee.hosting.simulation import BotFault, SimulationTally
from referee.match.clock import TimeControl
from referee.match.result import Termination
from referee.rules.playout import Playout, match_seed
from referee.rules.record import Record
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture


def fixtures(
    game: str, bots: Sequence[str], options: Mapping[str, Any], matches: int, root: bytes, control: TimeControl
) -> Iterator[Fixture]:
    """The matches of a series; `bots` are the names by seat."""
    for number in range(matches):
        yield Fixture(str(number), game, tuple(bots), options, match_seed(root, number), control, "", number)


async def tallied(
    players: int, results: AsyncGenerator[tuple[Fixture, Played], None]
) -> AsyncIterator[SimulationTally]:
    """The same tally after every match; BotFault if a bot does not play to the end."""
    tally = SimulationTally(players)
    async with aclosing(results):
        async for fixture, played in results:
            ending = played.ending
            for seat, how in enumerate(ending.terminations):
                if how is not Termination.FINISHED:
                    who = f"bot {fixture.bots[seat]!r} in match {fixture.id}, seat {seat}"
                    raise BotFault(f"{who}: {how.word}: {ending.texts[seat]}")
            tally.add(playout_of(played))
            yield tally


def playout_of(played: Played) -> Playout:
    """A match that bots played under a clock, as a playout."""
    record = Record.from_bytes(json.dumps(json.loads(played.record)["record"]).encode())
    return Playout(record, sum(seat.decisions for seat in played.seats))
