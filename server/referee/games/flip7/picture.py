"""The picture of a view of Flip 7: real cards before every player, and what the pile still holds, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7.cards import FLIP_7, HIGHEST_NUMBER, NAMES, SECOND_CHANCE, STOP, THREE, Card
from referee.games.flip7.telling import STATUS_WORDS, about, in_progress, standing, told
from referee.rules.boards.frame import EDGE, paint_heading, paint_news, paint_ranks
from referee.rules.boards.seats import Names, seat_of, viewer
from referee.rules.boards.spots import Spot
from referee.rules.boards.style import Palette
from referee.rules.boards.svg import WIDTH, Canvas, heart, number, octagon, text_width, wrapped

NAME, TITLE = "flip7", "Flip 7"

INKS = (
    *("#6f7680", "#8a7f6b", "#b8860b", "#c2556e", "#1f8a8a", "#2e8b57", "#8e4aa8", "#b5651d"),
    *("#6b8e23", "#d2691e", "#c62828", "#1e6fd0", "#4b5563"),
)
"""The colour of each number."""
PALETTE: Palette = {
    "card": ("fill:#fffdf6;stroke:#b9b3a3", "fill:#f3efe3;stroke:#0c0e12"),
    "slot": ("fill:none;stroke:#cfc9ba;stroke-dasharray:3 3", "fill:none;stroke:#3a4350;stroke-dasharray:3 3"),
    "veil": ("fill:#f6f4ee;opacity:.72", "fill:#14171c;opacity:.72"),
    "lost": ("fill:#b3261e;opacity:.2", ""),
    "bonus": ("fill:#f7941d;stroke:#b96505", ""),
    "stop": ("fill:#d32f2f;stroke:#8e1b1b", ""),
    "three": ("fill:#f4c20d;stroke:#b18800", ""),
    "second": ("fill:#d81b60;stroke:#8e0f3d", ""),
    "white": ("fill:#fff", ""),
    "black": ("fill:#1c2027", ""),
    **{f"n{value}": (f"fill:{ink}", "") for value, ink in enumerate(INKS)},
}
FEW = 6
"""Up to so many players have a row of their own; more share it by two."""
HIGH, LOW = 86.0, 62.0
"""How high a player's panel is, in a row of its own and in a shared one."""
PER_ROW = 8
"""Kinds of cards in one row of what the pile holds."""


def paint(view: pb.View, names: Sequence[str] | None = None) -> str:
    """The view as an SVG document."""
    return _painted(Canvas(), view, names)


def spots(view: pb.View, names: Sequence[str] | None = None) -> list[Spot]:
    """The places of the picture that can be clicked."""
    canvas = Canvas()
    _painted(canvas, view, names)
    return canvas.spots()


def _painted(canvas: Canvas, view: pb.View, names: Sequence[str] | None) -> str:
    called = Names(names)
    how, seen, news = standing(view, called), viewer(view, called), told(view, names)
    y = paint_heading(canvas, TITLE, about(view, called), seen, how)
    if view.ranks:
        y = paint_ranks(canvas, y, view.ranks, view.scores, called, "points")
    else:
        y = _players(canvas, y, view, called)
        for line in in_progress(view, called):
            for part in wrapped(line, 14, WIDTH - 2 * EDGE):
                y += 18
                canvas.text(EDGE, y, part, 14, "accent")
        y = _pile(canvas, y + 6, view)
    y = paint_news(canvas, y, news)
    summary = f"{TITLE}, {about(view, called)}: {how}" if how else f"{TITLE}, {about(view, called)}"
    return canvas.document(NAME, y + 10, summary, ". ".join([seen, *news]), PALETTE)


