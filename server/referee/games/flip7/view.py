"""What a seat is shown.

Parts that come again and again (a hand, an event, what is asked) are kept in wire form: joined wire forms read as one
message with all of the parts, several times faster than building each part anew.
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
from referee.games.flip7 import news
from referee.games.flip7.cards import KINDS, Card, points
from referee.games.flip7.moves import seats_of
from referee.rules.game import Seat

if TYPE_CHECKING:
    from referee.games.flip7.round import Round


def view(table: Round, seat: Seat | None) -> View:
    """Everything but the order of the pile; None is the public."""
    parts = [
        _match(seat, table.faq, table.target_score),
        _round(table.number, table.dealer, table.reshuffles),
        _PILE,
        bytes(table.pile_counts),
        _sizes(len(table.pile), len(table.discard)),
        _question(table.asked, table.turn, table.card, table.eligible),
    ]
    parts += map(_player, table.status, map(tuple, table.hands))
    parts += map(news.wire, table.log.since(seat))
    seen = View.FromString(b"".join(parts))
    seen.totals.extend(table.totals)
    for three in table.threes:
        seen.threes.append(Three(player=three.player, left=three.left, aside=three.aside))
    if table.unserved:
        # A player put out before his card gets none.
        seen.unserved.extend([unserved for unserved in reversed(table.unserved) if table.in_round >> unserved & 1])
    return seen


@lru_cache(maxsize=256)
def _match(seat: Seat | None, faq: bool, target_score: int) -> bytes:
    rules = RULES_FAQ if faq else RULES_PRINTED
    return View(seat=seat, rules=rules, target_score=target_score).SerializeToString()


@lru_cache(maxsize=1024)
def _round(number: int, dealer: Seat, reshuffles: int) -> bytes:
    return View(round=number, dealer=dealer, reshuffles=reshuffles).SerializeToString()


@lru_cache(maxsize=4096)
def _sizes(pile: int, discard: int) -> bytes:
    return View(pile_size=pile, discard_size=discard).SerializeToString()


@lru_cache(maxsize=1024)
def _question(asked: Seat, turn: Seat, card: Card, eligible: int) -> bytes:
    if asked < 0:
        return b""
    if card < 0:
        return View(question=QUESTION_TURN, asked=asked, turn=turn).SerializeToString()
    targets = seats_of(eligible)
    return View(question=QUESTION_TARGET, asked=asked, turn=turn, card=card, targets=targets).SerializeToString()


@lru_cache(maxsize=8192)
def _player(status: Status.ValueType, hand: tuple[Card, ...]) -> bytes:
    worth = 0 if status == STATUS_BUSTED else points(hand)
    return View(players=[Player(status=status, points=worth, cards=hand)]).SerializeToString()


# The head of the wire form of `pile`. A count is one byte there, for no card comes more than 127 times.
_PILE = View(pile=bytes(KINDS)).SerializeToString()[:-KINDS]
