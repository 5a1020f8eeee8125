"""The event log of a match: what happened since a seat last decided, so that a bot needs no memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, Self, TypeVar

E = TypeVar("E")


class Log(Generic[E]):
    """Events in order, with a bookmark per seat.

    Call `decided(seats)` at the start of a `play`, before its consequences are added: everything added from then on
    is news to those seats until they decide again. The public's news (`since(None)`) is what the latest decision
    brought about. Events that are no longer news to any seat are dropped now and then; count a seat that will never
    be asked again among those that decide, or its bookmark keeps everything.
    """

    __slots__ = ("_bookmarks", "_events", "_latest", "_written")

    def __init__(self, players: int) -> None:
        self._events: list[E] = []
        self._written: list[bytes] = []
        """The wire forms of the first so many events: of as many as a view has told."""
        self._bookmarks = [0] * players
        self._latest = 0

    @classmethod
    def told(cls, players: int, events: Iterable[E]) -> Self:
        """A log in which these events are news to every seat and to the public: all that one view tells of the past."""
        log = cls(players)
        log._events.extend(events)
        return log

    def add(self, event: E) -> None:
        self._events.append(event)

    def decided(self, seats: Iterable[int]) -> None:
        here = len(self._events)
        bookmarks = self._bookmarks
        for seat in seats:
            bookmarks[seat] = here
        self._latest = here
        if here > 256:
            self._drop()

    def since(self, seat: int | None) -> list[E]:
        return self._events[self._latest if seat is None else self._bookmarks[seat] :]

    def written(self, seat: int | None, write: Callable[[E], bytes]) -> list[bytes]:
        """The same as `since`, each event as `write` writes it: once, for all seats that are told of it."""
        written = self._written
        if len(written) < len(self._events):
            written += map(write, self._events[len(written) :])
        return written[self._latest if seat is None else self._bookmarks[seat] :]

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin._events = self._events.copy()
        twin._written = self._written.copy()
        twin._bookmarks = self._bookmarks.copy()
        twin._latest = self._latest
        return twin

    def _drop(self) -> None:
        old = min(self._latest, *self._bookmarks)
        if old > 128:
            del self._events[:old]
            del self._written[:old]
            self._bookmarks = [mark - old for mark in self._bookmarks]
            self._latest -= old


class Unheard(Log[E]):
    """The log of a match of which no view will be asked: it keeps nothing."""

    __slots__ = ()

    def add(self, event: E) -> None:
        pass

    def decided(self, seats: Iterable[int]) -> None:
        pass
