"""What a command is doing while a person waits: one line on stderr, rewritten on a terminal, now and then elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from referee.cli.output import stderr_console

QUIET_SECONDS = 5.0
"""Where there is no terminal, a step is told only if it takes longer than this, and then as often."""


class ProgressLine:
    """`async with ProgressLine() as line: line.tell("playing flip7")`."""

    def __init__(self, seconds: float = QUIET_SECONDS) -> None:
        self._seconds = seconds
        self._text = ""
        self._status: Any = None
        self._reminding: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        console = stderr_console()
        if console.is_terminal and not console.is_dumb_terminal:
            self._status = console.status("")
        else:
            self._reminding = asyncio.get_running_loop().create_task(self._remind())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
        if self._reminding is not None:
            self._reminding.cancel()

    def tell(self, text: str) -> None:
        """What is being done now."""
        self._text = text
        if self._status is not None:
            self._status.update(text)
            self._status.start()

    def aside(self, print_it: Callable[[], object]) -> None:
        """Print something else, with the line out of the way."""
        if self._status is not None:
            self._status.stop()
        print_it()

    async def _remind(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            if self._text:
                stderr_console().print(f"… {self._text}", style="dim", markup=False, soft_wrap=True)
