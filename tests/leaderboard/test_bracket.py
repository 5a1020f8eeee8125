"""What a format adds to the leaderboard: bracket, points and movement, in any width."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from referee_leaderboard.drawing.certainty import verdict
from referee_leaderboard.drawing.header import plain_progress_line
from referee_leaderboard.export import to_csv, to_text
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
from referee_leaderboard.strengths import Strength, Strengths

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


def test_what_parts_equal_points_is_shown_everywhere() -> None:
    places = (FormatPlace(1, "bob", 1.5, tie_break=1.25), FormatPlace(2, "ada", 1.5, tie_break=0.875))
    swiss = FormatStanding("swiss", "round 3 of 5", 3, places)
    rows = (Standing(1, "bob", 25, 8), Standing(2, "ada", 31, 6))
    cup = Standings("cup", "flip7", 2, rows=rows, format=swiss)
    shown = to_text(render(cup, "format", 80, 24))
    assert "1 bob     1.50   met 1.25" in shown
    assert "2 ada     1.50   met 0.88" in shown
    assert all(len(each) <= 40 for each in to_text(render(cup, "format", 40, 24)).splitlines())
    assert [each["tie_break"] for each in csv.DictReader(io.StringIO(to_csv(cup)))] == ["1.25", "0.875"]
    assert "<td>1.25</td>" in to_html(cup)
    assert "met" not in to_text(render(STANDINGS, "format", 80, 24))  # a knock-out has nothing like it


def test_the_format_comes_back_from_json_as_it_went() -> None:
    value = json.loads(json.dumps(STANDINGS.to_json_value()))
    assert Standings.from_json_value(value) == STANDINGS


def test_the_page_shows_the_bracket_and_escapes_names() -> None:
    page = to_html(STANDINGS)
    assert "Bracket: semi-finals" in page
    assert "&lt;cy&gt;" in page
    assert "<cy>" not in page


@pytest.mark.parametrize(
    ("most", "progress", "played"),
    [
        (0, "879 matches · 4.5 matches/s", "879 matches played"),
        (1200, "879 of at most 1,200 matches · 4.5 matches/s", "879 matches of at most 1,200 played"),
    ],
)
def test_where_no_end_is_known_neither_a_share_nor_a_time_is_told(most: int, progress: str, played: str) -> None:
    """The matches drawn so far are nearly all played at any time: 99 %, with no time left, would be said for ever."""
    format = FormatStanding("ladder", "round 880", 880, most=most)
    open_end = Standings(
        "cup", "flip7", 2, State.RUNNING, matches_done=879, matches_total=880, matches_per_second=4.5, format=format
    )
    second = to_text(render(open_end, "table", 80, 24)).splitlines()[1]
    assert second.strip() == progress.replace(" matches/s", "/s")
    assert played in to_text(final_table(open_end, 80))
    assert plain_progress_line(open_end) == f"cup: running, {progress.replace(' · ', ', ').replace(' matches/s', '/s')}"
    assert "<progress" not in to_html(open_end)
    assert "%" in plain_progress_line(replace(open_end, format=KNOCKOUT))


def test_a_bot_without_results_is_not_said_to_be_weaker() -> None:
    def strength(bot: str, value: float, rank: int, first: float) -> Strength:
        return Strength(bot, value, 0.5, rank, rank, rank, first, 48)

    found = Strengths((strength("ada", 2.1, 1, 0.999), strength("bob", -2.1, 2, 0.001)), matches=48)
    rows = (Standing(1, "ada", 30, 2, matches=48), Standing(2, "bob", 20, 2, matches=48))
    two = Standings("cup", "flip7", 2, rows=rows, strengths=found)
    assert verdict(two) == "ada is the strongest: >99% sure"
    three = replace(two, rows=(*rows, Standing(3, "cy", 25, 8)))
    assert verdict(three) == "of the 2 bots with results ada is the strongest: >99% sure"


def test_the_own_count_of_a_format_stands_at_the_end_of_the_csv() -> None:
    swiss = FormatStanding("swiss", places=(FormatPlace(1, "bob", 1.5), FormatPlace(2, "ada", 0.5, out="withdrawn")))
    cup = Standings("cup", "flip7", 2, rows=(Standing(1, "ada", 31, 6), Standing(2, "bob", 25, 8)), format=swiss)
    ada, bob = csv.DictReader(io.StringIO(to_csv(cup)))
    assert (ada["place"], ada["points"], ada["out"]) == ("2", "0.5", "withdrawn")
    assert (bob["place"], bob["points"], bob["out"]) == ("1", "1.5", "")
    assert "place" not in to_csv(Standings("cup", "flip7", 2, rows=cup.rows)).splitlines()[0]