def _players(canvas: Canvas, y: float, view: pb.View, names: Names) -> float:
    few = len(view.players) <= FEW
    gap = 6.0
    wide = WIDTH - 2 * EDGE if few else (WIDTH - 2 * EDGE - gap) / 2
    high = HIGH if few else LOW
    for seat in range(len(view.players)):
        across, down = (0, seat) if few else (seat % 2, seat // 2)
        _player(canvas, EDGE + across * (wide + gap), y + down * (high + gap), wide, view, seat, names)
    rows = len(view.players) if few else (len(view.players) + 1) // 2
    return y + rows * (high + gap)


def _player(canvas: Canvas, x: float, y: float, wide: float, view: pb.View, seat: int, names: Names) -> None:
    """One player: name, how he stands, his total, and his cards."""
    player = view.players[seat]
    total = view.scores[seat] if seat < len(view.scores) else 0
    few = wide > WIDTH / 2
    high, size = (HIGH, 36.0) if few else (LOW, 20.0)
    large = 15 if few else 14
    asked = seat in view.asked
    out = player.status in (pb.STATUS_STAYED, pb.STATUS_STOPPED, pb.STATUS_BUSTED)
    canvas.rect(x, y, wide, high, "hot" if asked else "shade" if out else "panel", 7)
    if seat == seat_of(view):
        canvas.spot(x, y, wide, high, "stay", "stay")
    canvas.spot(x, y, wide, high, f"target {seat}", f"target {names.column(seat)}")
    score = f"{total}" + (f" +{player.points}" if player.points else "")
    state = STATUS_WORDS.get(player.status, "")
    at = wide - 10 - text_width(score, large, bold=True)
    canvas.text(x + wide - 10, y + 20, score, large, "ink b e")
    if state:
        bad = player.status == pb.STATUS_BUSTED
        canvas.text(x + at - 8, y + 20, state, large - 1, "bad b e" if bad else "good b e")
        at -= text_width(state, large - 1, bold=True) + 8
    canvas.text(x + 10, y + 20, names.column(seat), large, "ink b" if asked else "ink", at - 16)
    cards = list(player.cards)
    numbers = sum(card <= HIGHEST_NUMBER for card in cards)
    slots = range(len(cards), min(len(cards) + FLIP_7 - numbers, int((wide - 16) / (size + 4))))
    if not out and slots:
        # Seven different numbers are the aim: empty places show how far it is.
        box = f"h{number(size)}v{number(size * 1.4)}h-{number(size)}z"
        canvas.path("".join(f"M{number(x + 10 + place * (size + 4))} {number(y + 28)}{box}" for place in slots), "slot")
    step = min(size + 4, (wide - 20 - size) / max(1, len(cards) - 1))
    for place, card in enumerate(cards):
        _card(canvas, x + 10 + place * step, y + 28, size, card)
    if player.status == pb.STATUS_BUSTED and cards:
        canvas.rect(x + 6, y + 26, min(wide - 12, (len(cards) - 1) * step + size + 8), size * 1.4 + 4, "lost", 5)


def _card(canvas: Canvas, x: float, y: float, size: float, card: Card) -> None:
    """A card `size` wide, with its face up."""
    high = size * 1.4
    middle = x + size / 2
    face = size * 0.58
    if card <= HIGHEST_NUMBER:
        canvas.rect(x, y, size, high, "card", size / 8)
        canvas.text(middle, y + high / 2 + face * 0.36, NAMES[card], face, f"n{card} b m")
    elif card < STOP:
        canvas.rect(x, y, size, high, "bonus", size / 8)
        small = face * (0.78 if len(NAMES[card]) < 3 else 0.64)
        canvas.text(middle, y + high / 2 + small * 0.36, NAMES[card], small, "white b m")
    elif card == STOP:
        canvas.rect(x, y, size, high, "stop", size / 8)
        cy = y + high / 2
        canvas.path(octagon(middle, cy, size * 0.36), "white")
        canvas.text(middle, cy + face * 0.3, "S", face * 0.85, "n10 b m")
    elif card == THREE:
        canvas.rect(x, y, size, high, "three", size / 8)
        for row in range(3):
            canvas.rect(x + size * 0.22, y + high * (0.18 + 0.23 * row), size * 0.56, high * 0.16, "black", 1)
    elif card == SECOND_CHANCE:
        canvas.rect(x, y, size, high, "second", size / 8)
        canvas.path(heart(middle, y + high * 0.5, size * 0.33), "white")
    else:
        canvas.rect(x, y, size, high, "card", size / 8)


def _pile(canvas: Canvas, y: float, view: pb.View) -> float:
    """The pile from the back, and how many of each card it still holds."""
    canvas.line(EDGE, y + 2, WIDTH - EDGE, y + 2)
    shuffled = f" · shuffled anew {view.reshuffles} times" if view.reshuffles else ""
    head = f"pile {view.pile_size} cards · discards {view.discard_size}{shuffled}"
    canvas.text(EDGE, y + 22, head, 14, "dim", WIDTH - 2 * EDGE)
    y += 30
    step = (WIDTH - 2 * EDGE) / PER_ROW
    rows = (len(view.pile_counts) + PER_ROW - 1) // PER_ROW
    canvas.spot(EDGE, y - 26, WIDTH - 2 * EDGE, 26 + rows * 36, "hit", "hit: a card from the pile")
    for card, count in enumerate(view.pile_counts):
        x = EDGE + card % PER_ROW * step
        top = y + card // PER_ROW * 36
        _card(canvas, x, top, 22, card)
        canvas.text(x + 25, top + 20, f"×{count}", 13, "ink" if count else "dim")
        if not count:
            canvas.rect(x, top, 22, 31, "veil")
    return y + rows * 36
