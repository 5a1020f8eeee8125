"""Encore et Encore!: dice for everybody, a sheet of 105 boxes for each, and races for rows, columns and colours."""

from referee.games.encore.game import GAME

__all__ = ["GAME"]
