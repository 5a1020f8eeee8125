"""Finding matches: by tournament, bot, rank, fault, reason and state, and by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.store import MatchQuery, MatchResult, MatchState, NewEntrant, Store, Tournament, Unknown
from referee.store.match_search import read_name

from .claiming import claim_next

League = Callable[..., Tournament]
ResultOf = Callable[..., MatchResult]


@pytest.fixture
def played(store: Store, new_league: League, result_of: ResultOf) -> Store:
    """Matches 0 to 3 finished (ada-bob, bob-cy, cy-dee, dee-ada; seat 0 wins), 4 absent; practice of ada and bob."""
    league = new_league(store)
    matches = claim_next(store, league.id, 4)
    for match, fault in zip(matches, ("finished", "TIMEOUT", "crash", "finished"), strict=True):
        result = result_of(match.id)
        seats = (result.seats[0], replace(result.seats[1], fault=fault))
        assert store.matches.report(
            replace(result, seats=seats, reason="round_limit" if fault == "crash" else "finished")
        )
    waiting = next(store.matches.in_schedule_order(league.id, [MatchState.SCHEDULED]))
    store.matches.set_aside(waiting.id, MatchState.ABSENT, "ada was not there")
    entrants = [NewEntrant(store.bots.get(name).id, name) for name in ("ada", "bob")]
    practice = store.matches.add_practice("stop", "1", entrants, {})
    store.matches.report(result_of(practice.id, winner=1))
    return store


QUERIES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["practice", "league/4", "league/3", "league/2", "league/1", "league/0"]),
    ({"tournament": "league"}, ["league/4", "league/3", "league/2", "league/1", "league/0"]),
    ({"tournament": "practice"}, ["practice"]),
    ({"game": "stop"}, ["practice"]),
    ({"bot": "ada"}, ["practice", "league/4", "league/3", "league/0"]),
    ({"bot": "ada", "won": True}, ["league/0"]),
    ({"bot": "ada", "lost": True}, ["practice", "league/3"]),
    ({"faulted": True}, ["league/2", "league/1"]),
    ({"bot": "bob", "faulted": True}, []),
    ({"bot": "cy", "faulted": True}, ["league/1"]),
    ({"fault": "timeout"}, ["league/1"]),
    ({"reason": "round_limit"}, ["league/2"]),
    ({"states": (MatchState.ABSENT,)}, ["league/4"]),
    ({"tournament": "league", "states": tuple(MatchState), "bot": "cy"}, ["league/5", "league/2", "league/1"]),
]


def test_everything_that_is_wanted_has_to_hold(played: Store) -> None:
    for query, found in QUERIES:
        matches, total = played.matches.search(MatchQuery(**query))
        names = [one.name.partition("/")[0] if one.name.startswith("practice") else one.name for one in matches]
        assert (names, total) == (found, len(found)), query


def test_a_part_of_the_list_can_be_had(played: Store) -> None:
    matches, total = played.matches.search(MatchQuery("league"), offset=1, limit=2)
    assert ([one.name for one in matches], total) == (["league/3", "league/2"], 5)
    assert [seat.name for seat in matches[0].match.seats] == ["dee", "ada"]


def test_unknown_tournaments_and_bots_are_refused(played: Store) -> None:
    with pytest.raises(Unknown, match="no tournament named cup"):
        played.matches.search(MatchQuery("cup"))
    with pytest.raises(Unknown, match="no bot named eve in league"):
        played.matches.search(MatchQuery("league", bot="eve"))
    assert played.matches.search(MatchQuery("practice", bot="ada", won=True)) == ([], 0)


def test_a_match_is_found_by_its_name(played: Store) -> None:
    named = played.matches.named("league/2")
    assert named is not None
    assert (named.tournament, named.match.ordinal) == ("league", 2)
    [practice] = played.matches.search(MatchQuery("practice"))[0]
    assert played.matches.named(practice.name) == practice
    assert played.matches.named(practice.name.replace("practice", "league")) is None
    for name in ("league/99", "league", "cup/0", "practice/99999", "league/-1", "league/" + "9" * 30, "", "/"):
        assert played.matches.named(name) is None


def test_names_of_matches_are_read() -> None:
    assert read_name("a/b/12") == ("a/b", 12)
    assert read_name("league/²") is None
    assert read_name("12") is None


def test_a_match_of_a_tournament_is_not_reached_under_the_name_of_practice(played: Store) -> None:
    league = played.tournaments.get("league")
    numbers = [match.id for match in played.matches.page(league.id, 0, 10)]
    assert numbers
    assert [played.matches.named(f"practice/{number}") for number in numbers] == [None] * len(numbers)


@pytest.mark.parametrize("field", ["tournament", "game", "bot", "fault", "reason"])
def test_a_text_that_no_database_can_hold_finds_nothing_in_any_of_them(played: Store, field: str) -> None:
    for text in ("a\0b", "\udc00"):
        query = MatchQuery(**{field: text})  # type: ignore[arg-type]
        if field in ("tournament", "bot"):
            with pytest.raises(Unknown):
                played.matches.search(query)
        else:
            assert played.matches.search(query) == ([], 0)
        assert played.matches.named(f"{text}/1") is None
