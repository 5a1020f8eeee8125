"""The `referee` command: the list of commands, and what becomes of their errors.

A further command is a module of `commands/` and one word in `GROUPS` (with a dash where the module has an
underscore; `import_` is `import`): the module holds either a function of the same name (a command) or a `typer.Typer`
called `app` (a group of commands). Modules import what is heavy inside their functions, so that every command starts at
once; a few lines are answered even without the parser (`at_once.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from referee.cli.at_once import answered
from referee.cli.errors import DID_NOT_HOLD, DONE, ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure
from referee.cli.terminal import spell_plainly

if TYPE_CHECKING:
    import typer

GROUPS: dict[str, tuple[str, ...]] = {
    "Play": ("games", "rules", "play", "run", "demo", "leaderboard"),
    "For authors of bots": (
        "new",
        "check",
        "simulate",
        "compare",
        "ask",
        "why",
        "join",
        "bridge",
        "submit",
        "submission",
        "conform",
    ),
    "Look at matches": ("matches", "show", "replay", "luck", "export", "verify"),
    "For hosts": (
        *("serve", "bot", "invite", "admin", "tournament", "match", "events", "webhook"),
        *("backup", "prune", "import", "cluster", "worker"),
    ),
    "For authors of games": ("new-game", "check-game", "scenario"),
}
"""The commands, by who needs them: the panels of `referee --help`, in this order."""
COMMANDS = tuple(name for group in GROUPS.values() for name in group)
VERDICTS = ("check", "check-game", "compare", "conform", "scenario", "verify")
"""Commands whose exit code 0 means that something holds: it is not said before they have come to their end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `referee` and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    spell_plainly()
    try:
        code = _run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if not _reader_gone(error):
            raise
        # `referee … | head`: nothing may be written to the closed pipe at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = ENVIRONMENT if words[:1] and words[0] in VERDICTS else DONE
    if arguments is None:
        _ignore_signals()
    return code


def _reader_gone(error: BaseException | None) -> bool:
    """Whether a pipe that nobody reads any more is behind it: Typer and Rich make an exit with code 1 of that."""
    while error is not None and not isinstance(error, BrokenPipeError):
        error = error.__context__
    return error is not None


def _ignore_signals() -> None:
    """From here on the exit code is known: a Ctrl-C that comes while the interpreter ends must not replace it."""
    import signal

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def build(only: str | None = None) -> typer.Typer:
    """The application with all commands, or with one alone: importing all takes longer than most take to run."""
    import typer

    from referee.cli.front import front
    from referee.cli.server_options import with_server_options

    app = typer.Typer(
        name="referee",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    app.callback()(front)
    for panel, names in GROUPS.items():
        for name in names:
            if only is not None and name != only:
                continue
            word = module_name(name)
            module: Any = import_module(f"referee.cli.commands.{word}")
            if hasattr(module, "app"):
                _complete(module.app)
                app.add_typer(module.app, name=name, rich_help_panel=panel)
            else:
                app.command(name, rich_help_panel=panel)(with_server_options(getattr(module, word)))
    return app


def _complete(group: typer.Typer) -> None:
    """The further options of commands that talk to a server, for a group of commands; twice is as good as once."""
    from referee.cli.server_options import with_server_options

    for command in group.registered_commands:
        assert command.callback is not None
        command.callback = with_server_options(command.callback)
    if group.registered_callback is not None and group.registered_callback.callback is not None:
        group.registered_callback.callback = with_server_options(group.registered_callback.callback)


def module_name(command: str) -> str:
    """What the module of a command, and the function in it, are called: `import` is `import_`, no keyword."""
    word = command.replace("-", "_")
    return f"{word}_" if iskeyword(word) else word


def _run(words: Sequence[str]) -> int:
    from referee.cli.output import begin_json, print_error, print_json_error

    begin_json()
    try:
        return DONE if answered(words) else _parse_and_run(words)
    except Failure as failure:
        print_error(str(failure))
        if "--json" in words and failure.code in (DID_NOT_HOLD, ENVIRONMENT):
            print_json_error(str(failure), failure.code)
        return failure.code
    except BrokenPipeError:
        raise
    except OSError as error:
        print_error(f"{error.filename or 'the system'}: {error.strerror or error}")
        return ENVIRONMENT
    except Exception as error:
        if os.environ.get("REFEREE_DEBUG"):
            raise
        print_error(f"unexpected {type(error).__name__}: {error} (run again with REFEREE_DEBUG=1 to see where)")
        return ENVIRONMENT


def _parse_and_run(words: Sequence[str]) -> int:
    import typer

    from referee.cli.missing_values import check_values
    from referee.cli.output import print_error
    from referee.cli.web import with_usual_address
    from referee.rules.game import WrongUse

    only = words[0] if words and words[0] in COMMANDS else None
    command = typer.main.get_command(build(only))
    try:
        given = with_usual_address(words)
        check_values(command, given)
        code = command(given, prog_name="referee", standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except WrongUse as error:
        print_error(str(error))
        return WRONG_USE
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        named = _called(command, words)
        message = error.format_message() or "a word is missing"  # a group of commands alone has shown its help
        said = _in_our_form(message)
        asked = said.endswith("?")
        print_error(f"{said} '{named} --help' lists all" if asked else f"{said}: see '{named} --help'")
        return WRONG_USE


def _called(command: Any, words: Sequence[str]) -> str:
    """The command that these words call, such as `referee bot add`: its help tells what belongs there."""
    named = ["referee"]
    for word in words:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        named.append(word)
    return " ".join(named)


def _in_our_form(message: str) -> str:
    """The sentence of the parser as all others are written: lower case, no full stop, the one name that was meant."""
    import re

    from referee.rules.spelling import nearest

    if found := re.fullmatch(r"No such option: (\S+) \(Possible options: (.*)\)", message):
        return f"no such option '{found[1]}'; did you mean '{nearest(found[1], found[2].split(', ')) or found[2]}'?"
    if found := re.fullmatch(r"(No such command .*)\. Did you mean '([^']*)'.*\?", message):  # the nearest comes first
        message = f"{found[1]}; did you mean '{found[2]}'?"
    message = re.sub(r"No such option: (\S+)", r"No such option '\1'", message)
    message = re.sub(r"Input should be a valid integer, unable .*", "it has to be a whole number", message)
    message = re.sub(r"Input should be greater than or equal to (\S+)", r"\1 is the least", message)
    message = re.sub(r"Input should be less than or equal to (\S+)", r"\1 is the most", message)
    lower = re.sub(r"(^|: )[A-Z](?=[a-z])", lambda found: found[0].lower(), message)
    return lower.rstrip().removesuffix(".")
