"""Tournaments: their schedule, their states, their secret."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product

import pytest

from referee.store import (
    Counts,
    MatchResult,
    MatchState,
    NameTaken,
    NewEntrant,
    NewTournament,
    NotAllowed,
    Refused,
    Store,
    StoredMatch,
    Tournament,
    TournamentState,
    Unknown,
)

from .claiming import claim_next
from .facts import set_fact

ROOT = bytes(range(32))
SALT = bytes(range(100, 132))
League = Callable[..., Tournament]
ALLOWED = {
    ("created", "running"),
    ("created", "cancelled"),
    ("running", "paused"),
    ("running", "finished"),
    ("running", "cancelled"),
    ("paused", "running"),
    ("paused", "finished"),
    ("paused", "cancelled"),
}
WAY_TO = {
    "created": [],
    "running": ["running"],
    "paused": ["running", "paused"],
    "finished": ["running", "finished"],
    "cancelled": ["cancelled"],
}


@dataclass(frozen=True)
class Table:
    round: int
    table: int
    seats: tuple[int, ...]


def new(name: str = "cup", settings: Mapping[str, object] | None = None) -> NewTournament:
    return NewTournament(name, "flip7", "1.0", 2, settings or {}, ROOT, seed_text="lucky", salt=SALT)


def two_bots(store: Store) -> list[NewEntrant]:
    random = store.bots.ensure_house("random")
    return [NewEntrant(random.id, "random"), NewEntrant(random.id, "random-2")]


def seats(match: StoredMatch) -> list[str]:
    return [seat.name for seat in match.seats]


def test_the_whole_schedule_is_stored_before_the_first_match(store: Store) -> None:
    made = store.tournaments.create(new(), two_bots(store), [Table(0, 0, (0, 1)), Table(1, 0, (1, 0))])
    first, second = store.matches.in_schedule_order(made.id)
    assert (first.round, first.table, first.ordinal, seats(first)) == (0, 0, 0, ["random", "random-2"])
    assert (second.round, second.table, second.ordinal, seats(second)) == (1, 0, 1, ["random-2", "random"])
    assert {first.state, second.state} == {MatchState.SCHEDULED}
    assert first.attempt == second.attempt == 1
    assert [seat.position for seat in second.seats] == [1, 0]
    assert store.tournaments.counts(made.id) == Counts(scheduled=2)


def test_a_long_schedule_keeps_its_order(store: Store) -> None:
    def tables() -> Iterator[Table]:
        for number in range(2_345):
            yield Table(number // 3, number % 3, (number % 2, 1 - number % 2))

    made = store.tournaments.create(new(), two_bots(store), tables())
    kept = list(store.matches.in_schedule_order(made.id))
    assert [(m.ordinal, m.round, m.table) for m in kept] == [(n, n // 3, n % 3) for n in range(2_345)]
    assert all([seat.position for seat in m.seats] == [n % 2, 1 - n % 2] for n, m in enumerate(kept))


def test_settings_are_read_back_as_they_were_given(store: Store) -> None:
    settings = {"rounds": 3, "options": {"target": 200, "names": ["é", None]}, "mirror": True, "bank": 1.5}
    made = store.tournaments.create(new(settings=settings), two_bots(store), [])
    kept = store.tournaments.get("cup")
    assert kept == made == store.tournaments.get(made.id) == store.tournaments.find("cup")
    assert kept.settings == settings
    assert (kept.game, kept.game_version, kept.players) == ("flip7", "1.0", 2)


def test_settings_that_json_cannot_hold_are_refused(store: Store) -> None:
    with pytest.raises(Refused, match="JSON"):
        store.tournaments.create(new(settings={"limit": float("nan")}), two_bots(store), [])


@pytest.mark.parametrize(
    ("seating", "reason"),
    [((0,), "1 seats instead of 2"), ((0, 2), "does not exist"), ((0, -1), "does not exist"), ((1, 1), "twice")],
)
def test_a_schedule_with_one_wrong_table_leaves_nothing_behind(
    store: Store, seating: tuple[int, ...], reason: str
) -> None:
    with pytest.raises(Refused, match=reason):
        store.tournaments.create(new(), two_bots(store), [Table(0, 0, (0, 1)), Table(1, 0, seating)])
    assert store.tournaments.all() == []
    assert store.tournaments.create(new(), two_bots(store), []).name == "cup"


def test_a_schedule_that_fails_halfway_leaves_nothing_behind(store: Store) -> None:
    def tables() -> Iterator[Table]:
        yield from (Table(number, 0, (0, 1)) for number in range(1_500))
        raise RuntimeError("the scheduler gave up")

    with pytest.raises(RuntimeError, match="gave up"):
        store.tournaments.create(new(), two_bots(store), tables())
    assert store.tournaments.find("cup") is None


def test_a_tournaments_name_is_its_own(store: Store) -> None:
    store.tournaments.create(new(), two_bots(store), [])
    with pytest.raises(NameTaken, match="cup exists already"):
        store.tournaments.create(new(), two_bots(store), [])


def test_two_entrants_cannot_share_a_name(store: Store) -> None:
    bot = store.bots.ensure_house("random").id
    with pytest.raises(NameTaken, match="named random"):
        store.tournaments.create(new(), [NewEntrant(bot, "random"), NewEntrant(bot, "random")], [])


def test_an_entrant_must_be_a_registered_bot(store: Store) -> None:
    with pytest.raises(Unknown, match="no bot number 999"):
        store.tournaments.create(new(), [NewEntrant(999, "ghost")], [])


def test_bots_that_join_are_appended_and_nothing_is_rewritten(store: Store) -> None:
    made = store.tournaments.create(new(), two_bots(store), [Table(0, 0, (0, 1))])
    before = list(store.matches.in_schedule_order(made.id))
    late = store.bots.ensure_house("late").id
    store.tournaments.extend(made.id, [NewEntrant(late, "late")], [Table(1, 0, (2, 0)), Table(2, 0, (1, 2))])
    after = list(store.matches.in_schedule_order(made.id))
    assert after[:1] == before
    assert [(m.ordinal, m.round, seats(m)) for m in after[1:]] == [
        (1, 1, ["late", "random"]),
        (2, 2, ["random-2", "late"]),
    ]
    assert [(e.position, e.name) for e in store.tournaments.entrants(made.id)] == [
        (0, "random"),
        (1, "random-2"),
        (2, "late"),
    ]


def test_nobody_joins_a_tournament_that_is_over(store: Store) -> None:
    made = store.tournaments.create(new(), two_bots(store), [])
    store.tournaments.set_state(made.id, TournamentState.CANCELLED)
    with pytest.raises(NotAllowed, match="is cancelled"):
        store.tournaments.extend(made.id, [], [Table(0, 0, (0, 1))])


@pytest.mark.parametrize(("start", "end"), list(product(WAY_TO, WAY_TO)))
def test_a_tournament_goes_only_where_its_state_allows(
    tmp_path_factory: pytest.TempPathFactory, start: str, end: str
) -> None:
    with Store.open(tmp_path_factory.mktemp("states") / "league.db") as store:
        made = store.tournaments.create(new(), two_bots(store), [])
        for step in WAY_TO[start]:
            assert store.tournaments.set_state(made.id, TournamentState(step))
        if start == end:
            assert store.tournaments.set_state(made.id, TournamentState(end)) is False
        elif (start, end) in ALLOWED:
            assert store.tournaments.set_state(made.id, TournamentState(end)) is True
            start = end
        else:
            with pytest.raises(NotAllowed, match=f"is {start} and cannot become {end}"):
                store.tournaments.set_state(made.id, TournamentState(end))
        assert store.tournaments.get(made.id).state == start


def test_a_tournament_with_open_matches_cannot_be_finished(
    store: Store, new_league: League, result_of: Callable[..., MatchResult]
) -> None:
    league = new_league(store, matches=2)
    for match in claim_next(store, league.id, 2):
        with pytest.raises(NotAllowed, match="matches to play"):
            store.tournaments.set_state(league.id, TournamentState.FINISHED)
        store.matches.report(result_of(match.id))
    assert store.tournaments.set_state(league.id, TournamentState.FINISHED)


def test_start_and_end_are_noted_once(open_store: Callable[..., Store]) -> None:
    clock = iter(range(1_000, 2_000))
    store = open_store(now=lambda: next(clock))
    made = store.tournaments.create(new(), two_bots(store), [])
    assert (made.started, made.finished) == (None, None)
    store.tournaments.set_state(made.id, TournamentState.RUNNING)
    started = store.tournaments.get(made.id).started
    store.tournaments.set_state(made.id, TournamentState.PAUSED)
    store.tournaments.set_state(made.id, TournamentState.RUNNING)
    store.tournaments.set_state(made.id, TournamentState.FINISHED)
    over = store.tournaments.get(made.id)
    assert (made.created, started, over.started) == (1_001, 1_002, 1_002)
    assert over.finished == 1_005


def test_the_root_is_committed_to_at_once_and_revealed_only_at_the_end(store: Store) -> None:
    made = store.tournaments.create(new(), two_bots(store), [])
    assert made.commitment == hashlib.sha256(ROOT).hexdigest()
    assert made.root is None
    assert ROOT.hex() not in repr(new()) + repr(made)
    assert store.tournaments.root(made.id) == ROOT
    store.tournaments.set_state(made.id, TournamentState.RUNNING, reveal=True)
    assert store.tournaments.get(made.id).root is None
    store.tournaments.set_state(made.id, TournamentState.CANCELLED, reveal=True)
    assert store.tournaments.get(made.id).root == ROOT


def test_the_root_of_a_tournament_that_is_over_stays_secret_unless_it_is_revealed(store: Store) -> None:
    made = store.tournaments.create(new(), two_bots(store), [])
    store.tournaments.set_state(made.id, TournamentState.CANCELLED)
    assert store.tournaments.get(made.id).root is None
    assert store.tournaments.root(made.id) == ROOT


def test_the_seeds_text_and_its_salt_are_as_secret_as_the_root_and_revealed_with_it(store: Store) -> None:
    made = store.tournaments.create(new(), two_bots(store), [])
    assert (made.repeatable, made.seed_text, made.salt) == (False, None, None)
    assert "lucky" not in repr(new()) + repr(made)
    assert repr(SALT) not in repr(new()) + repr(made)
    secret = store.tournaments.secret(made.id)
    assert (secret.root, secret.seed_text, secret.salt) == (ROOT, "lucky", SALT)
    assert "lucky" not in repr(secret)
    store.tournaments.set_state(made.id, TournamentState.CANCELLED, reveal=True)
    over = store.tournaments.get(made.id)
    assert (over.root, over.seed_text, over.salt) == (ROOT, "lucky", SALT)


def test_a_root_that_follows_from_its_text_alone_is_called_repeatable(store: Store) -> None:
    text_alone = store.tournaments.create(replace(new("a"), salt=None), two_bots(store), [])
    drawn = store.tournaments.create(replace(new("b"), seed_text=None, salt=None), two_bots(store), [])
    assert (text_alone.repeatable, drawn.repeatable) == (True, False)


def test_unknown_tournaments_are_refused(store: Store) -> None:
    assert store.tournaments.find("nowhere") is None
    with pytest.raises(Unknown, match="named nowhere"):
        store.tournaments.get("nowhere")
    for call in (store.tournaments.get, store.tournaments.secret):
        with pytest.raises(Unknown, match="number 77"):
            call(77)
    with pytest.raises(Unknown, match="number 77"):
        store.tournaments.set_state(77, TournamentState.RUNNING)


def test_tournaments_are_listed_oldest_first(store: Store) -> None:
    for name in ("b", "a", "c"):
        store.tournaments.create(new(name), two_bots(store), [])
    assert [each.name for each in store.tournaments.all()] == ["b", "a", "c"]


def test_facts_are_kept_replaced_and_forgotten(store: Store, open_store: Callable[..., Store]) -> None:
    assert store.fact("admin") is None
    set_fact(store, "admin", "aa")
    set_fact(store, "admin", "bb")
    assert open_store().fact("admin") == "bb"
    set_fact(store, "admin", None)
    assert store.fact("admin") is None


def test_matches_that_were_dealt_more_than_once_are_counted(
    store: Store, new_league: Callable[..., Tournament]
) -> None:
    league = new_league(store)
    assert store.tournaments.dealt_anew(league.id) == 0
    for match in (1, 2):
        assert store.matches.claim(match) == 1
    store.matches.put_back({1: True, 2: False})
    assert store.tournaments.dealt_anew(league.id) == 1
