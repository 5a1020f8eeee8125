"""Options that every command gets which talks to a server: `--tls` beside `--ca`, `--token-file` beside `--token`.

They are added here, to all commands alike, so that none can be forgotten. A command has the parameters `ca`,
`admin_token` and `token`; what the added options say is folded into these before it is called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from referee.cli.connection import PUBLIC
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.tokens import ADMIN_TOKEN, TOKEN, in_file

TLS = Annotated[
    bool, typer.Option("--tls", help="The server speaks TLS, with a certificate that a known authority has signed.")
]


def _file_of(option: str, what: str) -> Any:
    return Annotated[
        Path | None,
        typer.Option(option, metavar="FILE", help=f"A file with {what}; - is stdin.", show_default=False),
    ]


ADDED = {
    "ca": ("tls", TLS, False),
    "admin_token": ("admin_token_file", _file_of("--admin-token-file", "the admin token"), None),
    "token": ("token_file", _file_of("--token-file", "the bot's token"), None),
}
"""By the parameter after which it comes: the name of the added one, its option, and its default."""


def with_server_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the further options; a command that has them, or talks to no server, stays as it is."""
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    added: set[str] = set()
    for name, parameter in signature.parameters.items():
        parameters.append(parameter.replace(annotation=hints.get(name, parameter.annotation)))
        new, option, default = ADDED.get(name, ("", None, None))
        if new and new not in signature.parameters:
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(inspect.Parameter(new, kind, default=default, annotation=option))
            added.add(new)
    if not added:
        return function

    @wraps(function)
    def command(**given: Any) -> Any:
        return function(**_folded({**dict.fromkeys(added), **given}, added))

    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": hints.get("return")}
    return command


def _folded(given: dict[str, Any], added: set[str]) -> dict[str, Any]:
    """The parameters that the command knows."""
    values = {name: value for name, value in given.items() if name not in added}
    if given.get("tls") and "tls" in added:
        if values.get("ca"):
            raise Failure("give --tls or --ca, not both: --ca FILE is for a certificate of your own", WRONG_USE)
        values["ca"] = PUBLIC
    for parameter, variable in (("admin_token", ADMIN_TOKEN), ("token", TOKEN)):
        file = given.get(f"{parameter}_file")
        if f"{parameter}_file" in added and file is not None:
            values[parameter] = in_file(file, variable)
    return values
