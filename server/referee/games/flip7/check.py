"""The check of a move of Flip 7: why it is rejected, and the fallback for a seat that makes none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.flip7.cards import SECOND_CHANCE, STOP, THREE
from referee.games.flip7.moves import HIT, STAY, Move, seats_of
from referee.rules.game import NOT_ASKED, Rejection, Seat

if TYPE_CHECKING:
    from referee.games.flip7.round import Round

TITLES = {STOP: "Stop", THREE: "Three", SECOND_CHANCE: "Second Chance"}
NO_TARGET_WANTED = Rejection("no_target_wanted", "no card wants a target now: 'hit' or 'stay'")
STAY_WITHOUT_CARD = Rejection("stay_without_card", "'stay' needs at least one card before you: 'hit'")


def check(table: Round, seat: Seat, move: Move) -> Rejection | None:
    """Why this move is illegal now, or None."""
    if seat != table.asked:
        return NOT_ASKED
    if table.card < 0:
        if move == HIT or (move == STAY and table.may_stay(seat)):
            return None
        return STAY_WITHOUT_CARD if move == STAY else NO_TARGET_WANTED
    if move < 0:
        return Rejection("target_wanted", f"a {TITLES[table.card]} wants a target: {_eligible(table)}")
    if table.eligible >> move & 1:
        return None
    if move >= table.players:
        return Rejection("no_such_seat", f"there is no seat {move}, seats are 0 to {table.players - 1}")
    if not table.in_round >> move & 1:
        return Rejection("target_out_of_round", f"seat {move} is out of the round; {_eligible(table)}")
    return Rejection("target_has_second_chance", f"seat {move} has a Second Chance already; {_eligible(table)}")


def fallback(table: Round, seat: Seat) -> Move:
    """Stay if possible; name oneself if possible, else the first seat clockwise."""
    if table.card < 0:
        return STAY if table.may_stay(seat) else HIT
    return min(seats_of(table.eligible), key=lambda target: (target - seat) % table.players)


def _eligible(table: Round) -> str:
    return " or ".join([f"'target {seat}'" for seat in seats_of(table.eligible)])
