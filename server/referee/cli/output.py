"""Output of commands: results on stdout, everything else on stderr.

With `--json` stdout carries exactly one JSON value; tables and colours are for people. What is printed may repeat the
text of a stranger (a record, a name, a reason): characters that steer a terminal are shown as a sign for themselves.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from referee.masking import masked
from referee.rules.spelling import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from referee_leaderboard import Standings

_printed: list[bool] = []
"""Whether the JSON value of this run is out."""
LONGEST = 4000
"""Characters of an error or a warning."""


def print_json(value: Any) -> None:
    """The one JSON value of a `--json` run."""
    _printed.append(True)
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # half a character in a stranger's text, or a terminal of few letters
        text = json.dumps(value, indent=2)
    sys.stdout.write(text + "\n")


def print_json_error(message: str, code: int) -> None:
    """The one JSON value of a `--json` run that failed before it had any other."""
    if not _printed:
        print_json({"error": masked(" ".join(message.split())), "exit_code": code})


def begin_json() -> None:
    """A command begins: it has printed nothing."""
    _printed.clear()


def stdout_console() -> Console:
    """The console for results."""
    return _console(highlight=False)


def print_table(standings: Standings) -> None:
    """The final table of a tournament. A narrow terminal wraps the digest: cut, it could not be compared."""
    from referee_leaderboard import final_table

    console = stdout_console()
    console.print(final_table(standings, console.width), end="", soft_wrap=True)


def stderr_console() -> Console:
    """The console for everything that is not the result: progress, warnings, errors."""
    return _console(stderr=True, highlight=False, soft_wrap=True)


def _console(**settings: Any) -> Console:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            if self.stderr:
                super().on_broken_pipe()
            raise BrokenPipeError  # `main` knows what to do, and it is no failure

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                if segment.control is None and not segment.text.isprintable():
                    yield Segment(printable(segment.text, len(segment.text), allowed="\n\t"), segment.style)
                else:
                    yield segment

    return PlainConsole(**settings)


def print_warning(message: str) -> None:
    """`warning: …` on stderr, on one line: something to know that stops nothing."""
    sys.stderr.write(f"warning: {_on_one_line(message)}\n")


def print_error(message: str) -> None:
    """`error: …` on stderr, on one line whatever the width of the terminal, without the password of any address."""
    label = "\x1b[1;31merror:\x1b[0m" if sys.stderr.isatty() else "error:"
    sys.stderr.write(f"{label} {_on_one_line(message)}\n")


def _on_one_line(message: str) -> str:
    return printable(masked(" ".join(message.split())), LONGEST)
