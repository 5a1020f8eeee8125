"""The formats by name, and their settings: from JSON to a format's value and back; unknown keys are errors."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import isfinite
from typing import Any, Union, get_args, get_origin, get_type_hints

from referee.rules.spelling import brief
from referee.tournament.formats.all_seats import AllSeats
from referee.tournament.formats.format import Format
from referee.tournament.formats.gauntlet import Gauntlet
from referee.tournament.formats.groups import GroupsFinals
from referee.tournament.formats.knockout import Knockout
from referee.tournament.formats.ladder import Ladder
from referee.tournament.formats.swiss import Swiss
from referee.tournament.formats.until import Until
from referee.tournament.schedule.pairing import ScheduleError

ROUND_ROBIN = "round-robin"
"""The format whose whole schedule is stored before the first match; it has no entry in the settings of a tournament."""

DRAWN: dict[str, type[Any]] = {
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "knockout": Knockout,
    "groups+finals": GroupsFinals,
    "ladder": Ladder,
    "until": Until,
}
"""The formats that draw round after round while the tournament runs."""

ORDERS = frozenset({"swiss", "knockout", "groups+finals"})
"""Formats whose own count orders the table of a tournament; that of others is ordered by ratings."""

MIRRORED = frozenset({"knockout", "groups+finals"})
"""Formats that play blocks of matches on one deal, where no bot can remember it from match to match."""

SEEDED = frozenset({"swiss", "knockout", "groups+finals"})
"""Formats whose first tables follow from strengths that are given."""

JOINABLE = frozenset({"gauntlet", "ladder"})
"""Formats that bots may enter after the first round."""

NAMES = (ROUND_ROBIN, *DRAWN)

SEEDING = "seeding"
"""Of a tournament's settings of its format: strengths by name, which the format gets with the field."""

ALL_SEATS = "all_seats"
"""Of a tournament's settings of its format: whether every table is played from all seats on one opening."""


def from_settings(settings: Mapping[str, Any]) -> Format:
    """The format of a tournament's settings (`{"name": "swiss", "rounds": 7}`); ScheduleError says what is wrong."""
    kind = _kind(settings.get("name"))
    known = {field.name: field for field in fields(kind)}
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for key, value in settings.items():
        if key in ("name", SEEDING, ALL_SEATS):
            continue
        if key not in known:
            has = ", ".join(known) or "none"
            raise ScheduleError(f"the format {settings['name']} has no setting {key!r}; it has: {has}")
        given[key] = _read(hints[key], value, f"{settings['name']}: {key}")
    strengths(settings)
    try:
        made: Format = kind(**given)
    except TypeError:
        missing = [name for name, field in known.items() if name not in given and _is_required(field)]
        raise ScheduleError(f"the format {settings['name']} needs a setting {missing[0]!r}") from None
    return AllSeats(made) if settings.get(ALL_SEATS) is True else made


def to_settings(format: Format) -> dict[str, Any]:
    """What is stored of a format: its name and all its settings."""
    name = next(name for name, kind in DRAWN.items() if type(format) is kind)
    values = {field.name: getattr(format, field.name) for field in fields(format)}  # type: ignore[arg-type]
    return {"name": name, **{key: _plain(value) for key, value in values.items()}}


def setting_names(name: str) -> tuple[str, ...]:
    """The settings that a drawn format has."""
    return tuple(field.name for field in fields(_kind(name)))


def strengths(settings: Mapping[str, Any]) -> dict[str, float]:
    """The seeding in a format's settings: a strength for each entrant that has one, by name."""
    given = settings.get(SEEDING, {})
    if not isinstance(given, Mapping):
        raise ScheduleError(f"the seeding must give a number for each bot, not {brief(given)}")
    for bot, value in given.items():
        if type(value) not in (int, float) or not isfinite(value):
            raise ScheduleError(f"the seeding of {bot} must be a number, not {brief(value)}")
    return {str(bot): float(value) for bot, value in given.items()}


def seeding_of(settings: Mapping[str, Any], names: Sequence[str]) -> tuple[float, ...]:
    """A strength for each entrant, in their order; those without one come after all others. Empty without a seeding."""
    given = strengths(settings)
    if not given:
        return ()
    last = min(given.values()) - 1
    return tuple(given.get(name, last) for name in names)


def _kind(name: object) -> type[Any]:
    if not isinstance(name, str) or name not in DRAWN:
        raise ScheduleError(f"there is no format called {brief(name)}: choose {', '.join(NAMES)}")
    return DRAWN[name]


def _is_required(field: Any) -> bool:
    from dataclasses import MISSING

    return field.default is MISSING and field.default_factory is MISSING


def _read(hint: Any, value: Any, where: str) -> Any:
    """A value of JSON as the field wants it."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        if value is None and types.NoneType in get_args(hint):
            return None
        (inner,) = (argument for argument in get_args(hint) if argument is not types.NoneType)
        return _read(inner, value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ScheduleError(f"{where} must be a list, not {brief(value)}")
        inner, *_ = get_args(hint)
        return tuple(_read(inner, item, where) for item in value)
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        words = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise ScheduleError(f"{where} must be {words.get(hint, hint.__name__)}, not {brief(value)}")
    return value


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
