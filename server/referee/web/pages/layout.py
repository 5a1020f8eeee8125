"""What all pages have in common: head, navigation, the line that says when the connection is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee import __version__
from referee.web.markup import Child, Html, join, tag

if TYPE_CHECKING:
    from referee.web.site import Site

PLACES = (
    ("tournaments", "/", "Tournaments"),
    ("bots", "/bots", "Bots"),
    ("games", "/games", "Games"),
    ("play", "/play", "Play"),
    ("connect", "/connect", "Connect a bot"),
    ("wall", "/wall", "Wall"),
)


def page(
    site: Site,
    title: str,
    *content: Child,
    place: str = "",
    live: str = "",
    modules: tuple[str, ...] = (),
    kind: str = "",
    bare: bool = False,
    data: dict[str, str] | None = None,
) -> str:
    """A whole document. `live` is the stream that keeps its parts up to date; `bare` leaves out the navigation."""
    scripts = ("live.js", *modules) if live else modules
    head = join(
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · Referee" if title else "Referee"),
        tag("link", rel="stylesheet", href=site.asset("style.css")),
        tag("link", rel="icon", href=site.asset("icon.svg"), type="image/svg+xml"),
        [tag("script", type="module", src=site.asset(name)) for name in scripts],
    )
    places = [
        tag("a", label, href=where, aria_current="page" if name == place else None)
        for name, where, label in PLACES
        if name != "play" or site.people is not None
    ]
    top = tag(
        "header",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("a", tag("span", class_="mark", aria_hidden="true"), "Referee", href="/", class_="brand"),
        tag("nav", *places, aria_label="Pages"),
        class_="top",
    )
    attributes: dict[str, str | bool | None] = {"class_": kind or None, "data_live": live or None}
    attributes |= {f"data_{key}": value for key, value in (data or {}).items()}
    body = tag(
        "body",
        None if bare else top,
        tag("p", "", id="connection", role="status", hidden=True),
        tag("main", *content, id="content", tabindex=-1),
        None if bare else tag("footer", f"referee {__version__}", class_="foot"),
        **attributes,
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'


def part(name: str, content: Child, element: str = "div", **attributes: str | bool | None) -> Html:
    """A part that a stream replaces."""
    return tag(element, content, data_part=name, **attributes)


def panel(title: str, *content: Child, kind: str = "", id: str | None = None) -> Html:
    """A section with its heading."""
    return tag("section", tag("h2", title), *content, class_=f"panel {kind}".strip(), id=id)


def field(label: str, id: str, **attributes: str | bool) -> Html:
    """A field of a form with its label: beside it, or above it where there is little room."""
    return tag("p", tag("label", label, for_=id), tag("input", id=id, **attributes), class_="field")


def empty(text: str) -> Html:
    """What is said where there is nothing to show."""
    return tag("p", text, class_="soft empty")


def problem(site: Site, title: str, text: str) -> str:
    """The page of an error."""
    return page(
        site,
        title,
        tag(
            "section", tag("h1", title), tag("p", text), tag("p", tag("a", "All tournaments", href="/")), class_="lone"
        ),
    )
