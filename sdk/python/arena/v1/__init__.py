"""The protocol `arena.v1`: generated from proto/arena/v1 and never edited."""
