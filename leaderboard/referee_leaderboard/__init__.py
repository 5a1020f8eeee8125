"""The leaderboard: standings as a value, drawn for a terminal, a log, a page or a picture."""

from referee_leaderboard.connection import Connection
from referee_leaderboard.crosstable import Crosstable
from referee_leaderboard.drawing.header import plain_progress_line
from referee_leaderboard.export import to_csv, to_svg, to_text
from referee_leaderboard.feed import Event, Feed
from referee_leaderboard.live import watch
from referee_leaderboard.page import to_html
from referee_leaderboard.screen import VIEWS, View, final_table, render
from referee_leaderboard.seats import SeatRecord, Seats, SeatTotal
from referee_leaderboard.standings import Outcome, Playing, Standing, Standings, StandingsError, State

__all__ = [
    "VIEWS",
    "Connection",
    "Crosstable",
    "Event",
    "Feed",
    "Outcome",
    "Playing",
    "SeatRecord",
    "SeatTotal",
    "Seats",
    "Standing",
    "Standings",
    "StandingsError",
    "State",
    "View",
    "final_table",
    "plain_progress_line",
    "render",
    "to_csv",
    "to_html",
    "to_svg",
    "to_text",
    "watch",
]
