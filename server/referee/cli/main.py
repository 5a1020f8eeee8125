"""The `referee` command: the list of commands, and what becomes of their errors.

A further command is a module of `commands/` and one word in `COMMANDS` (with a dash where the module has an
underscore): the module holds either a function of the same name (a command) or a `typer.Typer` called `app` (a group
of commands). Modules import what is heavy inside their functions, so that every command starts at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.cli.errors import DONE, ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure

if TYPE_CHECKING:
    import typer

COMMANDS = (
    "games",
    "rules",
    "new",
    "check",
    "new-game",
    "check-game",
    "run",
    "demo",
    "simulate",
    "scenario",
    "serve",
    "bot",
    "match",
    "tournament",
    "leaderboard",
    "verify",
    "bridge",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `referee` and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:  # answered before anything heavy is imported
        sys.stdout.write(f"referee {__version__}\n")
        return DONE
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`referee … | head`); nothing may be written to the closed pipe at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def build() -> typer.Typer:
    """The application with all commands."""
    import typer

    from referee.cli.front import front

    app = typer.Typer(
        name="referee",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    app.callback()(front)
    for name in COMMANDS:
        word = name.replace("-", "_")
        module: Any = import_module(f"referee.cli.commands.{word}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, word))
    return app


def _run(words: Sequence[str]) -> int:
    import typer

    from referee.cli.output import print_error
    from referee.rules.game import WrongUse

    try:
        code = build()(words, prog_name="referee", standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except Failure as failure:
        print_error(str(failure))
        return failure.code
    except WrongUse as error:
        print_error(str(error))
        return WRONG_USE
    except typer.Abort:
        return INTERRUPTED
    except typer.TyperException as error:
        command = f"{words[0]} " if words and words[0] in COMMANDS else ""
        message = error.format_message() or "a word is missing"  # a group of commands alone has shown its help
        print_error(f"{message} (see 'referee {command}--help')")
        return WRONG_USE
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
