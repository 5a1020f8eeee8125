"""Which part of a long list is shown, and the lines that show it."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.text import Text

from referee_leaderboard.names import count
from referee_leaderboard.sheet import line


@dataclass(frozen=True, slots=True)
class Window:
    """The entries `first` to `end` (without) of `total`."""

    total: int = 0
    first: int = 0
    end: int = 0

    @classmethod
    def of_rows(cls, total: int, room: int, offset: int) -> Window:
        """The rows from `offset` that fit into `room` lines; when not all do, one line is kept to say how many more.

        An offset too far shows the last page.
        """
        return cls.of_columns(total, room if total <= room else room - 1, offset)

    @classmethod
    def of_columns(cls, total: int, room: int, offset: int) -> Window:
        """The columns from `offset`, `room` of them at most."""
        shown = min(total, max(0, room))
        first = min(max(0, offset), total - shown)
        return cls(total, first, first + shown)

    @property
    def partial(self) -> bool:
        """Whether some entries are left out."""
        return self.end - self.first < self.total

    def more_line(self) -> Text:
        """`… 23 more`, or how much lies above and below this page."""
        below = self.total - self.end
        if self.first == 0:
            words = f"… {count(below)} more"
        elif below == 0:
            words = f"… {count(self.first)} above"
        else:
            words = f"… {count(self.first)} above, {count(below)} more"
        return line((words, "dim italic"))


@dataclass(frozen=True, slots=True)
class Block:
    """Drawn lines, and which rows and columns of the whole they show."""

    lines: list[Text]
    rows: Window = field(default_factory=Window)
    columns: Window = field(default_factory=Window)

    @classmethod
    def saying(cls, words: str, height: int) -> Block:
        """A single line where there is nothing to show."""
        return cls([line((words, "dim italic"))][: max(0, height)])
