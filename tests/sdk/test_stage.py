"""What the SDK does on the wire, seen from the referee's side."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from arena import client as arena_client
from arena.client import Client
from arena.errors import BotFailed, Gone, Refused
from arena.settings import Practice
from arena.v1 import match_pb2 as pb

from ..waiting import PATIENCE, soon
from .conftest import BARRIER, Line, Stage, decide, end, first_move, start


def acts(bodies: list[Any]) -> list[tuple[str, int, str]]:
    return [(body.match_id, body.decision, body.move_text) for body in bodies if isinstance(body, pb.Act)]


async def opening(stage: Stage) -> Line:
    line = await stage.line()
    await line.welcome()
    await line.say(start())
    return line


async def test_hello_says_what_the_bot_is(stage: Stage) -> None:
    stage.enter(first_move, name="alice", games=("flip7",), concurrency=7, without_legal=True)
    hello = (await stage.line()).hello
    assert (hello.protocol_version, hello.name, list(hello.games), hello.concurrency) == (1, "alice", ["flip7"], 7)
    assert hello.without_legal
    assert hello.client.startswith("arena-python ")
    assert hello.resume == ""


async def test_a_function_or_class_plays_16_matches_at_once_an_object_one(stage: Stage) -> None:
    class Bot:
        def decide(self, decision: Any) -> str:
            return "hit"

    for bot, expected in ((first_move, 16), (Bot, 16), (Bot(), 1)):
        stage.enter(bot)
        assert (await stage.line()).hello.concurrency == expected


async def test_all_questions_of_a_frame_are_answered_in_one_frame(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arena_client, "FLUSH_SECONDS", 5.0)  # no bot is slow here, even if the machine is
    stage.enter(first_move)
    line = await stage.line()
    await line.welcome()
    names = [f"m{number}" for number in range(50)]
    await line.say(*[start(name) for name in names], *[decide(1, name) for name in names])
    assert acts(await line.hear()) == [(name, 1, "hit") for name in names]
    assert await line.silent()


async def test_finished_answers_of_a_slow_bot_do_not_wait_for_the_others(stage: Stage) -> None:
    def slow(decision: Any) -> str:
        time.sleep(0.03)
        return "stay"

    stage.enter(slow)
    line = await stage.line()
    await line.welcome()
    await line.say(*[start(name) for name in "ab"], *[decide(1, name) for name in "ab"])
    assert acts(await line.hear()) == [("a", 1, "stay")]
    assert acts(await line.hear()) == [("b", 1, "stay")]


async def test_a_refused_move_is_explained_and_decided_again(stage: Stage) -> None:
    def stubborn(decision: Any) -> str:
        return "stay" if decision.rejected else "fold"

    stage.enter(stubborn)
    line = await opening(stage)
    await line.say(decide(3))
    assert acts(await line.hear()) == [("m", 3, "fold")]
    await line.say(
        pb.Rejected(
            match_id="m",
            decision=3,
            kind=pb.REJECTION_KIND_UNREADABLE,
            code="unreadable",
            message="no such move",
            move_text="fold",
            strikes_left=2,
            open=True,
            question=decide(3, again=True, budget_ms=700, bank_ms=300),
        )
    )
    assert acts(await line.hear()) == [("m", 3, "stay")]
    [text] = [text for text in stage.said if "refused" in text]
    assert text == ("match m, decision 3: 'fold' was refused: no such move. Legal were: hit | stay. Strikes left: 2.")


async def test_after_the_last_strike_nothing_is_decided_again(stage: Stage) -> None:
    stage.enter(first_move)
    line = await opening(stage)
    await line.say(decide(3))
    await line.hear()
    await line.say(
        pb.Rejected(match_id="m", decision=3, kind=pb.REJECTION_KIND_ILLEGAL, move_text="hit", strikes_left=0)
    )
    assert await line.silent()


# Reconnecting.


async def test_a_lost_answer_is_said_again_exactly_once_and_not_decided_again(stage: Stage) -> None:
    asked: list[int] = []

    def once(decision: Any) -> str:
        if decision.match != BARRIER:
            asked.append(decision.number)
        return "hit"

    stage.enter(once)
    line = await opening(stage)
    await line.say(decide(5))
    await line.hear()
    line.drop()
    line = await stage.line()
    assert line.hello.resume == "s1"
    await line.welcome("s2", ("m",))
    await line.say(start(), decide(5, again=True))
    assert acts(await line.hear()) == [("m", 5, "hit")]
    assert await line.silent()
    assert asked == [5]


class Thoughtful:
    """An async bot that thinks until it is told to `go`; other matches do not wait for that."""

    def __init__(self) -> None:
        self.thinking = asyncio.Event()
        self.go = asyncio.Event()

    async def __call__(self, decision: Any) -> str:
        if decision.match != BARRIER:
            self.thinking.set()
            await self.go.wait()
        return "stay"

    async def decided(self, client: Client) -> None:
        """Let it decide, and wait until the SDK has done with it whatever it does."""
        self.go.set()
        await soon(lambda: not client._outbox._tasks)


async def thinking(stage: Stage) -> tuple[Client, Thoughtful, Line]:
    """A bot that was in the midst of thinking when its stream broke, and its new stream."""
    bot = Thoughtful()
    client, _ = stage.enter(bot)
    line = await opening(stage)
    await line.say(decide(5))
    await asyncio.wait_for(bot.thinking.wait(), PATIENCE)
    line.drop()
    return client, bot, await stage.line()


async def test_an_answer_thought_of_while_the_stream_was_broken_is_said_exactly_once(stage: Stage) -> None:
    client, bot, line = await thinking(stage)
    await bot.decided(client)  # on a stream where nobody has asked it
    assert await line.silent()
    await line.welcome("s2", ("m",))
    await line.say(start(), decide(5, again=True))
    assert acts(await line.hear()) == [("m", 5, "stay")]
    assert await line.silent()


async def test_a_question_still_thought_about_is_answered_on_the_new_stream(stage: Stage) -> None:
    _, bot, line = await thinking(stage)
    await line.welcome("s2", ("m",))
    await line.say(start(), decide(5, again=True))
    assert await line.silent()
    bot.go.set()
    assert acts(await line.hear()) == [("m", 5, "stay")]
    assert await line.silent()


async def test_a_match_that_went_on_without_the_bot_is_forgotten(stage: Stage) -> None:
    client, bot, line = await thinking(stage)
    await line.welcome("s2", ())
    await soon(lambda: any("match m is no longer this bot's" in text for text in stage.said))
    await bot.decided(client)
    assert await line.silent()
    await soon(lambda: client.playing == 0)


async def test_a_question_put_anew_by_a_late_referee_is_decided_anew(stage: Stage) -> None:
    stage.enter(lambda decision: f"hit {decision.number}")
    line = await opening(stage)
    await line.say(decide(5))
    assert acts(await line.hear()) == [("m", 5, "hit 5")]
    await line.say(decide(6, again=True))
    assert acts(await line.hear()) == [("m", 6, "hit 6")]


async def test_pauses_between_attempts_grow(stage: Stage) -> None:
    stage.enter(first_move)
    for _ in range(3):
        line = await stage.line()
        line.drop()
    await soon(lambda: len(stage.said) > 2)
    pauses = [text.rpartition("again in ")[2] for text in stage.said if "again in" in text]
    assert pauses[:2] == ["0.1 s", "0.2 s"]


async def test_a_server_that_stays_away_is_given_up(stage: Stage) -> None:
    _, work = stage.enter(first_move, server="127.0.0.1:1", first_patience=0.3)
    with pytest.raises(Gone, match=r"no Referee server listens at 127.0.0.1:1; gave up after 0.3 seconds"):
        await work


async def test_patience_starts_anew_after_every_welcome(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    later = 0.0
    monkeypatch.setattr(arena_client, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + later))
    _, work = stage.enter(first_move, patience=3600.0, first_patience=3600.0)
    for number in range(4):
        line = await stage.line()
        await line.welcome(f"s{number}")
        await soon(lambda number=number: sum("connected to" in text for text in stage.said) > number)  # type: ignore[misc]
        later += 1800.0
        line.drop()
    await stage.line()
    assert not work.done()


# Endings and refusals.


async def test_practice_is_asked_for_and_then_the_bot_leaves(stage: Stage) -> None:
    bot, work = stage.enter(first_move, practice=Practice("flip7", ("random", "random"), 2, '{"a": 1}'))
    line = await stage.line()
    await line.welcome()
    [wish] = await line.hear()
    assert (wish.game, list(wish.against), wish.matches, wish.options_json) == (
        "flip7",
        ["random", "random"],
        2,
        '{"a": 1}',
    )
    for match in ("p/1", "p/2"):
        await line.say(start(match))
        await line.say(end(match))
    [leave] = await line.hear()
    assert isinstance(leave, pb.Leave)
    line.end()
    await work
    assert len(bot.results) == 2
    assert "flip7 p/2: rank 1 of 3, score 9 against bob, carol" in stage.said


async def test_after_a_reconnect_only_the_missing_practice_is_asked_for(stage: Stage) -> None:
    bot, _ = stage.enter(first_move, practice=Practice("flip7", ("random", "random"), 5))
    line = await stage.line()
    await line.welcome()
    await line.hear()
    await line.say(start("p/1"))
    await line.say(end("p/1"), start("p/2"))
    await soon(lambda: len(bot.results) == bot.playing == 1)
    line.drop()
    line = await stage.line()
    await line.welcome("s2", ("p/2",))
    [wish] = await line.hear()
    assert wish.matches == 3


async def test_practice_that_the_server_still_knows_is_not_asked_for_again(stage: Stage) -> None:
    bot, _ = stage.enter(first_move, practice=Practice("flip7", ("random", "random"), 5))
    line = await stage.line()
    await line.welcome()
    await line.hear()
    await line.say(start("p/1"))
    await soon(lambda: bot.playing == 1)
    line.drop()
    line = await stage.line()
    await line.welcome("s2", ("p/1",), practice_left=4)
    assert await line.silent()


async def test_practice_that_was_lost_with_the_connection_counts(stage: Stage) -> None:
    bot, work = stage.enter(first_move, practice=Practice("flip7", ("random", "random"), 3))
    line = await stage.line()
    await line.welcome()
    await line.hear()
    for session, lost, missing in (("s2", "p/1", 2), ("s3", "p/2", 1)):
        await line.say(start(lost))
        await soon(lambda: bot.playing == 1)
        line.drop()
        line = await stage.line()
        await line.welcome(session)
        [wish] = await line.hear()
        assert wish.matches == missing
    await line.say(start("p/3"))
    await soon(lambda: bot.playing == 1)
    line.drop()
    line = await stage.line()
    await line.welcome("s4")
    assert isinstance((await line.hear())[0], pb.Leave)
    line.end()
    await work


async def test_a_new_program_asks_for_its_own_practice_whatever_another_left_behind(stage: Stage) -> None:
    stage.enter(first_move, practice=Practice("flip7", ("random", "random"), 3))
    line = await stage.line()
    await line.welcome(practice_left=7)
    [wish] = await line.hear()
    assert wish.matches == 3


async def test_where_the_first_address_does_not_answer_the_others_are_tried_in_turn(stage: Stage) -> None:
    away = Stage()
    await away.start()
    stage.enter(first_move, server=away.address)
    line = await away.line()
    await line.welcome(addresses=["127.0.0.1:1", stage.address])
    await soon(lambda: any("connected to" in text for text in stage.said))
    await away.stop()
    line = await stage.line()
    assert line.hello.resume == "s1"
    await line.welcome("s2")
    await soon(lambda: f"connected to stage 1 at {stage.address} as alice" in stage.said)
    assert any(text.startswith("no Referee server listens at 127.0.0.1:1; trying again in ") for text in stage.said)


async def test_a_rejection_tells_how_much_time_is_left(stage: Stage) -> None:
    seen: list[tuple[str, float, float]] = []

    def decide_again(decision: Any) -> str:
        seen.append((decision.rejected, decision.budget, decision.bank))
        return "hit"

    stage.enter(decide_again)
    line = await opening(stage)
    await line.say(decide(3, budget_ms=1000, bank_ms=300))
    await line.hear()
    question = decide(3, again=True, budget_ms=0, bank_ms=200)
    await line.say(pb.Rejected(match_id="m", decision=3, message="no", strikes_left=2, open=True, question=question))
    await line.hear()
    assert seen == [("", 1.0, 0.3), ("no", 0.0, 0.2)]


async def test_refused_practice_ends_the_program_with_the_reason(stage: Stage) -> None:
    _, work = stage.enter(first_move, practice=Practice("flip7", ()))
    line = await stage.line()
    await line.welcome()
    await line.say(pb.Notice(code=pb.NOTICE_CODE_REFUSED, text="flip7 is for 3 to 36 players, not 1"))
    with pytest.raises(Refused, match=r"not 1 \(name the others with --against BOT,BOT\)"):
        await work


async def test_other_notices_and_a_drain_are_shown(stage: Stage) -> None:
    stage.enter(first_move)
    line = await opening(stage)
    await line.say(
        pb.Notice(code=pb.NOTICE_CODE_WAITING, text="waiting for 1 more"), pb.Drain(text="closing time"), decide(1)
    )
    await line.hear()
    assert stage.said[-2:] == ["waiting for 1 more", "closing time"]


async def test_a_body_the_sdk_does_not_know_is_passed_over(stage: Stage) -> None:
    stage.enter(first_move)
    line = await opening(stage)
    later = pb.RefereeBody.FromString(bytes.fromhex("fa0101 61".replace(" ", "")))
    await line._context.write(pb.PlayResponse(bodies=[later, pb.RefereeBody(decide=decide(1))]))
    assert acts(await line.hear()) == [("m", 1, "hit")]


async def test_another_protocol_version_is_refused_with_advice(stage: Stage) -> None:
    _, work = stage.enter(first_move)
    line = await stage.line()
    await line.welcome(protocol_version=2)
    with pytest.raises(Refused, match="stage 1 speaks protocol 2, this SDK 1: update the older of the two"):
        await work


@pytest.mark.parametrize(
    ("code", "error", "text"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, Refused, "did not accept the token: check REFEREE_TOKEN or --token"),
        (grpc.StatusCode.FAILED_PRECONDITION, Refused, "refused: so it is"),
        (grpc.StatusCode.ALREADY_EXISTS, Refused, "refused: so it is"),
        (grpc.StatusCode.PERMISSION_DENIED, Refused, "refused: so it is"),
        (grpc.StatusCode.UNAVAILABLE, Gone, "gave up"),
        (grpc.StatusCode.INTERNAL, Gone, "gave up"),
    ],
)
async def test_every_status_means_something_to_the_author(
    stage: Stage, code: grpc.StatusCode, error: type[Exception], text: str
) -> None:
    _, work = stage.enter(first_move, first_patience=0.05)
    (await stage.line()).end(code, "so it is")
    with pytest.raises(error, match=text):
        await work


async def test_strict_stops_at_the_first_error_even_in_an_async_bot(stage: Stage) -> None:
    async def broken(decision: Any) -> str:
        await asyncio.sleep(0.01)
        raise ValueError("oops")

    _, work = stage.enter(broken, strict=True)
    line = await opening(stage)
    await line.say(decide(1))
    [resign] = await line.hear()
    assert resign.reason == "error in decide: ValueError: oops"
    with pytest.raises(BotFailed, match="ValueError: oops"):
        await asyncio.wait_for(work, PATIENCE)


async def test_a_lost_resignation_is_said_again(stage: Stage) -> None:
    def broken(decision: Any) -> str:
        raise ValueError("oops")

    stage.enter(broken)
    line = await opening(stage)
    await line.say(decide(1))
    await line.hear()
    line.drop()
    line = await stage.line()
    await line.welcome("s2", ("m",))
    await line.say(start(), decide(1, again=True))
    [resign] = await line.hear()
    assert isinstance(resign, pb.Resign)


async def test_answers_that_become_ready_while_others_are_sent_all_arrive_once(stage: Stage) -> None:
    async def slowly(decision: Any) -> str:
        await asyncio.sleep(0.001 * (decision.number % 7))
        return "hit"

    stage.enter(slowly)
    line = await stage.line()
    await line.welcome()
    names = [f"m{number}" for number in range(200)]
    await line.say(*[start(name) for name in names])
    await line.say(*[decide(number, name) for number, name in enumerate(names, 1)])
    heard: list[tuple[str, int, str]] = []
    while len(heard) < len(names):
        heard += acts(await line.hear())
    assert sorted(heard) == sorted((name, number, "hit") for number, name in enumerate(names, 1))
    assert await line.silent()
