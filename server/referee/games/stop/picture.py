"""The picture of a view of STOP!: tokens, hands and decks of all, the bids card by card, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.telling import WINNING, about, at, card_name, owned, standing, told
from referee.rules.boards.frame import EDGE, paint_heading, paint_news
from referee.rules.boards.seats import Names, ordinal, seat_of, viewer
from referee.rules.boards.spots import Spot
from referee.rules.boards.style import Palette
from referee.rules.boards.svg import WIDTH, Canvas, octagon, text_width

NAME, TITLE = "stop", "STOP!"

PALETTE: Palette = {
    "two": ("fill:#12808a;stroke:#0b545b", ""),
    "three": ("fill:#d9661f;stroke:#8f3f0d", ""),
    "four": ("fill:#7b4fa3;stroke:#4c2c6b", ""),
    "plus": ("fill:#f2c230;stroke:#9a7400", ""),
    "back": ("fill:#3b4a63;stroke:#222d40", "fill:#465876;stroke:#0c0e12"),
    "white": ("fill:#fff", ""),
    "black": ("fill:#1c2027", ""),
    "blue": ("fill:#2f7fe0;stroke:#174f96", ""),
    "slot": ("fill:none;stroke:#cfc9ba;stroke-dasharray:3 3", "fill:none;stroke:#465160;stroke-dasharray:3 3"),
    "red": ("fill:#d32f2f;stroke:#8e1b1b", ""),
}
LOOKS = {1: "plus", 2: "two", 3: "three", 4: "four"}


def paint(view: pb.View, names: Sequence[str] | None = None) -> str:
    """The view as an SVG document."""
    return _painted(Canvas(), view, names)


def spots(view: pb.View, names: Sequence[str] | None = None) -> list[Spot]:
    """The places of the picture that can be clicked: the cards in hand, for bids."""
    canvas = Canvas()
    _painted(canvas, view, names)
    return canvas.spots()


def _painted(canvas: Canvas, view: pb.View, names: Sequence[str] | None) -> str:
    called = Names(names)
    how, seen, news = standing(view, called), viewer(view, called), told(view, names)
    y = paint_heading(canvas, TITLE, about(view, called), seen, how)
    y = _players(canvas, y, view, called)
    y = _hand(canvas, y, view)
    y = _bids(canvas, y, view, called)
    y = paint_news(canvas, y, news)
    summary = ", ".join(part for part in (TITLE, about(view, called), how) if part)
    return canvas.document(NAME, y + 10, summary, ". ".join([seen, *news]), PALETTE)


def _players(canvas: Canvas, y: float, view: pb.View, names: Names) -> float:
    """Everybody's tokens and cards; once over, in the order of the ranks."""
    seats = list(range(len(view.scores)))
    over = len(view.ranks) == len(seats)
    if over:
        seats.sort(key=lambda seat: (view.ranks[seat], seat))
    for seat in seats:
        _player(canvas, y, view, seat, names, ordinal(view.ranks[seat]) if over else "")
        y += 70
    return y


def _player(canvas: Canvas, y: float, view: pb.View, seat: int, names: Names, rank: str) -> None:
    out = seat in view.eliminated
    hot = seat in view.asked or rank == "1st"
    canvas.rect(EDGE, y, WIDTH - 2 * EDGE, 65, "hot" if hot else "shade" if out else "panel", 7)
    x = EDGE + 12
    if rank:
        canvas.text(x, y + 23, rank, 15, "accent b" if rank == "1st" else "dim")
        x += 42
    strong = hot or seat == seat_of(view)
    canvas.text(x, y + 23, names.column(seat), 15, "ink b" if strong else "ink", 262 - x)
    if seat == view.red:
        canvas.path(octagon(280, y + 18, 12), "red")
        canvas.text(280, y + 22, "!", 14, "white b m")
    tokens = view.scores[seat]
    for place in range(max(WINNING, tokens)):
        step = min(26.0, 140 / max(1, tokens - 1)) if tokens > WINNING else 26.0
        canvas.circle(316 + place * step, y + 18, 10, "blue" if place < tokens else "slot")
    if out:
        canvas.text(EDGE + 12, y + 51, "out of the game", 14, "dim")
        return
    hand, deck = at(view.hand_sizes, seat), at(view.deck_sizes, seat)
    for place in range(hand):
        canvas.rect(EDGE + 12 + place * 9, y + 34, 17, 24, "back", 3)
    canvas.text(EDGE + 82, y + 51, f"{hand} in hand", 14, "dim")
    canvas.text(EDGE + 164, y + 51, f"deck {deck}", 14, "dim")
    x = 262.0
    for card, count in zip((2, 3, 4, 1), owned(view, seat), strict=True):
        _card(canvas, x, y + 36, 20, card)
        canvas.text(x + 24, y + 51, str(count), 14)
        x += 50


def _hand(canvas: Canvas, y: float, view: pb.View) -> float:
    if not view.hand:
        return y
    canvas.text(EDGE, y + 32, "hand", 14, "dim")
    for place, card in enumerate(view.hand):
        _card(canvas, EDGE + 52 + place * 48, y, 40, card)
        canvas.spot(EDGE + 52 + place * 48, y, 40, 54, card_name(card), f"card {card_name(card)}")
    return y + 64


def _bids(canvas: Canvas, y: float, view: pb.View, names: Names) -> float:
    """The bids, each with its total and card by card; a card of another player has its seat below it."""
    if not view.bids:
        return y
    canvas.text(EDGE, y + 16, f"bids on the table, highest {view.highest}", 14, "dim")
    y += 24
    for bid in view.bids:
        best = bid.total == view.highest
        canvas.rect(EDGE, y, WIDTH - 2 * EDGE, 66, "hot" if best else "panel", 7)
        canvas.text(EDGE + 12, y + 26, str(bid.total), 22, "accent b" if best else "ink b")
        canvas.text(EDGE + 12, y + 50, names.column(bid.seat), 14, "ink", 110)
        room = WIDTH - 2 * EDGE - 140
        step = min(34.0, room / max(1, len(bid.cards)))
        for place, card in enumerate(bid.cards):
            x = EDGE + 134 + place * step
            _card(canvas, x, y + 6, 28, card)
            if place < len(bid.laid_by) and bid.laid_by[place] != bid.seat:
                canvas.text(x + 14, y + 60, f"by {bid.laid_by[place]}", 13, "dim m")
        y += 71
    return y


def _card(canvas: Canvas, x: float, y: float, wide: float, card: int) -> None:
    look = LOOKS.get(card, "back")
    high = wide * (1.0 if wide <= 20 else 1.35)
    canvas.rect(x, y, wide, high, look, wide / 8)
    size = wide * 0.62 if wide > 20 else 14
    name = card_name(card)
    size *= 0.78 if text_width(name, size) > wide * 0.8 else 1
    canvas.text(x + wide / 2, y + high / 2 + size * 0.36, name, size, ("black" if card == 1 else "white") + " b m")
