"""The law about boards: what `drawing` and `picture` of a game promise, for every view and whatever the names.

`drawing_flaw`, `picture_flaw` and `spots_flaw` say what is wrong with one of them, for the tests of a board of one's
own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from referee.rules.boards.text import clean, columns, to_ascii
from referee.rules.game import Game
from referee.rules.laws.cases import Trial
from referee.rules.views import View

WIDTHS = (40, 80, 133)
NAMES = ("<b>&'\"", "\x1b[31mred\n", "漢字" * 30, "", "e\u0301" * 9, "\u202egnp", "]]>", "\ud800", "same", "same")
"""Names that an author could give a bot, good and bad."""

SVG = "{http://www.w3.org/2000/svg}"
_SHAPES = ("rect", "circle", "ellipse", "line", "polyline", "polygon", "path")
TAGS = frozenset(SVG + tag for tag in ("svg", "title", "desc", "style", "g", "text", "tspan", *_SHAPES))
"""What a picture is made of: nothing that runs, refers or loads."""
_SGR = re.compile(r"\x1b\[[0-9;]*m")


def boards_show_every_view(trial: Trial) -> None:
    """Drawings keep to their width, pictures are sound SVG and nothing from elsewhere, both the same each time."""
    for case in trial.settings:
        names = [NAMES[seat % len(NAMES)] for seat in range(case.players)]
        for number, state in enumerate(trial.moments(case, dense=3)):
            # Every seat, every width and both kinds of names have their turn; all of them each time would take long.
            view = state.view(number % case.players if number % 3 else None)
            called = names if number % 2 else None
            flaw = drawing_flaw(trial.game, view, WIDTHS[number // 3 % len(WIDTHS)], called)
            flaw = flaw or picture_flaw(trial.game, view, called)
            for seat in state.pending()[:1] if number % 4 == 0 else ():
                legal = [state.format(move) for move in state.legal(seat).moves]
                flaw = flaw or spots_flaw(trial.game, state.view(seat), legal, called)
            if flaw:
                raise trial.broken(flaw)


def drawing_flaw(game: Game[Any], view: View, width: int, names: Sequence[str] | None = None) -> str | None:
    """What is wrong with the lines of this view, in colour, without, or in ASCII; None if nothing is."""
    plain = game.drawing(view, width, names=names)
    if plain != game.drawing(view, width, names=names):
        return "the same view is drawn differently when drawn again"
    if not any(plain):
        return "the drawing is empty"
    ascii_only = game.drawing(view, width, names=names, ascii=True)
    coloured = game.drawing(view, width, names=names, colour=True)
    bare = [_SGR.sub("", line) for line in coloured]
    for form, lines in (
        ("the drawing", plain),
        ("in ASCII, the drawing", ascii_only),
        ("in colour, the drawing", bare),
    ):
        for line in lines:
            if clean(line) != line:
                return f"{form} has a line with characters that move the cursor or have no width: {line!r}"
            if columns(line) > width:
                return f"{form} for {width} columns has a line of {columns(line)}: {line!r}"
    if odd := [line for line in ascii_only if not line.isascii()]:
        return f"in ASCII, the drawing has the line {odd[0]!r}"
    if [line.rstrip() for line in bare] != [line.rstrip() for line in plain]:
        return "without its colours, the coloured drawing is another one"
    if len(ascii_only) != len(plain) and [to_ascii(line) for line in plain] == plain:
        return "in ASCII, the drawing is another one, though it was in ASCII already"
    return None


def picture_flaw(game: Game[Any], view: View, names: Sequence[str] | None = None) -> str | None:
    """What is wrong with the picture of this view; None if nothing is."""
    picture = game.picture(view, names=names)
    if picture != game.picture(view, names=names):
        return "the same view is pictured differently when pictured again"
    try:
        root = ElementTree.fromstring(picture)
    except (ElementTree.ParseError, UnicodeError) as error:
        return f"the picture is no well-formed XML: {error}"
    if root.tag != f"{SVG}svg":
        return "the picture is no <svg> document"
    if not re.fullmatch(r"0 0 [0-9.]+ [0-9.]+", root.get("viewBox", "")):
        return "the picture has no viewBox that begins at 0 0, so it does not scale"
    if len(root) == 0 or root[0].tag != f"{SVG}title" or not root[0].text:
        return "the picture does not begin with a <title>, which screen readers read"
    return _foreign(root) or _unscoped(root) or _outside(root)


def _foreign(root: ElementTree.Element) -> str | None:
    """What a picture may not have, so that it can stand in any page, or None."""
    for element in root.iter():
        if element.tag not in TAGS:
            return f"the picture has the element {element.tag.removeprefix(SVG)!r}; it may have only shapes and texts"
        for name, value in element.attrib.items():
            if name == "id" or name.startswith("on") or "href" in name or "url(" in value:
                return f"the picture has the attribute {name}={value!r}: no ids, no handlers, nothing from elsewhere"
    return None


def _unscoped(root: ElementTree.Element) -> str | None:
    """A style that would change other parts of the page, or None."""
    own = tuple(f".{kind}" for kind in root.get("class", "").split())
    for style in root.iter(f"{SVG}style"):
        text = re.sub(r"/\*.*?\*/", "", style.text or "", flags=re.DOTALL)
        if "@import" in text or "@font-face" in text or "url(" in text:
            return "the picture loads something in its style"
        for selectors in re.findall(r"([^{}@;]+)\{", re.sub(r"@media[^{]*\{", "", text)):
            for selector in selectors.split(","):
                if not selector.strip().startswith(own or ("svg only with a class",)):
                    return f"the style {selector.strip()!r} is not scoped by a class of the <svg> and changes the page"
    return None


def _outside(root: ElementTree.Element) -> str | None:
    """A rectangle, or the place of a text, that lies outside of the picture, or None."""
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for element in root:
        if element.tag in (f"{SVG}rect", f"{SVG}text") and "transform" not in element.attrib:
            x, y, wide, high = (float(element.get(name, "0")) for name in ("x", "y", "width", "height"))
            if not (0 <= x <= x + wide <= width and 0 <= y <= y + high <= height):
                return f"a <{element.tag.removeprefix(SVG)}> lies outside of the picture: {element.attrib}"
    return None


def spots_flaw(game: Game[Any], view: View, legal: Sequence[str], names: Sequence[str] | None = None) -> str | None:
    """What is wrong with the places of this view's picture that can be clicked; None if nothing is."""
    spots = game.spots(view, legal, names=names)
    if spots != game.spots(view, legal, names=names):
        return "the same view has other places to click when asked again"
    for spot in spots:
        inside = spot.left >= 0 and spot.top >= 0 and spot.left + spot.width <= 1 and spot.top + spot.height <= 1
        if not inside or spot.width <= 0 or spot.height <= 0:
            return f"a place to click is not in the picture: {spot.word!r}"
        if not spot.label.strip() or clean(spot.label) != spot.label:
            return f"a place to click has no label that can be read out: {spot.word!r}"
    return None
