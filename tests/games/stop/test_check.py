"""Every rejection has its code, and a sentence that helps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.games.stop.state import StopState


def _code(state: StopState, seat: int, text: str) -> str | None:
    rejection = state.check(seat, state.parse(text))
    return rejection.code if rejection else None


def test_a_window_of_calls_takes_only_stop_and_wait(deal: Callable[..., StopState]) -> None:
    state = deal("2 2", "2", "2")
    assert _code(state, 0, "stop") == "not_asked"
    assert [_code(state, 1, text) for text in ("stop", "wait")] == [None, None]
    for text in ("pass", "bid 2", "raise 0 2", "share 1:2"):
        assert _code(state, 1, text) == "not_now"


def test_an_opening_takes_only_bids(deal: Callable[..., StopState], act: Callable[..., None]) -> None:
    state = deal("2 2", "2", "2")
    act(state, s1="stop")
    assert _code(state, 2, "bid 2") == "not_asked"
    assert _code(state, 1, "bid 2") is None
    for text in ("stop", "wait", "pass", "raise 1 2", "share 1:2"):
        assert _code(state, 1, text) == "not_now"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("bid +1", "plus_alone"),
        ("bid 2 3", "mixed_values"),
        ("bid 4", "not_in_hand"),
        ("bid 2 2 2", "not_in_hand"),
        ("bid 2", "too_low"),
        ("bid 2 +1", None),
        ("raise 1 2", "wrong_value"),
        ("raise 1 2 3", "wrong_value"),
        ("raise 0 2", "no_such_bid"),
        ("raise 5 2", "no_such_bid"),
        ("raise 1 3 3", "not_in_hand"),
        ("raise 1 +1", None),
        ("pass", None),
        ("wait", "not_now"),
        ("share 1:3", "not_now"),
    ],
)
def test_a_play_is_rejected_with_a_code_of_its_own(
    deal: Callable[..., StopState], act: Callable[..., None], text: str, code: str | None
) -> None:
    state = deal("2 +1 3", "3", "2")
    for _ in range(3):  # seats 1, 2 and 0 draw
        act(state)
    act(state, s1="stop")
    act(state, s1="bid 3")
    assert _code(state, 0, text) == code


def test_a_second_bid_and_a_raise_that_stays_too_low(deal: Callable[..., StopState], act: Callable[..., None]) -> None:
    state = deal("2 2", "2 2", "4")
    act(state)
    act(state, s1="stop")
    act(state, s1="bid 2")
    assert _code(state, 1, "bid 2") == "already_bid"
    state = deal("2 +1", "2 +1", "4 4")
    act(state)
    act(state)
    act(state, s1="stop")
    act(state, s1="bid 2")
    act(state, s2="bid 4 4")
    assert _code(state, 0, "raise 1 +1") == "too_low"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("share 1:3 2:4", None),
        ("share 2:3,4", None),
        ("share 0:3 2:4", "not_a_bidder"),
        ("share 3:3 2:4", "not_a_bidder"),
        ("share 2:4", "wrong_cards"),
        ("share 2:4,4", "wrong_cards"),
        ("share 1:3 2:3,4", "wrong_cards"),
        ("pass", "not_now"),
    ],
)
def test_a_split_is_rejected_with_a_code_of_its_own(
    deal: Callable[..., StopState], act: Callable[..., None], text: str, code: str | None
) -> None:
    state = deal("2 2", "3", "4")
    act(state, s1="stop")
    act(state, s1="bid 3")
    act(state, s2="bid 4")
    while len(state.pending()) > 1 or state.legal(2).complete:
        act(state)
    assert _code(state, 2, text) == code
