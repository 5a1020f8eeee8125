"""Where the server is looked for: the address that was given, then those that the server has told, in turn."""

from __future__ import annotations

from collections.abc import Iterable


class Addresses:
    """A list of addresses and the one whose turn it is."""

    def __init__(self, given: str) -> None:
        self._all = [given]
        self._turn = 0

    @property
    def current(self) -> str:
        return self._all[self._turn % len(self._all)]

    @property
    def is_given(self) -> bool:
        return self.current == self._all[0]

    def learn(self, further: Iterable[str]) -> None:
        """The server has told where else it is to be found."""
        self._all[1:] = [address for address in further if address != self._all[0]]

    def back_to_first(self) -> None:
        """It had worked: the address that was given comes first again."""
        self._turn = 0

    def try_next(self) -> None:
        """It does not answer: another address may."""
        self._turn += 1
