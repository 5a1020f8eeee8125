"""The picture of a view of STOP me GO: the line of gangsters with the cards on them, hand and tokens, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go.telling import CARD_WORDS, about, caught, standing, stoppers, told
from referee.rules.boards.frame import EDGE, paint_heading, paint_news
from referee.rules.boards.seats import Names, ordinal, seat_of, viewer
from referee.rules.boards.spots import Spot
from referee.rules.boards.style import Palette
from referee.rules.boards.svg import WIDTH, Canvas, number, text_width, wrapped

NAME, TITLE = "stop_me_go", "STOP me GO"

PALETTE: Palette = {
    "poster": ("fill:#f3e3c3;stroke:#9c7a45", "fill:#e2cfa8;stroke:#0c0e12"),
    "shadow": ("fill:#4a3b28", ""),
    "number": ("fill:#8c1d18", ""),
    "go": ("fill:#2e8b57;stroke:#1c5a38", ""),
    "stop": ("fill:#d32f2f;stroke:#8e1b1b", ""),
    "back": ("fill:#3b4a63;stroke:#222d40", "fill:#465876;stroke:#0c0e12"),
    "open": ("fill:none;stroke:#d99a00;stroke-dasharray:4 3", "fill:none;stroke:#f2b632;stroke-dasharray:4 3"),
    "token": ("fill:#e8b92c;stroke:#9a7400", ""),
    "slot": ("fill:none;stroke:#cfc9ba;stroke-dasharray:3 3", "fill:none;stroke:#3a4350;stroke-dasharray:3 3"),
    "white": ("fill:#fff", ""),
    "black": ("fill:#1c2027", ""),
}
LOOKS = {pb.CARD_GO: "go", pb.CARD_STOP: "stop"}
MOST_ARRESTS = 6
"""The latest arrests of a round that are shown; there can be fifty."""
PER_ROW = 5
THIRD = 3


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
    if not view.ranks:
        y = _line(canvas, y, view)
        y = _hand(canvas, y, view)
    y = _agents(canvas, y, view, called)
    y = _arrests(canvas, y, view, called)
    y = paint_news(canvas, y, news)
    summary = ", ".join(part for part in (TITLE, about(view, called), how) if part)
    return canvas.document(NAME, y + 10, summary, ". ".join([seen, *news]), PALETTE)


def _line(canvas: Canvas, y: float, view: pb.View) -> float:
    """The gangsters on the table, the oldest first, each with the card of this seat or the backs of all."""
    own = seat_of(view) is not None
    step = (WIDTH - 2 * EDGE) / PER_ROW
    rows = 0
    for place, gangster in enumerate(view.table):
        rows = place // PER_ROW
        x, top = EDGE + place % PER_ROW * step, y + rows * 170
        newest = place == len(view.table) - 1
        age = "oldest" if place == 0 else "newest" if newest else ""
        canvas.text(x + 40, top + 13, age, 14, "dim m")
        _gangster(canvas, x, top + 20, 80, gangster)
        under = top + 132
        if own and place < len(view.my_cards):
            _card(canvas, x + 8, under, 64, view.my_cards[place])
        elif newest and view.asked:
            canvas.rect(x + 8, under, 64, 30, "open", 5)
            canvas.text(x + 40, under + 21, "?", 18, "accent b m")
        else:
            agents = len(view.tokens)
            for agent in range(agents):
                canvas.rect(x + 8 + agent * 44 / max(1, agents - 1), under, 20, 28, "back", 3)
    left = EDGE + min(PER_ROW - 1, len(view.table)) * step
    if len(view.table) < PER_ROW:
        discarded = " ".join(map(str, view.discarded))
        canvas.text(left, y + 36, f"pile {view.pile_size}", 14, "dim")
        for part, line in enumerate(wrapped(f"discarded {discarded or 'none'}", 14, WIDTH - EDGE - left)[:5]):
            canvas.text(left, y + 56 + 18 * part, line, 14, "dim")
    return y + (rows + 1) * 172 if view.table else y + 24


def _gangster(canvas: Canvas, x: float, y: float, wide: float, gangster: int) -> None:
    """A wanted poster: a figure with a hat, and the number."""
    u = wide / 80
    canvas.rect(x, y, wide, 106 * u, "poster", 5 * u)

    def at(*points: float) -> str:
        return " ".join(number(value * u + (y if odd % 2 else x)) for odd, value in enumerate(points))

    # Shoulders, head, hat.
    canvas.path(f"M{at(14, 68)}Q{at(16, 50)} {at(40, 50)}Q{at(64, 50)} {at(66, 68)}z", "shadow")
    canvas.circle(x + 40 * u, y + 38 * u, 13 * u, "shadow")
    canvas.path(
        f"M{at(18, 31)}L{at(62, 31)}L{at(62, 27)}L{at(53, 27)}L{at(50, 12)}L{at(30, 12)}L{at(27, 27)}L{at(18, 27)}z",
        "black",
    )
    canvas.text(x + wide / 2, y + 98 * u, str(gangster), 30 * u, "number b m")


def _card(canvas: Canvas, x: float, y: float, wide: float, card: int) -> None:
    look = LOOKS.get(card, "back")  # type: ignore[call-overload]
    canvas.rect(x, y, wide, 30, look, 5)
    canvas.text(x + wide / 2, y + 21, CARD_WORDS.get(card, "?").upper(), 16, "white b m")  # type: ignore[call-overload]


def _hand(canvas: Canvas, y: float, view: pb.View) -> float:
    if seat_of(view) is None:
        return y
    canvas.text(EDGE, y + 21, "hand", 14, "dim")
    cards = [pb.CARD_GO] * view.go_in_hand + ([pb.CARD_STOP] if view.stop_in_hand else [])
    for place, card in enumerate(cards):
        _card(canvas, EDGE + 50 + place * 72, y, 64, card)
        canvas.spot(EDGE + 50 + place * 72, y, 64, 30, CARD_WORDS[card], f"card {CARD_WORDS[card]}")
    return y + 42


def _agents(canvas: Canvas, y: float, view: pb.View, names: Names) -> float:
    """Everybody's tokens and captures; once over, in the order of the ranks and with what the tokens are worth."""
    seats = list(range(len(view.tokens)))
    over = len(view.ranks) == len(seats) == len(view.purses)
    if over:
        seats.sort(key=lambda seat: (view.ranks[seat], seat))
    room = WIDTH - 2 * EDGE
    for seat in seats:
        first = over and view.ranks[seat] == 1
        canvas.rect(EDGE, y, room, 44, "hot" if first else "panel", 7)
        x = EDGE + 12
        if over:
            canvas.text(x, y + 28, ordinal(view.ranks[seat]), 15, "accent b" if first else "dim")
            x += 42
        own = seat == seat_of(view)
        canvas.text(x, y + 28, names.column(seat), 15, "ink b" if own or first else "ink", 178 - x)
        values = [str(value) for value in view.purses[seat].values] if over else ["?"] * view.tokens[seat]
        for place in range(max(THIRD, len(values))):
            middle = 200 + place * 32
            canvas.circle(middle, y + 22, 13, "token" if place < len(values) else "slot")
            if place < len(values):
                canvas.text(middle, y + 27, values[place], 15, "black b m")
        end = WIDTH - EDGE - 10
        if over:
            points = f"{view.scores[seat]} points"
            canvas.text(end, y + 28, points, 15, "ink b e")
            end -= text_width(points, 15, bold=True) + 10
        captured = caught(view, seat)
        fitting = int((end - 290) / 28)
        for place, (_, gangster) in enumerate(captured[-fitting:] if fitting > 0 else []):
            left = 290 + place * 28
            canvas.rect(left, y + 8, 24, 28, "poster", 3)
            canvas.text(left + 12, y + 28, str(gangster), 15, "number b m")
        y += 48
    worths = f"values of the ten tokens: {' '.join(map(str, view.token_values))}"
    canvas.text(EDGE, y + 15, worths, 14, "dim", room)
    return y + 22


def _arrests(canvas: Canvas, y: float, view: pb.View, names: Names) -> float:
    if not view.arrests:
        return y
    hidden = len(view.arrests) - MOST_ARRESTS
    y += 20
    canvas.text(
        EDGE, y, "turned up in this round" + (f" ({hidden} earlier ones not shown)" if hidden > 0 else ""), 14, "dim"
    )
    for arrest in view.arrests[-MOST_ARRESTS:]:
        y += 8
        canvas.rect(EDGE, y, 24, 24, "poster", 3)
        canvas.text(EDGE + 12, y + 18, str(arrest.gangster), 14, "number b m")
        canvas.text(EDGE + 34, y + 17, stoppers(arrest.stops, names), 14, "ink", WIDTH - 2 * EDGE - 34)
        y += 20
    return y + 6
