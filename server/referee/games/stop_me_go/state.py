"""One match of STOP me GO in progress: the verbs of a state, and rounds of crime, intervention and arrest.

Each agent has one `stop` and four `go`, and all agents always hold equally many cards, so it is enough to know where
each `stop` is: `stops` keeps, for every gangster on the table that has its cards, the set of agents whose `stop` lies
there. Sets of agents are bit masks: bit s stands for seat s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from referee.games.stop_me_go import check as checks
from referee.games.stop_me_go import moves
from referee.games.stop_me_go.appraisal import appraise
from referee.games.stop_me_go.cards import GANGSTERS, HAND, IN_LINE, MOST_PLAYERS
from referee.games.stop_me_go.events import (
    CAPTURED,
    CRIME,
    DISCARDED,
    ENDED,
    ESCAPED,
    RESHUFFLED,
    ROUND_STARTED,
    ROUND_VOID,
    ROUND_WON,
    Event,
)
from referee.games.stop_me_go.moves import GO_OR_STOP, NOTHING, ONLY_GO, STOP, Move
from referee.games.stop_me_go.redeal import redeal, redraw
from referee.games.stop_me_go.view import view_of, wire
from referee.rules.chance import Chance
from referee.rules.game import Legal, Result, Seat, State, ranks

ESCAPES = 50
"""The escape at which a round is void."""
WINNING_TOKENS = 3
NOBODY = -1

# The one agent of a set of agents, or NOBODY if the set is empty or has several.
_ONLY = tuple(mask.bit_length() - 1 if mask.bit_count() == 1 else NOBODY for mask in range(1 << MOST_PLAYERS))


def tokens_in_play(players: int) -> int:
    """How many of the ten tokens are put in play."""
    return players + 2


def best_captured(captors: Mapping[int, Seat]) -> int:
    """The gangster that wins the round, of those that were captured in it."""
    # Nobody captures twice in a round, so the 10 beside a captured 1 is always another agent's.
    return 1 if 1 in captors and 10 in captors else max(captors)


class StopMeGoState(State[Move]):
    """A match in progress."""

    __slots__ = (
        "_chance",
        "_seats",
        "arrests",
        "asked",
        "captures",
        "discarded",
        "ended",
        "news",
        "out",
        "pile",
        "players",
        "rewards",
        "round",
        "shown",
        "shown_standing",
        "stops",
        "table",
        "takers",
        "tokens",
        "worths",
    )

    # Verbs that have a file of their own; taken over as they are, they cost no further call.
    check = checks.check
    fallback = checks.fallback
    view = view_of
    view_bytes = wire
    appraisal = appraise
    parse = staticmethod(moves.parse)
    format = staticmethod(moves.format_move)

    def __init__(self, players: int, worths: tuple[int, ...], chance: Chance) -> None:
        """`worths` are the values of the ten tokens, ascending."""
        self.players = players
        self._chance = chance
        self._seats = tuple(range(players))
        self.asked = self._seats
        self.ended: Result | None = None
        self.shown: tuple[bytes, bytes] | None = None
        """What all views have in common, once one was asked for; see `view.py`."""
        self.shown_standing: tuple[bytes, bytes] | None = None
        """The part of it that stays the same until a token leaves the pool, likewise."""
        self.news: list[Event] = []
        """What the latest decision brought about: news to everybody, for everybody is asked every time."""

        self.worths = worths
        self.rewards = tuple(chance.order("tokens", worths))
        """Values in the order in which tokens leave the pool; those beyond the tokens in play stay in the box."""
        self.takers: list[Seat] = []
        """Who took each token that has left the pool; NOBODY for a void round."""
        self.tokens = [0] * players
        self.captures: list[tuple[int, int, Seat]] = []
        """Round, gangster and captor of every capture of the match."""

        self.round = 0
        self._start_round()

    def pending(self) -> tuple[Seat, ...]:
        return self.asked

    def result(self) -> Result | None:
        return self.ended

    def legal(self, seat: Seat) -> Legal[Move]:
        if seat not in self.asked:
            return NOTHING
        # There is always a `go` in hand, see `fallback`.
        return ONLY_GO if self.out >> seat & 1 else GO_OR_STOP

    def play(self, moves: Mapping[Seat, Move]) -> None:
        self.news = []
        self.shown = None
        stops = 0
        for seat, move in moves.items():
            if move == STOP:
                stops |= 1 << seat
        self.stops.append(stops)
        self.out |= stops
        if len(self.table) < IN_LINE:
            self._crime()
        else:
            self._arrest()

    def scores(self) -> list[int]:
        return list(self.ended.scores) if self.ended else self.tokens.copy()

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin.players = self.players
        twin._chance = self._chance.copy()
        twin._seats = self._seats
        twin.asked = self.asked
        twin.ended = self.ended
        twin.shown = self.shown
        twin.shown_standing = self.shown_standing
        twin.news = self.news.copy()
        twin.worths = self.worths
        twin.rewards = self.rewards
        twin.takers = self.takers.copy()
        twin.tokens = self.tokens.copy()
        twin.captures = self.captures.copy()
        twin.round = self.round
        twin.pile = self.pile.copy()
        twin.discarded = self.discarded.copy()
        twin.table = self.table.copy()
        twin.stops = self.stops.copy()
        twin.out = self.out
        twin.arrests = self.arrests.copy()
        return twin

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        twin = self.copy()
        redeal(twin, seat, chance)
        twin.shown = twin.shown_standing = None
        twin._chance = chance.copy()
        return twin

    def redrawn(self, chance: Chance) -> Self:
        twin = self.copy()
        redraw(twin, chance)
        twin.shown = twin.shown_standing = None
        twin._chance = chance.copy()
        return twin

    def hidden(self) -> dict[str, Any]:
        taken = len(self.takers)
        return {"pile": self.pile[::-1], "tokens to come": list(self.rewards[taken : taken + self.tokens_left])}

    def pieces(self) -> Mapping[str, int]:
        captured = [gangster for number, gangster, _ in self.captures if number == self.round]
        pieces: dict[str, int] = {}
        for gangster in self.pile + self.discarded + self.table + captured:
            pieces[f"gangster {gangster}"] = pieces.get(f"gangster {gangster}", 0) + 1
        for seat in self._seats:
            go, stop = self.hand(seat)
            laid = sum(stops >> seat & 1 for stops in self.stops)
            pieces[f"stop of {seat}"] = stop + laid
            pieces[f"go of {seat}"] = go + len(self.stops) - laid
        for worth in self.rewards:
            pieces[f"token {worth}"] = pieces.get(f"token {worth}", 0) + 1
        pieces["tokens in play"] = sum(self.tokens) + self.takers.count(NOBODY) + self.tokens_left
        return pieces

    @property
    def tokens_left(self) -> int:
        """How many tokens are still to be had."""
        return tokens_in_play(self.players) - len(self.takers)

    def hand(self, seat: Seat) -> tuple[int, bool]:
        """How many `go` an agent holds, and whether he holds his `stop`."""
        stop = not self.out >> seat & 1
        return HAND - len(self.stops) - stop, stop

    def purse(self, seat: Seat) -> list[int]:
        """The values of an agent's tokens in the order in which he took them: nobody's business before the end."""
        return [worth for worth, taker in zip(self.rewards, self.takers, strict=False) if taker == seat]

    # A match, step by step.

    def _start_round(self) -> None:
        self.round += 1
        self.news.append((ROUND_STARTED, 0, self.round, 0))
        self.pile = self._chance.order("gangsters", GANGSTERS)
        self.pile.reverse()  # the top is the end
        self.discarded: list[int] = []
        self.table: list[int] = []
        """Gangsters on the table, the oldest first."""
        self.stops: list[int] = []
        """For each gangster on the table that has its cards: the agents whose `stop` lies on it."""
        self.out = 0
        """The agents whose `stop` lies on the table: all of `stops` together."""
        self.arrests: list[tuple[int, int]] = []
        """The gangsters whose cards were turned up this round, each with the agents who had put a `stop`."""
        self._crime()

    def _crime(self) -> None:
        if not self.pile:
            # Sorted, for the outcome depends on which gangsters are shuffled, not on how they came there.
            self.pile = self._chance.order("gangsters", sorted(self.discarded))
            self.pile.reverse()
            self.discarded = []
            self.news.append((RESHUFFLED, 0, NOBODY, 0))
        gangster = self.pile.pop()
        self.table.append(gangster)
        self.news.append((CRIME, gangster, NOBODY, 0))

    def _arrest(self) -> None:
        """The cards on the oldest gangster are turned up: with a single `stop` among them the round is over."""
        gangster, stops = self._turn_up_oldest()
        if _ONLY[stops] != NOBODY:
            self._end_round(gangster, stops)
            return
        self.discarded.append(gangster)
        self.news.append((ESCAPED, gangster, NOBODY, stops))
        if len(self.arrests) < ESCAPES:
            self._crime()
        else:
            self.news.append((ROUND_VOID, 0, NOBODY, 0))
            self._token_leaves(NOBODY)

    def _turn_up_oldest(self) -> tuple[int, int]:
        turned_up = (self.table.pop(0), self.stops.pop(0))
        self.out ^= turned_up[1]
        self.arrests.append(turned_up)
        return turned_up

    def _end_round(self, gangster: int, stops: int) -> None:
        """This gangster is captured; what lies on the others is turned up too, and the best capture gets the token."""
        captors = {}
        while True:
            captor = _ONLY[stops]
            if captor == NOBODY:
                self.discarded.append(gangster)
                self.news.append((DISCARDED, gangster, NOBODY, stops))
            else:
                captors[gangster] = captor
                self.captures.append((self.round, gangster, captor))
                self.news.append((CAPTURED, gangster, captor, stops))
            if not self.table:
                break
            gangster, stops = self._turn_up_oldest()
        best = best_captured(captors)
        self.news.append((ROUND_WON, best, captors[best], 0))
        self._token_leaves(captors[best])

    def _token_leaves(self, taker: Seat) -> None:
        self.shown_standing = None
        self.takers.append(taker)
        if taker != NOBODY:
            self.tokens[taker] += 1
            if self.tokens[taker] == WINNING_TOKENS:
                self._end_match(taker)
                return
        if self.tokens_left:
            self._start_round()
        else:
            self._end_match(NOBODY)

    def _end_match(self, winner: Seat) -> None:
        """The end, by a third token of the winner or (NOBODY) because no token is left."""
        sums = tuple([sum(self.purse(seat)) for seat in self._seats])
        standing = ranks([(seat == winner, worth) for seat, worth in enumerate(sums)])
        self.ended = Result(standing, sums, "tokens_gone" if winner == NOBODY else "three_tokens")
        self.asked = ()
        self.news.append((ENDED, 0, NOBODY, 0))
