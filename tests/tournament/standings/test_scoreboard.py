"""What a scoreboard counts, how it ranks, and when two of them have the same digest."""

from __future__ import annotations

from random import Random

import pytest

from referee.tournament.ratings import RatingSettings
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard
from referee.tournament.standings.totals import LARGEST_CROSSTABLE

SETTINGS = RatingSettings(draw_probability=0.1)
BOTS = ("ada", "bob", "cy")


def score(ordinal: int, bots: tuple[str, ...] = BOTS[:2], ranks: tuple[int, ...] = (1, 2), **changes: object) -> Score:
    scores = tuple(10 * (3 - rank) for rank in ranks)
    values = {"scores": scores, "faults": ("",) * len(bots)} | changes
    return Score(ordinal, f"league/{ordinal}", 1, bots, ranks, **values)  # type: ignore[arg-type]


def board(players: int = 2) -> Scoreboard:
    return Scoreboard(SETTINGS, BOTS, players)


def test_a_result_counts_once_however_often_it_is_told() -> None:
    told = board()
    for _ in range(3):
        told.add(score(0))
        told.add(score(2))
        told.skip(1)
    assert (told.matches, told.aside) == (2, 1)
    [ada] = [row for row in told.rows() if row.bot == "ada"]
    assert (ada.matches, ada.wins, ada.mean_rank, ada.mean_score) == (2, 2, 1.0, 20.0)
    assert [outcome.match for outcome in told.latest] == ["league/2", "league/0"]


def test_faults_seats_and_meetings_are_counted() -> None:
    told = board()
    told.add(score(0, faults=("", "timeout")))
    told.add(score(1, ("bob", "ada"), (1, 1)))
    rows = {row.bot: row for row in told.rows()}
    assert rows["bob"].faults == 1
    assert rows["ada"].faults == 0
    assert rows["cy"].mean_rank is None
    table = told.crosstable()
    assert table.meetings[0][1] == table.meetings[1][0] == 2
    assert (table.better[0][1], table.better[1][0], table.equal[0][1]) == (1, 0, 1)
    seats = {(record.bot, record.seat): record.wins for record in told.seats().records}
    assert seats == {("ada", 0): 1, ("ada", 1): 1, ("bob", 0): 1, ("bob", 1): 0}


def test_bots_that_always_draw_share_the_first_rank() -> None:
    told = board()
    for ordinal in range(20):
        told.add(score(ordinal, ("ada", "bob") if ordinal % 2 else ("bob", "ada"), (1, 1)))
    rows = {row.bot: row for row in told.rows()}
    assert rows["ada"].rank == rows["bob"].rank == 1
    assert rows["ada"].mu == rows["bob"].mu == pytest.approx(25.0)
    assert rows["ada"].sigma == rows["bob"].sigma < rows["cy"].sigma
    assert rows["cy"].rank == 3


def test_a_shared_first_place_is_split_while_first_places_are_counted_as_before() -> None:
    """Bots that draw forty times have twenty wins each; digests and exports hold the first places."""
    told = board(players=3)
    for ordinal in range(40):
        told.add(score(ordinal, BOTS, (1, 1, 3)))
    told.add(score(40, BOTS, (1, 1, 1)))
    rows = {row.bot: row for row in told.rows()}
    assert rows["ada"].wins == 41
    assert rows["ada"].won == pytest.approx(20 + 1 / 3)
    assert sum(row.won for row in rows.values()) == pytest.approx(41)
    assert sum(total.won for total in told.seats().overall) == pytest.approx(41)
    assert told.totals("ada")["wins"] == 41


def test_seats_are_accused_by_one_test_and_mirrored_blocks_count_once() -> None:
    dice = Random("seats")
    fair, unfair = board(), board()
    mirrored = Scoreboard(SETTINGS, BOTS, 2, lambda ordinal: ordinal - ordinal % 2)
    for ordinal in range(60):
        bots = ("ada", "bob") if ordinal % 2 else ("bob", "ada")
        fair.add(score(ordinal, bots, (1, 2) if dice.random() < 0.5 else (2, 1)))
        unfair.add(score(ordinal, bots, (1, 2) if dice.random() < 0.9 else (2, 1)))
        mirrored.add(score(ordinal, bots, (1, 2)))
    assert not fair.seats().differ
    assert unfair.seats().differ
    alone, block = unfair.seats().overall[0], mirrored.seats().overall[0]
    assert block.low is not None
    assert alone.low is not None
    assert block.low == pytest.approx(30 / (30 + 1.96**2), abs=1e-3)  # Wilson's end for 30 wins in 30 blocks


