"""The next matches of a schedule, and which bots are absent: a match waits until its bots are there and free.

Only a window of the schedule is held here, however long the schedule is. The store stays the truth: a match that goes
back into the schedule is read again, because the place up to which it was read is moved back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from referee.store import StoredMatch

LOOKAHEAD = 500
"""Scheduled matches that are looked at when the next ones are chosen."""
MOST_WAITING = 8000
"""Matches of absent bots that are passed over, and held, before nothing further is read."""

Called = tuple[StoredMatch, tuple[str, ...]]
"""A match with the names of its bots by seat."""


class ScheduleWindow:
    """A window of the schedule, in its order."""

    def __init__(self, patience: float) -> None:
        """`patience` is how long a match waits for a bot that is not there."""
        self.absent: dict[str, float] = {}
        """Who is not there, and since when."""
        self.read_to = -1
        """The schedule has been read up to this place."""
        self.given_up: frozenset[str] = frozenset()
        """Of those who are not there, the ones that are waited for no more: their matches are played without them."""
        self.changes = 0
        """How often something has come back into the schedule: what is being read at that moment may lack it."""
        self._patience = patience
        self._anew = 0
        """What was read before so many changes counts no longer."""
        self._complete = False
        self._looked = False
        self._ready: dict[int, Called] = {}
        self._waiting: dict[int, Called] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing is left to call, here or in the schedule."""
        return self._complete and not self._ready and not self._waiting

    @property
    def wants_more(self) -> bool:
        return not self._complete and len(self._ready) < LOOKAHEAD // 2 and len(self._waiting) < MOST_WAITING

    def take(self, matches: Sequence[StoredMatch], changes: int, *, complete: bool) -> None:
        """Scheduled matches from behind `read_to`; `complete` if there are no more.

        `changes` is what it was before they were read: if it is another now, they are taken and read once more.
        """
        for match in matches if changes >= self._anew else ():
            assert match.ordinal is not None
            if match.ordinal not in self._ready and match.ordinal not in self._waiting:
                called = (match, tuple(seat.name for seat in match.seats))
                (self._waiting if self._is_missing(called) else self._ready)[match.ordinal] = called
        if changes == self.changes:
            self._complete = complete
            if matches:
                assert matches[-1].ordinal is not None
                self.read_to = matches[-1].ordinal
        self._sort()

    def put_back(self, ordinal: int) -> None:
        """A match is in the schedule again: read from there on once more."""
        self.read_to = min(self.read_to, ordinal - 1)
        self.reopen()

    def begin_anew(self) -> None:
        """Matches of the schedule are gone or back: read all of it once more."""
        self._ready.clear()
        self._waiting.clear()
        self.read_to = -1
        self.reopen()
        self._anew = self.changes

    def reopen(self) -> None:
        """The schedule has become longer."""
        self._complete = False
        self.changes += 1

    def look_round(self, bots: Iterable[str], present: Callable[[str], bool], now: float) -> bool:
        """See who is there; True if a bot is there that was not at the last look, or if it is the first."""
        away = [bot for bot in bots if not present(bot)]
        first, self._looked = not self._looked, True
        if len(away) == len(self.absent) and all(bot in self.absent for bot in away):
            return first
        before, self.absent = self.absent, {bot: self.absent.get(bot, now) for bot in away}
        self.given_up &= self.absent.keys()
        held = [*self._ready.items(), *self._waiting.items()]
        self._ready = {ordinal: called for ordinal, called in held if not self._is_missing(called)}
        self._waiting = {ordinal: called for ordinal, called in held if ordinal not in self._ready}
        self._sort()
        return first or any(bot not in self.absent for bot in before)

    def stood_still(self, seconds: float) -> None:
        """For so long nothing was looked at here, and no bot could be let in: that is not charged as absence."""
        self.absent = {bot: since + seconds for bot, since in self.absent.items()}

    def overdue(self, now: float) -> list[Called]:
        """Matches that have waited too long for a bot; they are no longer held here."""
        late = {bot for bot, since in self.absent.items() if now - since > self._patience}
        if not late:
            return []
        given_up = [called for called in self._waiting.values() if not late.isdisjoint(called[1])]
        for match, _ in given_up:
            assert match.ordinal is not None
            del self._waiting[match.ordinal]
        return given_up

    def choose(self, room: int, free: Callable[[str], int]) -> list[Called]:
        """The first matches, in schedule order, whose bots can all take one more; they are no longer held here."""
        places: dict[str, int] = {}
        chosen: dict[int, Called] = {}
        for ordinal, called in self._ready.items():
            if len(chosen) >= room:
                break
            for bot in called[1]:
                if bot not in places:
                    places[bot] = room if bot in self.given_up else free(bot)
            if all(places[bot] > 0 for bot in called[1]):
                chosen[ordinal] = called
                for bot in called[1]:
                    places[bot] -= 1
        for ordinal in chosen:
            del self._ready[ordinal]
        return list(chosen.values())

    def has_match_for(self, bot: str) -> bool:
        """Whether one of the next matches has this bot, and all of its bots are there."""
        return any(bot in bots for _, bots in self._ready.values())

    def _is_missing(self, called: Called) -> bool:
        missing = [bot for bot in called[1] if bot in self.absent]
        return bool(missing) and not (self.given_up.issuperset(missing) and len(missing) < len(called[1]))

    def _sort(self) -> None:
        self._ready = dict(sorted(self._ready.items()))
        self._waiting = dict(sorted(self._waiting.items()))
