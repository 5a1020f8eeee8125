"""Luck taken off results: control variates from the value of positions, and ratings with and without luck.

meter = meter_of(game, players, options)      # how luck is measured; learns what positions are worth
meter.luck(record)                            # of all seats of one match: has the mean zero, whatever the bots do
adjust(matches)                               # results without luck, and how much narrower they are
"""

from referee.analysis.luck.adjusted import AdjustedRatings, LuckyMatch, adjust
from referee.analysis.luck.chance_events import Luckmeter, check_game
from referee.analysis.luck.measuring import measured, meter_of
from referee.analysis.luck.value import place_share

__all__ = [
    "AdjustedRatings",
    "Luckmeter",
    "LuckyMatch",
    "adjust",
    "check_game",
    "measured",
    "meter_of",
    "place_share",
]
