"""The steps of a replay: every position once, in any order, and for each perspective only what it could know."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

from referee.analysis.replay import PUBLIC, REVEALED, LogLine, Perspective, Replay, of_seat, read_match
from referee.rules.game import WrongUse
from referee.rules.record import replay as replay_record
from referee.rules.views import to_value

from .conftest import GAMES, Table


@pytest.mark.parametrize("game", GAMES)
def test_any_step_is_the_same_however_it_is_reached(played: Any, game: str) -> None:
    forwards, anyhow = Replay(played(game)), Replay(played(game))
    assert [step.number for step in forwards] == list(range(forwards.match.decisions + 1))
    numbers = sorted(random.Random(3).sample(range(len(forwards)), 12))
    values = {number: forwards[number].to_value() for number in numbers}
    random.Random(4).shuffle(numbers)
    for number in numbers:
        assert anyhow[number].to_value() == values[number]


@pytest.mark.parametrize("game", GAMES)
def test_the_steps_say_what_the_record_says(played: Any, game: str) -> None:
    replay = Replay(played(game))
    record = replay.match.record
    for step in replay:
        written = " | ".join(f"{one.seat}: {one.answer}" for one in step.asked)
        assert written == ("" if step.over else record.moves[step.number])
        for one in step.asked:
            assert not one.complete or one.legal_total > len(one.legal) or one.answer in one.legal
    end = replay_record(replay.match.game, record)
    assert to_value(replay[len(replay) - 1].view(0)) == to_value(end.view(0))


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_is_json(played: Any, game: str) -> None:
    value = Replay(played(game, 1 if game == "encore" else 3)).to_value()
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("perspective", [PUBLIC, Perspective(1)], ids=["public", "seat"])
def test_a_perspective_knows_its_views_and_its_own_answers_only(
    played: Any, game: str, perspective: Perspective
) -> None:
    for step in list(Replay(played(game)))[::7]:
        value = step.to_value(perspective)
        [shown] = value["views"]
        assert shown["view"] == to_value(step.view(perspective.seat))
        assert "hidden" not in value
        assert {one["seat"] for one in value["asked"]} <= {perspective.seat}
        assert value["waits_for"] == shown["view"]["asked"]


def test_a_seat_does_not_see_what_others_tried_and_what_they_wrote(troubled: tuple[bytes, Table]) -> None:
    log = [LogLine(2, 2, "I am lost"), LogLine(2, 0, "so am I")]
    replay = Replay(read_match(troubled[0]), log)
    for perspective, tried, lines in (
        (REVEALED, ["dance", "target 1"], ["I am lost", "so am I"]),
        (Perspective(2), ["dance", "target 1"], ["I am lost"]),
        (Perspective(0), [], ["so am I"]),
        (PUBLIC, [], []),
    ):
        value = replay[2].to_value(perspective)
        assert [one["move"] for asked in value["asked"] for one in asked["rejected"]] == tried
        assert [line["text"] for line in value["log"]] == lines


def test_rejected_answers_carry_the_sentence_that_the_rules_say(troubled: tuple[bytes, Table]) -> None:
    [asked] = Replay(read_match(troubled[0]))[2].asked
    unreadable, illegal = asked.rejected
    assert "cannot read 'dance'" in unreadable.message
    assert illegal.message
    assert illegal.message != illegal.code
    assert unreadable.strike
    assert illegal.strike
    assert (asked.answer, asked.by, asked.ms) == ("hit", "bot", 33)


def test_after_a_forfeit_the_referee_plays_and_no_time_is_told(troubled: tuple[bytes, Table]) -> None:
    replay = Replay(read_match(troubled[0]))
    gone = replay.match.forfeits[1]
    of_bob = [(step.number, one) for step in replay for one in step.asked if one.seat == 1]
    assert [(one.by, one.ms is None) for number, one in of_bob if number < gone] == [("bot", False)]
    after = [one for number, one in of_bob if number >= gone]
    assert after
    assert {(one.by, one.ms) for one in after} == {("referee", None)}
    assert replay[gone].asked[0].forfeit is not None


@pytest.mark.parametrize("game", ["flip7", "stop_me_go"])
def test_questions_have_the_numbers_that_the_bots_heard(game: str) -> None:
    table = Table(game, ["ada", "bob", "cy"])
    for _ in range(4):
        question = table.next()
        table.answer(question, question.legal[0], 5)
    table.match.resign(1)
    replay = Replay(read_match(table.play_on()))
    heard = {(one.seat, step.number): one.question for step in replay for one in step.asked if one.by == "bot"}
    assert heard == {key: number for key, number in table.numbers.items() if key in heard}
    assert len(heard) > 6
    assert all(
        one.question is None
        for step in replay
        for one in step.asked
        if step.number > replay.match.forfeits[1] and one.seat == 1
    )


def test_troubles_are_rejected_answers_forfeits_and_marked_mistakes(troubled: tuple[bytes, Table]) -> None:
    match = read_match(troubled[0])
    gone = match.forfeits[1]
    replay = Replay(match, notes={gone + 3: ["hit would have been better"]})
    assert replay.troubles == [2, gone, gone + 3]
    assert (replay.trouble_after(0), replay.trouble_after(2), replay.trouble_after(gone + 3)) == (2, gone, None)
    assert (replay.trouble_before(gone), replay.trouble_before(2)) == (2, None)
    assert [step.number for step in replay if step.trouble] == replay.troubles


def test_boards_that_show_the_same_are_drawn_once(played: Any) -> None:
    open_game, secret = Replay(played("flip7"))[5], Replay(played("stop_me_go"))[5]
    [(viewer, seats)] = open_game.boards(REVEALED)
    assert viewer in open_game.pending
    assert seats == (0, 1, 2)
    assert [viewer for viewer, _ in secret.boards(REVEALED)] == [0, 1, 2]
    assert open_game.boards(PUBLIC) == [(None, ())]


@pytest.mark.parametrize(("game", "key"), [("flip7", "pile"), ("stop", "deck of seat 2"), ("stop_me_go", "pile")])
def test_what_no_view_shows_is_revealed_and_comes_true(played: Any, game: str, key: str) -> None:
    """The hidden pile is in the order in which its cards come: a later pile is the end of an earlier one."""
    piles = [step.hidden[key] for step in Replay(played(game))]
    follows = [later == earlier[len(earlier) - len(later) :] for earlier, later in itertools.pairwise(piles)]
    assert sum(follows) > 0.7 * len(follows)  # all but shuffles
    assert any(len(later) < len(earlier) for earlier, later in itertools.pairwise(piles))


def test_a_seat_that_is_not_there_is_said() -> None:
    with pytest.raises(WrongUse, match="there is no seat 3: the match has the seats 0 to 2"):
        of_seat(3, 3)


def test_stepping_through_a_long_match_holds_few_positions(played: Any) -> None:
    replay = Replay(played("flip7", 12))
    for step in replay:
        assert step.scores
    assert len(replay) > 100
    assert len(replay._steps) <= 64
    assert len(replay._kept) <= len(replay) / 32 + 2
