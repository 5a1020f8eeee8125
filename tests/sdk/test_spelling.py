"""Which flag was meant: the only one that begins so, or the nearest; nothing where it is like no other."""

from __future__ import annotations

import pytest

from arena.spelling import distance, meant

FLAGS = ["--server", "--token", "--tls", "--ca", "--concurrency", "--strict", "--help"]


@pytest.mark.parametrize(
    ("typed", "flag"),
    [
        ("--serve", "--server"),
        ("--sevrer", "--server"),
        ("--server_", "--server"),
        ("-tsl", "--tls"),
        ("--TOKEN", "--token"),
        ("--conc", "--concurrency"),
        ("-h", "--help"),
        ("--cas", "--ca"),
        ("--s", None),
        ("--xx", None),
        ("--frobnicate", None),
        ("--", None),
    ],
)
def test_the_flag_that_was_meant(typed: str, flag: str | None) -> None:
    assert meant(typed, FLAGS) == flag


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "", 3),
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("abc", "xbcd", 2),
        ("ca", "abc", 3),
    ],
)
def test_a_letter_changed_added_left_out_or_swapped_counts_one(one: str, other: str, letters: int) -> None:
    assert distance(one, other) == letters
