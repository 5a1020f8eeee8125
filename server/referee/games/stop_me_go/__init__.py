"""STOP me GO: agents bid in secret for gangsters who escape whenever two of them interfere."""

from referee.games.stop_me_go.game import GAME, StopMeGo

__all__ = ["GAME", "StopMeGo"]
