"""What a person sees, kept as pictures in plain text without colour."""

from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from referee_leaderboard import (
    Connection,
    Crosstable,
    Outcome,
    Seats,
    Standing,
    Standings,
    State,
    View,
    final_table,
    render,
    to_text,
)


@pytest.mark.parametrize(("width", "height"), [(40, 20), (60, 20), (80, 24), (120, 40), (200, 60)])
def test_the_table_uses_the_room_it_has(
    spring_cup: Standings, snapshot: SnapshotAssertion, width: int, height: int
) -> None:
    assert to_text(render(spring_cup, "table", width, height), width) == snapshot


@pytest.mark.parametrize("view", ["crosstable", "seats", "strengths"])
@pytest.mark.parametrize(("width", "height"), [(40, 20), (80, 24), (120, 40)])
def test_the_other_views_use_the_room_they_have(
    spring_cup: Standings, snapshot: SnapshotAssertion, view: View, width: int, height: int
) -> None:
    assert to_text(render(spring_cup, view, width, height), width) == snapshot


@pytest.mark.parametrize("view", ["table", "crosstable", "seats", "strengths"])
def test_ascii_consoles_see_the_same_lines_in_ascii(
    spring_cup: Standings, snapshot: SnapshotAssertion, view: View
) -> None:
    assert to_text(render(spring_cup, view, 80, 24), 80, ascii_only=True) == snapshot


def test_a_server_that_went_away_is_announced_above_the_last_known_standings(
    spring_cup: Standings, snapshot: SnapshotAssertion
) -> None:
    assert to_text(render(spring_cup, "table", 80, 24, Connection.lost(3)), 80) == snapshot


def test_a_crowd_is_cut_and_counted_and_can_be_scrolled(crowd: Standings, snapshot: SnapshotAssertion) -> None:
    for offset in (0, 7, 999):
        assert to_text(render(crowd, "table", 80, 24, offset=offset), 80) == snapshot


def test_the_final_table_ends_with_the_digest(finished_cup: Standings, snapshot: SnapshotAssertion) -> None:
    drawn = to_text(final_table(finished_cup, 80), 80)
    assert drawn.splitlines()[-1] == f"digest {finished_cup.digest}"
    assert drawn == snapshot


def test_the_digest_is_never_cut(finished_cup: Standings) -> None:
    assert finished_cup.digest in to_text(final_table(finished_cup, 30), 30)


EMPTY = Standings("Nobody's Cup", "stop", 3)
ALONE = replace(
    Standings("Solo", "encore", 1, State.RUNNING, matches_done=2, matches_total=4),
    rows=(Standing(1, "hermit", 25.0, 25 / 3, 2, 2, 1.0, 0, 31.5),),
    latest=(Outcome("2", 2, ("hermit",), (1,), (33,)), Outcome("1", 1, ("hermit",), (1,), (30,))),
    seats=Seats.tally(["hermit"], [(("hermit",), (1,))] * 2),
)
TIED = replace(
    Standings("Even", "flip7", 3, State.PAUSED, matches_done=1, matches_total=2),
    rows=tuple(Standing(rank, bot, 25.0, 7.0, 1) for rank, bot in ((1, "ann"), (1, "bob"), (3, "cy"))),
    crosstable=Crosstable.tally(["ann", "bob", "cy"], [(("ann", "bob", "cy"), (1, 1, 3))]),
    seats=Seats.tally(["ann", "bob", "cy"], [(("ann", "bob", "cy"), (1, 1, 3))]),
)
FAULTY = replace(
    Standings("Crashers", "stop", 3, State.CANCELLED, matches_done=1, matches_total=9),
    rows=tuple(Standing(1, bot, 25.0, 25 / 3, 1, 0, 1.0, 1) for bot in ("a", "b", "c")),
    latest=(
        Outcome("1", 1, ("a", "b", "c"), (1, 1, 1), (0, 0, 0), "void", ("crash", "timeout", "flood")),
        Outcome("0", 1, ("a", "b", "c"), (1, 2, 3), None, "round_limit"),
    ),
    notices=("a is away", "b is away", "c is away"),
)


@pytest.mark.parametrize("standings", [EMPTY, ALONE, TIED, FAULTY], ids=lambda standings: standings.tournament)
@pytest.mark.parametrize("view", ["table", "crosstable", "seats", "strengths"])
def test_the_edges_look_sane(standings: Standings, view: View, snapshot: SnapshotAssertion) -> None:
    assert to_text(render(standings, view, 80, 18), 80) == snapshot
