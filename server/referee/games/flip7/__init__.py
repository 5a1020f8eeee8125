"""Flip 7: press your luck, card by card. The rules are in RULES.md, beside this file."""

from referee.games.flip7.game import GAME

__all__ = ["GAME"]
