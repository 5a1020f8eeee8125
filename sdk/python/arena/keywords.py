"""Keyword arguments of `arena.run` and hand-made `arena.Settings`: validated as the flags are, told in one sentence."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypedDict

from arena.errors import Refused
from arena.settings import Practice, Settings, is_address, is_token, read_certificates


class Changes(TypedDict, total=False):
    """What `arena.run` takes by keyword: the fields of `arena.Settings`; files may be given as text."""

    server: str
    token: str
    name: str
    games: tuple[str, ...] | list[str]
    concurrency: int
    without_legal: bool
    tls: bool
    ca: str | Path | None
    practice: Practice | None
    record: str | Path | None
    strict: bool
    quiet: bool
    patience: float
    first_patience: float


def change(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings with some of them given by keyword; Refused says what is wrong with one."""
    known = [field.name for field in fields(Settings)]
    for name in changes:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
            raise Refused(f"arena.run has no keyword argument {name!r}; {hint}")
    return checked(replace(settings, **changes))


def checked(settings: Settings) -> Settings:
    """The same settings with lists and names of files in their proper types; Refused if a value cannot be used."""
    for name in ("server", "token", "name"):
        if not isinstance(value := getattr(settings, name), str):
            raise _wrong(name, value, "a text")
    for name in ("without_legal", "tls", "strict", "quiet"):
        if not isinstance(value := getattr(settings, name), bool):
            raise _wrong(name, value, "True or False")
    for name in ("patience", "first_patience"):
        if not _is_number(value := getattr(settings, name)) or value < 0:
            raise _wrong(name, value, "a number of seconds")
    if not _is_whole(settings.concurrency) or settings.concurrency < 0:
        raise _wrong("concurrency", settings.concurrency, "a whole number, 1 or more, or 0 to let the SDK choose")
    if not is_address(settings.server):
        raise Refused(f"server={settings.server!r} is not an address: write HOST:PORT or unix:PATH")
    if not is_token(settings.token):
        raise Refused("token: it has characters that no token has; copy it again")
    games = _names("games", settings.games, 'names of games such as ("flip7",)')
    ca, record = _file("ca", settings.ca), _file("record", settings.record)
    if ca is not None:
        _check_certificates(ca)
    practice = None if settings.practice is None else _checked_practice(settings.practice)
    return replace(settings, games=games, ca=ca, record=record, practice=practice, tls=settings.tls or ca is not None)


def _checked_practice(practice: Any) -> Practice:
    if not isinstance(practice, Practice):
        raise _wrong("practice", practice, 'an arena.Practice such as arena.Practice("flip7", ("random",))')
    if not isinstance(practice.game, str) or not practice.game:
        raise _wrong("Practice.game", practice.game, 'the name of a game such as "flip7"')
    if not _is_whole(practice.matches) or practice.matches < 1:
        raise _wrong("Practice.matches", practice.matches, "a whole number, 1 or more")
    if not isinstance(practice.options_json, str):
        raise _wrong("Practice.options_json", practice.options_json, "JSON as a text")
    return replace(practice, against=_names("Practice.against", practice.against, 'names of bots such as ("random",)'))


def _names(name: str, value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise _wrong(name, value, what)
    return tuple(value)


def _file(name: str, value: Any) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise _wrong(name, value, "the name of a file")
    return Path(value)


def _check_certificates(ca: Path) -> None:
    if not ca.is_file():
        raise Refused(f"ca: there is no file {ca}")
    try:
        read_certificates(ca)
    except (OSError, ValueError) as error:
        raise Refused(f"ca: {error}") from None


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and value < float("inf"))


def _wrong(name: str, value: Any, what: str) -> Refused:
    return Refused(f"{name}={value!r} is not {what}")
