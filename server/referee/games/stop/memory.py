"""The memory of a match of STOP!: the history of hands, kept so that a redeal agrees with all that was seen.

The log of events is also where the history is written, because everything that happens to a hand passes through it.
All hands are empty at the start of a match and whenever they were shuffled back, so the history begins there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self, TypeAlias

from referee.games.stop.auction import Auction, laid, no_bids
from referee.games.stop.cards import NUMBERS, SIZES
from referee.games.stop.events import (
    BID,
    CALLED,
    DREW,
    ELIMINATED,
    RAISED,
    RECEIVED,
    RED_PASSED,
    SHUFFLED_BACK,
    SKIPPED,
    Event,
    wire,
)
from referee.rules.log import Log

_DECIDED = 0
"""The kind of the entry that says: here players were asked, and all have answered."""
DECISION: Event = (_DECIDED,)
RESUMED = -1
"""The kind of the entry behind the hands with which an imagined history begins: the seat with the red token, or -1."""


Entry: TypeAlias = "tuple[Entry | None, Event, int]"
"""The entry before, an event, and the hand it left (after a draw). Copies of a match share their entries."""


class Memory(Log[bytes]):
    """The log of a match, as views tell it, and its history since all hands were last empty."""

    __slots__ = ("last",)

    def __init__(self, players: int, red: int) -> None:
        super().__init__(players)
        self.last: Entry = (None, (SHUFFLED_BACK, red), 0)

    def note(self, event: Event, hand: int = 0) -> None:
        """Add an event to both; after a draw, with the hand that it left."""
        self._events.append(wire(event))
        self.last = (self.last, event, hand)

    def begin_anew(self, event: Event) -> None:
        """Add the event that left all hands empty."""
        self._events.append(wire(event))
        self.last = (None, event, 0)

    def decided(self, seats: Iterable[int]) -> None:
        Log.decided(self, seats)
        self.last = (self.last, DECISION, 0)

    @classmethod
    def imagined(cls, players: int, told: Iterable[Event], history: Iterable[tuple[Event, int]]) -> Self:
        """A memory that tells these events to everybody; its history has these entries, with the hand after a draw.

        The entries say themselves what the first hands are: there is no red token before the first of them.
        """
        memory = cls(players, red=-1)
        memory._events.extend(map(wire, told))
        for event, hand in history:
            memory.last = (None if event[0] == SHUFFLED_BACK else memory.last, event, hand)
        return memory

    def copy(self) -> Self:
        twin = super().copy()
        twin.last = self.last
        return twin

    def entries(self) -> list[Entry]:
        """The history, oldest first."""
        found = []
        entry: Entry | None = self.last
        while entry is not None:
            found.append(entry)
            entry = entry[0]
        return found[::-1]

    def rewrite(self, drawn: Iterable[int]) -> None:
        """Put other hands into the history: one for every draw, oldest first."""
        hands = iter(drawn)
        last: Entry | None = None
        for _, event, _ in self.entries():
            last = (last, event, next(hands) if event[0] == DREW else 0)
        assert last is not None  # a history begins with the empty hands
        self.last = last


class Moment:
    """What lay where after one event, and what the table has learnt about the hands from it."""

    __slots__ = ("auction", "caller", "drew", "hands", "owned", "red", "window")

    def __init__(self, hands: list[int], owned: list[int], red: int) -> None:
        self.hands = hands
        self.owned = owned
        self.red = red
        self.drew = -1
        """The seat that drew a card, or -1."""
        self.caller = -1
        """The seat that called, or -1: it can make a bid."""
        self.window: bool | None = None
        """Whether a window was opened, for it is opened if one seat or more can act; None: there could be none."""
        self.auction: Auction | None = None
        """The bids that a window of plays is about; None in a window of calls."""

    def holds(self) -> bool:
        """Whether these hands agree with what the table has learnt."""
        hands = self.hands
        if self.caller >= 0 and not hands[self.caller] & NUMBERS:
            return False
        if self.window is None:
            return True
        if self.auction is not None:
            return bool(self.auction.able(hands)) == self.window
        return any(hand & NUMBERS for seat, hand in enumerate(hands) if seat != self.red) == self.window


def moments(memory: Memory, owned: list[int], asked: bool) -> list[Moment]:
    """The history event by event, oldest first; `owned` is what each seat owns now, `asked` says if any is asked."""
    entries = memory.entries()
    owned = _owned_at_first(entries, owned)
    hands = [0] * len(owned)
    red = entries[0][1][1]
    auction = no_bids(len(owned))
    opening_rule = True
    found = []
    follows = [event[0] == _DECIDED for _, event, _ in entries[1:]] + [asked]
    for (_, event, hand), decided in zip(entries, follows, strict=True):
        kind, *rest = event
        seat = rest[0] if rest else -1
        if kind in (BID, RAISED):
            owner, cards = (seat, rest[1]) if kind == BID else (rest[1], rest[2])
            auction = laid(auction, owner, seat, cards)
            hands[seat] -= cards
            owned[seat] -= cards
        elif kind == RECEIVED:
            auction = no_bids(len(owned))
            owned[seat] += rest[1]
        elif kind == ELIMINATED:
            hands[seat] = owned[seat] = 0
        elif kind == DREW:
            hands[seat] = hand
            if seat == red and SIZES[hand] == 2:
                opening_rule = False
        elif kind in (CALLED, RED_PASSED):
            red = seat
        elif kind == RESUMED:
            red, opening_rule = seat, False
            continue
        elif kind != SKIPPED:
            continue
        moment = Moment(hands.copy(), owned.copy(), red)
        if kind == DREW:
            moment.drew = seat
        if kind == CALLED:
            moment.caller = seat
        elif kind in (BID, RAISED):
            moment.window, moment.auction = decided, auction
        elif kind in (DREW, SKIPPED) and not opening_rule:
            moment.window = decided
        found.append(moment)
    return found


def _owned_at_first(entries: list[Entry], owned: list[int]) -> list[int]:
    """What each seat owned when the history began, from what it owns now."""
    first = owned.copy()
    for _, event, _ in reversed(entries):
        kind, *rest = event
        if kind in (BID, RAISED):
            first[rest[0]] += rest[-1]
        elif kind == RECEIVED:
            first[rest[0]] -= rest[1]
        elif kind == ELIMINATED:
            first[rest[0]] = rest[1]
    return first


class Unheard(Memory):
    """The log of a match of which neither a view nor a redeal will be asked: it keeps nothing."""

    __slots__ = ()

    def note(self, event: Event, hand: int = 0) -> None:
        pass

    def begin_anew(self, event: Event) -> None:
        pass

    def decided(self, seats: Iterable[int]) -> None:
        pass


UNHEARD = Unheard(0, 0)
