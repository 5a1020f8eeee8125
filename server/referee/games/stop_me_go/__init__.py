"""STOP me GO: agents bid in secret for gangsters who may escape. The rules are in RULES.md, beside this file."""

from referee.games.stop_me_go.game import GAME

__all__ = ["GAME"]