def test_alone_at_the_table_the_mean_score_ranks() -> None:
    told = board(players=1)
    for ordinal, (bot, points) in enumerate((("ada", 10), ("bob", 30), ("ada", 40), ("bob", 30))):
        told.add(score(ordinal, (bot,), (1,), scores=(points,), faults=("",)))
    assert [(row.rank, row.bot, row.mean_score) for row in told.rows()] == [
        (1, "bob", 30.0),
        (2, "ada", 25.0),
        (3, "cy", None),
    ]


def test_the_digest_tells_every_difference_and_nothing_else() -> None:
    scores = [score(ordinal, BOTS[ordinal % 2 :][:2], (1 + ordinal % 3 // 2, 2)) for ordinal in range(12)]
    digests = set()
    for seed in range(4):
        told = board()
        for each in Random(seed).sample(scores, len(scores)):
            told.add(each)
        digests.add(told.digest())
    assert len(digests) == 1
    for change in ({"ranks": (2, 1)}, {"scores": (20, 11)}, {"faults": ("", "crash")}):
        told = board()
        for each in scores[:-1]:
            told.add(each)
        told.add(score(11, scores[11].bots, **{"ranks": scores[11].ranks} | change))
        assert told.digest() not in digests
        digests.add(told.digest())


def test_ranks_before_the_last_change_are_remembered() -> None:
    told = board()
    told.add(score(0))
    told.rows()
    for ordinal in range(1, 5):
        told.add(score(ordinal, ranks=(2, 1)))
    rows = {row.bot: row for row in told.rows()}
    assert (rows["bob"].rank, rows["bob"].previous_rank) == (1, 3)
    assert rows == {row.bot: row for row in told.rows()}


def test_strengths_lag_behind_while_matches_are_played_and_are_exact_when_wanted_now() -> None:
    told = board()
    for ordinal in range(99):
        told.add(score(ordinal))
    assert told.strengths(now=False).matches == 0
    told.add(score(99))
    assert told.strengths(now=False).matches == 100
    told.add(score(100))
    assert told.strengths(now=False).matches == 100
    assert told.strengths(now=True).matches == 101
    assert told.strengths(now=True).rows[0].bot == "ada"
    for ordinal in range(101, 202):
        told.add(score(ordinal))
    assert told.strengths(now=False).matches == 200  # of the beginning that was doubled last
    told.skip(203)
    told.add(score(204))
    assert told.strengths(now=True).matches == 203


def test_mirrored_matches_are_weighed_as_blocks() -> None:
    apart = Scoreboard(SETTINGS, BOTS[:2], 2)
    together = Scoreboard(SETTINGS, BOTS[:2], 2, deal=lambda ordinal: ordinal // 4)
    for ordinal in range(200):
        won = (1, 2) if ordinal // 4 % 3 else (2, 1)
        for told in (apart, together):
            told.add(score(ordinal, ranks=won))
    assert together.strengths(now=True).rows[0].error > 1.2 * apart.strengths(now=True).rows[0].error


def test_alone_at_the_table_there_are_no_strengths() -> None:
    told = board(players=1)
    told.add(score(0, ("ada",), (1,)))
    assert told.strengths(now=True).rows == ()


def test_a_hall_too_large_to_read_has_no_crosstable() -> None:
    names = [f"bot {number}" for number in range(LARGEST_CROSSTABLE + 1)]
    large = Scoreboard(SETTINGS, names, 2)
    large.add(score(0, (names[0], names[-1])))
    assert large.crosstable().bots == ()
    assert large.rows()[0].bot == names[0]
    assert Scoreboard(SETTINGS, names[:-1], 2).crosstable().bots == tuple(names[:-1])


def test_nothing_has_moved_before_the_first_result_or_in_final_standings() -> None:
    told = board()
    told.rows()
    told.add(score(0))
    assert {row.previous_rank for row in told.rows()} == {None}
    for ordinal in range(1, 5):
        told.add(score(ordinal, ranks=(2, 1)))
    assert any(row.climbed for row in told.rows())
    assert {row.previous_rank for row in told.rows(final=True)} == {None}
