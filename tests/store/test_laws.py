"""Laws that hold whatever is asked of the store in whatever order, against a model of a few lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.store import Counts, MatchResult, MatchState, Store, Tournament

from .claiming import claim_next

MATCHES = 4
NAMES = count()
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["claim", "report", "late", "same deal", "new deal", "absent", "void"]),
        st.integers(0, MATCHES - 1),
    ),
    max_size=25,
)


@pytest.fixture(scope="module")
def one_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One file for all examples, each with a tournament of its own."""
    with Store.open(tmp_path_factory.mktemp("laws") / "league.db") as store:
        yield store


class Model:
    """What a match may do, in plain words: scheduled → playing → finished, or aside and back."""

    def __init__(self) -> None:
        self.state = [MatchState.SCHEDULED] * MATCHES
        self.attempt = [1] * MATCHES
        self.winner: list[int | None] = [None] * MATCHES

    def step(self, verb: str, match: int, winner: int) -> object:
        state = self.state[match]
        open_now = state in (MatchState.SCHEDULED, MatchState.PLAYING)
        if verb == "claim":
            if state is not MatchState.SCHEDULED:
                return None
            self.state[match] = MatchState.PLAYING
            return self.attempt[match]
        if verb == "report":
            if state is not MatchState.PLAYING:
                return False
            self.state[match], self.winner[match] = MatchState.FINISHED, winner
            return True
        if verb == "late":
            return False
        if verb in ("absent", "void"):
            if open_now:
                self.state[match] = MatchState(verb)
            return open_now
        if state in (MatchState.SCHEDULED, MatchState.FINISHED):
            return 0
        self.state[match] = MatchState.SCHEDULED
        self.attempt[match] += verb == "new deal"
        return 1


def ask(store: Store, verb: str, match: int, result: MatchResult) -> object:
    if verb == "claim":
        return store.matches.claim(match)
    if verb in ("report", "late"):
        return store.matches.report(result)
    if verb in ("absent", "void"):
        return store.matches.set_aside(match, MatchState(verb), verb)
    return store.matches.put_back({match: verb == "new deal"})


def test_every_sequence_of_verbs_ends_where_the_rules_say(
    one_store: Store, new_league: Callable[..., Tournament], result_of: Callable[..., MatchResult]
) -> None:
    @settings(max_examples=20, deadline=None)
    @given(STEPS)
    def law(steps: list[tuple[str, int]]) -> None:
        league = new_league(one_store, MATCHES, f"league {next(NAMES)}")
        numbers = [match.id for match in one_store.matches.in_schedule_order(league.id)]
        model = Model()
        for turn, (verb, place) in enumerate(steps):
            # A late result belongs to an attempt that is not the present one.
            attempt = model.attempt[place] + (verb == "late")
            result = result_of(numbers[place], attempt, winner=turn % 2)
            assert ask(one_store, verb, numbers[place], result) == model.step(verb, place, turn % 2)
        kept = list(one_store.matches.in_schedule_order(league.id))
        assert [match.state for match in kept] == model.state
        assert [match.attempt for match in kept] == model.attempt
        assert [next((s.seat for s in m.seats if s.rank == 1), None) for m in kept] == model.winner
        assert [one_store.matches.record(match) is not None for match in numbers] == [
            winner is not None for winner in model.winner
        ]
        number_of = {state.value: model.state.count(state) for state in MatchState}
        assert one_store.tournaments.counts(league.id) == Counts(**number_of)

    law()


def test_any_bytes_come_back_as_the_record_they_were(
    one_store: Store, new_league: Callable[..., Tournament], result_of: Callable[..., MatchResult]
) -> None:
    league = new_league(one_store, 40, "records")
    waiting = [match.id for match in claim_next(one_store, league.id, 40)]

    @settings(max_examples=30, deadline=None)
    @given(st.binary(max_size=3_000))
    def law(record: bytes) -> None:
        match = waiting.pop()
        plain = result_of(match)
        assert one_store.matches.report(MatchResult(match, 1, plain.seats, plain.seed, record))
        assert one_store.matches.record(match) == record

    law()
