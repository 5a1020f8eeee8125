"""Laws of every drawing: it fits, it never fails, it interprets nothing, it needs no colour."""

from __future__ import annotations

import io
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from referee_leaderboard import (
    VIEWS,
    Connection,
    Crosstable,
    FaultKind,
    Outcome,
    Playing,
    Pooled,
    Seats,
    Standing,
    Standings,
    State,
    View,
    final_table,
    plain_progress_line,
    render,
    to_html,
    to_svg,
    to_text,
)
from referee_leaderboard.names import clean, decimal, duration, fit, left, percent, right, share, speed
from referee_leaderboard.sheet import STAND_INS
from referee_leaderboard.standings import Order

ODD = "aZ \t[]/\\<&'\"é\u0301\u0308\u200d\ufe0f\u202e骰子👩🏽🚀🇫🇷\x1b\x07\u00ad\u3000ﷺĳ\ud800🏴μ…"
names = st.one_of(
    st.text(ODD, min_size=0, max_size=30), st.text(max_size=12), st.sampled_from(["[bold]x[/bold]", "[/]"])
)
counts = st.integers(0, 10**9)
ratings = st.floats(-1e12, 1e12) | st.floats(0, 50)
seconds = st.none() | st.floats(0, 1e9)


@st.composite
def odd_standings(draw: st.DrawFn) -> Standings:
    bots = draw(st.lists(names, max_size=14))
    rows = [
        Standing(
            draw(st.integers(1, 20)),
            bot,
            draw(ratings),
            draw(st.floats(0, 1e9) | st.floats(0, 9)),
            draw(counts),
            draw(counts),
            draw(st.none() | st.floats(1, 20)),
            draw(counts),
            draw(st.none() | ratings),
            draw(st.none() | st.integers(1, 99)),
            draw(st.booleans()),
            draw(seconds),
        )
        for bot in bots
    ]
    seated = st.lists(st.sampled_from(bots or ["?"]), min_size=1, max_size=8, unique=True)
    tables = [tuple(draw(seated)) for _ in range(draw(st.integers(0, 5)))]
    results = [(table, tuple(draw(st.integers(1, 8)) for _ in table)) for table in tables]
    unique = list(dict.fromkeys(bots))
    return Standings(
        draw(names),
        draw(names),
        draw(st.integers(1, 18)),
        draw(st.sampled_from(State)),
        draw(st.booleans()),
        draw(counts),
        draw(counts),
        draw(counts),
        draw(seconds),
        draw(seconds),
        draw(seconds),
        draw(seconds),
        draw(st.sampled_from(["", "ab" * 32])),
        tuple(rows),
        tuple(Playing(draw(names), 1, table, 5.0, None) for table in tables),
        tuple(
            Outcome(draw(names), 1, table, ranks, ranks, draw(names), tuple(draw(names) for _ in table))
            for table, ranks in results
        ),
        Crosstable.tally(unique, results),
        Seats.tally(unique, results),
        tuple(draw(st.lists(names, max_size=4))),
        draw(counts),
        draw(counts),
    )


@settings(max_examples=120, deadline=None)
@given(
    odd_standings(),
    st.sampled_from(VIEWS),
    st.integers(1, 210),
    st.integers(1, 70),
    st.none() | st.just(Connection.lost(3, "no [red]route")),
    st.integers(0, 30),
    st.sampled_from(["", "q quit · ↑↓"]),
)
def test_no_screen_is_wider_or_taller_than_asked_for(
    standings: Standings,
    view: View,
    width: int,
    height: int,
    connection: Connection | None,
    offset: int,
    footer: str,
) -> None:
    drawn = render(standings, view, width, height, connection, offset=offset, across=offset, footer=footer)
    shown = to_text(drawn, width).splitlines()
    assert 1 <= len(shown) <= height
    assert max(cell_len(text) for text in shown) <= width
    spelled = to_text(drawn, width, ascii_only=True)
    assert spelled.isascii()
    assert [len(text) for text in spelled.splitlines()] == [cell_len(text) for text in shown]


@settings(max_examples=40, deadline=None)
@given(odd_standings(), st.integers(1, 120))
def test_every_other_form_takes_any_standings(standings: Standings, width: int) -> None:
    lines = to_text(final_table(standings, width), width).splitlines()
    assert all(cell_len(text) <= width for text in lines if not text.startswith("digest"))
    assert "\n" not in plain_progress_line(standings)
    assert to_html(standings).endswith("</html>\n")
    assert to_svg(standings, 40, 12).rstrip().endswith("</svg>")


@given(names, st.integers(0, 40))
def test_a_name_is_fitted_by_cells_and_marked_when_cut(name: str, width: int) -> None:
    whole = clean(name)
    cut = fit(whole, width)
    assert cell_len(cut) <= width
    assert cell_len(left(whole, width)) == cell_len(right(whole, width)) == width
    assert cut == whole or width == 0 or cut.endswith("…")


