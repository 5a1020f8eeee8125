"""Statistics that stay honest however often one looks: confidence sequences and evidence (e-processes).

An ordinary 95 % interval is right in 95 % of all experiments whose length was fixed before. Whoever looks after every
match and stops as soon as the interval says what he hopes for is wrong far more often. A confidence sequence is a
series of intervals, one after each value, which *all at once* contain the true mean with the stated probability: look
as often as you like, stop when you like.

- `Evidence` weighs one hypothesis ("the mean is at most 0") against bounded values.
- `ConfidenceSequence` gives the interval of the mean of bounded values: exact at every length.
- `ApproximateSequence` does so for values without known bounds, such as scores: right for long series.

How strong the bots are by all results together is in `strengths.py`, with a bootstrap in `bootstrap.py`; whether a
seat is better in `seats_alike.py`; how many matches tell a small difference in `power.py`.
"""

from referee.tournament.statistics.approximate import ApproximateSequence
from referee.tournament.statistics.betting import ConfidenceSequence, Evidence, Interval

__all__ = ["ApproximateSequence", "ConfidenceSequence", "Evidence", "Interval"]
