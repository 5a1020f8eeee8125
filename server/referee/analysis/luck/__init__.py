"""Luck taken off results: control variates from the yardstick's rollouts, and ratings with and without luck.

meter = meter_of(game, players, options)      # how luck is measured
meter.luck(record)                            # of all seats of one match: has the mean zero, whatever the bots do
adjust(matches)                               # results without luck, and how much narrower they are
"""

from referee.analysis.luck.adjusted import AdjustedRatings, LuckyMatch, adjust
from referee.analysis.luck.chance_events import Luckmeter, check_game, place_share
from referee.analysis.luck.measuring import measured, meter_of

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
