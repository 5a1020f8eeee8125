"""`referee submit`: send a bot to a server, which builds, checks and plays it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from referee.cli.arguments import AsJson, Ca
from referee.cli.author import DEFAULT, Author, AuthorServer, OfBot, TokenFile
from referee.cli.errors import DID_NOT_HOLD, DONE, WRONG_USE, Failure
from referee.cli.output import print_json, stderr_console, stdout_console

if TYPE_CHECKING:
    from referee.cli.backend import Row

PIECE = 256 << 10


def submit(
    bot: Annotated[
        Path, typer.Argument(metavar="DIR|ZIP", help="The bot's folder, or a zip of it.", show_default=False)
    ],
    server: AuthorServer = DEFAULT,
    token_file: TokenFile = None,
    of: OfBot = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it has been tested.")] = True,
    ca: Ca = None,
    as_json: AsJson = False,
) -> int:
    """Send a bot to a server: it is built and checked there in the sandbox, and then plays as a new version.

    The token of the bot says which bot it is. It is read from REFEREE_TOKEN, from --token-file, or asked for.
    A bot that was submitted plays on the server and cannot connect as well: 'referee submission retire' takes it back.
    Exit code 0: it is active; 1: it was refused, and the log says why ('referee submission log').

    Example: [bold]referee submit ./mybot --server arena.example.org:7700[/bold]
    """
    author = Author.of(server, ca, token_file, of)
    row: Row = {}
    with _packed(bot) as packed:
        answers = author.submit(_pieces(packed, author.bot))
        for row in answers:
            if row["state"] == "testing" and not as_json:
                _say(f"{row['bot']} version {row['version']} ({row['sha256'][:12]}) is being built and checked")
            if not wait:
                break
    if as_json:
        print_json(row)
    else:
        _print(row)
    return DID_NOT_HOLD if row["state"] == "refused" else DONE


def _packed(path: Path) -> BinaryIO:
    """The zip to send: the file itself, or the folder packed."""
    from referee.hosting.submission.packing import pack

    if path.is_dir():
        file: Any = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        try:
            left_out = pack(path, file)
        except BaseException:
            file.close()
            raise
        if left_out:
            _say(f"not sent: {', '.join(left_out[:5])}{', …' * (len(left_out) > 5)}")
        file.seek(0)
        packed: BinaryIO = file
        return packed
    try:
        return path.open("rb")
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}: name the bot's folder, or a zip of it", WRONG_USE) from None


def _pieces(file: BinaryIO, bot: str) -> Iterator[Any]:
    from arena.v1 import submission_pb2 as pb

    yield pb.SubmitRequest(bot=bot, chunk=file.read(PIECE))
    while chunk := file.read(PIECE):
        yield pb.SubmitRequest(chunk=chunk)


def _print(row: Row) -> None:
    out = stdout_console()
    named = f"{row['bot']} version {row['version']}"
    if row["state"] == "refused":
        out.print(f"{named} was refused: {row['reason']}", markup=False, soft_wrap=True)
        out.print(f"its log: referee submission log {row['version']}", markup=False)
    else:
        out.print(f"{named} is {row['state']}, sha256 {row['sha256']}", markup=False, soft_wrap=True)


def _say(text: str) -> None:
    stderr_console().print(text, markup=False)
