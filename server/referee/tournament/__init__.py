"""Tournaments: schedules, ratings, standings, and the runner that plays them."""
