"""The sheet of one player of Encore et Encore!: what is marked, circled and crossed out, and the points on it."""

from __future__ import annotations

from typing import Self

from referee.games.encore.shapes import EVERY
from referee.games.encore.sheet import Sheet


class Paper:
    """One player's sheet in play."""

    __slots__ = (
        "bombs_owed",
        "circled",
        "colour_points",
        "colours",
        "column_points",
        "columns",
        "fresh",
        "heart_points",
        "hearts",
        "marked",
        "marks",
        "near",
        "open",
        "row_points",
        "rows",
        "sheet",
        "shown",
        "shown_lines",
        "unused_roll_points",
        "used",
    )

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.marked = 0
        self.near = 0
        """Unmarked boxes side by side with a marked one."""
        self.fresh = EVERY
        """Boxes marked since lines were last settled: no other line can have been completed. At first any may be."""
        self.open = sheet.open_at_first
        """What `open_shapes` found when it was last asked."""
        self.marks = sheet.exclamation_marks
        """Exclamation marks not crossed out."""
        self.circled = sheet.special_dice_circled
        """Special dice ever circled, used ones included."""
        self.used = 0
        """Special dice crossed out."""
        self.hearts = 0
        self.bombs_owed = 0
        # Completed lines that have been settled, one bit each.
        self.rows = 0
        self.columns = 0
        self.colours = 0
        self.row_points = 0
        self.column_points = 0
        self.heart_points = 0
        self.colour_points = 0
        self.unused_roll_points = 0
        self.shown: tuple[bytes, bytes] | None = None
        """Its score and itself as views show them; None where that has changed since."""
        self.shown_lines: bytes | None = None
        """The same for completed lines and their points alone, which seldom change."""

    def mark(self, boxes: int) -> None:
        """Mark these boxes; every golden die among them circles a special die at once."""
        sheet = self.sheet
        self.marked = marked = self.marked | boxes
        self.fresh |= boxes
        self.shown = None
        self.near = (self.near | sheet.touched[boxes].beside | marked) ^ marked
        golden = boxes & sheet.golden_dice
        if golden:
            for _ in range(golden.bit_count()):
                self.circle_special_die()

    def completes(self) -> bool:
        """Whether a line with a fresh box is complete: if not, there is nothing to settle, and no box stays fresh."""
        unmarked = ~self.marked
        for boxes in self.sheet.touched[self.fresh].boxes:
            if not boxes & unmarked:
                return True
        self.fresh = 0
        return False

    def settled(self) -> None:
        """A line or its points have been written down."""
        self.shown = self.shown_lines = None

    def open_shapes(self) -> bytes:
        """For each shape of the sheet's catalogue 1 if it can be marked now, else 0.

        It can be from when one of its boxes is within reach until one of them is marked. Both only come to be, never
        cease, so what has come since the last time is added to what was known then.
        """
        before, reach, closed, reached, flags = self.open
        marked = self.marked
        if marked != before:
            shapes = self.sheet.shapes
            further = reach | self.near
            closed |= shapes.having(marked ^ before)
            reached |= shapes.having(further ^ reach)
            flags = shapes.flags((reached | closed) ^ closed)  # `& ~` takes ten times as long with so many digits
            self.open = (marked, further, closed, reached, flags)
        return flags

    def circle_special_die(self) -> None:
        """Circle the next special die; one more than the sheet has is lost."""
        if self.circled < self.sheet.special_dice:
            self.circled += 1

    def circle_heart(self) -> None:
        """Circle the next heart; no effect when all are."""
        if self.hearts < self.sheet.hearts:
            self.hearts += 1

    def give(self, bonus: str) -> None:
        """Give the bonus of a row or column; a bomb is owed until it is asked for."""
        if bonus == "special_die":
            self.circle_special_die()
        elif bonus == "heart":
            self.circle_heart()
        elif bonus == "bomb":
            self.bombs_owed += 1

    def score(self) -> int:
        """What this paper scores if the match ends now."""
        sheet = self.sheet
        return (
            self.colour_points
            + self.column_points
            + self.row_points
            + self.heart_points
            + self.unused_roll_points
            + self.marks * sheet.unused_mark_points
            + (self.circled - self.used) * sheet.unused_die_points
            - (sheet.stars & ~self.marked).bit_count() * sheet.star_penalty
        )

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        for name in Paper.__slots__:
            setattr(twin, name, getattr(self, name))
        return twin
