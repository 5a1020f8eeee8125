"""Wrong settings are refused with one sentence that says what to change."""

from math import comb

import pytest

from referee.tournament.schedule import Pairing, ScheduleError, balanced, build, count, extend, full


@pytest.mark.parametrize(
    ("kind", "n", "k", "rounds", "says"),
    [
        ("swiss", 4, 2, 3, "there is no schedule called 'swiss': choose full or balanced"),
        ("full", 3, 4, None, "4 players per match need at least 4 bots, and there are 3"),
        ("balanced", 3, 4, 5, "4 players per match need at least 4 bots, and there are 3"),
        ("full", 3, 0, None, "at least 1 player per match"),
        ("balanced", 4, 2, 0, "at least 1 round"),
        ("balanced", 4, 2, -1, "at least 1 round"),
        ("balanced", 4, 2, None, "how many rounds"),
        ("full", 4, 2, 7, "leave out rounds"),
        ("balanced", 4, 2, 1_000_000, "more than the 1,000,000"),
    ],
)
def test_wrong_settings_are_refused(kind: str, n: int, k: int, rounds: int | None, says: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        build(kind, n, k, rounds)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_counting_refuses_what_building_refuses() -> None:
    with pytest.raises(ScheduleError):
        count("balanced", 4, 2, 0)
    with pytest.raises(ScheduleError):
        count("full", 2, 3)


def test_a_schedule_error_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="enter more bots"):
        full(0, 1)
    with pytest.raises(ValueError, match="at least 1 round"):
        balanced(4, 4, 0)


def test_a_schedule_with_other_tables_is_not_extended() -> None:
    with pytest.raises(ScheduleError, match="has 2 players at a table"):
        extend("balanced", balanced(5, 2, 3), 6, 3, 2)


def test_bots_do_not_leave_a_schedule() -> None:
    with pytest.raises(ScheduleError, match="has 5 bots already"):
        extend("balanced", balanced(5, 2, 5), 4, 2, 2)


def test_an_extension_of_no_rounds_is_refused() -> None:
    with pytest.raises(ScheduleError, match="at least 1 round"):
        extend("balanced", balanced(5, 2, 3), 6, 2, 0)


def test_build_gives_each_kind() -> None:
    assert build("full", 4, 3) == full(4, 3)
    assert build("balanced", 7, 3, 5) == balanced(7, 3, 5)


def test_counting_needs_no_building() -> None:
    assert count("full", 200, 18) == comb(200, 18) * 18 > 10**20
    assert count("balanced", 40, 4, 10**9) == 10**10


def test_a_pairing_is_a_value() -> None:
    assert Pairing(1, 2, (3, 4)) == Pairing(1, 2, (3, 4))
    with pytest.raises(AttributeError):
        Pairing(1, 2, (3, 4)).table = 5  # type: ignore[misc]
