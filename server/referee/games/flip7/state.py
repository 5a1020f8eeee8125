"""One match of Flip 7 in progress: the verbs of a state, over the table in round.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Self

from arena.games.flip7.v1.flip7_pb2 import STATUS_STAYED
from referee.games.flip7 import check as checks
from referee.games.flip7 import events, moves
from referee.games.flip7.appraisal import appraise
from referee.games.flip7.cards import NAMES, THREE
from referee.games.flip7.moves import HIT_OR_STAY, MOST_PLAYERS, NOTHING, ONLY_HIT, STAY, Move
from referee.games.flip7.round import NO_CARD, Round
from referee.games.flip7.view import view_of, wire
from referee.rules.chance import Chance
from referee.rules.game import Legal, Result, Seat, State

# The answers to `pending`, made once; the last one is for nobody (-1).
_ASKED: tuple[tuple[Seat, ...], ...] = (*[(seat,) for seat in range(MOST_PLAYERS)], ())


class Flip7State(Round, State[Move]):
    """One match in progress."""

    __slots__ = ()

    # Verbs that have a file of their own; taken over as they are, they cost no further call.
    check = checks.check
    fallback = checks.fallback
    view = view_of
    view_bytes = wire
    appraisal = appraise
    parse = staticmethod(moves.parse)
    format = staticmethod(moves.format_move)

    def pending(self) -> tuple[Seat, ...]:
        return _ASKED[self.asked]

    def result(self) -> Result | None:
        return self.ended

    def legal(self, seat: Seat) -> Legal[Move]:
        if seat != self.asked:
            return NOTHING
        if self.card >= 0:
            return moves.targets(self.eligible)
        return ONLY_HIT if self.faq and not self.hands[seat] else HIT_OR_STAY

    def play(self, moves: Mapping[Seat, Move]) -> None:
        seat = self.asked
        move = moves[seat]
        self.log.decided(_ASKED[seat])
        if self.card >= 0:
            self._assign(seat, move)
            self._go_on()
        elif move == STAY:
            self.log.tell(events.STAYED, seat)
            self._leave(seat, STATUS_STAYED)
            self._ask_next()
        elif self._deal(seat):
            self._ask_next()

    def scores(self) -> list[int]:
        return self.totals.copy()

    def unwatched(self) -> None:
        self.log = events.UNHEARD

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.players = self.players
        twin.faq = self.faq
        twin.target_score = self.target_score
        twin.chance = self.chance.copy()
        twin.log = self.log.copy()
        twin.ended = self.ended
        twin.totals = self.totals.copy()
        twin.hands = [hand.copy() for hand in self.hands]
        twin.shown = self.shown.copy()
        twin.shown_standing = self.shown_standing
        twin.shown_options = self.shown_options
        twin.shown_round = self.shown_round
        twin.status = self.status.copy()
        twin.in_round = self.in_round
        twin.discard = self.discard.copy()
        twin.asked = self.asked
        twin.card = self.card
        twin.eligible = self.eligible
        twin.turn = self.turn
        twin.threes = [three.copy() for three in self.threes]
        twin.unserved = self.unserved.copy()
        twin.number = self.number
        twin.dealer = self.dealer
        twin.pile = self.pile.copy()
        twin.pile_counts = self.pile_counts.copy()
        twin.reshuffles = self.reshuffles
        return twin

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        # The order of the pile, and of the piles to come, is all that anybody does not know.
        twin = self.copy()
        twin.chance = chance
        twin.pile = chance.order("deck", sorted(self.pile))
        return twin

    def redrawn(self, chance: Chance) -> Self:
        return self.redealt(None, chance)  # no seat knows more than the public

    def pieces(self) -> Mapping[str, int]:
        lying = Counter(self.pile)
        lying.update(self.discard)
        for hand in self.hands:
            lying.update(hand)
        for three in self.threes:
            lying.update((THREE, *three.aside))
        if self.card != NO_CARD:
            lying[self.card] += 1
        return {NAMES[card]: lying[card] for card in sorted(lying)}

    def hidden(self) -> dict[str, Any]:
        return {"pile": [NAMES[card] for card in reversed(self.pile)]}
