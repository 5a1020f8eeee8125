"""Registration of many bots at once: names out of a CSV file, tokens into one."""

from __future__ import annotations

import csv
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure

if TYPE_CHECKING:
    from referee.cli.backend import Backend

COLUMN = "name"
MOST = 10_000


def read_names(file: Path) -> list[str]:
    """The names of the bots in a CSV file with a header; each once, and each one that can be registered."""
    from referee.hall.roster import check_new_name
    from referee.names import skeletons
    from referee.rules.game import WrongUse
    from referee.store import Refused
    from referee.store.bots import check_new as check_rules

    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            if COLUMN not in (reader.fieldnames or ()):
                raise Failure(f"{file}: the first line names no column {COLUMN!r}: add one", WRONG_USE)
            names = [(row[COLUMN] or "").strip() for row in reader]
    except OSError as error:
        raise Failure(f"cannot read {file}: {error.strerror}", WRONG_USE) from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise Failure(f"{file} is not a CSV file in UTF-8: save it as such ({error})", WRONG_USE) from None
    names = [name for name in names if name]
    if not names:
        raise Failure(f"{file} holds no names: write one in each line below {COLUMN!r}", WRONG_USE)
    if len(names) > MOST:
        raise Failure(f"{file} holds {len(names):,} names: {MOST:,} is the most", WRONG_USE)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise Failure(f"{file}: more than once: {', '.join(twice)}", WRONG_USE)
    looks: dict[str, str] = {}
    for name in names:
        try:
            check_rules(name)
            check_new_name(name)
        except (Refused, WrongUse) as error:
            raise Failure(f"{file}: {error}", WRONG_USE) from None
        for look in skeletons(name):
            if (other := looks.setdefault(look, name)) != name:
                raise Failure(f"{file}: {other} and {name} look alike: choose another name for one of them", WRONG_USE)
    return names


def check_new(names: Sequence[str], backend: Backend, file: Path) -> None:
    """Failure if one of them is registered already, or looks like one that is: then none of them is registered."""
    from referee.names import skeletons

    try:
        known = {row["name"] for row in backend.bots()}
    except Failure as failure:
        if failure.code != ENVIRONMENT:
            raise
        known = set()  # no database yet; if it is anything worse, the first registration says so
    if taken := [name for name in names if name in known]:
        raise Failure(
            f"{file}: registered already: {', '.join(taken)}; take them out ('referee bot rotate NAME' gives a new "
            "token)",
            WRONG_USE,
        )
    looks = {look: name for name in known for look in skeletons(name)}
    alike = [f"{name} looks like {looks[min(found)]}" for name in names if (found := skeletons(name) & looks.keys())]
    if alike:
        raise Failure(f"{file}: {', '.join(alike)}, which is the name of a bot already: choose another name", WRONG_USE)


@contextmanager
def write_tokens(target: Path | None) -> Iterator[Callable[[str, str], Any]]:
    """Where names and tokens go: stdout, or a new file for its owner only; each line is there before the next bot."""
    if target is None:
        stream = sys.stdout
    else:
        try:
            stream = os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w")
        except FileExistsError:
            raise Failure(f"{target} exists already: name a new file", WRONG_USE) from None
        except OSError as error:
            raise Failure(f"cannot write {target}: {error.strerror}", ENVIRONMENT) from None
    lines = csv.writer(stream, lineterminator="\n")

    def write(name: str, token: str) -> None:
        lines.writerow([name, token])
        stream.flush()

    try:
        write(COLUMN, "token")
        yield write
    finally:
        if target is not None:
            stream.close()
