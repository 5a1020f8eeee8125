"""Who is called next: in schedule order, nobody twice, and nobody who is away holds up the others."""

from __future__ import annotations

from itertools import count

from referee.store import MatchState, StoredMatch, StoredSeat
from referee.tournament.running.schedule_window import LOOKAHEAD, ScheduleWindow

NUMBERS = count(1)


def match(ordinal: int, *bots: str) -> StoredMatch:
    seats = tuple(StoredSeat(seat, 1, bot, seat, None, None, None, 0, 0, 0) for seat, bot in enumerate(bots))
    settings = (MatchState.SCHEDULED, 1, None, "", 0, None, None)
    return StoredMatch(next(NUMBERS), 1, 1, 1, ordinal, "flip7", "1", None, *settings, seats)


def lineup(*matches: StoredMatch, patience: float = 60.0) -> ScheduleWindow:
    fresh = ScheduleWindow(patience)
    fresh.take(matches, 0, complete=True)
    return fresh


def ordinals(called: list[tuple[StoredMatch, tuple[str, ...]]]) -> list[int | None]:
    return [match.ordinal for match, _ in called]


def everybody(bot: str) -> int:
    return 9


PAIRS = (match(0, "a", "b"), match(1, "c", "d"), match(2, "a", "c"), match(3, "b", "d"))


def test_matches_are_called_in_schedule_order_as_far_as_there_is_room() -> None:
    following = lineup(*PAIRS)
    assert ordinals(following.choose(3, everybody)) == [0, 1, 2]
    assert ordinals(following.choose(3, everybody)) == [3]
    assert following.empty


def test_a_bot_is_never_asked_for_more_than_it_takes() -> None:
    following = lineup(*PAIRS)
    assert ordinals(following.choose(9, lambda bot: 1)) == [0, 1]
    assert ordinals(following.choose(9, lambda bot: {"a": 0}.get(bot, 1))) == [3]
    assert ordinals(following.choose(9, everybody)) == [2]


def test_time_in_which_the_server_stood_still_is_not_charged_as_absence() -> None:
    following = lineup(*PAIRS, patience=10.0)
    following.look_round("abcd", lambda bot: bot != "a", now=0.0)
    following.stood_still(70.0)
    assert following.overdue(79.9) == []
    assert ordinals(following.overdue(80.1)) == [0, 2]


def test_matches_of_an_absent_bot_wait_and_the_others_go_on() -> None:
    following = lineup(*PAIRS)
    following.look_round("abcd", lambda bot: bot != "a", now=0.0)
    assert ordinals(following.choose(9, everybody)) == [1, 3]
    assert not following.empty
    assert following.look_round("abcd", lambda bot: True, now=1.0)
    assert ordinals(following.choose(9, everybody)) == [0, 2]


def test_the_first_look_and_every_return_is_told() -> None:
    following = lineup(*PAIRS)
    assert following.look_round("abcd", lambda bot: True, now=0.0)
    assert not following.look_round("abcd", lambda bot: True, now=1.0)
    assert not following.look_round("abcd", lambda bot: bot != "a", now=2.0)
    assert following.look_round("abcd", lambda bot: bot != "b", now=3.0)
    assert following.absent == {"b": 3.0}


def test_a_match_is_overdue_when_one_bot_has_been_away_too_long() -> None:
    following = lineup(*PAIRS, patience=10.0)
    following.look_round("abcd", lambda bot: bot != "a", now=0.0)
    following.look_round("abcd", lambda bot: bot not in "ab", now=8.0)
    assert following.overdue(10.0) == []
    assert ordinals(following.overdue(10.1)) == [0, 2]
    assert following.overdue(10.2) == []
    assert ordinals(following.overdue(18.1)) == [3]
    assert ordinals(following.choose(9, everybody)) == [1]


def test_a_match_read_twice_is_held_once() -> None:
    following = lineup(*PAIRS)
    following.put_back(1)
    assert not following.empty
    following.take(PAIRS[1:], following.changes, complete=True)
    assert ordinals(following.choose(9, everybody)) == [0, 1, 2, 3]


def test_a_match_put_back_while_the_schedule_is_read_is_read_afterwards() -> None:
    following = ScheduleWindow(60.0)
    following.take(PAIRS[:2], 0, complete=False)
    following.choose(1, everybody)
    following.put_back(0)  # while what follows is on its way from the store
    following.take(PAIRS[2:], 0, complete=True)
    assert not following.empty
    assert following.read_to == -1
    following.take(PAIRS, following.changes, complete=True)
    assert ordinals(following.choose(9, everybody)) == [0, 1, 2, 3]
    assert following.empty


def test_of_two_matches_put_back_one_after_the_other_neither_is_lost() -> None:
    following = lineup(*PAIRS[:2])
    following.choose(2, everybody)
    following.put_back(0)
    before = following.changes  # now the store is read, and has only the first of them yet
    following.put_back(1)
    following.take(PAIRS[:1], before, complete=True)
    assert not following.empty
    following.take(PAIRS[:2], following.changes, complete=True)
    assert ordinals(following.choose(9, everybody)) == [0, 1]


def test_no_more_is_read_than_is_looked_at_unless_somebody_is_away() -> None:
    following = ScheduleWindow(60.0)
    window = [match(ordinal, "a", "b" if ordinal % 2 else "c") for ordinal in range(LOOKAHEAD)]
    following.take(window, 0, complete=False)
    assert not following.wants_more
    following.look_round("abc", lambda bot: bot != "c", now=0.0)
    following.choose(9, everybody)
    assert following.wants_more
