"""The drawing of a view of STOP me GO: the line of gangsters, the cards on them and the tokens, as terminal lines."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go.telling import CARD_WORDS, about, caught, standing, stoppers, told
from referee.rules.boards.frame import print_heading, print_news, print_ranks
from referee.rules.boards.page import BOLD, DIM, HOT, Page, Span, Spans
from referee.rules.boards.seats import Names, seat_of, viewer
from referee.rules.boards.text import columns, pad, wrap

TITLE = "STOP me GO"

CARD_STYLES = {pb.CARD_GO: "1;97;48;5;28", pb.CARD_STOP: "1;97;48;5;160"}
TOKEN = "38;5;178"
MOST_ARRESTS = 6
"""The latest arrests of a round that are shown; there can be fifty."""
THIRD = 3


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
        _line(page, view)
        _piles(page, view)
    page.blank()
    _agents(page, view, called)
    if view.arrests:
        page.blank()
        hidden = len(view.arrests) - MOST_ARRESTS
        page.add(("turned up in this round" + (f" ({hidden} earlier ones not shown)" if hidden > 0 else ""), DIM))
        for arrest in view.arrests[-MOST_ARRESTS:]:
            page.wrapped(stoppers(arrest.stops, called), first=f"{arrest.gangster:>4}  ", indent="      ")
    print_news(page, told(view, names))
    return page.lines


def _line(page: Page, view: pb.View) -> None:
    """The gangsters on the table, the oldest first, each with the card of this seat or the backs of all."""
    own = seat_of(view) is not None
    blocks: list[Sequence[Spans]] = []
    for place, gangster in enumerate(view.table):
        newest = place == len(view.table) - 1
        under: Span
        if own and place < len(view.my_cards):
            card = view.my_cards[place]
            under = (pad(CARD_WORDS.get(card, "?"), 6, "^"), CARD_STYLES.get(card, ""))
        elif newest and view.asked:
            under = (pad("?", 6, "^"), HOT)
        else:
            under = (pad("■" * min(6, len(view.tokens)), 6, "^"), DIM)
        age = "oldest" if place == 0 else "newest" if newest else ""
        blocks.append(
            [
                [(pad(age, 6, "^"), DIM)],
                ["┌────┐"],
                ["│", (f"{gangster:^4}", BOLD), "│"],
                ["└────┘"],
                [under],
            ]
        )
    if blocks:
        page.beside(blocks)
    if own:
        hand: list[Span] = ["hand "]
        hand += [part for _ in range(view.go_in_hand) for part in (("[go]", CARD_STYLES[pb.CARD_GO]), " ")]
        if view.stop_in_hand:
            hand.append(("[stop]", CARD_STYLES[pb.CARD_STOP]))
        page.blank()
        page.add(*hand)


def _piles(page: Page, view: pb.View) -> None:
    discarded = " ".join(map(str, view.discarded)) or "none"
    page.wrapped(f"pile {view.pile_size} · discarded {discarded}")


def _agents(page: Page, view: pb.View, names: Names) -> None:
    seats = range(len(view.tokens))
    wide = min(max((columns(names.column(seat)) for seat in seats), default=0), max(10, page.width // 3))
    page.add((f"{pad('seat', wide)}  {pad('tokens', 7)}  caught (round: number)", DIM))
    for seat in seats:
        if seat < len(view.purses):
            tokens = " ".join(map(str, view.purses[seat].values)) or "none"
        else:
            held = view.tokens[seat]
            tokens = "●" * held + "·" * max(0, THIRD - held)
        captured = ", ".join(f"{number}: {gangster}" for number, gangster in caught(view, seat)) or "-"
        head = f"{pad(names.column(seat), wide)}  {pad(tokens, 7)}  "
        lines = wrap(captured, max(8, page.width - columns(head)))
        name = (pad(names.column(seat), wide), BOLD if seat == seat_of(view) else "")
        page.add(name, "  ", (pad(tokens, 7), TOKEN), f"  {lines[0]}")
        for line in lines[1:]:
            page.add(" " * columns(head), line)
    page.wrapped("values of the ten tokens: " + " ".join(map(str, view.token_values)), DIM)
