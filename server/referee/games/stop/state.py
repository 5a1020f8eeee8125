"""One match of STOP! in progress: the verbs of a state, over the table in position.py.

A match is drawing with windows of calls, auctions in windows of plays, and settling.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.games.stop import check as checks
from referee.games.stop import events, moves
from referee.games.stop.appraisal import appraise
from referee.games.stop.auction import laid, no_bids, plays
from referee.games.stop.cards import HAND, NUMBERS, SIZES, spread
from referee.games.stop.memory import UNHEARD
from referee.games.stop.moves import NOTHING, STOP_OR_WAIT, Move, openings, splits
from referee.games.stop.position import CALLS, MOST_PLAYERS, OPENING, OVER, PLAYS, SEATS, SPLIT, Position
from referee.games.stop.view import view_of, wire
from referee.rules.chance import Chance
from referee.rules.game import Legal, Result, State, ranks

TOKENS_TO_WIN = 6
SHUFFLES_IN_ROW = 10
SHUFFLES = 30
AUCTIONS = 60

_DRAWN = [(events.DREW, seat) for seat in range(MOST_PLAYERS)]
_SKIPPED = [(events.SKIPPED, seat) for seat in range(MOST_PLAYERS)]


class StopState(Position, State[Move]):
    """A match in progress."""

    __slots__ = ()

    # Verbs that have a file of their own; taken over as they are, they cost no further call.
    check = checks.check
    fallback = checks.fallback
    view = view_of
    view_bytes = wire
    appraisal = appraise
    parse = staticmethod(moves.parse)
    format = staticmethod(moves.format_move)

    def __init__(self, players: int, chance: Chance) -> None:
        super().__init__(players, chance)
        self._draw_on()

    def pending(self) -> tuple[int, ...]:
        return self.asked

    def result(self) -> Result | None:
        return self.outcome

    def legal(self, seat: int) -> Legal[Move]:
        if seat not in self.asked:
            return NOTHING
        if self.phase == CALLS:
            return STOP_OR_WAIT
        if self.phase == PLAYS:
            return plays(self.auction, self.auction.bids[seat] is None, self.hands[seat])
        if self.phase == OPENING:
            return openings(self.hands[seat])
        return splits(seat, self.auction.piles)

    def play(self, moves: Mapping[int, Move]) -> None:
        asked = self.asked
        self.log.decided((*asked, *self.eliminated) if self.eliminated else asked)
        self.shown = b""
        if self.phase == CALLS:
            if callers := [seat for seat in asked if moves[seat].verb == "stop"]:
                self._call(self._arbitrate(callers))
            else:
                self._draw_on()
        elif self.phase == PLAYS:
            if acted := [seat for seat in asked if moves[seat].verb != "pass"]:
                seat = self._arbitrate(acted)
                move = moves[seat]
                self._lay(seat, seat if move.verb == "bid" else move.seat, move.cards)
                self._open_window()
            else:
                self._settle()
        elif self.phase == OPENING:
            self._lay(asked[0], asked[0], moves[asked[0]].cards)
            self._open_window()
        else:
            self._receive(moves[asked[0]].piles)

    def unwatched(self) -> None:
        self.log = UNHEARD

    def scores(self) -> list[int]:
        return self.tokens.copy()

    # Drawing

    def _draw_on(self) -> None:
        """Draws follow one another until a window opens or the match is over."""
        self.phase = CALLS
        self.asked = ()
        while self.outcome is None:
            if self.full == self.inside:
                self._shuffle_back()
                continue
            seat = self.turn
            if self.full >> seat & 1:
                self.log.note(_SKIPPED[seat])
            elif self.decks[seat]:
                self._draw(seat)
            else:
                self._eliminate(seat)
                continue
            self.turn = self.left_of(seat)
            if not self.opening_rule and (asked := self.able & ~(1 << self.red)):
                self.asked = SEATS[asked]
                return

    def _draw(self, seat: int) -> None:
        card = self.decks[seat].pop()
        hand = self.hands[seat] = self.hands[seat] + card
        self.changed |= 1 << seat
        if card & NUMBERS:
            self.able |= 1 << seat
        cards = SIZES[hand]
        if cards == HAND:
            self.full |= 1 << seat
        elif cards == 2 and seat == self.red:
            # The rule begins with empty hands, so a second card in hand is the second card drawn since.
            self.opening_rule = False
        self.log.note(_DRAWN[seat], hand)

    def _eliminate(self, seat: int) -> None:
        self.log.note((events.ELIMINATED, seat, self.hands[seat]))
        self.gone += self.hands[seat]
        self.hands[seat] = self.owned[seat] = 0
        self.changed |= 1 << seat
        self.inside &= ~(1 << seat)
        self.able &= self.inside
        self.eliminated = (*self.eliminated, seat)
        self.turn = self.left_of(seat)
        if self.red == seat:
            self.red = self.turn
            self.log.note((events.RED_PASSED, self.turn))
        if self.inside & (self.inside - 1) == 0:
            self._end("last_player", winner=self.turn)

    def _shuffle_back(self) -> None:
        """Everybody has six cards: all hands go back into the decks, unless this is the last time it can happen."""
        if self.shuffles_in_row + 1 == SHUFFLES_IN_ROW or self.shuffles + 1 == SHUFFLES:
            self._end("limit")
            return
        self.shuffles += 1
        self.shuffles_in_row += 1
        self.log.begin_anew((events.SHUFFLED_BACK, self.red))
        for seat in SEATS[self.inside]:
            self.hands[seat] = 0
            self._shuffle(seat)
        self.full = self.able = 0
        self.turn = self.red
        self.opening_rule = True

    # The auction

    def _arbitrate(self, acted: list[int]) -> int:
        """The one of those who acted in the same window who was first."""
        return acted[0] if len(acted) == 1 else self.chance.pick("arbiter", acted)

    def _call(self, seat: int) -> None:
        self.log.note((events.CALLED, seat))
        self.red = seat
        self.shuffles_in_row = 0
        self.phase = OPENING
        self.asked = (seat,)

    def _lay(self, seat: int, owner: int, cards: int) -> None:
        """A player lays cards of his hand before himself (a bid) or before the owner of a bid (a raise)."""
        first = self.auction.bids[owner] is None
        self.log.note((events.BID, seat, cards) if first else (events.RAISED, seat, owner, cards))
        hand = self.hands[seat] = self.hands[seat] - cards
        self.owned[seat] -= cards
        self.changed |= 1 << seat
        self.full &= ~(1 << seat)
        if not hand & NUMBERS:
            self.able &= ~(1 << seat)
        self.auction = laid(self.auction, owner, seat, cards)

    def _open_window(self) -> None:
        self.phase = PLAYS
        self.asked = self.auction.able(self.hands)
        if not self.asked:
            self._settle()

    # Settling

    def _settle(self) -> None:
        leaders = self.auction.leaders
        if len(leaders) == 1:
            self._award(leaders[0])
        else:
            self.log.note((events.TIED, leaders[0]))
            self._receive(self.auction.piles)

    def _award(self, winner: int) -> None:
        """The highest bid brings as many blue tokens as there are bids."""
        won = len(self.auction.piles)
        self.log.note((events.WON, winner, won))
        self.tokens[winner] += won
        self.shown_scores = b""
        if self.tokens[winner] >= TOKENS_TO_WIN:
            self.auctions += 1
            self._end("tokens", winner)
        else:
            self.phase = SPLIT
            self.asked = (winner,)

    def _receive(self, piles: tuple[tuple[int, int], ...]) -> None:
        """Cards from the table are shuffled into the decks of those who get them; the auction is settled."""
        for seat, heap in piles:
            self.log.note((events.RECEIVED, seat, heap))
            self.owned[seat] += heap
            self._shuffle(seat)
        self.auction = no_bids(self.players)
        self.auctions += 1
        if self.auctions == AUCTIONS:
            self._end("limit")
            return
        self.turn = self.red
        self._draw_on()

    def _shuffle(self, seat: int) -> None:
        """A new deck of all that a player owns and does not hold."""
        self.decks[seat] = self.chance.order("reshuffle", spread(self.owned[seat] - self.hands[seat]))[::-1]
        self.changed |= 1 << seat

    # The end

    def _end(self, reason: str, winner: int | None = None) -> None:
        """Winner first, then players still in the game by tokens, then the eliminated, the last one highest."""
        standing = [(2, 0) if seat == winner else (1, tokens) for seat, tokens in enumerate(self.tokens)]
        for number, seat in enumerate(self.eliminated):
            standing[seat] = (0, number)
        self.phase = OVER
        self.asked = ()
        self.outcome = Result(ranks(standing), tuple(self.tokens), reason)
        self.shown_scores = b""
        self.log.note((events.ENDED,))
