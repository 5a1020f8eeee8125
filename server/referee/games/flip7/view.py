"""The view of a match of Flip 7: what a seat or the public may know of it.

A view is put together from wire forms (`referee.rules.wire`): parts that come again and again (a hand, an event, what
is asked) are kept, and the parts are joined in the order of their fields, so that they are byte for byte what the
message itself would write. That is several times faster than building a message for every question only to take it
apart again.
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
    STATUS_IN,
    Player,
    Status,
    Three,
    View,
)
from referee.games.flip7.cards import DECK, KINDS, MOST_RESHUFFLES, MOST_ROUNDS, Card, decks, points
from referee.games.flip7.moves import MOST_PLAYERS, seats_of
from referee.rules.game import Result, Seat
from referee.rules.wire import each, heads, numbers, part_heads

if TYPE_CHECKING:
    from referee.games.flip7.round import Round


def view_of(table: Round, seat: Seat | None) -> View:
    """All that this seat may know; None is the public."""
    return View.FromString(wire(table, seat))


def wire(table: Round, seat: Seat | None) -> bytes:
    """The wire form of that view: everything but the order of the pile."""
    if not table.shown_standing:
        table.shown_standing = _standing(table.totals, table.ended)
    shown = table.shown
    while b"" in shown:
        player = shown.index(b"")
        shown[player] = _player(table.status[player], bytes(table.hands[player]))
    asked, card = table.asked, table.card
    question, details = _TURNS[asked] if card < 0 else _target(table.turn, card, table.eligible)
    parts: list[bytes | bytearray] = [
        _HEADS[-1 if seat is None else seat][asked],
        *table.log.since(seat),
        table.shown_standing,
        question,
        table.shown_round,
        *shown,
        _PILE,
        table.pile_counts,
        _PILE_SIZES[len(table.pile)],
        _DISCARDED[table.reshuffles][len(table.discard)],
        details,
        table.shown_options,
    ]
    if table.threes or table.unserved:
        parts.insert(-1, _unresolved(table))
    return b"".join(parts)


def _unresolved(table: Round) -> bytes:
    """The Threes in progress, and who has no card of the opening deal yet."""
    form = b"".join([_three(three.player, three.left, *three.aside) for three in table.threes])
    # A player put out before his card gets none.
    unserved = [unserved for unserved in reversed(table.unserved) if table.in_round >> unserved & 1]
    return form + View(unserved=unserved).SerializeToString()


@lru_cache(maxsize=4096)
def _player(status: Status.ValueType, hand: bytes) -> bytes:
    """A player with these cards, as they lie before him; most of them come again in other matches."""
    worth = 0 if status == STATUS_BUSTED else points(hand)
    return _player_head(status, worth, len(hand)) + hand


@lru_cache(maxsize=2048)
def _player_head(status: Status.ValueType, worth: int, cards: int) -> bytes:
    """What stands before the cards of a player."""
    form = View(players=[Player(status=status, points=worth, cards=bytes(cards))]).SerializeToString()
    return form[: len(form) - cards]


@lru_cache(maxsize=1024)
def _target(turn: Seat, card: Card, eligible: int) -> tuple[bytes, bytes]:
    """That a target is asked for, and further back in the message the details of it."""
    details = View(turn=turn, card=card, targets=seats_of(eligible))
    return _QUESTION_TARGET, details.SerializeToString()


def _standing(totals: list[int], ended: Result | None) -> bytes:
    form = numbers(totals)
    scores = _SCORES[len(form)] + form
    return scores if ended is None else scores + View(ranks=ended.ranks, reason=ended.reason).SerializeToString()


@lru_cache(maxsize=1024)
def _three(player: Seat, left: int, *aside: Card) -> bytes:
    return View(threes=[Three(seat=player, left=left, aside=aside)]).SerializeToString()


def round_and_dealer(number: int, dealer: Seat) -> bytes:
    return _ROUNDS[number] + _DEALERS[dealer]


@lru_cache(maxsize=256)
def options(faq: bool, target_score: int) -> bytes:
    rules = RULES_FAQ if faq else RULES_PRINTED
    return View(rules=rules, target_score=target_score).SerializeToString()


NO_CARDS_YET = _player(STATUS_IN, b"")
"""How everybody is shown when a round begins."""

# By their value, since there are so few.
_EVERY_SEAT = range(MOST_PLAYERS)
# Whose view it is and who is asked; the last one of each stands for the public, and for nobody (-1).
_HEADS = [
    [View(seat=seat, asked=asked).SerializeToString() for asked in (*[[who] for who in _EVERY_SEAT], [])]
    for seat in (*_EVERY_SEAT, None)
]
_MOST_CARDS = len(DECK) * decks(MOST_PLAYERS)
_SCORES = part_heads(View, "scores", 4 * MOST_PLAYERS)
_QUESTION_TURN, _QUESTION_TARGET = each(View, "question", (QUESTION_TURN, QUESTION_TARGET))
# Where no card wants a target: what is asked, and whose turn it is; the last one is for nobody (-1).
_TURNS = [*[(_QUESTION_TURN, form) for form in each(View, "turn", _EVERY_SEAT)], (b"", b"")]
_ROUNDS = each(View, "round", range(MOST_ROUNDS + 1))
_DEALERS = each(View, "dealer", _EVERY_SEAT)
_PILE_SIZES = each(View, "pile_size", range(_MOST_CARDS + 1))
# By how often the discards were shuffled in this round, and by how many there are.
_DISCARDED = [
    [discarded + shuffled for discarded in each(View, "discard_size", range(_MOST_CARDS + 1))]
    for shuffled in each(View, "reshuffles", range(MOST_RESHUFFLES + 1))
]
# What stands before `pile_counts`: no card comes more than 127 times.
_PILE = heads(View, "pile_counts", KINDS)[KINDS]
