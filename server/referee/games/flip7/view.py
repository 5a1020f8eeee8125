"""What a seat is shown.

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
from referee.games.flip7.cards import KINDS, Card, points
from referee.games.flip7.moves import seats_of
from referee.rules.game import Seat

if TYPE_CHECKING:
    from referee.games.flip7.round import Round, ThreeInProgress


def wire(table: Round, seat: Seat | None) -> bytes:
    """The wire form of a view: everything but the order of the pile; None is the public."""
    shown = table.shown
    if b"" in shown:
        for player, wired in enumerate(shown):
            if not wired:
                shown[player] = _player(table.status[player], tuple(table.hands[player]))
    parts = [
        _round(seat, table.number, table.dealer),
        *shown,
        _totals(tuple(table.totals)),
        _PILE,
        bytes(table.pile_counts),
        _sizes(len(table.pile), len(table.discard), table.reshuffles),
        _question(table.asked, table.turn, table.card, table.eligible),
        *map(_three, table.threes),
    ]
    if table.unserved:
        # A player put out before his card gets none.
        unserved = [unserved for unserved in reversed(table.unserved) if table.in_round >> unserved & 1]
        parts.append(View(unserved=unserved).SerializeToString())
    parts.append(_options(table.faq, table.target_score))
    parts += table.log.since(seat)
    return b"".join(parts)


@lru_cache(maxsize=4096)
def _round(seat: Seat | None, number: int, dealer: Seat) -> bytes:
    return View(seat=seat, round=number, dealer=dealer).SerializeToString()


@lru_cache(maxsize=8192)
def _player(status: Status.ValueType, hand: tuple[Card, ...]) -> bytes:
    worth = 0 if status == STATUS_BUSTED else points(hand)
    return View(players=[Player(status=status, points=worth, cards=hand)]).SerializeToString()


@lru_cache(maxsize=4096)
def _totals(totals: tuple[int, ...]) -> bytes:
    return View(totals=totals).SerializeToString()


# The head of the wire form of `pile`. A count is one byte there, for no card comes more than 127 times.
_PILE = View(pile=bytes(KINDS)).SerializeToString()[:-KINDS]


@lru_cache(maxsize=8192)
def _sizes(pile: int, discard: int, reshuffles: int) -> bytes:
    return View(pile_size=pile, discard_size=discard, reshuffles=reshuffles).SerializeToString()


@lru_cache(maxsize=1024)
def _question(asked: Seat, turn: Seat, card: Card, eligible: int) -> bytes:
    if asked < 0:
        return b""
    if card < 0:
        return View(question=QUESTION_TURN, asked=asked, turn=turn).SerializeToString()
    targets = seats_of(eligible)
    return View(question=QUESTION_TARGET, asked=asked, turn=turn, card=card, targets=targets).SerializeToString()


def _three(three: ThreeInProgress) -> bytes:
    return View(threes=[Three(player=three.player, left=three.left, aside=three.aside)]).SerializeToString()


@lru_cache(maxsize=256)
def _options(faq: bool, target_score: int) -> bytes:
    rules = RULES_FAQ if faq else RULES_PRINTED
    return View(rules=rules, target_score=target_score).SerializeToString()
