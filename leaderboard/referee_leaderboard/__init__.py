"""The leaderboard: standings as a value, drawn for a terminal, a log, a page or a picture."""

import sys
from typing import TYPE_CHECKING

__all__ = [
    "VIEWS",
    "Connection",
    "Crosstable",
    "Event",
    "FaultKind",
    "Feed",
    "Outcome",
    "Playing",
    "Pooled",
    "SeatRecord",
    "SeatTotal",
    "Seats",
    "Standing",
    "Standings",
    "StandingsError",
    "State",
    "Strength",
    "Strengths",
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

if TYPE_CHECKING:  # what editors and type checkers read
    from referee_leaderboard.connection import Connection
    from referee_leaderboard.crosstable import Crosstable
    from referee_leaderboard.drawing.header import plain_progress_line
    from referee_leaderboard.export import to_csv, to_svg, to_text
    from referee_leaderboard.feed import Event, Feed
    from referee_leaderboard.live import watch
    from referee_leaderboard.page import to_html
    from referee_leaderboard.pooled import Pooled
    from referee_leaderboard.screen import VIEWS, View, final_table, render
    from referee_leaderboard.seats import SeatRecord, Seats, SeatTotal
    from referee_leaderboard.standings import FaultKind, Outcome, Playing, Standing, Standings, StandingsError, State
    from referee_leaderboard.strengths import Strength, Strengths
else:
    # Looked up on first use: a program that only computes standings need not load what draws them.
    _MODULE_OF = {
        "Connection": "connection",
        "Crosstable": "crosstable",
        "Event": "feed",
        "FaultKind": "standings",
        "Feed": "feed",
        "Outcome": "standings",
        "Playing": "standings",
        "Pooled": "pooled",
        "SeatRecord": "seats",
        "SeatTotal": "seats",
        "Seats": "seats",
        "Standing": "standings",
        "Standings": "standings",
        "StandingsError": "standings",
        "State": "standings",
        "Strength": "strengths",
        "Strengths": "strengths",
        "VIEWS": "screen",
        "View": "screen",
        "final_table": "screen",
        "plain_progress_line": "drawing.header",
        "render": "screen",
        "to_csv": "export",
        "to_html": "page",
        "to_svg": "export",
        "to_text": "export",
        "watch": "live",
    }

    def __getattr__(name):
        from importlib import import_module

        if name not in _MODULE_OF:  # `obj` lets Python ask "Did you mean"
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
        value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        return value

    def __dir__():
        return [*__all__, "__doc__", "__file__", "__name__"]
