"""Asking a bot what a seat was asked: the very same questions, whatever it answers, and what the answers tell."""

from __future__ import annotations

import pytest

from referee.analysis.ask import Findings, Interview, Reply, questions_of
from referee.match.clock import TimeControl
from referee.match.player import Question
from referee.match.result import Termination
from referee.rules import registry
from referee.rules.game import WrongUse

from .recording import Seated, answer_all, last, played, seated, varied

CONTROL = TimeControl(limit=1.0, bank=60.0)


def interviewed(recorded: object, seat: int, bot: Seated, control: TimeControl = CONTROL, **how: object) -> Interview:
    interview = Interview(recorded, seat, bot, control, **how)  # type: ignore[arg-type]
    interview.start()
    answer_all([bot], seconds=1000.0)  # no clock runs
    return interview


def told(question: Question) -> tuple[object, ...]:
    return (
        question.number,
        question.view,
        tuple(question.legal),
        question.complete,
        question.budget,
        round(question.bank, 6),
    )


@pytest.mark.parametrize("game", registry.names())
def test_the_bot_gets_the_very_questions_that_the_seat_got(game: str) -> None:
    least = max(2, registry.find(game).seats.least)
    players = seated(least)
    match, recorded = played(game, players, CONTROL, seconds=1.01)  # every answer takes a little from the bank
    for seat in range(least):
        bot = Seated("asked", varied)
        interview = interviewed(recorded, seat, bot)
        assert [told(question) for question in bot.asked] == [told(question) for question in players[seat].asked]
        assert [question.match.names for question in bot.asked[:1]] == [match.names]
        assert interview.ending == match.ending
        assert bot.endings == [match.ending]
        assert all(reply.same for reply in interview.replies)
        assert [reply.decision for reply in interview.replies] == questions_of(recorded, seat)


def test_whatever_it_answers_the_recorded_moves_are_played() -> None:
    players = seated(3)
    match, recorded = played("flip7", players)
    bot = Seated("asked", last)
    interview = interviewed(recorded, 1, bot)
    assert [told(question)[:2] for question in bot.asked] == [told(question)[:2] for question in players[1].asked]
    assert interview.ending == match.ending
    replies = {reply.decision: reply for reply in interview.replies}
    assert {reply.same for reply in interview.replies} == {True, False}
    for reply in replies.values():
        assert reply.answer == reply.legal[-1]
        assert reply.same == (reply.played == reply.answer)
        assert f"1: {reply.played}" in recorded.record.moves[reply.decision]
        assert reply.seconds == 1000.0


def test_one_question_alone() -> None:
    players = seated(2)
    _, recorded = played("stop_me_go", players)
    at = questions_of(recorded, 1)[3]
    bot = Seated("asked", varied)
    interview = interviewed(recorded, 1, bot, only=at)
    assert [told(question) for question in bot.asked] == [(*told(players[1].asked[3])[:4], 1.0, 60.0)]
    assert [reply.decision for reply in interview.replies] == [at]
    assert interview.ending is not None
    assert not interview.ending.void


def test_an_illegal_answer_is_told_and_the_next_question_follows() -> None:
    _, recorded = played("flip7", seated(3))
    bot = Seated("asked", lambda question: "fold" if question.number < 20 else "target 9")
    interview = interviewed(recorded, 0, bot)
    assert len(interview.replies) == len(questions_of(recorded, 0))
    assert all(reply.illegal and not reply.same for reply in interview.replies)
    assert interview.trouble is None


def test_a_move_that_was_rejected_in_the_match_is_what_is_compared() -> None:
    players = seated(3)
    tried: list[int] = []

    def clumsy(question: Question) -> str:
        if len(tried) < 2 and question.number > 10 and question.number not in tried:
            tried.append(question.number)
            return "fold"
        return varied(question)

    players[1].decide = clumsy
    _, recorded = played("flip7", players)
    assert len(tried) == 2
    tried.clear()
    interview = interviewed(recorded, 1, Seated("asked", clumsy))
    assert sum(reply.played == "fold" for reply in interview.replies) == 2
    assert all(reply.same for reply in interview.replies)
    better = interviewed(recorded, 1, Seated("asked", varied))
    assert sum(not reply.same for reply in better.replies) == 2


def test_a_seat_that_forfeited_is_asked_up_to_that_question() -> None:
    players = seated(3)
    stop: list[int] = []

    def gives_up(question: Question) -> str:
        if question.number > 15 and not stop:
            stop.append(question.number)
            question.match.forfeit(question.seat, Termination.TIMEOUT, "no answer in time")
        return varied(question)

    players[2].decide = gives_up
    match, recorded = played("flip7", players, CONTROL)
    bot = Seated("asked", varied)
    interview = interviewed(recorded, 2, bot)
    assert [told(question) for question in bot.asked] == [told(question) for question in players[2].asked]
    assert interview.replies[-1].played is None
    assert not interview.replies[-1].same
    assert all(reply.same for reply in interview.replies[:-1])
    assert interview.ending == match.ending
    others = interviewed(recorded, 0, other := Seated("asked", varied))
    assert [told(question) for question in other.asked] == [told(question) for question in players[0].asked]
    assert others.ending == match.ending


def test_a_bot_that_crashes_is_asked_no_further() -> None:
    _, recorded = played("flip7", seated(3))

    def crashes(question: Question) -> str:
        if question.number > 10:
            question.match.forfeit(question.seat, Termination.CRASH, "the bot exited with code 1")
        return varied(question)

    over: list[int] = []
    interview = interviewed(recorded, 0, Seated("asked", crashes), on_over=lambda: over.append(1))
    assert interview.trouble is not None
    assert interview.trouble.termination is Termination.CRASH
    assert 0 < len(interview.replies) < len(questions_of(recorded, 0))
    assert over == [1]


def test_three_lines_that_are_no_answers_end_it() -> None:
    _, recorded = played("flip7", seated(3))
    bot = Seated("asked", varied)
    interview = Interview(recorded, 0, bot, CONTROL)
    interview.start()
    question = bot.waiting.popleft()
    interview.sent(0, question.number, 5.0)
    for _ in range(3):
        interview.answer(0, question.number, "debug!", 6.0, "this is not JSON")
    assert interview.trouble is not None
    assert interview.trouble.termination is Termination.ILLEGAL


def test_unknown_seats_are_refused() -> None:
    _, recorded = played("stop_me_go", seated(2))
    with pytest.raises(WrongUse, match="there is no seat 2: the match has the seats 0 to 1"):
        questions_of(recorded, 2)


def reply(answer: str, played: str = "hit") -> Reply:
    return Reply(0, ("hit", "stay"), played, answer, "", 0.0, answer == played)


@pytest.mark.parametrize(
    ("first", "again", "deterministic", "same_bot"),
    [
        (["hit", "hit"], None, None, True),
        (["hit", "stay"], ["hit", "stay"], True, False),
        (["hit", "stay"], ["stay", "hit"], False, None),
        (["hit", "stay"], ["hit"], None, None),
        (["hit", "stay"], None, None, None),
    ],
)
def test_what_the_answers_tell_about_the_bot(
    first: list[str], again: list[str] | None, deterministic: bool | None, same_bot: bool | None
) -> None:
    twice = None if again is None else [reply(one) for one in again]
    findings = Findings.of([reply(one) for one in first], twice, complete=True)
    assert (findings.deterministic, findings.same_bot) == (deterministic, same_bot)
    assert Findings.of([reply("hit")], None, complete=False).same_bot is None
