"""The rounds of Flip 7: the table, and the steps that settle a decision, in the order of the rules.

A decision sets off a chain of small steps. A step returns True when the chain goes on and False when it has come to
rest: somebody is asked, or the match is over. What is still to be resolved lies in `threes` (a stack, for players are
asked in the middle of it) and `unserved`, never on Python's own stack.
"""

from __future__ import annotations

from arena.games.flip7.v1.flip7_pb2 import STATUS_BUSTED, STATUS_IN, STATUS_STOPPED, Status
from referee.games.flip7 import events
from referee.games.flip7.cards import (
    DECK,
    FLIP_7,
    HIGHEST_NUMBER,
    KINDS,
    MOST_RESHUFFLES,
    MOST_ROUNDS,
    SECOND_CHANCE,
    STOP,
    THREE,
    Card,
    decks,
    is_flip_7,
    points,
)
from referee.games.flip7.events import DEALT, Telling
from referee.games.flip7.view import NO_CARDS_YET, options, round_and_dealer
from referee.rules.chance import Chance
from referee.rules.game import Result, Seat, ranks

NOBODY: Seat = -1
NO_CARD: Card = -1


class ThreeInProgress:
    """A Three: who gets its cards, how many are still to come, and the specials it has set aside."""

    __slots__ = ("aside", "left", "player")

    def __init__(self, player: Seat) -> None:
        self.player = player
        self.left = 3
        self.aside: list[Card] = []

    def copy(self) -> ThreeInProgress:
        twin = ThreeInProgress(self.player)
        twin.left = self.left
        twin.aside = self.aside.copy()
        return twin


