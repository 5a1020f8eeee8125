"""Addresses of the pages: every tournament, bot and match has one that can be shared, whatever its name holds."""

from __future__ import annotations

from urllib.parse import quote, urlencode


def link(page: str, name: str, **query: str | int | None) -> str:
    """The address of a thing by its name: `/bots/odds`; `/bots/?name=..` where a path would lose the name."""
    given = {key: value for key, value in query.items() if value not in (None, "")}
    if any(part in ("", ".", "..") for part in name.split("/")):  # browsers resolve such parts of a path
        return f"{page}/?{urlencode({'name': name} | given)}"
    return f"{page}/{quote(name)}" + (f"?{urlencode(given)}" if given else "")


def tournament(name: str, view: str = "", **query: str | int | None) -> str:
    return link("/tournaments", name, view=view, **query)


def bot(name: str) -> str:
    return link("/bots", name)


def match(name: str) -> str:
    return link("/matches", name)


def game(name: str) -> str:
    return link("/games", name)
