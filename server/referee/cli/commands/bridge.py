"""`referee bridge`: a program in any language plays on a server, over its stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.building import build_bots
from referee.cli.errors import DID_NOT_HOLD, Failure, wrong_use

if TYPE_CHECKING:
    from referee.hosting.bot.spec import BotSpec

SHOWN_LINES = 3


def bridge(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="-- CMD", help="The program and its arguments; a bot folder will do.", show_default=False
        ),
    ],
    server: Annotated[
        str, typer.Option("--server", envvar="REFEREE_SERVER", help="Where the referee listens.")
    ] = "localhost:7700",
    token: Annotated[
        str,
        typer.Option("--token", envvar="REFEREE_TOKEN", help="The bot's token, from the host.", show_default=False),
    ] = "",
    name: Annotated[
        str,
        typer.Option(
            "--name", envvar="REFEREE_NAME", help="The bot's name, if you want it checked.", show_default=False
        ),
    ] = "",
    concurrency: Annotated[
        int, typer.Option("--concurrency", envvar="REFEREE_CONCURRENCY", min=1, help="Matches at once.")
    ] = 16,
    tls: Annotated[bool, typer.Option("--tls", envvar="REFEREE_TLS", help="The server speaks TLS.")] = False,
    ca: Annotated[
        Path | None,
        typer.Option("--ca", envvar="REFEREE_CA", metavar="FILE", help="Certificate to trust (implies --tls)."),
    ] = None,
    practice: Annotated[
        str, typer.Option("--practice", metavar="GAME", help="Play practice matches of this game, then stop.")
    ] = "",
    against: Annotated[
        str, typer.Option("--against", metavar="BOT,…", help="Who takes the other seats: house bots, or 'anyone'.")
    ] = "",
    matches: Annotated[
        int | None, typer.Option("--matches", min=1, help="How many practice matches.", show_default="1")
    ] = None,
    options: Annotated[
        str, typer.Option("--options", metavar="JSON", help="Options of the practised game.", show_default=False)
    ] = "",
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Keep what the bot saw and answered, a JSON object per line."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first error instead of resigning.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
) -> None:
    """Connect a program that speaks JSON lines (one object per line on stdin and stdout) to a server.

    'referee new DIR --game GAME --lang sh' makes a program to start from; proto/LINES.md is the manual. The
    program's stderr is shown here. Exit code 1: the program failed; 2: the server refused it; 3: no server.

    Example: [bold]REFEREE_TOKEN=… referee bridge -- awk -W interactive -f mybot.awk[/bold]
    """
    from arena.errors import ArenaError
    from arena.settings import Practice, Settings, is_address, is_token, read_certificates

    if ca is not None and not ca.is_file():
        wrong_use(f"--ca: there is no file {ca}")
    if ca is not None:
        try:
            read_certificates(ca)
        except (OSError, ValueError) as error:
            wrong_use(f"--ca: {error}")
    if not is_address(server):
        wrong_use(f"--server: {server!r} is not an address: write HOST:PORT or unix:PATH")
    if token.strip() and not is_token(token.strip()):
        wrong_use("--token: it has characters that no token has; copy it again")
    for option, given in (("against", against), ("matches", matches), ("options", options)):
        if given and not practice:
            wrong_use(f"--{option} goes with --practice GAME")
    if practice and not against:
        wrong_use("--practice and --against go together: --practice flip7 --against random,random")
    if options:
        _check_options(options)
    seats = tuple(bot.strip() for bot in against.split(",") if bot.strip())
    spec = _spec(command)
    settings = Settings(
        server=server,
        token=token.strip(),
        name=name,
        games=spec.games,
        concurrency=concurrency,
        tls=tls or ca is not None,
        ca=ca,
        practice=Practice(practice, seats, matches or 1, options) if practice else None,
        record=record,
        strict=strict,
        quiet=quiet,
    )
    try:
        asyncio.run(_bridge(spec, settings))
    except ArenaError as error:
        raise Failure(str(error), error.code) from None


def _check_options(text: str) -> None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        wrong_use(f'--options: {text!r} is not a JSON object: write them as \'{{"rules": "faq"}}\'')


def _spec(command: list[str]) -> BotSpec:
    from dataclasses import replace

    from referee.hosting.bot.spec import STDIO, Kind, parse

    text = command[0] if len(command) == 1 else shlex.join(command)
    return replace(parse(text if text.startswith(STDIO) else STDIO + text), kind=Kind.STDIO)


async def _bridge(spec: BotSpec, settings: Any) -> None:
    from referee.hosting.lines.bridge import Bridge, BridgeBroken, BridgeClient, play

    await build_bots([spec], shut_in=False)  # one's own program on one's own machine, as the bridge runs it
    span = Bridge(spec)
    span.process.on_stderr = _show
    await span.start()
    client = BridgeClient(span, settings)
    playing = asyncio.ensure_future(play(span, client))
    loop = asyncio.get_running_loop()
    idle = False

    def stop() -> None:
        # As the SDKs do: first the running matches are played to their end; a second signal ends at once.
        nonlocal idle
        if client.playing and not client.leaving:
            print("leaving after the running matches; once more to leave at once", file=sys.stderr, flush=True)
            client.leave()
        else:
            idle = not client.leaving
            playing.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        await playing
    except BridgeBroken as error:
        last = " ".join(line.strip() for line in span.process.stderr.shown(SHOWN_LINES))
        raise Failure(f"{error}{f'; its last words: {last}' if last else ''}", DID_NOT_HOLD) from None
    except asyncio.CancelledError:
        if not idle:
            raise KeyboardInterrupt from None
    finally:
        await span.stop()


def _show(chunk: bytes) -> None:
    sys.stderr.write(chunk.decode("utf-8", "replace"))
    sys.stderr.flush()
