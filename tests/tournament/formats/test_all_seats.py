"""Every opening from all seats: blocks of rotations that a format sees as one table."""

from __future__ import annotations

import pytest

from referee.tournament.formats import registry
from referee.tournament.formats.all_seats import FIRST_DEAL, AllSeats, folded
from referee.tournament.formats.format import Format, SettledRound, SettledTable
from referee.tournament.formats.gauntlet import Gauntlet
from referee.tournament.formats.groups import GroupsFinals
from referee.tournament.formats.knockout import Knockout
from referee.tournament.formats.ladder import Ladder
from referee.tournament.formats.swiss import Swiss
from referee.tournament.formats.until import Until

from .simulated import Simulation, by_strength


def block(*ranks: tuple[int, ...] | None, absent: frozenset[int] = frozenset()) -> SettledRound:
    """A block of three bots in every rotation, with these ranks by seat."""
    seats = (4, 5, 6)
    return SettledRound(
        1,
        tuple(
            SettledTable(
                seats[turn:] + seats[:turn],
                found,
                () if found is None else tuple(float(4 - rank) for rank in found),
                absent=absent if found is None else frozenset(),
                deal=FIRST_DEAL,
            )
            for turn, found in enumerate(ranks)
        ),
    )


def test_a_block_is_ranked_by_the_points_of_all_its_matches() -> None:
    # Bot 4 is first, third and first; bot 5 second, first and second; bot 6 third, second and third.
    (table,) = folded([block((1, 2, 3), (1, 2, 3), (3, 1, 2))])[0].tables
    assert table.seats == (4, 5, 6)
    assert table.ranks == (1, 1, 3)
    assert table.scores == (7.0, 7.0, 4.0)


def test_matches_of_a_block_that_were_set_aside_do_not_count() -> None:
    (table,) = folded([block((2, 1, 3), None, None)])[0].tables
    assert table.ranks == (2, 1, 3)


def test_a_block_without_any_result_was_missed_by_those_who_were_absent() -> None:
    (table,) = folded([block(None, None, None, absent=frozenset({0}))])[0].tables
    assert table.ranks is None
    assert table.absent == frozenset({0, 1, 2})  # the first seat of each rotation: another bot each time


@pytest.mark.parametrize(
    ("inner", "entrants", "players"),
    [
        (Swiss(rounds=4), 9, 4),
        (Swiss(rounds=3), 6, 2),
        (Gauntlet((0,), 2), 6, 3),
        (GroupsFinals(groups=2, qualify=2), 8, 2),
        (Knockout(), 8, 2),
    ],
)
def test_every_deal_is_played_once_in_every_rotation(inner: Format, entrants: int, players: int) -> None:
    strengths = [float(number) for number in range(entrants)]
    played = Simulation(AllSeats(inner), entrants, players, by_strength(strengths, 1.0, 1), seed=3)
    played.run()
    assert played.end is not None
    blocks = 0
    for drawn in played.drawn:
        deals = {table.deal for table in drawn.tables}
        assert 0 not in deals
        for deal in deals:
            seats = [table.seats for table in drawn.tables if table.deal == deal]
            assert seats == [seats[0][turn:] + seats[0][:turn] for turn in range(players)]
            blocks += 1
    lasts = AllSeats(inner).forecast(entrants, players)
    assert lasts is not None
    assert lasts.matches[0] <= blocks * players <= lasts.matches[1]


def test_a_swiss_draws_as_if_a_block_were_one_table() -> None:
    plain = Simulation(Swiss(rounds=4), 7, 2, by_strength([float(n) for n in range(7)], 0.0, 1), seed=3)
    turned = Simulation(AllSeats(Swiss(rounds=4)), 7, 2, by_strength([float(n) for n in range(7)], 0.0, 1), seed=3)
    plain.run()
    turned.run()
    for one, two in zip(plain.drawn, turned.drawn, strict=True):
        assert [table.seats for table in one.tables] == [table.seats for table in two.tables[::2]]
    assert plain.format.places(plain.field, plain.played) == turned.format.places(turned.field, turned.played)


def test_the_two_matches_of_a_comparison_share_an_opening_and_count_one_by_one() -> None:
    played = Simulation(AllSeats(Until(budget=60)), 3, 2, by_strength([0.0, 0.0, 0.0], 1.0, 1), seed=3)
    drawn = played.step()
    assert drawn is not None
    assert [table.deal for table in drawn.tables] == [FIRST_DEAL + at // 2 for at in range(len(drawn.tables))]
    played.run()
    assert sum(len(each.tables) for each in played.drawn) <= 60


def test_a_ladder_goes_on_in_blocks() -> None:
    played = Simulation(AllSeats(Ladder()), 5, 2, by_strength([0.0] * 5, 1.0, 1), seed=3)
    for _ in range(6):
        drawn = played.step()
        assert drawn is not None
        assert all(one.seats == two.seats[::-1] for one, two in zip(drawn.tables[::2], drawn.tables[1::2], strict=True))


def test_the_setting_makes_the_format() -> None:
    assert registry.from_settings({"name": "swiss", "all_seats": True}) == AllSeats(Swiss())
    assert registry.from_settings({"name": "swiss"}) == Swiss()
