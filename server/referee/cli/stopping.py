"""Ctrl-C and SIGTERM: the first signal asks to stop after the running matches, the second stops at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


class Stopping:
    """Catches both signals in the running event loop; each sets an event and calls a callback."""

    def __init__(
        self, on_asked: Callable[[], object] = lambda: None, on_insisted: Callable[[], object] = lambda: None
    ) -> None:
        self.asked = asyncio.Event()
        self.insisted = asyncio.Event()
        self.failure: BaseException | None = None
        self._on_asked, self._on_insisted = on_asked, on_insisted
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._signal)

    def ask(self) -> None:
        """The same as a first signal; nothing if there was one."""
        if not self.asked.is_set():
            self.asked.set()
            self._on_asked()

    def fail(self, error: BaseException) -> None:
        """Something broke: it stops as if asked, and the caller finds the reason in `failure`."""
        self.failure = error
        self.ask()

    def _signal(self) -> None:
        if not self.asked.is_set():
            self.ask()
        else:
            self.insisted.set()
            self._on_insisted()
