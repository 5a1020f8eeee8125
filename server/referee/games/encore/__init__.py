"""Encore et Encore!: dice for all, a sheet of 105 boxes for each. The rules are in RULES.md, beside this file."""

from referee.games.encore.game import GAME

__all__ = ["GAME"]
