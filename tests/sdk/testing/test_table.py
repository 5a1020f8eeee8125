"""`arena.testing.play`: whole matches in this process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

import arena
from arena import testing
from arena.errors import BotFailed, Refused


def first(decision: arena.Decision) -> str:
    return decision.legal[0]


@pytest.mark.parametrize(("game", "others"), [("flip7", 2), ("encore", 1), ("stop", 2), ("stop_me_go", 1)])
def test_every_game_is_played_to_the_end(game: str, others: int) -> None:
    series = testing.play(first, ["random"] * others, game=game, matches=others + 1)
    assert series.matches == others + 1
    assert [result.match.seat for result in series.results] == [0, *range(others, 0, -1)], "it changes its seat"
    for result in series.results:
        assert result.match.names[result.match.seat] == "first"
        assert result.view.ranks == list(result.ranks)
        assert set(result.terminations) == {"finished"}
    assert series.decisions > series.matches
    assert str(series).startswith(f"{others + 1} matches: mean rank ")


def test_the_same_seed_deals_the_same_cards() -> None:
    def scores(seed: str) -> list[Any]:
        series = testing.play(first, ["cautious", first], game="flip7", matches=3, seed=seed)
        return [result.scores for result in series.results]

    assert scores("a") == scores("a") != scores("b")


def test_a_class_gets_an_instance_per_match_with_start_and_end() -> None:
    said: list[str] = []

    class Bot:
        def start(self, match: arena.Match) -> None:
            said.append(f"start {match.id}")

        async def decide(self, decision: arena.Decision) -> str:
            await asyncio.sleep(0)
            return decision.legal[0]

        def end(self, result: arena.Result) -> None:
            said.append(f"end {result.match.id} {result.rank}")

    series = testing.play(Bot, ["random"], game="stop_me_go", matches=2)
    ranks = [result.rank for result in series.results]
    assert said == ["start test/1", f"end test/1 {ranks[0]}", "start test/2", f"end test/2 {ranks[1]}"]


def test_async_bots_keep_their_loop_through_the_series() -> None:
    loops = set()

    async def decide(decision: arena.Decision) -> str:
        loops.add(asyncio.get_running_loop())
        return decision.legal[0]

    testing.play(decide, ["random"], game="stop_me_go", matches=2)
    assert len(loops) == 1


def test_an_error_names_the_bot_and_keeps_its_cause() -> None:
    def broken(decision: arena.Decision) -> str:
        raise KeyError("seven")

    with pytest.raises(BotFailed, match="bot 'broken' in match test/1, seat 0: raised KeyError: 'seven'") as error:
        testing.play(broken, ["random"], game="stop_me_go")
    assert isinstance(error.value.__cause__, KeyError)
    with pytest.raises(BotFailed, match="bot 'broken' in match test/1, seat 1"):
        testing.play(first, [broken], game="stop_me_go")


@pytest.mark.parametrize(("answer", "why"), [("fold", "cannot be read"), ("target 0", "is illegal"), (7, "no text")])
def test_a_move_that_is_none_is_told(answer: Any, why: str) -> None:
    with pytest.raises(BotFailed, match=f"answered {answer!r}, which .*{why}|answered {answer!r}, which is {why}"):
        testing.play(lambda decision: answer, ["random", "random"], game="flip7")


@pytest.mark.parametrize("hook", ["start", "end"])
def test_an_error_in_start_or_end_is_told(hook: str) -> None:
    def fail(self: Any, about: Any) -> None:
        raise RuntimeError("no coffee")

    bot = type("Sleepy", (), {"decide": lambda self, decision: decision.legal[0], hook: fail})
    with pytest.raises(BotFailed, match=r"bot 'Sleepy' in match test/1, seat 0: failed .*: RuntimeError: no coffee"):
        testing.play(bot, ["random"], game="stop_me_go")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"game": "flip"}, "unknown game 'flip'; did you mean 'flip7'"),
        ({"others": ["rndom", "random"]}, "unknown bot 'rndom'; did you mean 'random'"),
        ({"others": []}, "flip7 is for 3 to 36 players, not 1"),
        ({"others": "random"}, "is not a list of bots"),
        ({"others": [7, 7]}, "7 is not a bot"),
        ({"matches": 0}, "matches=0 is not a whole number, 1 or more"),
        ({"options": {"target": 3}}, "unknown option 'target'; did you mean 'target_score'"),
    ],
)
def test_wrong_use_is_told(words: dict[str, Any], why: str) -> None:
    given = {"others": ["random", "random"], "game": "flip7", **words}
    with pytest.raises((Refused, arena.NotABot), match=why):
        testing.play(first, **given)


def test_without_the_rules_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['referee'] = None\n"
        "from arena import testing\n"
        "try: testing.play(lambda decision: 'hit', ['random'], game='flip7')\n"
        "except testing.NoRules as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "arena.testing.play needs the rules of the games: pip install referee-arena\n"


async def test_inside_a_running_loop_an_async_bot_is_told_what_to_do() -> None:
    async def decide(decision: arena.Decision) -> str:
        return decision.legal[0]

    with pytest.raises(Refused, match=r"await asyncio\.to_thread\(arena\.testing\.play"):
        testing.play(decide, ["random"], game="stop_me_go")
    series = await asyncio.to_thread(testing.play, decide, ["random"], game="stop_me_go", matches=1)
    assert series.matches == 1
    assert testing.play(first, ["random"], game="stop_me_go", matches=1).matches == 1, "others need no loop"
