"""The view of a match of Flip 7: what a seat or the public may know of it.

A view is put together from wire forms: parts that come again and again (a hand, an event, what is asked) are kept, and
the parts are joined in the order of their fields, so that they are byte for byte what the message itself would write.
That is several times faster than building a message for every question only to take it apart again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from arena.games.flip7.v1.flip7_pb2 import (
    QUESTION_TARGET,
    QUESTION_TURN,
    RULES_FAQ,
    RULES_PRINTED,
    STATUS_BUSTED,
    Player,
    Status,
    Three,
    View,
)
from referee.games.flip7.cards import DECK, KINDS, MOST_RESHUFFLES, Card, decks, points
from referee.games.flip7.moves import MOST_PLAYERS, seats_of
from referee.rules.game import Result, Seat

if TYPE_CHECKING:
    from referee.games.flip7.round import Round, ThreeInProgress


def view_of(table: Round, seat: Seat | None) -> View:
    """All that this seat may know; None is the public."""
    return View.FromString(wire(table, seat))


def wire(table: Round, seat: Seat | None) -> bytes:
    """The wire form of that view: everything but the order of the pile."""
    if not table.shown_round:
        table.shown_round = View(round=table.number, dealer=table.dealer).SerializeToString()
    if not table.shown_standing:
        table.shown_standing = _standing(table.totals, table.ended)
    shown = table.shown
    if b"" in shown:
        for player, form in enumerate(shown):
            if not form:
                shown[player] = _player(table.status[player], tuple(table.hands[player]))
    question, details = _question(table.asked, table.turn, table.card, table.eligible)
    parts: list[bytes | bytearray] = [
        _HEADS[-1 if seat is None else seat][table.asked],
        *table.log.since(seat),
        table.shown_standing,
        question,
        table.shown_round,
        *shown,
        _PILE,
        table.pile_counts,
        _PILE_SIZES[len(table.pile)],
        _DISCARD_SIZES[len(table.discard)],
        _RESHUFFLES[table.reshuffles],
        details,
        *map(_three, table.threes),
    ]
    if table.unserved:
        # A player put out before his card gets none.
        unserved = [unserved for unserved in reversed(table.unserved) if table.in_round >> unserved & 1]
        parts.append(View(unserved=unserved).SerializeToString())
    parts.append(_options(table.faq, table.target_score))
    return b"".join(parts)


@lru_cache(maxsize=8192)
def _player(status: Status.ValueType, hand: tuple[Card, ...]) -> bytes:
    worth = 0 if status == STATUS_BUSTED else points(hand)
    return View(players=[Player(status=status, points=worth, cards=hand)]).SerializeToString()


@lru_cache(maxsize=1024)
def _question(asked: Seat, turn: Seat, card: Card, eligible: int) -> tuple[bytes, bytes]:
    """What is asked, and further back in the message the details of it."""
    if asked < 0:
        return b"", b""
    if card < 0:
        return View(question=QUESTION_TURN).SerializeToString(), View(turn=turn).SerializeToString()
    details = View(turn=turn, card=card, targets=seats_of(eligible))
    return View(question=QUESTION_TARGET).SerializeToString(), details.SerializeToString()


def _standing(totals: list[int], ended: Result | None) -> bytes:
    if ended is None:
        return View(scores=totals).SerializeToString()
    return View(scores=ended.scores, ranks=ended.ranks, reason=ended.reason).SerializeToString()


def _three(three: ThreeInProgress) -> bytes:
    return View(threes=[Three(seat=three.player, left=three.left, aside=three.aside)]).SerializeToString()


@lru_cache(maxsize=256)
def _options(faq: bool, target_score: int) -> bytes:
    rules = RULES_FAQ if faq else RULES_PRINTED
    return View(rules=rules, target_score=target_score).SerializeToString()


# By their value, since there are so few.
_EVERY_SEAT = range(MOST_PLAYERS)
# Whose view it is and who is asked; the last one of each stands for the public, and for nobody (-1).
_HEADS = [
    [View(seat=seat, asked=asked).SerializeToString() for asked in (*[[who] for who in _EVERY_SEAT], [])]
    for seat in (*_EVERY_SEAT, None)
]
_MOST_CARDS = len(DECK) * decks(MOST_PLAYERS)
_PILE_SIZES = [View(pile_size=size).SerializeToString() for size in range(_MOST_CARDS + 1)]
_DISCARD_SIZES = [View(discard_size=size).SerializeToString() for size in range(_MOST_CARDS + 1)]
_RESHUFFLES = [View(reshuffles=times).SerializeToString() for times in range(MOST_RESHUFFLES + 1)]
# The head of the wire form of `pile_counts`. A count is one byte there, for no card comes more than 127 times.
_PILE = View(pile_counts=bytes(KINDS)).SerializeToString()[:-KINDS]
