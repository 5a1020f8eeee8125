"""The event log of a match: what happened since a seat last decided, so that a bot needs no memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Self, TypeVar

E = TypeVar("E")


class Log(Generic[E]):
    """Events in order, with a bookmark per seat.

    Call `decided(seats)` at the start of a `play`, before its consequences are added: everything added from then on
    is news to those seats until they decide again. The public's news (`since(None)`) is what the latest decision
    brought about. Events that are no longer news to any seat are dropped now and then; count a seat that will never
    be asked again among those that decide, or its bookmark keeps everything.
    """

    __slots__ = ("_bookmarks", "_events", "_latest")

    def __init__(self, players: int) -> None:
        self._events: list[E] = []
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

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin._events = self._events.copy()
        twin._bookmarks = self._bookmarks.copy()
        twin._latest = self._latest
        return twin

    def _drop(self) -> None:
        old = min(self._latest, *self._bookmarks)
        if old > 128:
            del self._events[:old]
            self._bookmarks = [mark - old for mark in self._bookmarks]
            self._latest -= old


class Unheard(Log[E]):
    """The log of a match of which no view will be asked: it keeps nothing."""

    __slots__ = ()

    def add(self, event: E) -> None:
        pass

    def decided(self, seats: Iterable[int]) -> None:
        pass
