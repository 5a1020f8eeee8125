"""What a format adds to the leaderboard: bracket, points and movement, in any width."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from referee_leaderboard.export import to_text
from referee_leaderboard.format import (
    FormatPairing,
    FormatPlace,
    FormatRound,
    FormatStage,
    FormatStanding,
    FormatTable,
)
from referee_leaderboard.page import to_html
from referee_leaderboard.screen import final_table, render
from referee_leaderboard.standings import Order, Standing, Standings, State

KNOCKOUT = FormatStanding(
    "knockout",
    "final",
    2,
    (
        FormatPlace(1, "ada", None, 1),
        FormatPlace(2, "bob", None, -1),
        FormatPlace(3, "<cy>", None, 0, "disqualified"),
    ),
    (
        FormatRound(
            1, "semi-finals", (FormatTable("cup/0", ("ada", "<cy>"), "finished", (1, 2), "seeds 1 and 4"),), ("bob",)
        ),
        FormatRound(2, "final", (FormatTable("cup/1", ("bob", "ada"), "finished", (2, 1), "the final", ("ada",)),)),
    ),
    (
        FormatStage("semi-finals", (FormatPairing(1, ("ada", "<cy>"), ("ada",), "walkover"),), ("bob",)),
        FormatStage("final", (FormatPairing(2, ("bob", "winner of table 1")),)),
    ),
)
STANDINGS = Standings(
    "cup", "flip7", 2, State.RUNNING, rows=(Standing(1, "ada", 25, 8), Standing(2, "bob", 25, 8)), format=KNOCKOUT
)


def test_the_bracket_is_shown_with_who_went_through_and_why_they_met() -> None:
    shown = to_text(render(STANDINGS, "format", 80, 40))
    assert "table 1   ada – <cy>  → ada (walkover)" in shown
    assert "table 2   bob – winner of table 1" in shown
    assert "#1  1 ada · 2 bob  → ada" in shown
    assert "seeds 1 and 4" in shown
    assert "bye: bob" in shown
    assert "▲1" in shown
    assert "disqualified" in shown


def test_the_bracket_stays_on_the_screen_when_a_run_is_over() -> None:
    shown = to_text(final_table(replace(STANDINGS, state=State.FINISHED), 80))
    assert "Bracket: semi-finals" in shown
    assert "table 1   ada – <cy>  → ada (walkover)" in shown
    assert "bye: bob" in shown


@pytest.mark.parametrize("width", [1, 7, 20, 40, 80, 200])
@pytest.mark.parametrize("height", [1, 5, 24])
def test_no_line_is_wider_or_the_screen_taller_than_asked(width: int, height: int) -> None:
    lines = to_text(render(STANDINGS, "format", width, height), width).splitlines()
    assert len(lines) <= height
    assert all(len(line) <= width for line in lines)


def test_a_round_robin_says_that_no_round_is_drawn() -> None:
    assert "round-robin" in to_text(render(Standings("cup", "flip7", 2), "format", 80, 24))


def test_swiss_points_are_shown_beside_the_places() -> None:
    swiss = FormatStanding("swiss", "round 2 of 5", 2, (FormatPlace(1, "ada", 1.5), FormatPlace(2, "bob", 0.5)))
    shown = to_text(render(Standings("cup", "flip7", 2, format=swiss), "format", 80, 24))
    assert "1 ada     1.50" in shown


def test_the_points_that_order_the_table_stand_in_it() -> None:
    swiss = FormatStanding("swiss", "round 2 of 5", 2, (FormatPlace(1, "bob", 1.5), FormatPlace(2, "ada", 0.5)))
    rows = (Standing(1, "bob", 25, 8), Standing(2, "ada", 31, 6))
    ordered = Standings("cup", "flip7", 2, State.FINISHED, rows=rows, format=swiss, order=Order.PLACES)
    head, first, second = to_text(final_table(ordered, 80)).splitlines()[1:4]
    assert head.split()[:4] == ["#", "Bot", "Points", "Score"]
    assert first.split()[:4] == ["1", "bob", "1.50", "1.00"]
    assert second.split()[:3] == ["2", "ada", "0.50"]
    assert "Points" in to_text(render(ordered, "table", 80, 24))
    for other in (replace(ordered, order=Order.TRUESKILL), replace(ordered, format=KNOCKOUT)):
        assert "Points" not in to_text(render(other, "table", 80, 24))  # they order nothing, or there are none


def test_the_format_comes_back_from_json_as_it_went() -> None:
    value = json.loads(json.dumps(STANDINGS.to_json_value()))
    assert Standings.from_json_value(value) == STANDINGS


def test_the_page_shows_the_bracket_and_escapes_names() -> None:
    page = to_html(STANDINGS)
    assert "Bracket: semi-finals" in page
    assert "&lt;cy&gt;" in page
    assert "<cy>" not in page
