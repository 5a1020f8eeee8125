"""Command lines that are answered without a parser: to load typer takes longer than to answer these.

Each stands here word by word; with any other word, `--help` included, the parser reads the line as every other. Both
end in the same function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial

from referee import __version__


def _version() -> None:
    sys.stdout.write(f"referee {__version__}\n")


def _games(as_json: bool) -> None:
    from referee.cli.games_list import list_games

    list_games(as_json)


AT_ONCE: Mapping[tuple[str, ...], Callable[[], None]] = {
    ("--version",): _version,
    ("games",): partial(_games, as_json=False),
    ("games", "--json"): partial(_games, as_json=True),
}
