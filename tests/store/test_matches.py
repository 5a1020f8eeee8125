"""Matches: claimed once, reported once, read back in the order of the schedule."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import Connection, update

from referee.store import (
    Counts,
    MatchResult,
    MatchState,
    NewEntrant,
    NotADatabase,
    NotAllowed,
    Refused,
    SeatResult,
    Store,
    Tournament,
    TournamentState,
    Unknown,
    match_rows,
)
from referee.store.tables import records

from .claiming import claim_next, records_of

League = Callable[..., Tournament]
ResultOf = Callable[..., MatchResult]


def play_all(store: Store, league: Tournament, result_of: ResultOf) -> list[int]:
    """Play what is left, and report it in an order that has nothing to do with the schedule."""
    taken = [match.id for match in claim_next(store, league.id, 100_000)]
    shuffled = random.Random(7).sample(taken, len(taken))
    futures = [store.matches.report_later(result_of(match)) for match in shuffled]
    assert all(future.result() for future in futures)
    return taken


def test_a_match_is_claimed_once(store: Store, new_league: League) -> None:
    league = new_league(store)
    first, second = claim_next(store, league.id, 2)
    assert [(m.ordinal, m.state, m.attempt) for m in (first, second)] == [
        (0, MatchState.PLAYING, 1),
        (1, MatchState.PLAYING, 1),
    ]
    assert first.started is not None
    assert store.matches.claim(first.id) is None
    third = claim_next(store, league.id)[0]
    assert third.ordinal == 2
    fourth = next(store.matches.in_schedule_order(league.id, after=2))
    assert store.matches.claim(fourth.id) == 1
    assert store.matches.claim(fourth.id) is None
    assert store.matches.claim(9_999) is None


def test_of_many_claims_on_one_match_one_succeeds(store: Store, new_league: League) -> None:
    league = new_league(store)
    match = next(store.matches.in_schedule_order(league.id)).id
    claims = [store.matches.claim_later(match) for _ in range(50)]
    assert sorted(str(claim.result()) for claim in claims) == ["1", *["None"] * 49]


@pytest.mark.parametrize("state", ["created", "paused", "cancelled"])
def test_only_a_running_tournament_starts_matches(store: Store, new_league: League, state: str) -> None:
    league = new_league(store, state="created")
    if state == "paused":
        store.tournaments.set_state(league.id, TournamentState.RUNNING)
    if state != "created":
        store.tournaments.set_state(league.id, TournamentState(state))
    assert claim_next(store, league.id, 5) == []
    assert store.matches.claim(next(store.matches.in_schedule_order(league.id)).id) is None


def test_a_result_brings_ranks_scores_faults_seed_and_record(store: Store, new_league: League) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0]
    result = MatchResult(
        match.id,
        1,
        (
            SeatResult(1, 2, -7, "timeout", strikes=2, decisions=31, time_ms=4_321),
            SeatResult(0, 1, 2**40, decisions=30, time_ms=99),
        ),
        "ab" * 32,
        b"every\0byte\xff",
        "seat 1 ran out of time",
    )
    assert store.matches.report(result) is True
    kept = store.matches.get(match.id)
    assert (kept.state, kept.seed, kept.reason) == (MatchState.FINISHED, "ab" * 32, "seat 1 ran out of time")
    assert kept.finished is not None
    best, worst = kept.seats
    assert (best.name, best.rank, best.score, best.fault, best.time_ms) == ("ada", 1, 2**40, "finished", 99)
    assert (worst.name, worst.rank, worst.score, worst.fault) == ("bob", 2, -7, "timeout")
    assert (worst.strikes, worst.decisions, worst.time_ms) == (2, 31, 4_321)
    assert store.matches.record(match.id) == b"every\0byte\xff"
    assert store.tournaments.counts(league.id) == Counts(scheduled=5, finished=1)


@pytest.mark.parametrize("fault", ["Timeout", "", "time out", "ärger", "void\n"])
def test_a_fault_that_is_no_word_is_refused(store: Store, new_league: League, fault: str) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id

    def result(code: str) -> MatchResult:
        return MatchResult(match, 1, (SeatResult(0, 1, 3), SeatResult(1, 2, 0, code)), "ab" * 32, b"record")

    with pytest.raises(Refused, match="does not tell how a seat ended"):
        store.matches.report(result(fault))
    assert store.matches.get(match).state is MatchState.PLAYING
    assert store.matches.report(result("crash")) is True


def test_faults_in_capitals_as_they_were_stored_before_are_read_as_words(store: Store, new_league: League) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    seats = (SeatResult(0, 1, 3), SeatResult(1, 2, 0, "timeout"))
    store.matches.report(MatchResult(match, 1, seats, "ab" * 32, b"record"))
    kept = store.matches.get(match)
    with store.writer._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE seats SET fault = upper(fault)")
    assert store.matches.get(match) == kept
    assert [seat.fault for seat in kept.seats] == ["finished", "timeout"]


def test_a_second_report_of_a_match_changes_nothing(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    assert store.matches.report(result_of(match, winner=0)) is True
    kept = store.matches.get(match)
    assert store.matches.report(result_of(match, winner=1)) is False
    assert store.matches.get(match) == kept


def test_of_many_reports_of_one_match_in_one_group_the_first_counts(
    store: Store, new_league: League, result_of: ResultOf
) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    futures = [store.matches.report_later(result_of(match, winner=number % 2)) for number in range(20)]
    assert [future.result() is not None for future in futures] == [True, *[False] * 19]
    assert [seat.rank for seat in store.matches.get(match).seats] == [1, 2]


def test_a_match_that_was_not_started_takes_no_result(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store)
    match = next(store.matches.in_schedule_order(league.id)).id
    assert store.matches.report(result_of(match)) is False
    assert store.matches.get(match).state is MatchState.SCHEDULED
    assert store.matches.record(match) is None


def test_the_result_of_an_attempt_that_was_given_up_is_not_taken(
    store: Store, new_league: League, result_of: ResultOf
) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    assert store.matches.put_back({match: True}) == 1
    assert store.matches.claim(match) == 2
    assert store.matches.report(result_of(match, attempt=1)) is False
    assert store.matches.report(result_of(match, attempt=2)) is True


@pytest.mark.parametrize("seats", [(0,), (0, 0), (0, 2), (0, 1, 2), ()])
def test_a_result_names_every_seat_once(
    store: Store, new_league: League, result_of: ResultOf, seats: tuple[int, ...]
) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    wrong = replace(result_of(match), seats=tuple(SeatResult(seat, 1, 0) for seat in seats))
    with pytest.raises(Refused, match="not each of its 2 once"):
        store.matches.report(wrong)
    assert store.matches.get(match).state is MatchState.PLAYING
    assert store.matches.report(result_of(match)) is True


def test_one_bad_report_does_not_lose_its_neighbours(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store, matches=40)
    taken = [match.id for match in claim_next(store, league.id, 40)]
    results = [result_of(match) for match in taken]
    results[13] = replace(results[13], seats=results[13].seats[:1])
    results[27] = replace(results[27], match=123_456)
    # Too large for any database: the driver itself refuses it.
    results[31] = replace(results[31], seats=(SeatResult(0, 1, 2**80), SeatResult(1, 2, 0)))
    futures = [store.matches.report_later(result) for result in results]
    bad = [number for number, future in enumerate(futures) if future.exception() is not None]
    assert bad == [13, 27, 31]
    assert store.tournaments.counts(league.id) == Counts(finished=37, playing=3)
    for number in (13, 27, 31):
        assert store.matches.record(taken[number]) is None


def test_odd_text_in_a_reason_does_not_lose_the_result(store: Store, new_league: League, result_of: ResultOf) -> None:
    match = claim_next(store, new_league(store).id)[0].id
    assert store.matches.report(replace(result_of(match), reason="bad\0 \ud800 text é"))
    assert store.matches.get(match).reason == "bad\N{REPLACEMENT CHARACTER} ? text é"


def test_interrupted_matches_go_back_on_the_same_deal_or_a_new_one(store: Store, new_league: League) -> None:
    league = new_league(store)
    hosted, remote, other = claim_next(store, league.id, 3)
    assert [match.id for match in store.matches.interrupted(league.id)] == [hosted.id, remote.id, other.id]
    assert store.matches.put_back({hosted.id: False, remote.id: True}) == 2
    assert [match.id for match in store.matches.interrupted(league.id)] == [other.id]
    again = claim_next(store, league.id, 2)
    assert [(match.id, match.attempt) for match in again] == [(hosted.id, 1), (remote.id, 2)]


def test_a_finished_match_is_never_played_again(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    store.matches.report(result_of(match))
    kept = store.matches.get(match)
    assert store.matches.put_back({match: True}) == 0
    assert store.matches.set_aside(match, MatchState.VOID, "too late") is False
    assert store.matches.claim(match) is None
    assert store.matches.get(match) == kept


def test_a_match_is_set_aside_while_it_is_open_and_can_come_back(
    store: Store, new_league: League, result_of: ResultOf
) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    assert store.matches.set_aside(match, MatchState.ABSENT, "bob is not here") is True
    assert store.matches.set_aside(match, MatchState.VOID, "again") is False
    assert store.matches.get(match).reason == "bob is not here"
    assert store.matches.report(result_of(match)) is False
    assert store.tournaments.counts(league.id) == Counts(scheduled=5, absent=1)
    assert store.matches.put_back({match: False}) == 1
    assert store.matches.get(match).reason == ""
    with pytest.raises(Refused, match="absent or void"):
        store.matches.set_aside(match, MatchState.FINISHED, "no")


def test_no_match_comes_back_once_the_tournament_is_over(store: Store, new_league: League) -> None:
    league = new_league(store)
    match = claim_next(store, league.id)[0].id
    store.tournaments.set_state(league.id, TournamentState.CANCELLED)
    with pytest.raises(NotAllowed, match="league is cancelled"):
        store.matches.put_back({match: False})
    assert store.matches.get(match).state is MatchState.PLAYING


def test_results_come_in_schedule_order_whichever_ended_first(
    store: Store, new_league: League, result_of: ResultOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_rows, "PAGE", 7)
    league = new_league(store, matches=50)
    other = new_league(store, matches=10, name="other")
    taken = play_all(store, league, result_of)
    play_all(store, other, result_of)
    assert [match.id for match in store.matches.results_in_schedule_order(league.id)] == taken
    assert [match.ordinal for match in store.matches.results_in_schedule_order(league.id, after=41)] == list(
        range(42, 50)
    )
    assert [(m.id, record) for m, record in records_of(store, league.id)] == [
        (match, result_of(match).record) for match in taken
    ]


def test_results_are_complete_before_the_first_open_match(
    store: Store, new_league: League, result_of: ResultOf
) -> None:
    league = new_league(store, matches=5)
    taken = [match.id for match in claim_next(store, league.id, 4)]
    assert store.matches.first_open(league.id) == 0
    store.matches.report(result_of(taken[1]))
    assert store.matches.first_open(league.id) == 0
    store.matches.set_aside(taken[0], MatchState.VOID, "power cut")
    assert store.matches.first_open(league.id) == 2
    store.matches.report(result_of(taken[2]))
    store.matches.report(result_of(taken[3]))
    assert store.matches.first_open(league.id) == 4
    play_all(store, league, result_of)
    assert store.matches.first_open(league.id) is None


def test_the_latest_results_come_newest_first(
    open_store: Callable[..., Store], new_league: League, result_of: ResultOf
) -> None:
    clock = iter(range(1_000_000))
    store = open_store(now=lambda: next(clock))
    league = new_league(store)
    taken = [match.id for match in claim_next(store, league.id, 6)]
    order = [taken[3], taken[0], taken[5], taken[1]]
    for match in order:
        store.matches.report(result_of(match))
    assert [match.id for match in store.matches.latest(league.id, 3)] == order[:0:-1]


def test_reading_takes_no_more_memory_for_more_matches(
    store: Store, new_league: League, result_of: ResultOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_rows, "PAGE", 20)
    short, long = new_league(store, 100, "short"), new_league(store, 500, "long")
    peaks = []
    for league in (short, long):
        play_all(store, league, result_of)
        for _ in records_of(store, league.id):
            pass
        tracemalloc.start()
        for _ in records_of(store, league.id):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]


def test_a_damaged_record_is_never_handed_out(store: Store, new_league: League, result_of: ResultOf) -> None:
    match = claim_next(store, new_league(store).id)[0].id
    store.matches.report(result_of(match))
    for damage in ({"body": b"x"}, {"sha256": "0" * 64}, {"size": 3}):
        change = update(records).where(records.c.match_id == match).values(damage)
        store.writer.submit(partial(Connection.execute, statement=change)).result()
        with pytest.raises(NotADatabase, match=f"record of match {match} is damaged"):
            store.matches.record(match)


def test_a_practice_match_stands_outside_every_tournament(store: Store, result_of: ResultOf) -> None:
    ada, bob = store.bots.ensure_house("ada"), store.bots.ensure_house("bob")
    match = store.matches.add_practice(
        "stop", "2", [NewEntrant(ada.id, "ada"), NewEntrant(ada.id, "ada-2")], {"options": {"x": 1}}
    )
    other = store.matches.add_practice("stop", "2", [NewEntrant(bob.id, "bob")], {})
    assert (match.tournament, match.ordinal, match.state) == (None, None, MatchState.PLAYING)
    assert (match.game, match.game_version, match.settings) == ("stop", "2", {"options": {"x": 1}})
    assert [(seat.name, seat.bot, seat.position) for seat in match.seats] == [
        ("ada", ada.id, None),
        ("ada-2", ada.id, None),
    ]
    assert store.matches.interrupted(None) == [match, other]
    assert store.matches.report(result_of(match.id)) is True
    assert [found.id for found, _ in records_of(store, None)] == [match.id]
    with pytest.raises(Unknown, match="no bot number 99"):
        store.matches.add_practice("stop", "2", [NewEntrant(99, "ghost")], {})


def test_unknown_matches_are_refused(store: Store, result_of: ResultOf) -> None:
    with pytest.raises(Unknown, match="no match number 5"):
        store.matches.get(5)
    with pytest.raises(Unknown, match="no match number 5"):
        store.matches.report(result_of(5))
    with pytest.raises(Unknown, match="no match number 5"):
        store.matches.set_aside(5, MatchState.VOID, "")
    assert store.matches.record(5) is None
    assert store.matches.put_back({5: True}) == 0
