"""HTML as values: every text is escaped, unless it was made here (no template engine, no injection).

    tag("a", name, href=address, class_="bot")

Names of bots, notices and moves may hold anything. They are texts, and a text becomes markup in no way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from typing import Any

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "source"})
"""Elements without an end."""


class Html(str):
    """A piece of HTML that is known to be well formed."""

    __slots__ = ()


Child = str | int | None | Iterable[Any]
"""What can stand inside an element; None is nothing."""
Attribute = str | int | float | bool | None


def tag(element: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element. `class_` is written `class`, `aria_label` `aria-label`; None and False leave an attribute out."""
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if element in VOID:
        return Html(f"<{element}{written}>")
    return Html(f"<{element}{written}>{join(*children)}</{element}>")


def join(*children: Child) -> Html:
    """Pieces and texts one after the other."""
    return Html("".join(_pieces(children)))


def _pieces(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str):
            yield escape(child)
        elif isinstance(child, int):
            yield str(child)
        else:
            yield from _pieces(child)


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = re.sub("_", "-", key.rstrip("_"))
    if value is True:
        return f" {name}"
    return f' {name}="{escape(str(value))}"'


def name_of(text: str) -> Html:
    """A name that somebody chose: isolated, so that letters of another direction turn nothing around it."""
    return tag("bdi", text)


def moment(milliseconds: int) -> Html:
    """When something happened, given since 1970: for people everywhere, so in UTC."""
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return tag("time", at.strftime("%Y-%m-%d %H:%M UTC"), datetime=at.strftime("%Y-%m-%dT%H:%MZ"))


SVG_CASES = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}


def svg(element: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element of SVG: the same, and a few attributes that are written with capitals."""
    made = tag(element, *children, **attributes)
    for low, right in SVG_CASES.items():
        made = Html(made.replace(f" {low}=", f" {right}=", 1)) if low in attributes else made
    return made
