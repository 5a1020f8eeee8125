"""STOP!: calls between draws, auctions in sealed windows, and a winner who splits the cards on the table."""

from referee.games.stop.game import Stop

GAME = Stop()

__all__ = ["GAME"]
