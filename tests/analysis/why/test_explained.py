"""A match explained: the same for any number of processes, the costliest decisions first, plain JSON values."""

from __future__ import annotations

import json

import pytest

from referee.analysis.replay.recorded import RecordedMatch, read_match
from referee.analysis.why import Explained, LuckOfMatch, Setting, Yardstick, explain, habits
from referee.analysis.why.positions import NOTHING, Position
from referee.match.match import Match
from referee.rules import registry
from referee.rules.game import WrongUse, seed_bytes
from referee.rules.playout import playout, random_chooser

from ..recording import Seated, answer_all, seated
from .planting import is_found, planted_matches


def setting(match: RecordedMatch, seat: int = 0) -> Setting:
    return Setting(Yardstick.of(match.game), seat, 6, 0)


def test_two_processes_give_the_same_answer_as_one(short_match: RecordedMatch) -> None:
    heard: list[tuple[int, int]] = []
    alone = explain(short_match, setting(short_match), 1, lambda done, of: heard.append((done, of)))
    together = explain(short_match, setting(short_match), 2)
    assert json.dumps(alone.to_value()) == json.dumps(together.to_value())
    assert heard == [(number + 1, short_match.decisions) for number in range(short_match.decisions)]


def test_the_value_says_yardstick_rollouts_and_seed_and_every_decision(short_match: RecordedMatch) -> None:
    why = explain(short_match, setting(short_match, 2), 1)
    value = why.to_value()
    assert (value["yardstick"], value["rollouts"], value["seed"], value["seat"]) == ("patient", 6, 0, 2)
    assert len(value["steps"]) == short_match.decisions
    assert [one["decision"] for one in value["decisions"]] == [one.number for one in why.decisions()]
    for one in value["decisions"]:
        assert {move["move"] for move in one["moves"]} == {"go", "stop"}
        assert one["played"] in ("go", "stop")
    weights = [one.weight for one in why.costly()]
    assert weights == sorted(weights, reverse=True)
    for one in why.costliest():
        assert why.board(one.number)
        assert "was better" in one.sentence()


def test_an_unknown_seat_is_refused(short_match: RecordedMatch) -> None:
    with pytest.raises(WrongUse, match="there is no seat 3: the match has the seats 0 to 2"):
        explain(short_match, setting(short_match, 3), 1)


def test_a_planted_blunder_is_among_the_three_that_cost_most() -> None:
    """One match; the next test counts over many, and `planting.py` run as a script tells them one by one."""
    [planted] = planted_matches("flip7", 1)
    assert is_found(planted, rollouts=16)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "rollouts"), [("flip7", 48), ("encore", 12), ("stop_me_go", 96), ("stop", 48)])
def test_nine_of_ten_planted_blunders_are_among_the_three_that_cost_most(game: str, rollouts: int) -> None:
    found = [is_found(planted, rollouts) for planted in planted_matches(game, 10)]
    assert sum(found) >= 9, found


def test_habits_sum_costs_by_kind_of_decision_and_luck_over_matches(short_match: RecordedMatch) -> None:
    matches = [explain(short_match, setting(short_match, seat), 1) for seat in (0, 1)]
    summed = habits("somebody", matches)
    assert [habit.kind for habit in summed.kinds] == ["go or stop"]
    assert summed.kinds[0].decisions == sum(len(one.decisions()) for one in matches)
    assert summed.luck_rank == pytest.approx(sum(one.luck.rank for one in matches))
    assert summed.mean_rank + summed.luck_rank / 2 == pytest.approx(summed.rank_without_luck)
    assert json.dumps(summed.to_value())


@pytest.mark.parametrize("answers_first", [False, True], ids=["before it answers", "after it has answered"])
def test_what_the_referee_plays_for_a_seat_that_forfeited_is_no_choice_of_its_own(answers_first: bool) -> None:
    players = seated(3)
    chosen = registry.find("stop_me_go")
    match = Match("league/3", chosen, players, chosen.resolve_options(), bytes(range(32)), tournament="league")
    match.start()
    while match.table.decisions < 4:
        answer_one(players[1] if players[1].waiting else next(one for one in players if one.waiting))
    if answers_first:
        answer_one(players[1])
    match.resign(1, "had enough")
    answer_all(players)
    recorded = read_match(match.record())
    assert recorded.forfeits == {1: 4}
    chosen_by_itself = [one.number for one in explain(recorded, setting(recorded, 1), 1).decisions()]
    assert chosen_by_itself == [0, 1, 2, 3, *([4] if answers_first else [])]


def answer_one(player: Seated) -> None:
    question = player.waiting.popleft()
    question.match.sent(question.seat, question.number, 100.0)
    question.match.answer(question.seat, question.number, question.legal[0], 100.0)


def test_an_explanation_never_shows_the_positions_of_another_match() -> None:
    """Matches come and go: one may lie where another one was in memory."""
    for seed in range(8):
        game = registry.find("stop_me_go")
        played = playout(game, 2, game.resolve_options(), seed_bytes(seed), [random_chooser(b"x", n) for n in (0, 1)])
        match = read_match(played.record.to_bytes())
        position = Position(0, NOTHING, (), "", 0, "", NOTHING, NOTHING, 0)
        why = Explained(match, setting(match), (position,), LuckOfMatch((), 0.0, 0.0, NOTHING, NOTHING))
        expected = game.start(2, match.record.options, bytes.fromhex(match.record.seed)).view(0)
        assert why.view(0) == expected
        del why, match, played
