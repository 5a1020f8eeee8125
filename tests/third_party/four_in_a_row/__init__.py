"""Four in a Row: a game without any chance, in which bots without dice play the same match again and again."""

from four_in_a_row.game import FourInARow

GAME = FourInARow()
