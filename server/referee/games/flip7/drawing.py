"""The drawing of a view of Flip 7: everybody's cards, points and totals as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7.cards import HIGHEST_NUMBER, NAMES, STOP, Card
from referee.games.flip7.telling import STATUS_WORDS, about, in_progress, standing, told
from referee.rules.boards.frame import print_heading, print_news, print_ranks
from referee.rules.boards.page import DIM, HOT, RED, Page, Span
from referee.rules.boards.seats import Names, viewer
from referee.rules.boards.text import columns, pad

TITLE = "Flip 7"

NUMBER_COLOURS = ("250", "250", "178", "167", "73", "71", "133", "173", "107", "208", "160", "69", "244")
"""By number: a colour of the 256 that terminals have, near that of the card in the picture."""
BONUS_STYLE = "1;38;5;172"
SPECIAL_STYLES = ("1;97;48;5;160", "1;30;48;5;220", "1;97;48;5;162")
"""Stop, Three, Second Chance: as coloured cards."""


def draw(
    view: pb.View, width: int, names: Sequence[str] | None = None, *, colour: bool = False, ascii: bool = False
) -> list[str]:
    """The view as lines."""
    page = Page(width, colour=colour, ascii=ascii)
    called = Names(names)
    print_heading(page, TITLE, about(view, called), viewer(view, called), standing(view, called))
    if view.ranks:
        print_ranks(page, view.ranks, view.scores, called, "points")
    else:
        _players(page, view, called)
        for line in in_progress(view, called):
            page.wrapped(line)
        page.blank()
        _pile(page, view)
    print_news(page, told(view, names))
    return page.lines


def _players(page: Page, view: pb.View, names: Names) -> None:
    seats = range(len(view.players))
    wide = min(max((columns(names.column(seat)) for seat in seats), default=0), max(10, page.width // 4))
    before = 2 + wide + 2 + 5 + 2 + 5 + 2 + 7 + 1
    beside = page.width - before >= 30
    page.add((f"  {pad('seat', wide)}  total  round" + ("           cards" if beside else ""), DIM))
    for seat, player in enumerate(view.players):
        asked = seat in view.asked
        total = view.scores[seat] if seat < len(view.scores) else 0
        state = STATUS_WORDS.get(player.status, "")
        head: list[Span] = [
            ("▶ " if asked else "  ", HOT),
            (pad(names.column(seat), wide), HOT if asked else DIM if state else ""),
            f"  {total:>5}  {player.points:>5}  ",
            (pad(state, 7), RED if player.status == pb.STATUS_BUSTED else DIM),
            " ",
        ]
        rows = _rows(player.cards, page.width - before if beside else page.width - 4)
        if beside:
            page.add(*head, *rows[0])
            for row in rows[1:]:
                page.add(" " * before, *row)
        else:
            page.add(*head)
            for row in rows:
                if row:
                    page.add("    ", *row)


def _rows(cards: Sequence[Card], room: int) -> list[list[Span]]:
    """Cards in rows of this many columns; one empty row for no cards."""
    rows: list[list[Span]] = [[]]
    left = room
    for card in cards:
        shown = f"[{_name(card)}]"
        if len(shown) + 1 > left and rows[-1]:
            rows.append([])
            left = room
        rows[-1] += [(shown, _style(card)), " "]
        left -= len(shown) + 1
    return rows


def _pile(page: Page, view: pb.View) -> None:
    """What the pile still holds: a bot without memory counts cards by it, and so may a reader."""
    shuffled = f" · shuffled anew {view.reshuffles} times in this round" if view.reshuffles else ""
    page.wrapped(f"pile {view.pile_size} cards · discards {view.discard_size}{shuffled}")
    line: list[Span] = ["  "]
    used = 2
    for card, count in enumerate(view.pile_counts):
        if not count:
            continue
        shown = f"{_name(card)}×{count}"
        if used + columns(shown) + 2 > page.width:
            page.add(*line)
            line, used = ["  "], 2
        line += [(_name(card), _style(card)), f"×{count}  "]
        used += columns(shown) + 2
    page.add(*line)


def _name(card: Card) -> str:
    return NAMES[card] if 0 <= card < len(NAMES) else "?"


def _style(card: Card) -> str:
    if card <= HIGHEST_NUMBER:
        return f"1;38;5;{NUMBER_COLOURS[card]}"
    return BONUS_STYLE if card < STOP else SPECIAL_STYLES[min(card - STOP, 2)]
