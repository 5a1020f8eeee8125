"""Tall Tales: a tiny game of sealed bluffs, packaged the way anybody would package a game for Referee."""

from tall_tales.game import TallTales

GAME = TallTales()
