"""Referee: a tournament engine for bot competitions."""

__version__ = "0.1.0"
