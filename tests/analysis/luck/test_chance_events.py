"""Luck has the mean zero whatever the bots do, is the same every time, and explains much of the results."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from referee.analysis.luck import LuckyMatch, adjust, check_game, meter_of, place_share
from referee.analysis.luck.value import LearntValue
from referee.analysis.why.positions import states_of
from referee.games.encore.choices import ACTIVE, EVERYBODY
from referee.games.encore.moves import PASSING
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import State, WrongUse
from referee.rules.playout import match_seed, playout, random_chooser
from referee.rules.record import Record

from ...soak_share import part_of

TABLES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "flip7": (("odds", "cautious", "odds", "cautious"), {}),
    "encore": (("tidy", "tidy"), {}),
    "stop_me_go": (("patient", "random", "patient"), {}),
    "stop": (("frugal", "frugal", "random"), {}),
}


def series(game: str, matches: int) -> list[Record]:
    """Matches of different bots, seats rotated."""
    chosen = registry.find(game)
    bots, given = TABLES[game]
    options = chosen.resolve_options(given)
    loaded = {bot: folders.load(folders.find(bot, game)) for bot in set(bots)}
    records = []
    for number in range(matches):
        turn = number % len(bots)
        seated = (*bots[turn:], *bots[:turn])
        choosers = [
            inprocess.chooser(loaded[bot], bot, chosen, options, f"m{number}", seat, seated)
            for seat, bot in enumerate(seated)
        ]
        records.append(playout(chosen, len(bots), options, match_seed(b"luck", number), choosers).record)
    return records


@cache
def measured(
    game: str, matches: int, rollouts: int | None = None, learning: int | None = None
) -> tuple[LuckyMatch, ...]:
    records = series(game, matches)
    meter = meter_of(registry.find(game), records[0].players, records[0].options, rollouts=rollouts, learning=learning)
    bots = TABLES[game][0]
    found = []
    for number, record in enumerate(records):
        assert record.result is not None
        ranks, turn = record.result.ranks, number % len(bots)
        shares = tuple(place_share(ranks, seat) for seat in range(len(ranks)))
        names = tuple(f"{bot}{place}" for place, bot in enumerate(bots))
        found.append(LuckyMatch((*names[turn:], *names[:turn]), shares, meter.luck(record), number))
    return tuple(found)


@pytest.mark.parametrize("game", TABLES)
def test_drawing_anew_what_no_seat_knows_changes_no_view_and_no_piece(game: str) -> None:
    chosen = registry.find(game)
    state = chosen.start(3, seed=b"redrawn")
    chooser = random_chooser(b"redrawn", 0)
    for number in range(40):
        twin = state.redrawn(Seeded(b"%d" % number))
        assert [twin.view_bytes(seat) for seat in (*range(3), None)] == [
            state.view_bytes(seat) for seat in (*range(3), None)
        ]
        assert twin.pieces() == state.pieces()
        assert twin.pending() == state.pending()
        if not state.pending():
            break
        state.play({seat: chooser(state, seat) for seat in state.pending()})


def test_a_game_that_cannot_tell_luck_apart_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.find("flip7")
    monkeypatch.setattr(type(game.start(3)), "redrawn", State.redrawn)
    with pytest.raises(WrongUse, match=r"luck cannot be told apart in flip7: its author .* provides no 'redrawn'"):
        check_game(game)


def test_the_same_meter_and_record_give_the_same_luck() -> None:
    record = series("stop_me_go", 1)[0]
    luck = [meter_of(registry.find("stop_me_go"), 3, record.options, learning=8).luck(record) for _ in range(2)]
    assert luck[0] == luck[1]
    assert any(value for seat in luck[0] for value in seat)
    other = meter_of(registry.find("stop_me_go"), 3, record.options, seed=1, learning=8).luck(record)
    assert other != luck[0]


def test_in_encore_a_position_is_valued_when_all_have_used_the_roll(monkeypatch: pytest.MonkeyPatch) -> None:
    record = series("encore", 1)[0]
    meter = meter_of(registry.find("encore"), 2, record.options, rollouts=2, learning=2)
    seen = []

    def shares(value: LearntValue, state: Any) -> list[float]:
        seen.append(state.ended is not None or (state.phase in (EVERYBODY, ACTIVE) and state.taken == PASSING))
        return [0.5, 0.5]

    monkeypatch.setattr(LearntValue, "shares", shares)
    assert meter.luck(record) == ((0.0,), (0.0,))
    last: Any = states_of(meter.yardstick, record)[-1][0]
    assert all(seen)
    assert len(seen) == 3 * last.roll  # what came and two others, and nothing where no dice are rolled


def held(matches: tuple[LuckyMatch, ...]) -> None:
    """The luck of every bot is zero on average, as far as so many matches can tell: 4 standard errors."""
    for bot in matches[0].bots:
        for feature in range(len(matches[0].luck[0])):
            values = [match.luck[match.bots.index(bot)][feature] for match in matches]
            mean = math.fsum(values) / len(values)
            error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
            assert abs(mean) <= 4 * error + 1e-12, (bot, feature, mean, error)


@pytest.mark.parametrize(
    ("game", "matches", "rollouts", "learning", "most"),
    [("stop_me_go", 40, 8, 60, 0.97), ("encore", 40, 6, 400, 0.75)],
)
def test_luck_has_the_mean_zero_and_takes_variance_away_in_a_few_matches(
    game: str, matches: int, rollouts: int, learning: int, most: float
) -> None:
    found = measured(game, matches, rollouts, learning)
    held(found)
    assert adjust(found).variance < most


@pytest.mark.parametrize(("game", "matches", "rollouts"), [("stop_me_go", 60, 4), ("encore", 30, 2)])
def test_a_value_learnt_from_few_matches_keeps_the_mean_of_luck_at_zero(game: str, matches: int, rollouts: int) -> None:
    """However badly positions are valued: here by two matches of the house bot."""
    found = measured(game, matches, rollouts, 2)
    held(found)
    assert any(abs(value) > 0.01 for match in found for seat in match.luck for value in seat)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "most"), [("flip7", 0.5), ("encore", 0.5), ("stop_me_go", 1.0), ("stop", 1.0)])
def test_luck_has_the_mean_zero_and_takes_variance_away(game: str, most: float) -> None:
    """The goal is half the variance in two games, and nowhere more variance than before. Not fitted to any figures."""
    matches = measured(game, part_of(400, 40))
    held(matches)
    assert adjust(matches).variance <= most
