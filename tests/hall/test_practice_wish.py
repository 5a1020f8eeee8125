"""Who practises with whom: nobody sits down without those it named, and nobody is drawn in without its own wish."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from referee.hall.practice_wish import Wish, table_for
from referee.hall.roster import ANYONE
from referee.rules import registry


class Bot:
    connected = True
    leaving = False

    def __init__(self, name: str) -> None:
        self.name = name


def wish(name: str, *against: str, house: tuple[str, ...] = (), game: str = "flip7") -> Wish:
    named = frozenset(other for other in against if other != ANYONE)
    return Wish(cast(Any, Bot(name)), registry.find(game), {}, house, named, 1 + len(against), 1)


def names(wishes: list[Wish]) -> list[str]:
    return [wish.bot.name for wish in wishes]


def test_two_that_name_each_other_meet_past_those_who_waited_longer() -> None:
    waiting = [wish("carol", ANYONE), wish("bob", "alice")]
    assert names(table_for(wish("alice", "bob"), waiting)) == ["bob"]


def test_a_named_bot_that_takes_anyone_is_met_too() -> None:
    assert names(table_for(wish("alice", "bob"), [wish("bob", ANYONE)])) == ["bob"]
    assert names(table_for(wish("bob", ANYONE), [wish("alice", "bob")])) == ["alice"]


def test_a_named_bot_that_wants_another_one_is_left_alone() -> None:
    assert table_for(wish("alice", "bob"), [wish("bob", "carol")]) == []
    assert table_for(wish("alice", ANYONE), [wish("bob", "carol")]) == []


def test_a_bot_is_taken_with_all_that_it_names_or_not_at_all() -> None:
    waiting = [wish("bob", "carol", ANYONE), wish("dora", ANYONE, ANYONE), wish("carol", ANYONE, ANYONE)]
    assert names(table_for(wish("alice", ANYONE, ANYONE), waiting)) == ["bob", "carol"]
    assert names(table_for(wish("alice", ANYONE, "dora"), waiting[:2])) == ["dora"]


def test_other_house_bots_another_game_or_another_size_is_another_table() -> None:
    own = wish("alice", ANYONE, house=("random", "cautious"))
    assert names(table_for(own, [wish("bob", ANYONE, house=("cautious", "random"))])) == ["bob"]
    for other in (wish("bob", ANYONE), wish("bob", ANYONE, ANYONE), wish("bob", ANYONE, game="stop")):
        assert table_for(own, [other]) == []


NAMES = ("a", "b", "c", "d", "e")
WISHES = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from([ANYONE, *NAMES]), min_size=2, max_size=2) for name in NAMES}
)


@given(WISHES, st.permutations(NAMES))
def test_a_full_table_is_one_that_every_bot_at_it_asked_for(wanted: dict[str, list[str]], order: list[str]) -> None:
    wishes = [wish(name, *[other for other in wanted[name] if other != name] or [ANYONE]) for name in order]
    first, *waiting = wishes
    table = [first, *table_for(first, waiting)]
    assert len(table) <= first.remote
    if len(table) == first.remote:
        seated = {each.bot.name for each in table}
        assert all(each.named <= seated - {each.bot.name} and each.remote == first.remote for each in table)
    elif first.remote == 2:  # where two are wanted, every other is tried
        fitting = [each for each in waiting if first.fits(each)]
        assert not any(first.named <= {each.bot.name} and each.named <= {first.bot.name} for each in fitting)
