"""The views of the games that come with Referee: generated from proto/arena/games and never edited."""