class Round:
    """The table with the round in progress: who is asked what, everybody's cards, the piles, the Threes."""

    __slots__ = (
        "asked",
        "card",
        "chance",
        "dealer",
        "discard",
        "eligible",
        "ended",
        "faq",
        "hands",
        "in_round",
        "log",
        "number",
        "pile",
        "pile_counts",
        "players",
        "reshuffles",
        "shown",
        "shown_options",
        "shown_round",
        "shown_standing",
        "status",
        "target_score",
        "threes",
        "totals",
        "turn",
        "unserved",
    )

    players: int

    def __init__(self, players: int, faq: bool, target_score: int, chance: Chance) -> None:
        self.players = players
        self.faq = faq
        self.target_score = target_score
        self.chance = chance
        self.log = Telling(players)
        self.ended: Result | None = None
        self.totals = [0] * players
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self.shown = [b""] * players  # how views show each player; empty where that has changed since
        self.shown_standing = b""  # likewise
        self.shown_options = options(faq, target_score)
        self.discard: list[Card] = []
        self.asked = NOBODY
        self.card = NO_CARD  # the special that wants a target
        self.eligible = 0  # whom it may be used on (bit n: seat n); meaningless where no card wants a target
        self.turn = NOBODY  # whose hit, or whose card of the opening deal, is being resolved
        self.threes: list[ThreeInProgress] = []  # the innermost last
        self.unserved: list[Seat] = []  # of the opening deal, the next one last
        self.number = 0
        self._make_pile(chance.order("deck", DECK * decks(players)))
        self._start_round(chance.pick("dealer", range(players)))

    def may_stay(self, seat: Seat) -> bool:
        """By the later answers `stay` needs at least one card before the player."""
        return not self.faq or bool(self.hands[seat])

    def _start_round(self, dealer: Seat) -> None:
        self.number += 1
        self.dealer = self.turn = dealer
        self.shown_round = round_and_dealer(self.number, dealer)
        self.status = [STATUS_IN] * self.players
        self.shown = [NO_CARDS_YET] * self.players
        self.in_round = (1 << self.players) - 1
        self.reshuffles = 0
        self.log.tell(events.ROUND_STARTED, dealer)
        if self.faq:
            self.unserved = [*range(dealer, -1, -1), *range(self.players - 1, dealer, -1)]
            self._go_on()
        else:
            self._ask_next()

    def _go_on(self) -> None:
        """Resolve what is open until somebody is asked: Threes, innermost first; the opening deal; the next turn."""
        threes = self.threes
        while threes:
            three = threes[-1]
            if three.left:
                if not self._deal_of_three(three):
                    return
            elif three.aside:
                if not self._apply(three.player, three.aside.pop(0)):
                    return
            else:
                threes.pop()
                self.discard.append(THREE)
        while self.unserved:
            # The last one is the dealer, served or not, so the turns begin to his left.
            self.turn = self.unserved.pop()
            if self.in_round >> self.turn & 1 and not self._deal(self.turn):
                return
        self._ask_next()

    def _ask_next(self) -> None:
        """The next turn is that of the first player in the round to the left of the one who had the last."""
        in_round = self.in_round
        if not in_round:
            self._end_round()
            return
        left = in_round >> (self.turn + 1)
        if left:
            turn = self.turn + (left & -left).bit_length()
        else:
            turn = (in_round & -in_round).bit_length() - 1
        self.asked = self.turn = turn

    def _deal(self, seat: Seat) -> bool:
        """One card, by a hit or in the opening deal."""
        card = self._draw(seat)
        if card < 0:
            return False
        return self._lay(seat, card) if card < STOP else self._apply(seat, card)

    def _deal_of_three(self, three: ThreeInProgress) -> bool:
        """The next card of a Three: specials are set aside, and a bust ends the dealing."""
        player = three.player
        card = self._draw(player)
        if card < 0:
            return False
        three.left -= 1
        if card >= STOP:
            if self.faq and card == SECOND_CHANCE:
                return self._apply(player, card)
            three.aside.append(card)
            return True
        if not self._lay(player, card):
            return False
        if self.status[player] == STATUS_BUSTED:
            three.left = 0
            if self.faq:
                self._discard_aside(three)
        return True

    def _draw(self, seat: Seat) -> Card:
        """The top card, for this seat; NO_CARD if none is to be had, and then the round has been broken off."""
        if not self.pile and not self._reshuffle():
            self.log.tell(events.BROKE_OFF)
            self._end_round()
            return NO_CARD
        card = self.pile.pop()
        self.pile_counts[card] -= 1
        self.log.tell(DEALT, seat, card)
        return card

    def _lay(self, seat: Seat, card: Card) -> bool:
        """A number or a bonus comes to a player in the round."""
        hand = self.hands[seat]
        self.shown[seat] = b""
        if card > HIGHEST_NUMBER or card not in hand:
            hand.append(card)
            if len(hand) >= FLIP_7 and is_flip_7(hand):
                self.log.tell(events.FLIP_7, seat)
                self._end_round()
                return False
        elif SECOND_CHANCE in hand:
            hand.remove(SECOND_CHANCE)
            self.discard += (card, SECOND_CHANCE)
            self.log.tell(events.SAVED, seat, card)
        else:
            hand.append(card)
            self.log.tell(events.BUSTED, seat, card)
            self._leave(seat, STATUS_BUSTED)
        return True

    def _apply(self, seat: Seat, card: Card) -> bool:
        """A special is this player's to apply, whether he is still in the round or not."""
        eligible = self.in_round
        if card == SECOND_CHANCE:
            eligible = self._without_second_chance()
            if eligible >> seat & 1:
                self.hands[seat].append(card)
                self.shown[seat] = b""
                self.log.tell(events.KEPT, seat, card)
                return True
        if not eligible:
            self.discard.append(card)
            self.log.tell(events.DISCARDED, seat, card)
            return True
        self.asked, self.card, self.eligible = seat, card, eligible
        return False

    def _assign(self, seat: Seat, target: Seat) -> None:
        """The player asked has named whom his special is for."""
        card, self.card = self.card, NO_CARD
        self.log.tell(events.TARGETED, seat, card, target)
        if card == THREE:
            self.threes.append(ThreeInProgress(target))
            return
        self.hands[target].append(card)
        self.shown[target] = b""
        if card == STOP:
            self._leave(target, STATUS_STOPPED)

    def _without_second_chance(self) -> int:
        """The players in the round who have no Second Chance (bit n: seat n)."""
        eligible = self.in_round
        for seat, hand in enumerate(self.hands):
            if SECOND_CHANCE in hand:
                eligible &= ~(1 << seat)
        return eligible

    def _leave(self, seat: Seat, status: Status.ValueType) -> None:
        self.status[seat] = status
        self.shown[seat] = b""
        self.in_round &= ~(1 << seat)

    def _reshuffle(self) -> bool:
        """The discards become the new pile; False if there are none or it has been done too often in this round."""
        if not self.discard or self.reshuffles == MOST_RESHUFFLES:
            return False
        self.reshuffles += 1
        # Sorted: the outcome shall depend on which cards are shuffled, not on how they came to lie.
        self._make_pile(self.chance.order("reshuffle", sorted(self.discard)))
        self.discard.clear()
        self.log.tell(events.RESHUFFLED)
        return True

    def _make_pile(self, cards: list[Card]) -> None:
        self.pile = cards[::-1]  # the top card last
        self.pile_counts = bytearray(map(bytes(cards).count, range(KINDS)))

    def _discard_aside(self, three: ThreeInProgress) -> None:
        for card in three.aside:
            self.discard.append(card)
            self.log.tell(events.DISCARDED, three.player, card)
        three.aside.clear()

    def _end_round(self) -> None:
        """Score the round, clear the table, and see whether somebody has won."""
        brought = []
        totals = self.totals
        status = self.status
        discard = self.discard
        for seat, hand in enumerate(self.hands):
            won = 0
            if hand:
                if status[seat] != STATUS_BUSTED:
                    won = points(hand)
                    totals[seat] += won
                discard += hand
                hand.clear()
            brought.append(won)
        self.shown_standing = b""
        if self.threes:
            for three in self.threes:
                discard += (THREE, *three.aside)
            self.threes.clear()
        self.unserved.clear()
        self.log.tell_end_of_round(brought)
        best = max(totals)
        if best >= self.target_score and totals.count(best) == 1:
            self._end_match("finished")
        elif self.number == MOST_ROUNDS:
            self._end_match("round_limit")
        else:
            self._start_round((self.dealer + 1) % self.players)

    def _end_match(self, reason: str) -> None:
        self.asked = self.turn = NOBODY
        self.in_round = 0
        self.shown = [b""] * self.players
        self.ended = Result(ranks(self.totals), tuple(self.totals), reason)
        self.log.tell(events.ENDED)