@given(names)
def test_a_clean_name_moves_no_cursor_and_turns_no_line_around(name: str) -> None:
    assert clean(name)
    assert not {unicodedata.category(character) for character in clean(name)} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(st.lists(st.integers(0, 40), max_size=8), st.integers(0, 100))
def test_names_share_the_room_and_the_short_ones_are_whole(widths: list[int], room: int) -> None:
    granted = share(widths, room)
    assert sum(granted) <= room or not widths
    assert all(given <= wanted for given, wanted in zip(granted, widths, strict=True))
    if sum(widths) <= room:
        assert granted == widths


def test_markup_in_a_name_is_shown_and_not_interpreted() -> None:
    standings = Standings("[red]Cup[/red]", "flip7", 2, rows=(Standing(1, "[bold]x[/bold]", 25, 8),))
    shown = to_text(render(standings, width=80), 80)
    assert "[bold]x[/bold]" in shown
    assert "[red]Cup[/red]" in shown


def test_every_drawn_character_has_a_stand_in_of_one_cell() -> None:
    assert all(cell_len(drawn) == 1 and len(spelled) == 1 for drawn, spelled in STAND_INS.items())


def test_without_colour_no_words_are_lost(spring_cup: Standings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=True)
    console.print(render(spring_cup))
    assert "\x1b[3" not in file.getvalue().replace("\x1b[3m", "")  # 3 alone is italic, 30 to 37 are colours
    assert "(away)" in file.getvalue()


def test_the_whisker_scale_is_common_to_all_rows() -> None:
    rows = (Standing(1, "a", 30.0, 1.0), Standing(2, "b", 10.0, 1.0))
    shown = to_text(render(Standings("Cup", "g", 2, rows=rows), width=80), 80).splitlines()
    first, second = (text for text in shown if "◆" in text)
    assert first.index("◆") > second.index("┤")


def test_an_unknown_view_is_an_error_that_names_the_choices() -> None:
    with pytest.raises(ValueError, match="choose one of table, crosstable, seats"):
        render(Standings("Cup", "g", 2), "tabel")  # type: ignore[arg-type]


def test_one_hundred_percent_is_said_only_when_nothing_is_left() -> None:
    standings = Standings("Cup", "g", 2, State.RUNNING, matches_done=9_999, matches_total=10_000)
    assert " 99%" in to_text(render(standings), 80)
    assert "100%" in to_text(render(replace(standings, matches_done=10_000)), 80)
    assert (percent(999, 1000), percent(1, 1000), percent(0, 9), percent(9, 9), percent(0, 0)) == (
        "99%", "1%", "0%", "100%", "·",
    )  # fmt: skip


def test_a_line_for_the_log_says_how_far_and_who_leads(spring_cup: Standings) -> None:
    assert plain_progress_line(spring_cup) == (
        "Spring Cup: running, provisional, 386/600 matches (64%), 12.5/s, ETA 0:17, 15 faults; first cautious 27.02"
    )
    assert plain_progress_line(Standings("Cup", "g", 2)) == "Cup: created, 0/0 matches"


def test_numbers_read_well() -> None:
    assert [duration(value) for value in (None, 0.9, 43, 724, 11524, 200000)] == [
        "–", "0:00", "0:43", "12:04", "3:12:04", "2d 07h",
    ]  # fmt: skip
    assert [decimal(value) for value in (None, -0.001, 2.345, -1.5)] == ["–", "0.00", "2.35", "-1.50"]
    assert [speed(value) for value in (None, 0.05, 12.5, 1234)] == ["–", "3.0/min", "12.5/s", "1,234/s"]


@pytest.mark.parametrize(("width", "height"), [(40, 16), (80, 24), (200, 50)])
def test_a_long_tournament_name_leaves_the_numbers_of_the_matches(width: int, height: int) -> None:
    name = "stop_me_go-052d7df9"
    standings = Standings(
        name,
        "stop_me_go",
        2,
        playing=(Playing(f"{name}/1742", 1, ("a", "b")),),
        latest=(Outcome(f"{name}/1729", 1, ("a", "b"), (1, 2)),),
    )
    shown = to_text(render(standings, "table", width, height), width)
    assert "#1742  a · b" in shown
    assert "#1729  1 a · 2 b" in shown


def test_the_heading_counts_the_matches_that_are_played_and_not_shown() -> None:
    playing = tuple(Playing(f"Cup/{number}", 1, ("a", "b")) for number in range(3))
    standings = Standings("Cup", "g", 2, playing=playing, matches_playing=512)
    assert "512 matches" in to_text(render(standings), 80)


