"""The spread of a schedule counts what is in it."""

from referee.tournament.schedule import Pairing

from .evenness import spread


def test_meetings_seats_and_byes_are_counted() -> None:
    schedule = [Pairing(1, 1, (0, 1)), Pairing(2, 1, (0, 2)), Pairing(3, 1, (0, 1))]
    measured = spread(schedule, 3)
    assert measured.rounds == 3
    assert measured.matches == 3
    assert measured.meetings == (0, 2)
    assert measured.seats == (0, 3)
    assert measured.seat_gap == 3
    assert measured.byes == (0, 2)


def test_an_entrant_without_a_match_counts_with_nothing() -> None:
    measured = spread([Pairing(1, 1, (0, 1)), Pairing(1, 2, (2, 3))], 5)
    assert measured.meetings == (0, 1)
    assert measured.seats == (0, 1)
    assert measured.byes == (0, 1)


def test_an_empty_schedule_is_even() -> None:
    measured = spread([], 0)
    assert (measured.matches, measured.meetings, measured.seats, measured.byes) == (0, (0, 0), (0, 0), (0, 0))
