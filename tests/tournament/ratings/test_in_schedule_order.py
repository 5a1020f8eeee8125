"""Late results slip in at their place: the ratings are those of the schedule's order, to the last bit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.ratings import Rating, Ratings, RatingSettings, Versions, in_schedule_order
from referee.tournament.ratings.in_schedule_order import OrderedRatings

from .from_scratch import rate_all

SETTINGS = RatingSettings(draw_probability=0.1)
BOTS = ("ada", "bob", "cy", "dee")

RESULTS = st.lists(
    st.tuples(st.permutations(BOTS).map(lambda bots: tuple(bots[:3])), st.tuples(*[st.integers(1, 3)] * 3)),
    min_size=1,
    max_size=14,
)


def in_order(results: list[tuple[tuple[str, ...], tuple[int, ...]]]) -> list[Rating]:
    return rate_all(SETTINGS, results, BOTS)


def new_ratings() -> OrderedRatings:
    fresh = OrderedRatings(SETTINGS)
    for bot in BOTS:
        fresh.enter(bot)
    return fresh


@given(RESULTS, st.data())
@settings(max_examples=60, deadline=None)
def test_any_order_of_arrival_gives_the_ratings_of_the_schedule(
    results: list[tuple[tuple[str, ...], tuple[int, ...]]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(results))))
    skipped = data.draw(st.sets(st.sampled_from(range(len(results))), max_size=4))
    board = new_ratings()
    every, in_schedule_order.BOOKMARK_EVERY = in_schedule_order.BOOKMARK_EVERY, 3
    try:
        came: set[int] = set()
        for ordinal in order:
            assert not board.has(ordinal)
            if ordinal in skipped:
                board.skip(ordinal)
            else:
                board.add(ordinal, *results[ordinal])
                came.add(ordinal)
            assert board.has(ordinal)
            if data.draw(st.booleans()):
                assert board.ratings().table() == in_order([results[each] for each in sorted(came)])
        assert board.ratings().table() == in_order([results[each] for each in sorted(came)])
    finally:
        in_schedule_order.BOOKMARK_EVERY = every


def test_what_is_complete_is_rated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rated = 0
    rate = Ratings.rate

    def count(self: Ratings, result: tuple[tuple[str, ...], tuple[int, ...]], versions: Versions = ()) -> None:
        nonlocal rated
        rated += 1
        rate(self, result, versions)

    monkeypatch.setattr(Ratings, "rate", count)
    board = new_ratings()
    for ordinal in range(100):
        board.add(ordinal, BOTS[:2], (1, 2))
        board.ratings()
    assert rated == 100


def test_a_first_match_that_lasts_does_not_make_every_look_dearer(monkeypatch: pytest.MonkeyPatch) -> None:
    rated = 0
    rate = Ratings.rate

    def count(self: Ratings, result: tuple[tuple[str, ...], tuple[int, ...]], versions: Versions = ()) -> None:
        nonlocal rated
        rated += 1
        rate(self, result, versions)

    monkeypatch.setattr(Ratings, "rate", count)
    board = new_ratings()
    for ordinal in range(1, 301):
        board.add(ordinal + (1 if ordinal % 2 else -1), BOTS[:2], (1, 2))  # neighbours in the wrong order
        board.ratings()
    assert rated < 300 * (in_schedule_order.BOOKMARK_EVERY + 3)
    assert len(board._bookmarks) <= 300 / in_schedule_order.BOOKMARK_EVERY + 2


def test_a_newcomer_stands_at_the_prior_wherever_the_ladder_is() -> None:
    board = new_ratings()
    board.add(1, BOTS[:2], (1, 2))
    board.ratings()
    board.enter("zoe")
    board.add(0, BOTS[2:], (1, 1))
    board.add(2, ("zoe", "ada"), (1, 2))
    expected = rate_all(SETTINGS, [(BOTS[2:], (1, 1)), (BOTS[:2], (1, 2)), (("zoe", "ada"), (1, 2))], [*BOTS, "zoe"])
    assert board.ratings().table() == expected
