"""`--web HOST:PORT` of `serve` and `run`: whether the page can be had, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure

if TYPE_CHECKING:
    from referee.listening import Tls
    from referee.web.server import WebServer

USUAL = "127.0.0.1:7780"
NEEDED = ("starlette", "uvicorn", "httptools", "sse_starlette", "prometheus_client")
LOADED = ("referee.web.server", "referee.web.source")
"""Loaded before anything runs: later, a running server would stand still for as long as that takes."""
_ADDRESS = re.compile(r"(\S*:)?\d{1,5}|unix:.+")

Web = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="[HOST:]PORT",
        help=f"Show everything in a page for browsers; alone, --web means {USUAL}.",
        show_default=False,
    ),
]


def with_usual_address(words: Sequence[str]) -> list[str]:
    """The words of a command line, with the usual address behind a `--web` that has none."""
    filled: list[str] = []
    for place, word in enumerate(words):
        filled.append(word)
        if word == "--":
            return [*filled, *words[place + 1 :]]
        if word == "--web" and (place + 1 == len(words) or not _ADDRESS.fullmatch(words[place + 1])):
            filled.append(USUAL)
    return filled


def check_web(given: str, tls: Tls | None, insecure: bool) -> str:
    """The address of the page, whole; Failure if it cannot be had."""
    from referee.listening import is_address, is_public

    listen = f"127.0.0.1:{given}" if given.isdecimal() else f"127.0.0.1{given}" if given.startswith(":") else given
    if not is_address(listen):
        raise Failure(f"--web {given} is not an address: give HOST:PORT, such as {USUAL}", WRONG_USE)
    if is_public(listen) and tls is None and not insecure:
        raise Failure(
            f"--web {listen} can be reached from outside: give --tls-cert and --tls-key, "
            "or --insecure if what it shows may be read and changed on the way",
            WRONG_USE,
        )
    if any(find_spec(name) is None for name in NEEDED):
        raise Failure("the page needs further packages: pip install 'referee-arena[web]'", ENVIRONMENT)
    for name in LOADED:
        import_module(name)
    return listen


async def start_web(server: WebServer) -> str:
    """Start it; returns the address for a browser."""
    from referee.listening import CannotListen

    try:
        await server.start()
    except CannotListen as error:
        raise Failure(str(error), ENVIRONMENT) from None
    return server.url
