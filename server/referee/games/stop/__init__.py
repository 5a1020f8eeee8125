"""STOP!: calls between draws, auctions in sealed windows, a split. The rules are in RULES.md, beside this file."""

from referee.games.stop.game import GAME

__all__ = ["GAME"]
