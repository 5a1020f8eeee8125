"""The form of each kind of entry of a journal: its keys, and what each of them may be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OVER = ("finished", "cancelled")
LARGEST_NUMBER = 1 << 62

Fits = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return type(value) is str


def _whole(value: Any) -> bool:
    return type(value) is int and -LARGEST_NUMBER < value < LARGEST_NUMBER


def _count(value: Any) -> bool:
    return _whole(value) and value >= 0


def _or_none(fits: Fits) -> Fits:
    return lambda value: value is None or fits(value)


def _list_of(fits: Fits) -> Fits:
    return lambda value: type(value) is list and all(map(fits, value))


def _object(value: Any) -> bool:
    return type(value) is dict


def _hex(value: Any) -> bool:
    return type(value) is str and set(value) <= set("0123456789abcdef")


def _one_of(*words: str) -> Fits:
    return lambda value: type(value) is str and value in words


def _form(**keys: Fits) -> Fits:
    return lambda value: type(value) is dict and value.keys() == keys.keys() and all(keys[k](value[k]) for k in keys)


def _nonces(value: Any) -> bool:
    return type(value) is dict and all(map(_hex, value.values()))


def _range(value: Any) -> bool:
    return type(value) is list and len(value) == 2 and all(map(_count, value)) and value[0] <= value[1] < 1 << 31


COMMON: dict[str, Fits] = {"kind": _text, "number": _count, "at": _whole}
VERSIONS: dict[str, Fits] = {"versions": _list_of(_or_none(_count))}
"""Of a result in which a submitted bot played."""
ROW: dict[str, Fits] = {"sha256": _hex}
"""Of a webhook that was added: the hash of its row, which holds secrets."""
REVEALED: dict[str, Fits] = {"root": _hex, "seed_text": _or_none(_text), "salt": _hex}
_BOT: dict[str, Fits] = {
    **{"id": _count, "name": _text, "kind": _one_of("house", "remote"), "note": _text},
    **{"token_hash": _or_none(_text), "created": _whole, "rotated": _or_none(_whole), "revoked": _or_none(_whole)},
}
_VERSION: dict[str, Fits] = {
    **{"id": _count, "bot_id": _count, "label": _text, "digest": _hex, "created": _whole, "reason": _text},
    "state": _one_of("testing", "active", "refused", "replaced", "retired"),
    **{"files": _count, "size": _count, "log": _hex, "settled": _or_none(_whole)},
}
_ADMIN: dict[str, Fits] = {
    **{"id": _count, "name": _text, "role": _one_of("host", "helper", "spectator"), "token_hash": _or_none(_text)},
    **{"created": _whole, "rotated": _or_none(_whole), "removed": _or_none(_whole)},
}
_INVITATION: dict[str, Fits] = {
    **{"id": _count, "code_hash": _text, "note": _text, "made_by": _text, "created": _whole},
    **dict.fromkeys(("expires", "revoked", "redeemed"), _or_none(_whole)),
    "bot_id": _or_none(_count),
}
FORMS: dict[str, dict[str, Fits]] = {
    "adopted": {},
    "created": {
        **{"name": _text, "game": _text, "game_version": _text, "players": _count, "settings": _object},
        **{"commitment": _hex, "dealt": _one_of("secret", "salted", "repeatable")},
    },
    "entered": {"entrants": _list_of(_form(name=_text, bot=_text, kind=_one_of("house", "remote")))},
    "scheduled": {"first": _count, "matches": _count, "sha256": _hex},
    "commitments": {"draw": _count, "first": _count, "entrants": _list_of(_form(name=_text, commitment=_hex))},
    "nonces": {"draw": _count, "nonces": _nonces},
    "state": {"state": _one_of("running", "paused", *OVER)},
    "result": {
        **{"match": _count, "attempt": _count, "started": _or_none(_whole), "seed": _or_none(_text), "reason": _text},
        **dict.fromkeys(("ranks", "scores", "strikes", "decisions", "time_ms"), _list_of(_whole)),
        **{"terminations": _list_of(_text), "record": _hex, "size": _count},
    },
    "aside": {
        **{"match": _count, "state": _one_of("absent", "void"), "reason": _text, "started": _or_none(_whole)},
    },
    "again": {"match": _count, "attempt": _count},
    "round": {
        **{"round": _count, "first": _count, "stage": _text, "byes": _list_of(_text), "active": _list_of(_text)},
        "tables": _list_of(_form(why=_text, deal=_count)),
    },
    "ruling": {
        "ruling": _one_of("disqualified", "withdrawn", "returned", "annulled", "replayed"),
        **{"bot": _text, "match": _or_none(_count), "reason": _text},
        **{"annulled": _list_of(_count), "aside": _list_of(_count)},
    },
    "extended": {"rounds": _count},
    "undone": {"first": _count, "matches": _count, "bots": _list_of(_text)},
    "reopened": {"commitment": _hex},
    "pruned": {"matches": _list_of(_range)},
    "removed": {"bot": _text, "tournament": _text, "entries": _count, "head": _hex},
    "bot": {"bot": _form(**_BOT)},
    "version": {"bot": _text, "version": _form(**_VERSION)},
    "admin": {"admin": _form(**_ADMIN)},
    "invitation": {"invitation": _form(**_INVITATION)},
    "action": {"who": _text, "role": _text, "action": _text, "subject": _text},
    "webhook": {"name": _text, "host": _text, "what": _one_of("added", "removed")},
    "benched": {"bot": _text},
    "fact": {"key": _text, "value": _or_none(_text)},
    "practice": {
        **{"match": _count, "game": _text, "game_version": _text, "settings": lambda value: True},
        "seats": _list_of(lambda seat: type(seat) is list and len(seat) == 2),
    },
}
