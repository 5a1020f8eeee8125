"""Ladder: no bot starves, the leader is never left alone, newcomers rise at once, seasons begin anew; by simulation."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.chance import Seeded
from referee.tournament.formats import ladder_past
from referee.tournament.formats.format import Drawn, Field, Finished, SettledRound, SettledTable, Waiting
from referee.tournament.formats.ladder import Ladder, information
from referee.tournament.plan import Plan, checked
from referee.tournament.ratings import Ratings, RatingSettings
from referee.tournament.ratings.trueskill_update import Belief
from referee.tournament.schedule.pairing import ScheduleError

from .simulated import Simulation, by_strength


def opponents(entrant: int, rounds: Sequence[SettledRound]) -> set[int]:
    """All it has sat at a table with."""
    tables = [table.seats for settled in rounds for table in settled.tables if entrant in table.seats]
    return {other for seats in tables for other in seats if other != entrant}


def connected(entrants: set[int], rounds: Sequence[SettledRound]) -> bool:
    """Whether all these are linked by meetings, so that their ratings can be compared."""
    reached, waiting = set[int](), [min(entrants)]
    while waiting:
        entrant = waiting.pop()
        if entrant not in reached:
            reached.add(entrant)
            waiting += sorted(opponents(entrant, rounds))
    return entrants <= reached


def coming_and_going(ladder: Ladder, players: int, rounds: int, seed: int, most: int = 20) -> Simulation:
    """A ladder of up to so many bots of which now and then one comes or goes."""
    rng = random.Random(seed)
    strengths = [rng.gauss(25, 6) for _ in range(most)]
    simulation = Simulation(ladder, most, players, by_strength(strengths, 4.0, seed), seed)
    simulation.active = set(range(most // 2))
    for _ in range(rounds):
        assert simulation.step() is not None
        for entrant in range(most):
            if entrant in simulation.active:
                if rng.random() < 0.02 and len(simulation.active) > players:
                    simulation.active.remove(entrant)
            elif rng.random() < 0.05:
                simulation.active.add(entrant)
    return simulation


def check_nobody_starves(simulation: Simulation, quota: int) -> None:
    """Nobody plays less than its quota twice in a row, nobody more than it, and newcomers sit out last."""
    short: set[int] = set()
    for settled in simulation.played:
        count = dict.fromkeys(sorted(settled.active), 0)
        for table in settled.tables:
            for entrant in table.seats:
                count[entrant] += 1
        assert max(count.values()) <= quota
        now = {entrant for entrant, played in count.items() if played < quota}
        assert min(count.values()) >= quota - 1
        assert len(now) <= quota * (simulation.players - 1)
        if quota == 1:
            assert not now & short
        short = now


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(2, 5), st.integers(1, 2), st.integers(0, 999))
def test_nobody_starves_while_bots_come_and_go(players: int, quota: int, seed: int) -> None:
    check_nobody_starves(coming_and_going(Ladder(quota=quota), players, 25, seed), quota)


def test_nobody_sits_out_twice_in_a_round_of_several_matches_each() -> None:
    """23 bots at tables of 3, three matches each in a round: two sit out each time, and they are six different ones."""
    strengths = [25.0 + entrant % 5 for entrant in range(23)]
    simulation = Simulation(Ladder(quota=3), 23, 3, by_strength(strengths, 4.0, 2), 2)
    for _ in range(20):
        simulation.step()
    check_nobody_starves(simulation, 3)


@pytest.mark.soak
@pytest.mark.parametrize("players", [2, 3, 4, 6])
@pytest.mark.parametrize("quota", [1, 3])
def test_nobody_starves_in_a_long_ladder(players: int, quota: int) -> None:
    for seed in range(5):
        simulation = coming_and_going(Ladder(quota=quota, season=100), players, 400, seed, most=40)
        check_nobody_starves(simulation, quota)


def check_leader(players: int, entrants: int, rounds: int, window: int, seed: int) -> None:
    """The best bot, far ahead of all, plays and meets ever different others; everyone stays linked with everyone."""
    strengths = [25.0 + (entrant == 0) * 25 - entrant * 0.5 for entrant in range(entrants)]
    simulation = Simulation(Ladder(), entrants, players, by_strength(strengths, 4.0, seed), seed)
    for _ in range(rounds):
        simulation.step()
    places = simulation.format.places(simulation.field, simulation.played)
    assert places[0] == (0,)
    for start in range(0, rounds - window + 1, window // 2):
        part = simulation.played[start : start + window]
        matches = sum(0 in table.seats for settled in part for table in settled.tables)
        assert matches >= window // 2  # who sits out plays in the next round
        assert len(opponents(0, part)) >= min(entrants - 1, 6)
        assert connected(set(range(entrants)), part)


@pytest.mark.parametrize(("players", "entrants"), [(2, 13), (4, 18)])
def test_the_leader_is_never_isolated(players: int, entrants: int) -> None:
    check_leader(players, entrants, rounds=48, window=12, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("players", "entrants"), [(2, 40), (3, 31), (4, 50), (6, 33)])
def test_the_leader_is_never_isolated_in_a_long_ladder(players: int, entrants: int, seed: int) -> None:
    check_leader(players, entrants, rounds=600, window=12, seed=seed)


def test_the_ladder_finds_the_order_and_lets_neighbours_meet() -> None:
    strengths = [25.0 - 1.5 * entrant for entrant in range(16)]
    simulation = Simulation(Ladder(), 16, 4, by_strength(strengths, 4.0, 3), 3)
    for _ in range(60):
        simulation.step()
    order = [entrant for place in simulation.format.places(simulation.field, simulation.played) for entrant in place]
    assert sum(abs(place - entrant) for place, entrant in enumerate(order)) / 16 < 1.5  # by luck alone 5.3
    gaps = [
        abs(strengths[a] - strengths[b])
        for settled in simulation.played[20:]
        for table in settled.tables
        for a in table.seats
        for b in table.seats
        if a != b
    ]
    everyone = [abs(a - b) for a in strengths for b in strengths if a != b]
    assert sum(gaps) / len(gaps) < 0.9 * sum(everyone) / len(everyone)


def test_a_strong_newcomer_plays_at_once_and_every_round_and_is_soon_on_top() -> None:
    strengths = [25.0 - entrant for entrant in range(13)] + [45.0]
    simulation = Simulation(Ladder(), 14, 4, by_strength(strengths, 3.0, 5), 5)
    simulation.active = set(range(13))
    for _ in range(20):
        simulation.step()
    simulation.active.add(13)
    for at in range(12):
        drawn = simulation.step()
        assert drawn is not None
        tables = [table for table in drawn.tables if 13 in table.seats]
        if at < 5:
            assert len(tables) == 1
            assert tables[0].why.endswith("one of them new: newcomers are drawn first")
    places = simulation.format.places(simulation.field, simulation.played)
    assert 13 in [entrant for place in places[:3] for entrant in place]


def test_ratings_are_those_of_trueskill_in_the_order_of_rounds_and_tables() -> None:
    simulation = coming_and_going(Ladder(tau=0.0), 3, 15, seed=2)
    expected = Ratings(RatingSettings(), [str(entrant) for entrant in range(20)])
    for settled in simulation.played:
        for table in settled.tables:
            assert table.ranks is not None
            expected.rate(([str(entrant) for entrant in table.seats], table.ranks))
    ladder = simulation.format
    assert isinstance(ladder, Ladder)
    found = ladder.ratings(simulation.field, simulation.played)
    assert {row.bot: (row.mu, row.sigma) for row in expected.table()} == {
        str(entrant): tuple(belief) for entrant, belief in enumerate(found)
    }


def test_what_is_kept_of_the_past_changes_nothing() -> None:
    simulation = coming_and_going(Ladder(season=4), 3, 14, seed=9)
    for number in (14, 3, 9, 10, 0):
        settled = simulation.played[:number]
        field = Field(20, 3, frozenset(range(11)))
        kept = Ladder(season=4).next(field, settled, Seeded(b"x"))
        ladder_past._KEPT.clear()
        assert Ladder(season=4).next(field, settled, Seeded(b"x")) == kept
    other = [
        *simulation.played[:9],
        SettledRound(10, (SettledTable((0, 1, 2), (3, 2, 1)),), active=frozenset({0, 1, 2})),
    ]
    kept = Ladder(season=4).next(field, other, Seeded(b"x"))
    ladder_past._KEPT.clear()
    assert Ladder(season=4).next(field, other, Seeded(b"x")) == kept


def test_a_new_season_begins_around_the_rating_of_a_newcomer_however_many_there_were() -> None:
    """Where three of four end level behind the first, TrueSkill takes more than it gives, season after season."""
    means = {}
    for around in (None, 25.0):
        dice = random.Random("seasons")
        ladder = Ladder(season=10, draw_probability=0.15, around=around)

        def settle(seats: tuple[int, ...], dice: random.Random = dice) -> SettledTable:
            first = dice.randrange(len(seats))
            return SettledTable(seats, tuple(1 if seat == first else 2 for seat in range(len(seats))))

        simulation = Simulation(ladder, 7, 4, settle, 1)
        for _ in range(600):
            simulation.step()
        means[around] = sum(mu for mu, _ in ladder.ratings(simulation.field, simulation.played)) / 7
    assert means[25.0] == pytest.approx(25)
    assert abs((means[None] or 0) - 25) > 3  # a ladder from before goes on as it began
    league = Plan("stop_me_go", 2, rounds=None, format={"name": "ladder", "season": 10})
    assert checked(league, 4)[1].format["around"] == 25


def test_a_new_season_moves_ratings_towards_the_mean_and_makes_them_less_certain() -> None:
    long = coming_and_going(Ladder(), 2, 9, seed=4)
    before = Ladder().ratings(long.field, long.played)
    after = Ladder(season=9, keep=0.5).ratings(long.field, long.played)
    played = {entrant for settled in long.played for table in settled.tables for entrant in table.seats}
    mean = sum(before[entrant].mu for entrant in played) / len(played)
    for entrant in played:
        assert after[entrant].mu == pytest.approx(mean + 0.5 * (before[entrant].mu - mean))
        assert before[entrant].sigma < after[entrant].sigma < RatingSettings().sigma
    kept = Ladder(season=9, keep=1.0).ratings(long.field, long.played)
    assert [belief.mu for belief in kept] == pytest.approx([belief.mu for belief in before])
    assert [belief.sigma for belief in kept] == pytest.approx([belief.sigma for belief in before])
    drawn = Ladder(season=9).next(long.field, long.played, Seeded(b"x"))
    assert isinstance(drawn, Drawn)
    assert drawn.stage == "season 2, round 1 of 9"


def test_a_bot_that_is_never_there_is_tried_ever_less_often_and_the_others_play_on() -> None:
    usual = by_strength([0.0] * 9, 1.0, 1)

    def settle(seats: tuple[int, ...]) -> SettledTable:
        return SettledTable(seats, None, absent=frozenset({seats.index(0)})) if 0 in seats else usual(seats)

    simulation = Simulation(Ladder(), 9, 2, settle)
    for _ in range(40):
        simulation.step()
    tried = [drawn_at for drawn_at, drawn in enumerate(simulation.drawn) if any(0 in t.seats for t in drawn.tables)]
    gaps = [later - earlier for earlier, later in pairwise(tried)]
    assert gaps[:4] == [2, 3, 5, 9]
    assert set(gaps[4:]) == {9}


def test_it_waits_while_too_few_are_in_and_goes_on_when_they_come() -> None:
    simulation = Simulation(Ladder(), 6, 4, by_strength([0.0] * 6, 1, 0))
    simulation.active = {0, 1, 2}
    assert simulation.next() == Waiting("3 bots are in and a table needs 4")
    simulation.active.add(5)
    assert simulation.step() is not None


def test_it_ends_only_if_told_so() -> None:
    assert Ladder().forecast(50, 4) is None
    simulation = Simulation(Ladder(rounds=3), 9, 4, by_strength([0.0] * 9, 1, 0))
    forecast = Ladder(rounds=3).forecast(9, 4)
    assert forecast is not None
    end = simulation.run()
    assert isinstance(end, Finished)
    assert (len(simulation.played), sum(len(settled.tables) for settled in simulation.played)) == (3, 6)
    assert (forecast.rounds, forecast.matches) == ((3, 3), (6, 6))


def test_information_is_greatest_between_equals_and_where_little_is_known() -> None:
    sure, unsure = Belief(25.0, 1.0), Belief(25.0, 8.0)
    assert information(sure, Belief(30.0, 1.0), 4.0) < information(sure, Belief(26.0, 1.0), 4.0)
    assert information(sure, sure, 4.0) < information(sure, unsure, 4.0) < information(unsure, unsure, 4.0)
    assert information(sure, Belief(900.0, 1.0), 4.0) == 0.0


@pytest.mark.parametrize(
    ("ladder", "players", "what"),
    [
        (Ladder(), 1, "more players per match"),
        (Ladder(quota=0), 2, "quota cannot be 0: ask for at least 1"),
        (Ladder(newcomer=-1), 2, "newcomer cannot be -1"),
        (Ladder(season=0), 2, "season cannot be 0"),
        (Ladder(rounds=0), 2, "rounds cannot be 0"),
        (Ladder(keep=1.5), 2, "give a share from 0"),
        (Ladder(tau=-1.0), 2, "give a number of at least 0"),
        (Ladder(draw_probability=1.0), 2, "give a share from 0 to below 1"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(ladder: Ladder, players: int, what: str) -> None:
    with pytest.raises(ScheduleError, match=what):
        ladder.check(8, players)
