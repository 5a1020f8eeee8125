"""Calls of a bot's author to a server: the bot's token from the environment, a file or a prompt, and its versions.

A token is never needed on a command line, where every user of the machine could read it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.settings import is_token
from referee.cli.connection import channel, failure, stub
from referee.cli.defaults import DEFAULT_SERVER
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import stdout_console
from referee.cli.tokens import ADMIN_TOKEN, TOKEN, asked, in_file

if TYPE_CHECKING:
    from referee.cli.backend import Row

SECONDS = 30

AuthorServer = Annotated[
    str, typer.Option("--server", envvar="REFEREE_SERVER", metavar="HOST:PORT", help="The server.", show_default=True)
]
TokenFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help=f"A file with the token; without it {TOKEN}, or you are asked."),
]
OfBot = Annotated[
    str | None, typer.Option("--bot", metavar="NAME", help=f"For hosts: any bot, with the token in {ADMIN_TOKEN}.")
]
DEFAULT = DEFAULT_SERVER


@dataclass(frozen=True, slots=True)
class Author:
    """Who calls: where, with which token, and about which bot if the token does not say it."""

    server: str
    ca: str | None
    token: str
    bot: str = ""

    @classmethod
    def of(cls, server: str, ca: str | None, token_file: Path | None, bot: str | None) -> Author:
        return cls(server, ca, _token(token_file, bot), bot or "")

    def call(self, method: str, request: Any) -> Any:
        """One call; its refusals become one sentence."""
        import grpc

        with channel(self.server, self.ca) as connection:
            try:
                return getattr(stub(connection, "SubmissionService"), method)(
                    request, metadata=self._metadata(), timeout=SECONDS
                )
            except grpc.RpcError as error:
                raise self._failure(error) from None

    def submit(self, pieces: Iterator[Any]) -> Iterator[Row]:
        """Send a bot; yields what is known of the new version, first and last."""
        import grpc

        told = False
        with channel(self.server, self.ca) as connection:
            try:
                for answer in stub(connection, "SubmissionService").Submit(pieces, metadata=self._metadata()):
                    told = True
                    yield version_row(answer.version)
            except grpc.RpcError as error:
                if told:
                    raise Failure(
                        f"the connection to {self.server} was lost while it was being tested: "
                        "'referee submission list' shows what came of it",
                        ENVIRONMENT,
                    ) from None
                raise self._failure(error) from None

    def _metadata(self) -> list[tuple[str, str]]:
        return [("authorization", f"Bearer {self.token}")]

    def _failure(self, error: Any) -> Failure:
        import grpc

        if error.code() is grpc.StatusCode.UNAUTHENTICATED:
            whose = "admin token" if self.bot else "bot's token"
            how = (
                f"give it in {ADMIN_TOKEN}" if self.bot else f"give it in {TOKEN} or --token-file, as the host told it"
            )
            return Failure(f"{self.server} did not accept the {whose}: {how}", WRONG_USE)
        return failure(error, self.server)


def version_row(version: Any) -> Row:
    """A version as plain values."""
    from arena.v1.submission_pb2 import VersionState

    return {
        "bot": version.bot,
        "version": version.number,
        "state": VersionState.Name(version.state).removeprefix("VERSION_STATE_").lower(),
        "reason": version.reason,
        "sha256": version.digest,
        "files": version.files,
        "bytes": version.size,
        "submitted": version.submitted_ms / 1000,
        "settled": version.settled_ms / 1000 or None,
    }


def print_versions(rows: list[Row]) -> None:
    """A table of versions."""
    from rich.table import Table
    from rich.text import Text

    if not rows:
        stdout_console().print("no version was submitted yet: referee submit DIR", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("version", "state", "submitted", "sha256", "files", "MB", "reason"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        at = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["submitted"]))
        size = f"{row['bytes'] / (1 << 20):.1f}"
        shown = [str(row["version"]), row["state"], at, row["sha256"][:12], str(row["files"]), size]
        table.add_row(*shown, Text(row["reason"]))
    stdout_console().print(table)


def _token(file: Path | None, bot: str | None) -> str:
    """The token, from the first place that has one; Failure says where to put it."""
    whose, name = ("admin token", ADMIN_TOKEN) if bot is not None else ("bot's token", TOKEN)
    if file is not None:
        token = in_file(file, name)
    elif not (token := os.environ.get(name, "").strip()):
        hint = f"the {whose} is missing: give it in {name}, or name its file with --token-file"
        token = asked(f"The {whose}", f"--bot is for hosts: {hint}" if bot is not None else hint)
    if not is_token(token):
        raise Failure("the token has characters that no token has: copy it again", WRONG_USE)
    return token
