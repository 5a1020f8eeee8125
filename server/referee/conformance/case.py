"""Conformance cases: what one case says, and reading them from the TOML files of `sdk/conformance/`.

The format is described in sdk/conformance/README.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from referee.rules.game import WrongUse
from referee.rules.spelling import nearest

STEPS = (
    "opens",
    "greet",
    "hear",
    "say",
    "start_all",
    "ask_all",
    "end",
    "cut",
    "gone",
    "silence",
    "signal",
    "stderr",
    "ping",
    "pinged",
)
SERVERS = ("plain", "tls", "tls_other_name", "unix", "closed", "foreign")
FEATURES = {
    "untyped": "the language lets `decide` return something that is no text",
    "concurrent": "the SDK reads on while the bot thinks, and thinks in several matches at once",
    "signals": "the program hears SIGINT and SIGTERM, and leaves",
    "unix": "addresses of the form unix:PATH",
    "flags": "the flags of every SDK; without them the program has REFEREE_SERVER and REFEREE_TOKEN to go by",
    "sentences": "the sentences of every SDK; without them only what the conformbot itself writes is compared",
}
FOR_TESTS = {"REFEREE_PATIENCE"}
"""Variables that stand in for no flag."""
TOKEN = "conformance-token"
OWN_WORDS = "conformbot:"
"""What a conformbot itself writes to stderr begins with; all other sentences are an SDK's."""
OVER = "the case is over"
"""The details of the refusal that ends every case which does not end otherwise."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case: how the bot is started, what the server does, and what must be seen."""

    name: str
    shows: str
    script: tuple[dict[str, Any], ...] = ()
    theme: str = ""
    """The name of its file."""
    feature: str = ""
    """A feature that it needs beyond those that can be seen from its other fields."""
    slow: bool = False
    lines: bool = False
    """Whether it makes sense over JSON lines too."""
    server: str = "plain"
    args: tuple[str, ...] = ()
    bare: bool = False
    """True: the bot is started with `args` only, without --server and --token."""
    env: dict[str, str] = field(default_factory=dict)
    exit: tuple[int, ...] | None = None
    """The exit codes that are right; None: the case ends with a refusal by the server, and so with 2."""
    lasts: float = 0.0
    """The program runs for so many seconds at least."""
    stderr: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    """What must not be on stderr."""
    stdout: tuple[str, ...] = ()
    one_message: bool = False
    """Whether at least once several answers must have come in one message."""
    any_rest: bool = False
    """True: what the bot sends beyond the script, on its way out, is not looked at."""
    record: tuple[dict[str, Any], ...] | None = None
    """What --record must have written, line by line."""

    @property
    def needs(self) -> frozenset[str]:
        """The features without which it is not tried."""
        flags = bool(self.args) or self.bare or any(name.startswith("REFEREE_") for name in {*self.env} - FOR_TESTS)
        sentences = bool(self.stdout) or any(not _is_own(step["stderr"]) for step in self.script if "stderr" in step)
        found = {self.feature: bool(self.feature), "flags": flags, "sentences": sentences}
        return frozenset(name for name, needed in found.items() if needed)

    def without(self, lacks: Collection[str]) -> Case:
        """The same case for an SDK that lacks features which it does not need."""
        case = self
        if "flags" in lacks:
            case = replace(case, bare=True, env={"REFEREE_SERVER": "{where}", "REFEREE_TOKEN": TOKEN, **case.env})
        if "sentences" in lacks:
            own = tuple(text for text in case.stderr if _is_own(text))
            case = replace(case, stderr=own, never=(), script=tuple(_in_any_words(step) for step in case.script))
        return case


def _is_own(text: str) -> bool:
    return text.startswith(OWN_WORDS)


def _in_any_words(step: dict[str, Any]) -> dict[str, Any]:
    """A step in which the reason of a resignation, which is a sentence of the SDK's, may be anything."""
    heard = step.get("hear")
    if heard is None:
        return step
    tables = [heard] if isinstance(heard, Mapping) else heard
    return {"hear": [{kind: _without_reason(kind, fields) for kind, fields in table.items()} for table in tables]}


def _without_reason(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if (kind, key) != ("resign", "reason")}


def folder() -> Path:
    """The folder of the cases: in the package when installed, `sdk/conformance/` in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "conformance" / "cases"
    return installed if installed.is_dir() else package.parents[1] / "sdk" / "conformance"


def load(where: Path | None = None) -> list[Case]:
    """All cases, in the order of the files' names and of their places in them."""
    cases = [case for file in sorted((where or folder()).glob("*.toml")) for case in read(file)]
    if not cases:
        raise WrongUse(f"there are no cases in {where or folder()}")
    names = [case.name for case in cases]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise WrongUse(f"two cases are called {twice[0]!r}: every case needs a name of its own")
    return cases


def read(file: Path) -> list[Case]:
    """The cases of one file, or WrongUse with a sentence that says what is wrong and where."""
    try:
        value = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WrongUse(f"{file.name}: {error}") from None
    if set(value) - {"case"}:
        raise WrongUse(f"{file.name}: a file of cases holds [[case]] tables and nothing else")
    return [_case(file, table) for table in value.get("case", [])]


def _case(file: Path, table: Mapping[str, Any]) -> Case:
    where = f"{file.name}, case {table.get('name', '?')!r}"
    known = [item.name for item in fields(Case) if item.name != "theme"]
    for key in table:
        if key not in known:
            raise WrongUse(f"{where}: there is no key {key!r}{_hint(key, known)}")
    for key in ("name", "shows"):
        if not table.get(key):
            raise WrongUse(f"{where}: it needs a {key!r}")
    plain: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    if isinstance(plain.get("exit"), int):
        plain["exit"] = (plain["exit"],)
    case = Case(theme=file.stem, **plain)
    if case.server not in SERVERS:
        raise WrongUse(f"{where}: there is no server {case.server!r}; there are {', '.join(SERVERS)}")
    if case.feature and case.feature not in FEATURES:
        raise WrongUse(f"{where}: there is no feature {case.feature!r}; there are {', '.join(FEATURES)}")
    for step in case.script:
        if len(step) != 1 or next(iter(step)) not in STEPS:
            raise WrongUse(f"{where}: {step} is no step; a step has one key of {', '.join(STEPS)}")
    return case


def choose(cases: Iterable[Case], patterns: Iterable[str]) -> list[Case]:
    """The cases whose name or theme one of the patterns fits; all without patterns."""
    cases, patterns = list(cases), list(patterns)
    if not patterns:
        return cases
    for pattern in patterns:
        if not any(_fits(case, pattern) for case in cases):
            raise WrongUse(f"no case is called {pattern!r}{_hint(pattern, [case.name for case in cases])}")
    return [case for case in cases if any(_fits(case, pattern) for pattern in patterns)]


def _fits(case: Case, pattern: str) -> bool:
    return fnmatchcase(case.name, pattern) or case.theme == pattern


def _hint(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known)
    return f"; did you mean {near!r}?" if near else ""
