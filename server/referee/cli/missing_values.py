"""An option whose value was forgotten: `export league --csv --db FILE` must not write a file that is called --db.

A parser takes whatever comes next for the value of an option. Where that is the name of another option of the same
command, it is a slip, and a sentence says so before anything is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from referee.rules.game import WrongUse


def check_values(command: Any, words: Sequence[str]) -> None:
    """WrongUse if an option of the command that these words call is followed by another option's name."""
    rest = list(words)
    valued, every = _options(command)
    while rest and (found := getattr(command, "commands", {}).get(rest[0])) is not None:
        command, rest = found, rest[1:]
        more_valued, more = _options(command)
        valued, every = valued | more_valued, every | more
    own = rest[: rest.index("--")] if "--" in rest else rest
    for option, value in pairwise(own):
        if option in valued and value.startswith("--") and value in every:
            raise WrongUse(f"{option} needs {valued[option] or 'a value'}: {value} is another option")


def _options(command: Any) -> tuple[dict[str, str], set[str]]:
    """The options of a command that take a value, with the word for it if there is one, and the names of all."""
    options = [one for one in command.params if one.param_type_name == "option"]
    valued = {name: one.metavar or "" for one in options if not one.is_flag and not one.count for name in one.opts}
    return valued, {"--help", *(name for one in options for name in (*one.opts, *one.secondary_opts))}
