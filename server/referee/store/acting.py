"""Who acts: the note of an admin's action, which is stored in the very transaction that stores the action.

An action is told once to the context in which it is done (`acting`), and the first thing that is written there carries
its note along: neither a crash nor a full disk can leave the one without the other. Tasks and threads that were started
in that context (`referee.threads`) belong to it, so an action that is done to its end after its caller has gone is
noted, too. What is only worked out from stored results, or has to be there before the action, is written beside it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from referee.store import journal
from referee.store.plain import plain


class Deed:
    """What somebody does: `words` in the past tense, `subject` what it is done to; open until something is stored."""

    def __init__(self, who: str, role: str, words: str, subject: str | Callable[[Any], str] = "") -> None:
        """`subject` may depend on what comes of it: it is called with the answer of what is stored first."""
        self.who = who
        self.role = role
        self.words = words
        self._subject = subject
        self._open = True
        self._guard = threading.Lock()

    def take(self) -> bool:
        """Whether the caller is the one to store the note."""
        with self._guard:
            taken, self._open = self._open, False
            return taken

    @property
    def open(self) -> bool:
        """Whether nothing of it is stored yet."""
        return self._open

    def give_back(self) -> None:
        """What was taken could not be stored."""
        with self._guard:
            self._open = True

    def entry(self, now: int, answer: Any) -> dict[str, Any]:
        """The note as an entry of the journal."""
        subject = self._subject if isinstance(self._subject, str) else self._subject(answer)
        told = {"who": plain(self.who), "role": self.role, "action": self.words, "subject": plain(subject)}
        return journal.entry("action", now, **told)


_DEED: ContextVar[Deed | None] = ContextVar("the action that is being done", default=None)


def begin(deed: Deed) -> None:
    """From now on this is what is done in this context: in that of a call, which ends with it."""
    _DEED.set(deed)


@contextmanager
def acting(deed: Deed) -> Iterator[None]:
    """What is done inside is this action. One that was refused is over: nothing that comes later is noted as done."""
    token = _DEED.set(deed)
    try:
        yield
    except Exception:
        deed.take()
        raise
    finally:
        _DEED.reset(token)


def taken() -> Deed | None:
    """The action of this context, for who stores its note now; None if there is none, or its note is stored."""
    deed = _DEED.get()
    return deed if deed is not None and deed.take() else None


def begun() -> bool:
    """Whether an action is being done in this context of which nothing is stored yet."""
    deed = _DEED.get()
    return deed is not None and deed.open
