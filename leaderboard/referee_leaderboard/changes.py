"""JSON diff: what has changed between two standings, and the later ones from the earlier ones and the changes.

Standings of 120 bots take 216 kB and more, of which one match changes little: whoever watches is sent the difference.

Lists that follow the ranking would change as a whole whenever two bots change places. So standings are compared in a
form in which their tables are kept by the names of the bots (`by_name`), and their orders apart.

Changes are a list. `[path, value]` puts a value at a path, `[path]` removes what is there; a path is a list of keys and
indices, and the empty path is the whole value. A list that has another length than before is sent whole.
"""

from __future__ import annotations

from typing import Any

from referee_leaderboard.json_value import StandingsError

SQUARES = ("meetings", "better", "equal")
MANY = 1 / 3


def by_name(standings: dict[str, Any]) -> dict[str, Any]:
    """The JSON value of standings with all that stands once per bot, or per pair of bots, under the bots' names."""
    crosstable, seats, strengths = (standings[name] for name in ("crosstable", "seats", "strengths"))
    ranked = [row["bot"] for row in strengths["rows"]]
    squares = {name: _named(crosstable[name], crosstable["bots"]) for name in SQUARES}
    return {
        **standings,
        "rows": _keyed(standings["rows"]),
        "crosstable": {**crosstable, **squares},
        "latest": _keyed(standings["latest"], "match"),
        "seats": {**seats, "records": _seated(seats["records"])},
        "strengths": {
            **strengths,
            "rows": _keyed(strengths["rows"]),
            "ahead": _named(strengths["ahead"], ranked),
        },
    }


def by_rank(named: dict[str, Any]) -> dict[str, Any]:
    """The JSON value of standings again."""
    try:
        crosstable, seats, strengths = (named[name] for name in ("crosstable", "seats", "strengths"))
        squares = {name: _square(crosstable[name], crosstable["bots"]) for name in SQUARES}
        return {
            **named,
            "rows": _listed(named["rows"]),
            "crosstable": {**crosstable, **squares},
            "latest": _listed(named["latest"]),
            "seats": {**seats, "records": _records(seats["records"])},
            "strengths": {
                **strengths,
                "rows": _listed(strengths["rows"]),
                "ahead": _square(strengths["ahead"], strengths["rows"]["order"]),
            },
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        raise StandingsError("the standings by name are not complete") from None


def changes(before: Any, after: Any) -> list[list[Any]]:
    """What turns one JSON value into the other."""
    found: list[list[Any]] = []
    _compare(before, after, [], found)
    return found


def applied(value: Any, changed: Any) -> Any:
    """The later value; the earlier one may be altered. StandingsError if the changes do not belong to it."""
    if not isinstance(changed, list):
        raise StandingsError("changes: expected a list")
    for number, change in enumerate(changed):
        try:
            value = _apply(value, *change)
        except (TypeError, KeyError, IndexError, ValueError):
            raise StandingsError(f"changes[{number}] does not fit the standings before") from None
    return value


def _keyed(rows: list[dict[str, Any]], key: str = "bot") -> dict[str, Any]:
    names = [row[key] for row in rows]
    return {"order": names, "entries": dict(zip(names, rows, strict=True))}


def _listed(keyed: dict[str, Any]) -> list[Any]:
    return [keyed["entries"][name] for name in keyed["order"]]


def _seated(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Records per bot and seat, which come bot by bot and in the order of the seats."""
    entries: dict[str, dict[str, Any]] = {}
    for record in records:
        entries.setdefault(record["bot"], {})[str(record["seat"])] = record
    return {"order": list(entries), "entries": entries}


def _records(seated: dict[str, Any]) -> list[Any]:
    entries = seated["entries"]
    return [entries[bot][seat] for bot in seated["order"] for seat in sorted(entries[bot], key=int)]


def _named(square: list[list[Any]], names: list[str]) -> dict[str, dict[str, Any]]:
    """A square over bots, which is empty in very large fields."""
    return {a: dict(zip(names, row, strict=True)) for a, row in zip(names, square, strict=False)}


def _square(named: dict[str, dict[str, Any]], names: list[str]) -> list[list[Any]]:
    return [[named[a][b] for b in names] for a in names] if named else []


def _compare(before: Any, after: Any, path: list[str | int], found: list[list[Any]]) -> None:
    if before == after:
        return
    new: list[list[Any]] = []
    if isinstance(before, dict) and isinstance(after, dict):
        new += [[[*path, key]] for key in before if key not in after]
        for key, value in after.items():
            if key in before:
                _compare(before[key], value, [*path, key], new)
            else:
                new.append([[*path, key], value])
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after) and path[-1:] != ["order"]:
        for index, (old, value) in enumerate(zip(before, after, strict=True)):
            _compare(old, value, [*path, index], new)
    else:
        found.append([path, after])
        return
    # A path takes more room than a number: where many have changed, all of them together are shorter.
    inside = after.values() if isinstance(after, dict) else after
    plain = not any(isinstance(value, dict | list) for value in inside)
    found += [[path, after]] if path and plain and len(new) > MANY * len(after) else new


def _apply(value: Any, path: list[Any], *new: Any) -> Any:
    if not path:
        (value,) = new
        return value
    *way, last = path
    place = value
    for step in way:
        place = place[step]
    if not isinstance(place, dict | list):
        raise TypeError
    if not new:
        del place[last]
    elif isinstance(place, list) and not (isinstance(last, int) and 0 <= last < len(place)):
        raise IndexError
    else:
        (place[last],) = new
    return value
