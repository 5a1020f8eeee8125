"""One match of STOP!: drawing with windows of calls, auctions in windows of plays, and settling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from google.protobuf.message import Message

from referee.games.stop import events, moves
from referee.games.stop.auction import Auction
from referee.games.stop.cards import DECK, HAND, NUMBERS, SIZES, VALUES, counts, names, spread
from referee.games.stop.events import CALLS, OPENING, OVER, PLAYS, SPLIT
from referee.games.stop.moves import PASS, STOP, WAIT, Move
from referee.games.stop.view import view
from referee.rules import game as kernel
from referee.rules.chance import Chance
from referee.rules.game import NOT_ASKED, Legal, Rejection, Result
from referee.rules.log import Log

TOKENS_TO_WIN = 6
SHUFFLES_IN_ROW = 10
SHUFFLES = 30
AUCTIONS = 60

_CALLS: Legal[Move] = Legal((STOP, WAIT))
_NOTHING: Legal[Move] = Legal(())
_SEATS = [tuple(seat for seat in range(6) if mask >> seat & 1) for mask in range(1 << 6)]
_DRAWN = [(events.DREW, seat) for seat in range(6)]
_SKIPPED = [(events.SKIPPED, seat) for seat in range(6)]
_FULL_DECK = spread(DECK)
_WANTED = {
    CALLS: "this is a window of calls: answer stop or wait",
    OPENING: "the caller must open the auction: bid one or more cards of one value",
    PLAYS: "this is a window of the auction: bid, raise or pass",
    SPLIT: "the winner splits the cards on the table: share",
}
_VERBS = {CALLS: ("stop", "wait"), OPENING: ("bid",), PLAYS: ("pass", "bid", "raise"), SPLIT: ("share",)}


class StopState(kernel.State[Move]):
    """A match in progress. Seats are also bits of a mask; heaps of cards are counted as `cards.py` says."""

    __slots__ = (
        "able",
        "asked",
        "auction",
        "auctions",
        "chance",
        "decks",
        "eliminated",
        "full",
        "gone",
        "hands",
        "inside",
        "log",
        "opening_rule",
        "outcome",
        "owned",
        "phase",
        "players",
        "red",
        "shuffles",
        "shuffles_in_row",
        "tokens",
        "turn",
    )

    def __init__(self, players: int, chance: Chance) -> None:
        self.players = players
        self.chance = chance
        self.log: Log[events.Event] = Log(players)
        self.decks = [chance.order("decks", _FULL_DECK)[::-1] for _ in range(players)]
        """By seat; the top card is the last of the list."""
        self.hands = [0] * players
        self.owned = [DECK] * players
        """By seat, what lies in deck and hand together."""
        self.gone = 0
        """The hands of eliminated players."""
        self.tokens = [0] * players
        self.inside = (1 << players) - 1
        """Players still in the game."""
        self.full = 0
        """Players with six cards in hand."""
        self.able = 0
        """Players with a 2, 3 or 4 in hand: they can make a bid."""
        self.eliminated: tuple[int, ...] = ()
        self.red = chance.pick("first", range(players))
        self.turn = self.red
        self.opening_rule = True
        self.shuffles = self.shuffles_in_row = self.auctions = 0
        self.auction = Auction(players)
        self.phase = CALLS
        self.asked: tuple[int, ...] = ()
        self.outcome: Result | None = None
        self._draw_on()

    # The verbs of the kernel

    def pending(self) -> tuple[int, ...]:
        return self.asked

    def result(self) -> Result | None:
        return self.outcome

    def legal(self, seat: int) -> Legal[Move]:
        if seat not in self.asked:
            return _NOTHING
        if self.phase == CALLS:
            return _CALLS
        if self.phase == PLAYS:
            return self.auction.plays(seat, self.hands[seat])
        if self.phase == OPENING:
            return Legal(moves.bids(self.hands[seat], 1))
        keep = moves.share({seat: self.auction.cards()})
        own = moves.share(self.auction.piles())
        return Legal((keep,) if keep == own else (keep, own), complete=False)

    def check(self, seat: int, move: Move) -> Rejection | None:
        if seat not in self.asked:
            return NOT_ASKED
        verb = move.verb
        if verb not in _VERBS[self.phase]:
            return Rejection("not_now", _WANTED[self.phase])
        if verb == "bid":
            return self.auction.check_bid(seat, self.hands[seat], move.cards)
        if verb == "raise":
            return self.auction.check_raise(move.seat, self.hands[seat], move.cards)
        return self._check_share(move) if verb == "share" else None

    def play(self, moves: Mapping[int, Move]) -> None:
        asked = self.asked
        self.log.decided((*asked, *self.eliminated) if self.eliminated else asked)
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

    def view(self, seat: int | None) -> Message:
        return view(self, seat)

    def fallback(self, seat: int) -> Move:
        if self.phase == CALLS:
            return WAIT
        if self.phase == PLAYS:
            return PASS
        if self.phase == OPENING:
            hand = self.hands[seat]
            return Move("bid", cards=next(card for card in VALUES.values() if hand & (255 * card)))
        return moves.share(self.auction.piles())

    def scores(self) -> list[int]:
        return self.tokens.copy()

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        for name in ("players", "gone", "inside", "full", "able", "eliminated", "red", "turn", "opening_rule"):
            setattr(twin, name, getattr(self, name))
        for name in ("shuffles", "shuffles_in_row", "auctions", "phase", "asked", "outcome"):
            setattr(twin, name, getattr(self, name))
        twin.chance = self.chance.copy()
        twin.log = self.log.copy()
        twin.decks = [deck.copy() for deck in self.decks]
        twin.hands = self.hands.copy()
        twin.owned = self.owned.copy()
        twin.tokens = self.tokens.copy()
        twin.auction = self.auction.copy()
        return twin

    def parse(self, text: str) -> Move:
        return moves.parse(text)

    def format(self, move: Move) -> str:
        return moves.write(move)

    def redealt(self, seat: int | None, chance: Chance) -> Self:
        """Others' cards fall anew into hand and deck; a seat's own deck only changes its order.

        What everybody can tell from the phase stays true: a caller who has not opened yet can bid, and a window asks
        somebody. Should the draw refuse to respect that, hands stay as they are and only the decks change.
        """
        for _ in range(24):
            twin = self.copy()
            twin._redeal_hands(seat, chance)
            if twin._plausible():
                break
        else:
            twin = self.copy()
        for other, hand in enumerate(twin.hands):
            twin.decks[other] = chance.order("redeal", spread(twin.owned[other] - hand))
        twin.chance = chance.copy()
        return twin

    def pieces(self) -> Mapping[str, int]:
        heap = sum(self.hands) + sum(map(sum, self.decks)) + self.gone + self.auction.cards()
        twos, threes, fours, plus = counts(heap)
        return {"2": twos, "3": threes, "4": fours, "+1": plus, "red": self.inside >> self.red & 1}

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
                self.log.add(_SKIPPED[seat])
            elif self.decks[seat]:
                self._draw(seat)
            else:
                self._eliminate(seat)
                continue
            self.turn = self._left_of(seat)
            if not self.opening_rule and (asked := self.able & ~(1 << self.red)):
                self.asked = _SEATS[asked]
                return

    def _draw(self, seat: int) -> None:
        card = self.decks[seat].pop()
        hand = self.hands[seat] = self.hands[seat] + card
        if card & NUMBERS:
            self.able |= 1 << seat
        cards = SIZES[hand]
        if cards == HAND:
            self.full |= 1 << seat
        elif cards == 2 and seat == self.red:
            # The rule begins with empty hands, so a second card in hand is the second card drawn since.
            self.opening_rule = False
        self.log.add(_DRAWN[seat])

    def _eliminate(self, seat: int) -> None:
        self.log.add((events.ELIMINATED, seat, self.hands[seat]))
        self.gone += self.hands[seat]
        self.hands[seat] = self.owned[seat] = 0
        self.inside &= ~(1 << seat)
        self.able &= self.inside
        self.eliminated = (*self.eliminated, seat)
        self.turn = self._left_of(seat)
        if self.red == seat:
            self.red = self.turn
            self.log.add((events.RED_PASSED, self.turn))
        if self.inside & (self.inside - 1) == 0:
            self._end("last_player", winner=self.turn)

    def _shuffle_back(self) -> None:
        """Everybody has six cards: all hands go back into the decks, unless this is the last time it can happen."""
        if self.shuffles_in_row + 1 == SHUFFLES_IN_ROW or self.shuffles + 1 == SHUFFLES:
            self._end("limit")
            return
        self.shuffles += 1
        self.shuffles_in_row += 1
        self.log.add((events.SHUFFLED_BACK, self.red))
        for seat in _SEATS[self.inside]:
            self.hands[seat] = 0
            self._shuffle(seat)
        self.full = self.able = 0
        self.turn = self.red
        self.opening_rule = True

    def _left_of(self, seat: int) -> int:
        """The next player still in the game."""
        while True:
            seat = seat + 1 if seat + 1 < self.players else 0
            if self.inside >> seat & 1:
                return seat

    # The auction

    def _arbitrate(self, acted: list[int]) -> int:
        """The one of those who acted in the same window who was first."""
        return acted[0] if len(acted) == 1 else self.chance.pick("arbiter", acted)

    def _call(self, seat: int) -> None:
        self.log.add((events.CALLED, seat))
        self.red = seat
        self.shuffles_in_row = 0
        self.phase = OPENING
        self.asked = (seat,)

    def _lay(self, seat: int, owner: int, cards: int) -> None:
        """A player lays cards of his hand before himself (a bid) or before the owner of a bid (a raise)."""
        first = self.auction.bids[owner] is None
        self.log.add((events.BID, seat, cards) if first else (events.RAISED, seat, owner, cards))
        hand = self.hands[seat] = self.hands[seat] - cards
        self.owned[seat] -= cards
        self.full &= ~(1 << seat)
        if not hand & NUMBERS:
            self.able &= ~(1 << seat)
        self.auction.lay(owner, seat, cards)

    def _open_window(self) -> None:
        self.phase = PLAYS
        self.asked = self.auction.able(self.hands)
        if not self.asked:
            self._settle()

    # Settling

    def _settle(self) -> None:
        leaders = self.auction.leaders()
        if len(leaders) == 1:
            self._award(leaders[0])
        else:
            self.log.add((events.TIED, leaders[0]))
            self._receive(tuple(self.auction.piles().items()))

    def _award(self, winner: int) -> None:
        """The highest bid brings as many blue tokens as there are bids."""
        won = len(self.auction.bidders())
        self.log.add((events.WON, winner, won))
        self.tokens[winner] += won
        if self.tokens[winner] >= TOKENS_TO_WIN:
            self.auctions += 1
            self._end("tokens", winner)
        else:
            self.phase = SPLIT
            self.asked = (winner,)

    def _receive(self, piles: tuple[tuple[int, int], ...]) -> None:
        """Cards from the table are shuffled into the decks of those who get them; the auction is settled."""
        for seat, heap in piles:
            self.log.add((events.RECEIVED, seat, heap))
            self.owned[seat] += heap
            self._shuffle(seat)
        self.auction = Auction(self.players)
        self.auctions += 1
        if self.auctions == AUCTIONS:
            self._end("limit")
            return
        self.turn = self.red
        self._draw_on()

    def _shuffle(self, seat: int) -> None:
        """A new deck of all that a player owns and does not hold."""
        self.decks[seat] = self.chance.order("reshuffle", spread(self.owned[seat] - self.hands[seat]))[::-1]

    def _check_share(self, move: Move) -> Rejection | None:
        bidders = self.auction.bidders()
        for seat, _ in move.piles:
            if seat not in bidders:
                there = ", ".join(map(str, bidders))
                return Rejection("not_a_bidder", f"seat {seat} has no bid and gets no cards; bidders are {there}")
        if sum(heap for _, heap in move.piles) != self.auction.cards():
            table = ",".join(names(self.auction.cards()))
            return Rejection("wrong_cards", f"name every card on the table exactly once; on the table are {table}")
        return None

    # The end

    def _end(self, reason: str, winner: int | None = None) -> None:
        """Winner first, then players still in the game by tokens, then the eliminated, the last one highest."""
        standing = [(2, 0) if seat == winner else (1, tokens) for seat, tokens in enumerate(self.tokens)]
        for number, seat in enumerate(self.eliminated):
            standing[seat] = (0, number)
        self.phase = OVER
        self.asked = ()
        self.outcome = Result(kernel.ranks(standing), tuple(self.tokens), reason)

    def _plausible(self) -> bool:
        if self.phase == OPENING:
            return bool(self.able >> self.red & 1)
        return self.phase == OVER or bool(self.asked)

    def _redeal_hands(self, seat: int | None, chance: Chance) -> None:
        """Everybody but this seat gets as many cards as he holds, out of all he owns."""
        for other, hand in enumerate(self.hands):
            if other != seat:
                self.hands[other] = sum(chance.order("redeal", spread(self.owned[other]))[: SIZES[hand]])
        self.able = sum(1 << other for other, hand in enumerate(self.hands) if hand & NUMBERS)
        if self.phase == CALLS:
            self.asked = _SEATS[self.able & ~(1 << self.red)]
        elif self.phase == PLAYS:
            self.asked = self.auction.able(self.hands)
