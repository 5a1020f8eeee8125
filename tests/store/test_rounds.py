"""Rounds that a format draws and rulings of the host, on SQLite and on PostgreSQL: all at once or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.store import (
    MatchResult,
    MatchState,
    NewRound,
    NewTable,
    NotAllowed,
    Refused,
    RulingKind,
    Store,
    Tournament,
    TournamentState,
    Unknown,
)

NewLeague = Callable[..., Tournament]
ResultOf = Callable[..., MatchResult]
TABLES = (NewTable((0, 1), "both are new"), NewTable((2, 3), "both are new", 1))


def new_round(number: int = 1, **changes: object) -> NewRound:
    values = {"byes": (), "active": (0, 1, 2, 3), "entrants": 4, "rulings": 0} | changes
    return NewRound(number, f"round {number}", TABLES, **values)  # type: ignore[arg-type]


def play(store: Store, league: Tournament, result_of: ResultOf) -> None:
    for match in store.matches.in_schedule_order(league.id, [MatchState.SCHEDULED]):
        attempt = store.matches.claim(match.id)
        assert attempt is not None
        assert store.matches.report(result_of(match.id, attempt))


def test_a_round_is_stored_with_its_matches_and_told_by_the_journal(store: Store, new_league: NewLeague) -> None:
    league = new_league(store, matches=0)
    stored = store.rounds.add(league.id, new_round())
    assert stored is not None
    assert (stored.number, stored.first, stored.matches, stored.deals) == (1, 0, 2, (0, 1))
    assert store.rounds.all(league.id) == [stored]
    matches = list(store.matches.in_schedule_order(league.id))
    assert [(match.round, match.table, match.ordinal) for match in matches] == [(1, 1, 0), (1, 2, 1)]
    assert store.rounds.reasons(matches) == ["both are new", "both are new"]
    kinds = [entry.entry.split('"kind":"')[1].split('"')[0] for entry in store.journal.read(league.id)]
    assert kinds[-2:] == ["round", "scheduled"]


def test_a_round_is_stored_only_if_nothing_has_changed_since_it_was_drawn(
    store: Store, new_league: NewLeague, result_of: ResultOf
) -> None:
    league = new_league(store, matches=0)
    assert store.rounds.add(league.id, new_round(entrants=3)) is None
    assert store.rounds.add(league.id, new_round(rulings=1)) is None
    assert store.rounds.add(league.id, new_round(2)) is None
    assert store.rounds.add(league.id, new_round()) is not None
    assert store.rounds.add(league.id, new_round(2)) is None  # matches are open
    play(store, league, result_of)
    assert store.rounds.add(league.id, new_round(1)) is None  # it is there already
    assert store.rounds.add(league.id, new_round(2)) is not None
    play(store, league, result_of)
    store.tournaments.set_state(league.id, TournamentState.PAUSED)
    assert store.rounds.add(league.id, new_round(3)) is None
    assert store.rounds.count(league.id) == 2


def test_an_annulled_match_is_void_and_keeps_its_result_and_its_record(
    store: Store, new_league: NewLeague, result_of: ResultOf
) -> None:
    league = new_league(store)
    play(store, league, result_of)
    ruling = store.rulings.annul(league.id, 2, "the wrong rules")
    assert (ruling.kind, ruling.match, ruling.annulled) == (RulingKind.ANNULLED, 2, (2,))
    match = list(store.matches.in_schedule_order(league.id))[2]
    assert (match.state, match.reason) == (MatchState.VOID, "annulled: the wrong rules")
    assert [seat.rank for seat in match.seats] == [1, 2]
    assert store.matches.record(match.id) is not None
    with pytest.raises(NotAllowed):
        store.rulings.annul(league.id, 2, "again")
    assert store.matches.put_back({match.id: True}) == 0


def test_a_bot_that_is_taken_out_plays_none_of_its_open_matches(
    store: Store, new_league: NewLeague, result_of: ResultOf
) -> None:
    league = new_league(store)
    first = store.matches.in_schedule_order(league.id)
    played = next(iter(first))
    attempt = store.matches.claim(played.id)
    assert attempt is not None
    store.matches.report(result_of(played.id, attempt))
    ruling = store.rulings.bot(league.id, RulingKind.DISQUALIFIED, "ada", "two accounts", annul=True, further=None)
    assert ruling.annulled == (0,)
    mine = [m for m in store.matches.in_schedule_order(league.id) if "ada" in {seat.name for seat in m.seats}]
    assert {match.state for match in mine} == {MatchState.VOID}
    assert set(ruling.aside) == {match.ordinal for match in mine} - {0}
    assert list(store.rulings.out(league.id)) == ["ada"]
    with pytest.raises(NotAllowed):
        store.rulings.bot(league.id, RulingKind.DISQUALIFIED, "ada", "again", annul=False, further=None)
    with pytest.raises(NotAllowed):
        store.rulings.bot(league.id, RulingKind.RETURNED, "ada", "back", annul=False, further=None)


def test_a_match_can_be_played_again_until_the_tournament_is_over(
    store: Store, new_league: NewLeague, result_of: ResultOf
) -> None:
    league = new_league(store)
    play(store, league, result_of)
    store.rulings.replay(league.id, 1, "the server was slow")
    again = list(store.matches.in_schedule_order(league.id))[1]
    assert (again.state, again.attempt, again.seed) == (MatchState.SCHEDULED, 2, None)
    assert [seat.rank for seat in again.seats] == [None, None]
    assert store.matches.record(again.id) is None
    with pytest.raises(NotAllowed):
        store.rulings.replay(league.id, 1, "twice")
    play(store, league, result_of)
    assert store.matches.record(again.id) is not None
    store.tournaments.set_state(league.id, TournamentState.FINISHED, reveal=True)
    with pytest.raises(NotAllowed):
        store.rulings.replay(league.id, 1, "too late")


def test_a_match_from_which_a_later_round_was_drawn_is_not_played_again(
    store: Store, new_league: NewLeague, result_of: ResultOf
) -> None:
    league = new_league(store, matches=0)
    for number in (1, 2):
        assert store.rounds.add(league.id, new_round(number)) is not None
        play(store, league, result_of)
    with pytest.raises(NotAllowed):
        store.rulings.replay(league.id, 0, "why not")
    store.rulings.replay(league.id, 3, "the last round is not settled for good")


def test_a_ruling_needs_a_reason_and_something_that_exists(store: Store, new_league: NewLeague) -> None:
    league = new_league(store)
    with pytest.raises(Refused):
        store.rulings.annul(league.id, 0, "  ")
    with pytest.raises(Unknown):
        store.rulings.annul(league.id, 99, "there is no such match")
    with pytest.raises(Unknown):
        store.rulings.bot(league.id, RulingKind.WITHDRAWN, "eve", "who is that", annul=False, further=None)
