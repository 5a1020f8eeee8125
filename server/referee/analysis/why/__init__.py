"""Why a match was lost: what each decision of a seat was worth, and how lucky it was, by rollouts of a house bot.

    setting = Setting(Yardstick.of(game), seat=2, rollouts=64, seed=0)
    why = explain(match, setting)          # a RecordedMatch of `analysis.replay`
    why.costliest(3)                       # the decisions that cost most
    why.luck.rank                          # luck summed, in ranks

A position is valued by playing it to the end many times: what the seat cannot know is drawn anew each time, and a house
bot, the yardstick, plays all seats. `luck_of_record` is the part of it that needs no list of moves.
"""

from referee.analysis.why.explained import CostlyChoice, Explained
from referee.analysis.why.luck import LuckOfMatch, luck_of_record
from referee.analysis.why.over_many import Habit, Habits, habits
from referee.analysis.why.pool import explain
from referee.analysis.why.positions import Setting
from referee.analysis.why.yardstick import Yardstick

__all__ = [
    "CostlyChoice",
    "Explained",
    "Habit",
    "Habits",
    "LuckOfMatch",
    "Setting",
    "Yardstick",
    "explain",
    "habits",
    "luck_of_record",
]
