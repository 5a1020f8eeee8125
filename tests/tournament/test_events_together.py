"""Events in a row that say the same of different matches or invitations are one sentence for people."""

from __future__ import annotations

from referee.tournament.events import Event
from referee.tournament.events_together import together


def aside(number: int, why: str = "cy not there", at: int = 0) -> Event:
    about = {"match": number, "state": "absent", "reason": why}
    return Event(at, "league", "aside", f"match {number} is set aside (absent): {why}", about, True)


def invited(number: int, who: str = "host") -> Event:
    return Event(0, "", "invitation", f"invitation {number} was made by {who}", {"invitation": number})


def test_thirty_invitations_are_one_sentence() -> None:
    assert [event.text for event in together(map(invited, range(1, 31)))] == ["invitations 1 to 30 were made by host"]


def test_matches_that_wait_for_the_same_bot_are_one_alarm_at_the_time_of_the_last() -> None:
    [told] = together([aside(number, at=number) for number in (0, 2, 3, 4, 7)])
    assert told.text == "matches 0, 2 to 4 and 7 are set aside (absent): cy not there"
    assert told == Event(7, "league", "aside", told.text, {"state": "absent", "reason": "cy not there"}, True)


def test_many_numbers_are_counted() -> None:
    [told] = together(map(aside, range(0, 40, 2)))
    assert told.text == "matches 0, 2, 4, 6, 8, 10 and 14 more are set aside (absent): cy not there"


def test_what_differs_in_more_than_the_number_or_is_alone_stays_as_it_is() -> None:
    started = Event(0, "league", "state", "started", {"state": "running"})
    forfeits = [Event(0, "league", "forfeit", f"ada forfeited match {n}: crash", {"match": n}) for n in (1, 2)]
    events = [aside(1), started, started, aside(2), aside(3, "dee not there"), invited(4), invited(5, "ada"), *forfeits]
    assert together(events) == events
