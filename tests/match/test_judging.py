"""What becomes of answers that are not in order, and of bots that do not go on."""

from __future__ import annotations

import json

import pytest

from referee.match.clock import TimeControl
from referee.match.match import LONGEST_MOVE, Match
from referee.match.player import Question, RejectionKind
from referee.match.result import Ending, Forfeit, Termination, judge, void
from referee.rules import registry
from referee.rules.game import Result

from .conftest import SEED, Room, Scripted, Sit


def refused(room: Room, seat: int, text: str, number: int | None = None) -> tuple[RejectionKind, str, int | None]:
    """Say something that is refused; nothing anybody may see has changed by it."""
    before, heard = room.views(), len(room.players[seat].rejections)
    room.say(seat, text, number)
    assert room.views() == before
    assert len(room.players[seat].rejections) == heard + 1
    rejected = room.players[seat].rejections[-1]
    return rejected.kind, rejected.code, rejected.strikes_left


def test_an_illegal_move_is_rejected_with_the_games_own_code(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    kind, code, left = refused(room, seat, "target 1")
    assert (kind, left) == (RejectionKind.ILLEGAL, 2)
    assert code not in ("unreadable", "")
    room.say(seat, "hit")
    assert not room.is_asked(seat)


def test_an_unreadable_move_is_rejected(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    assert refused(room, seat, "knock") == (RejectionKind.UNREADABLE, "unreadable", 2)


def test_an_endless_move_is_unreadable_and_not_repeated_in_full(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    assert refused(room, seat, "h" * (LONGEST_MOVE + 1))[0] is RejectionKind.UNREADABLE
    assert len(room.players[seat].rejections[-1].move) == 80


def test_a_second_answer_is_a_duplicate(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    number = room.send(seat).number
    room.say(seat, "hit")
    assert refused(room, seat, "hit", number) == (RejectionKind.DUPLICATE, "duplicate", 2)


def test_an_answer_of_long_ago_is_a_duplicate_still(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    number = room.send(seat).number
    room.say(seat, "hit")
    while not room.is_asked(seat):
        room.answer(room.asked[0])
    room.answer(seat)
    assert refused(room, seat, "hit", number)[0] is RejectionKind.DUPLICATE


def test_an_answer_to_somebody_elses_question_is_out_of_turn(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    number = room.send(seat).number
    other = (seat + 1) % 3
    assert refused(room, other, "hit", number) == (RejectionKind.OUT_OF_TURN, "out_of_turn", 2)
    assert room.is_asked(seat)


def test_an_answer_to_a_question_that_has_not_been_sent_yet_is_out_of_turn(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    number = room.players[seat].question.number
    assert refused(room, seat, "hit", number)[0] is RejectionKind.OUT_OF_TURN
    assert refused(room, seat, "hit", number + 7)[0] is RejectionKind.OUT_OF_TURN
    room.answer(seat, "hit")
    assert not room.is_asked(seat)


def test_a_sealed_move_cannot_be_changed(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    room.answer(0, "go")
    assert refused(room, 0, "stop", room.players[0].question.number)[0] is RejectionKind.DUPLICATE
    room.answer(1, "go")
    assert room.match.table.record().moves == ("0: go | 1: go",)


def test_three_strikes_forfeit_the_match_and_nobody_elses(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    assert refused(room, seat, "?")[2] == 2
    assert refused(room, seat, "target 9")[2] == 1
    room.say(seat, "??")
    assert room.players[seat].rejections[-1].strikes_left == 0
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.ILLEGAL
    assert "3 rejected moves" in ending.texts[seat]
    assert "'??'" in ending.texts[seat]
    assert sorted(t.value for t in ending.terminations) == ["finished", "finished", "illegal"]
    assert ending.ranks[seat] == 3


def test_strikes_are_counted_per_match_not_per_question(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    for _ in range(2):
        room.send(0)
        room.say(0, "?")
        room.answer(0, "go")
        room.answer(1, "go")
    room.send(0)
    room.say(0, "?")
    assert room.play_on().terminations[0] is Termination.ILLEGAL


def test_after_a_forfeit_answers_are_late_and_cost_nothing_more(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    number = room.send(seat).number
    room.match.resign(seat)
    assert refused(room, seat, "hit", number)[0] is RejectionKind.LATE
    assert room.match.transcript.seats[seat].strikes == 0


def test_after_the_end_answers_are_late(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    room.play_on()
    room.match.answer(0, 1, "go", room.now)
    assert room.players[0].rejections[-1].kind is RejectionKind.LATE


def test_a_forfeited_seat_is_played_on_by_fallback_and_ranks_below_all_who_finish(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.match.resign(seat, "resigned: no time")
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.RESIGNED
    assert ending.texts[seat] == "resigned: no time"
    assert ending.ranks[seat] == 3
    assert len(room.players[seat].questions) == 1


def test_with_all_seats_forfeited_the_match_ends_by_itself_and_the_last_to_go_ranks_first(sit: Sit) -> None:
    room = sit()
    first = room.asked[0]
    room.match.resign(first)
    second = room.asked[0]
    room.match.resign(second)
    third = room.asked[0]
    room.answer(third)
    room.match.resign(third)
    assert room.match.ending is not None
    assert room.match.ending.ranks[third] == 1


def test_forfeiting_a_seat_that_is_not_asked_changes_nothing_for_the_others(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    other = (seat + 1) % 3
    number = room.send(seat).number
    room.match.forfeit(other, Termination.CRASH, "gone")
    assert room.match.is_asked(seat, number)
    assert room.play_on().terminations[other] is Termination.CRASH


def test_a_sealed_decision_goes_on_when_the_last_awaited_seat_forfeits(sit: Sit) -> None:
    room = sit("stop_me_go", 3)
    room.answer(0, "go")
    room.answer(1, "stop")
    room.match.resign(2)
    assert room.match.table.decisions == 1
    assert room.asked == (0, 1)


def test_a_sealed_move_stands_when_its_bot_forfeits_afterwards(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    room.answer(0, "stop")
    room.match.resign(0)
    room.answer(1, "go")
    assert room.match.table.record().moves[0] == "0: stop | 1: go"


def test_only_the_first_reason_of_a_forfeit_counts(sit: Sit) -> None:
    room = sit()
    room.match.resign(0)
    room.match.forfeit(0, Termination.CRASH, "crashed")
    assert room.play_on().terminations[0] is Termination.RESIGNED


class Quitter(Scripted):
    """Forfeits the moment it is asked, as a player does whose program is gone."""

    def ask(self, question: Question) -> None:
        super().ask(question)
        question.match.forfeit(question.seat, Termination.CRASH, "not there")


class Shy(Scripted):
    """Forfeits the moment it is seated."""

    def started(self, match: Match, seat: int) -> None:
        super().started(match, seat)
        match.forfeit(seat, Termination.CRASH, "not there")


@pytest.mark.parametrize("kind", [Quitter, Shy])
@pytest.mark.parametrize(("game", "players"), [("flip7", 3), ("stop_me_go", 2)])
def test_a_player_may_forfeit_while_it_is_asked_or_seated(game: str, players: int, kind: type[Scripted]) -> None:
    seats = [kind("gone"), *[Scripted(f"bot{seat}") for seat in range(1, players)]]
    room = Room(registry.find(game), seats, TimeControl())
    ending = room.play_on()
    assert [how.value for how in ending.terminations] == ["crash"] + ["finished"] * (players - 1)
    assert all(player.seat is not None for player in seats)


def test_a_match_that_is_broken_off_is_void_for_everybody(sit: Sit) -> None:
    room = sit()
    room.match.break_off("the tournament was cancelled")
    ending = room.match.ending
    assert ending is not None
    assert ending.void
    assert ending.ranks == (1, 1, 1)
    assert set(ending.terminations) == {Termination.VOID}
    assert room.players[0].endings == [ending]
    room.match.break_off("again")
    assert room.match.ending is ending


def test_players_hear_of_the_end_only_when_it_is_announced(sit: Sit) -> None:
    kept: list[Ending] = []
    room = sit("stop_me_go", 2, finished=lambda match, ending: kept.append(ending))
    ending = room.play_on()
    assert kept == [ending]
    assert room.players[0].endings == []
    room.match.announce()
    assert room.players[0].endings == room.players[1].endings == [ending]


def test_everybody_may_watch_every_decision(sit: Sit) -> None:
    seen: list[int] = []
    room = sit("stop_me_go", 2, moved=lambda match: seen.append(match.table.decisions))
    room.match.resign(1)
    room.play_on()
    assert seen == list(range(1, room.match.table.decisions + 1))


def test_a_bot_that_wants_no_lists_gets_none() -> None:
    room = Room(registry.find("stop_me_go"), [Scripted("a", wants_legal=False), Scripted("b")], TimeControl())
    assert (room.players[0].question.legal, room.players[0].question.complete) == ([], False)
    assert (room.players[1].question.legal, room.players[1].question.complete) == (["go", "stop"], True)


# On paper.


def test_the_transcript_says_who_was_asked_what_and_how_long_it_took(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    room.answer(0, "go", after=0.25)
    room.send(1)
    room.say(1, "stay\x00\n")
    room.answer(1, "go", after=0.5)
    room.match.resign(1, "resigned: hungry")
    room.play_on()
    paper = json.loads(room.match.record())
    assert paper["names"] == ["bot0", "bot1"]
    assert paper["record"]["moves"][0] == "0: go | 1: go"
    assert [times[0] for times in paper["times_ms"]] == [250, 500]
    assert paper["events"] == [
        ["rejected", 0, 1, "unreadable", "unreadable", "stay��"],
        ["forfeit", 1, 1, "resigned", "resigned: hungry"],
    ]
    assert paper["terminations"] == ["finished", "resigned"]


def test_a_record_can_be_written_whatever_a_bot_said(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    room.send(0)
    for text in ("\ud800", "\x00" * 200, "😀" * 5000):
        room.say(0, text)
    room.play_on()
    assert b"\xef\xbf\xbd" in room.match.record()


# Endings.


def test_forfeited_seats_rank_below_finishers_and_the_later_forfeit_above_the_earlier() -> None:
    result = Result((1, 2, 3, 4), (9, 5, 3, 1), "finished")
    forfeits = {0: Forfeit(Termination.TIMEOUT, "t", 3), 1: Forfeit(Termination.CRASH, "c", 7)}
    ending = judge(result, forfeits)
    assert ending.ranks == (4, 3, 1, 2)
    assert ending.scores == (9, 5, 3, 1)
    assert ending.texts == ("t", "c", "", "")


def test_equal_ranks_stay_equal_and_forfeits_at_the_same_moment_are_level() -> None:
    result = Result((1, 1, 3, 3), (5, 5, 1, 1), "finished")
    forfeits = {0: Forfeit(Termination.TIMEOUT, "", 2), 2: Forfeit(Termination.TIMEOUT, "", 2)}
    assert judge(result, forfeits).ranks == (3, 1, 3, 2)


def test_a_void_match_has_no_loser() -> None:
    ending = void([4, 2], "stopped")
    assert (ending.ranks, ending.scores, ending.reason, ending.void) == ((1, 1), (4, 2), "void", True)


def test_the_seed_of_the_table_is_the_seed_of_the_match(sit: Sit) -> None:
    room = sit("stop_me_go", 2)
    room.play_on()
    assert json.loads(room.match.record())["record"]["seed"] == SEED.hex()
