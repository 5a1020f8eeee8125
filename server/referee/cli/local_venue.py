"""Where a command plays the bots of this machine: worker processes, as many as fit, with the sandbox if it is wanted.

`run`, `compare` and `simulate` use it.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.building import build_bots
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import stderr_console
from referee.workers.room import Room

if TYPE_CHECKING:
    from referee.hosting.bot.spec import BotSpec
    from referee.workers.worker_pool import WorkersVenue

Concurrency = Annotated[
    int | None, typer.Option("--concurrency", "-c", min=1, help="Most matches at once.", show_default="as many as fit")
]
Workers = Annotated[
    int | None,
    typer.Option(min=1, help="Worker processes; fewer are used if not all bots fit.", show_default="one per core"),
]
UseSandbox = Annotated[
    bool, typer.Option("--sandbox/--no-sandbox", help="Shut bots in; --no-sandbox only for bots you trust.")
]


def find_bots(game: str, texts: Sequence[str]) -> list[BotSpec]:
    """The bots that a person has named; all of them play the game."""
    from referee.hosting.bot import spec as specs

    found = [specs.parse(text) for text in texts]
    for bot in found:
        if not bot.plays(game):
            raise Failure(f"{bot.name} does not play {game}, only {', '.join(bot.games)}", WRONG_USE)
    return found


def name_bots(bots: Sequence[BotSpec]) -> list[str]:
    """A name for each, all different, none of them another bot's; WrongUse if a bot may not be called as it is."""
    from referee.hosting.bot import folders
    from referee.hosting.bot.names import check_apart, check_own, telling
    from referee.tournament.plan import distinct

    told = telling([(bot.text, bot.names) for bot in bots])
    for bot, name in zip(bots, told, strict=True):
        check_own(name, bot.text, folders.names(), partial(_lives_there, bot))
    check_apart(told)
    return distinct(told)


def _lives_there(bot: BotSpec, house: str) -> bool:
    """Whether a bot is the house bot of this name, whatever it is called here."""
    from referee.hosting.bot import folders

    return bot.folder is not None and folders.find(house).path.resolve() == bot.folder


def wants_sandbox(bots: Sequence[BotSpec], wanted: bool) -> bool:
    """Whether bots are to be shut in: house bots need not be. Failure if it is wanted and cannot be had."""
    from referee.hosting.bot.spec import Kind

    if not wanted or all(bot.kind is Kind.HOUSE for bot in bots):
        return False
    from referee.hosting.sandbox.bubblewrap import probe, what_holds

    missing = probe()
    if missing:
        raise Failure(
            f"the sandbox for hosted bots cannot be had here: {missing}",
            ENVIRONMENT,
        )
    stderr_console().print(f"sandbox: {what_holds()}", style="dim", markup=False, soft_wrap=True)
    return True


@asynccontextmanager
async def local_venue(
    bots: Mapping[str, BotSpec], room: Room, *, sandbox: bool, build_network: bool
) -> AsyncIterator[WorkersVenue]:
    """The workers, with these bots under these names; what there is to tell of a bot goes to stderr."""
    from referee.logs import log_to_stderr
    from referee.workers.worker_pool import Hosting, WorkersVenue

    log_to_stderr(logging.WARNING)
    await build_bots(list(bots.values()), shut_in=sandbox, network=build_network)
    venue = WorkersVenue(Hosting(bots, sandbox, room.share, room.per_bot))
    venue.on_notice = lambda text: stderr_console().print(text, markup=False)
    await venue.open()
    try:
        yield venue
    finally:
        await venue.close()
