"""Matchsticks: a tiny game of turns whose view is a protobuf message of its own."""

from matchsticks.game import Matchsticks

GAME = Matchsticks()
