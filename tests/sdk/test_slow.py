"""A decision that took longer than its budget is told to the author, once per match."""

from __future__ import annotations

import asyncio
import time

import arena

from .conftest import Stage, decide, end, start


def told(stage: Stage) -> list[str]:
    return [text for text in stage.said if "its budget was" in text]


async def test_it_is_told_once_per_match(stage: Stage) -> None:
    async def think(decision: arena.Decision) -> str:
        await asyncio.sleep(0.02)
        return "hit"

    stage.enter(think)
    line = await stage.line()
    await line.welcome()
    for match in ("m", "n"):
        await line.say(start(match))
        for number in (1, 2, 3):
            await line.say(decide(number, match, budget_ms=10))
            await line.hear()
        await line.say(end(match))
    assert [text.partition(" took")[0] for text in told(stage)] == ["decision 1 of match m", "decision 1 of match n"]
    assert not any("waited" in text for text in told(stage))


async def test_time_in_the_queue_counts_and_is_explained(stage: Stage) -> None:
    def think(decision: arena.Decision) -> str:
        if decision.match == "m":
            time.sleep(1.5)  # as long as a search would keep the processor
        return "hit"

    stage.enter(think)
    line = await stage.line()
    await line.welcome()
    await line.say(start("m"), start("n"), decide(1, "m", budget_ms=60_000), decide(1, "n", budget_ms=1_000))
    answered = [body.match_id for body in await line.hear()]
    if len(answered) == 1:  # what was ready has been sent on the way
        answered += [body.match_id for body in await line.hear()]
    assert answered == ["m", "n"]
    (text,) = told(stage)
    assert text.startswith("decision 1 of match n took ")
    assert "s for other matches: --concurrency 1 plays one at a time)" in text


async def test_a_decision_in_time_is_not_worth_a_word(stage: Stage) -> None:
    stage.enter(lambda decision: "hit")
    line = await stage.line()
    await line.welcome()
    await line.say(start("m"), decide(1, "m", budget_ms=60_000), decide(2, "m", budget_ms=0))
    await line.hear()
    assert told(stage) == []
