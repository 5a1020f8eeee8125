"""Building bots before they play: the command is shown on stderr, and so is the output of a build that fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import stderr_console

if TYPE_CHECKING:
    from referee.hosting.bot.spec import BotSpec

BuildNetwork = Annotated[
    bool,
    typer.Option(
        "--build-network",
        help="Let builds (bot.toml: build) reach the network, and with it what listens on this machine; bots never do.",
    ),
]


async def build_bots(bots: list[BotSpec], *, shut_in: bool, network: bool = False) -> None:
    """Build what has to be built, each folder once, and see that what came out is still a bot."""
    from referee.hosting.bot.build import BuildFailed, build
    from referee.hosting.bot.spec import parse
    from referee.hosting.sandbox.bubblewrap import SandboxFailed

    def told(text: str) -> None:
        stderr_console().print(text, markup=False)

    try:
        await build(bots, shut_in=shut_in, network=network, told=told)
    except BuildFailed as failed:
        told(failed.output)
        raise Failure(failed.sentence, WRONG_USE) from None
    except SandboxFailed as error:
        raise Failure(str(error), ENVIRONMENT) from None
    for bot in bots:
        if bot.build:
            parse(bot.text, Path.cwd())  # a build may have changed bot.toml; WrongUse says what is wrong with it now
