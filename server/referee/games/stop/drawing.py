"""The drawing of a view of STOP!: tokens, hands and decks of all, the bids card by card, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.telling import WINNING, about, at, card_name, owned, standing, told
from referee.rules.boards.frame import print_heading, print_news, print_ranks
from referee.rules.boards.page import BOLD, DIM, HOT, Page, Span
from referee.rules.boards.seats import Names, seat_of, viewer
from referee.rules.boards.text import columns, pad

TITLE = "STOP!"

CARD_STYLES = {1: "1;30;48;5;220", 2: "1;97;48;5;30", 3: "1;97;48;5;166", 4: "1;97;48;5;97"}
BLUE_TOKEN, RED_TOKEN = "38;5;33", "1;97;48;5;160"
ROOMY = 60
"""From so many columns on, blue tokens are drawn one by one."""


def draw(
    view: pb.View, width: int, names: Sequence[str] | None = None, *, colour: bool = False, ascii: bool = False
) -> list[str]:
    """The view as lines."""
    page = Page(width, colour=colour, ascii=ascii)
    called = Names(names)
    print_heading(page, TITLE, about(view, called), viewer(view, called), standing(view, called))
    if view.ranks:
        print_ranks(page, view.ranks, view.scores, called, "tokens")
        page.blank()
    _players(page, view, called)
    if view.hand:
        page.blank()
        _cards(page, "hand  ", view.hand, ())
    if view.bids:
        page.blank()
        page.add((f"bids on the table (highest {view.highest})", DIM))
        for bid in view.bids:
            style = BOLD if bid.total == view.highest else ""
            laid = [called[by] if by != bid.seat else "" for by in bid.laid_by]
            _cards(page, f"  {bid.total:>3}  {called[bid.seat]}  ", bid.cards, laid, style)
    print_news(page, told(view, names))
    return page.lines


def _players(page: Page, view: pb.View, names: Names) -> None:
    seats = range(len(view.scores))
    roomy = page.width >= ROOMY
    longest = max((columns(names.column(seat)) for seat in seats), default=0)
    wide = min(longest, page.width // 4 if roomy else page.width - 22)
    blue = WINNING if roomy else 4
    head = f"  {pad('seat', wide)} {pad('blue', blue)} red hand deck"
    page.add((head + ("  2s 3s 4s +1" if roomy else ""), DIM))
    for seat in seats:
        asked = seat in view.asked
        out = seat in view.eliminated
        tokens = view.scores[seat]
        name_style = HOT if asked else DIM if out else BOLD if seat == seat_of(view) else ""
        line: list[Span] = [
            ("▶ " if asked else "  ", HOT),
            (pad(names.column(seat), wide), name_style),
            " ",
            (pad("●" * tokens + "·" * max(0, WINNING - tokens) if roomy else f"{tokens:>4}", blue), BLUE_TOKEN),
            " ",
            ("RED" if seat == view.red else "   ", RED_TOKEN if seat == view.red else ""),
            " ",
        ]
        if out:
            page.add(*line, ("out" if not roomy else "out of the game", DIM))
            continue
        line.append(f"{at(view.hand_sizes, seat):>4} {at(view.deck_sizes, seat):>4}")
        if roomy:
            line.append("  " + " ".join(f"{count:>2}" for count in owned(view, seat)))
            if seat == view.next_draw and not view.ranks:
                line.append(("  draws next", DIM))
            page.add(*line)
        else:
            page.add(*line)
            twos, threes, fours, plus_ones = owned(view, seat)
            page.add((f"    owns 2s {twos}, 3s {threes}, 4s {fours}, +1s {plus_ones}", DIM))


def _cards(page: Page, head: str, cards: Sequence[int], laid: Sequence[str], style: str = "") -> None:
    """Cards in a row after a heading, over as many lines as they need; who laid some of them stands behind these."""
    line: list[Span] = [(head, style)]
    indent = min(columns(head), page.width // 3)
    used = columns(head)
    for place, card in enumerate(cards):
        by = laid[place] if place < len(laid) else ""
        last = place + 1 == len(cards)
        # Cards that one player laid one after the other are named once, at the end of them.
        changes = last or (laid[place + 1] if place + 1 < len(laid) else "") != by
        behind = (f" by {by}" if changes and by else "") + ("," if changes and not last else "")
        shown = f"[{card_name(card)}]"
        wide = len(shown) + columns(behind) + 1
        if used + wide > page.width + 1 and used > indent:
            page.add(*line)
            line, used = [" " * indent], indent
        line += [(shown, CARD_STYLES.get(card, "")), (behind, DIM), " "]
        used += wide
    page.add(*line)