def test_matches_without_a_result_are_not_called_played() -> None:
    standings = Standings("Cup", "g", 2, State.FINISHED, matches_done=180, matches_total=180, matches_set_aside=178)
    assert "2 of 180 matches played, 178 set aside" in to_text(final_table(standings), 80)
    assert "2 of 180 matches played, 178 set aside" in to_html(standings)
    assert "180/180 matches (100%), 178 set aside" in plain_progress_line(standings)


def pooled_standings() -> Standings:
    rows = (
        Standing(1, "ada", 27.0, 1.0, 8, 5, 1.4, 0, 12.0),
        Standing(2, "random", 25.0, 1.0, 8, 2, 1.8, 0, 9.0),
        Standing(3, "random-2", 23.0, 1.0, 4, 1, 2.1, 1, 6.0),
    )
    both = Pooled.of("random", ("random", "random-2"), rows)
    assert both is not None
    return Standings("cup", "flip7", 3, rows=rows, pooled=(both,))


def test_entries_of_one_bot_are_told_together_below_the_table() -> None:
    standings = pooled_standings()
    (both,) = standings.pooled
    assert (both.matches, both.wins, both.faults) == (12, 3, 1)
    assert both.mean_rank == pytest.approx((8 * 1.8 + 4 * 2.1) / 12)
    sentence = (
        "random and random-2 are the same bot; together: 12 matches, 3 wins, mean rank 1.90, mean score 8.0, 1 fault"
    )
    assert sentence in to_text(final_table(standings, 80), 200)
    assert sentence in to_html(standings)
    assert sentence in to_text(render(standings, "table", 140, 30), 140)
    assert "random ×2 together: 12 matches, mean rank 1.90" in to_text(render(standings, "table", 60, 30), 60)
    assert Standings.from_json_value(standings.to_json_value()) == standings


def test_of_many_entries_the_first_are_named_and_the_others_counted() -> None:
    names = tuple(f"r{number}" for number in range(36))
    both = Pooled.of("r", names, [Standing(1, name, 25.0, 8.0, 1, 0, 18.5, 0, 3.0) for name in names])
    assert both is not None
    assert both.sentences(3)[0].startswith("r0, r1, r2, r3 and 32 more are the same bot; together: 36 matches")


def test_alone_at_a_table_every_bot_wins_so_wins_and_ranks_are_left_out() -> None:
    both = Pooled("random", ("random", "random-2"), 30, 30, 1.0, -15.9)
    assert both.sentences(1) == (
        "random and random-2 are the same bot; together: 30 matches, mean score -15.9",
        "random ×2 together: 30 matches, mean score -15.9",
        "random ×2 together: 30 matches, mean score -15.9",
    )
    assert all("mean rank 1.00" in sentence for sentence in both.sentences(2))


def test_entries_that_have_not_played_are_not_pooled() -> None:
    rows = (Standing(1, "random", 25.0, 8.0), Standing(1, "random-2", 25.0, 8.0))
    assert Pooled.of("random", ("random", "random-2"), rows) is None


def test_the_table_shows_draws_and_kinds_of_faults_where_there_is_room() -> None:
    kinds = (FaultKind("timeout", 3), FaultKind("crash", 1))
    row = Standing(1, "ada", 25.0, 1.0, 40, 40, 1.0, faults=4, draws=40, wins_split=20.0, fault_kinds=kinds)
    level = Standings("Cup", "flip7", 2, rows=(row,))
    wide = to_text(render(level, "table", 140, 20), 140)
    assert "Draws" in wide
    assert "3 timeout, 1 crash" in wide
    assert "3 timeout" not in to_text(render(level, "table", 60, 20), 60)
    without = Standings("Cup", "flip7", 2, rows=(Standing(1, "ada", 25.0, 1.0, 40, 40, 1.0),))
    assert "Draws" not in to_text(render(without, "table", 140, 20), 140)


def test_a_solo_game_shows_points_and_no_rating_that_means_nothing() -> None:
    rows = (Standing(1, "ada", 25.0, 25 / 3, 4, 4, 1.0, 0, 30.5), Standing(2, "bob", 25.0, 25 / 3, 4, 4, 1.0, 0, 20.0))
    solo = Standings("Cup", "encore", 1, rows=rows, order=Order.POINTS, matches_done=8, matches_total=8)
    drawn = to_text(render(solo, "table", 100, 20), 100)
    assert "Avg pts" in drawn
    assert "30.5" in drawn
    assert not any(word in drawn for word in ("Score", "Wins", "Avg rank", "25.00"))
    assert "first ada 30.5 points a match" in plain_progress_line(solo)
    page = to_html(solo)
    assert "Ordered by the mean of the points." in page
    assert "<th>wins</th>" not in page
