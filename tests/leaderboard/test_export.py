"""Standings for elsewhere: CSV, a web page, a picture. What a bot calls itself must break none of them."""

from __future__ import annotations

import csv
import io
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from referee_leaderboard import (
    Crosstable,
    FaultKind,
    Outcome,
    Seats,
    Standing,
    Standings,
    Strength,
    Strengths,
    View,
    to_csv,
    to_html,
    to_svg,
)

ROOT = Path(__file__).parents[2]
NASTY = ('<script>alert("x")</script>', "a,b\"c'\nd", '"><img src=x onerror=y>', "&amp;", "</title></style>")


@pytest.fixture
def nasty() -> Standings:
    results = [(NASTY[:3], (1, 2, 3)), (NASTY[2:], (2, 1, 3))]
    return Standings(
        "<b>Cup</b>",
        "<i>game</i>",
        3,
        digest="<u>",
        rows=tuple(Standing(place, bot, 25.0, 1.0) for place, bot in enumerate(NASTY, 1)),
        latest=(Outcome("<m>", 1, NASTY[:3], (1, 2, 3), None, "<r>", ("<f>", "", "")),),
        crosstable=Crosstable.tally(NASTY, results),
        seats=Seats.tally(NASTY, results),
        notices=("<n>",),
        strengths=Strengths(
            tuple(Strength(bot, 0.0, 1.0, 1, 1, 5, 0.2) for bot in NASTY),
            ahead=((0.5,) * 5,) * 5,
            groups=((0, 4),),
            notes=("<w>",),
        ),
    )


def test_csv_reads_back_with_every_name_and_full_ratings(spring_cup: Standings) -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(spring_cup))))
    assert [row["bot"] for row in rows] == [row.bot for row in spring_cup.rows]
    assert [float(row["mu"]) for row in rows] == [row.mu for row in spring_cup.rows]
    assert [float(row["score"]) for row in rows] == [row.score for row in spring_cup.rows]
    assert rows[-1]["absent"] == "yes"
    strengths = {row.bot: row for row in spring_cup.strengths.rows}
    assert [float(row["strength"]) for row in rows] == [strengths[row["bot"]].value for row in rows]
    assert [int(row["rank_high"]) for row in rows] == [strengths[row["bot"]].rank_high for row in rows]


def test_csv_quotes_commas_quotes_and_line_ends(nasty: Standings) -> None:
    assert [row["bot"] for row in csv.DictReader(io.StringIO(to_csv(nasty)))] == list(NASTY)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_csv_never_hands_a_formula_to_a_spreadsheet(name: str) -> None:
    text = to_csv(Standings("Cup", "g", 2, rows=(Standing(1, name, 25.0, 8.0),)))
    assert next(csv.DictReader(io.StringIO(text)))["bot"] == f"'{name}"


class _Tags(HTMLParser):
    """Collects tags, attributes and words, and checks that every tag that opens is closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_escapes_every_name(nasty: Standings) -> None:
    page = _Tags()
    page.feed(to_html(nasty))
    page.close()
    assert page.open == []
    assert not {"script", "img", "b", "i", "u", "m", "r", "f", "n", "w"} & set(page.seen)
    assert not any(name.startswith("on") for name, _ in page.attributes)
    for name in (*NASTY, "<b>Cup</b>", "<i>game</i>", "<m>", "<r>", "<f>", "<n>", "<u>", "<w>"):
        assert name in page.words


def test_the_page_fetches_nothing(spring_cup: Standings) -> None:
    text = to_html(spring_cup)
    page = _Tags()
    page.feed(text)
    assert not {"link", "script", "img", "iframe", "object"} & set(page.seen)
    assert not {"src", "href"} & {name for name, _ in page.attributes}
    assert "url(" not in text
    assert "@import" not in text


def test_the_page_has_the_table_and_the_crosstable_in_light_and_dark(spring_cup: Standings) -> None:
    text = to_html(spring_cup)
    assert "prefers-color-scheme: dark" in text
    assert text.count("<table") == 4
    assert "Crosstable" in text
    assert "Strengths" in text
    assert all(f"<td>{row.score:.2f}</td>" in text for row in spring_cup.rows)


def test_the_page_of_an_empty_tournament_says_so() -> None:
    assert "No bots have entered yet." in to_html(Standings("Cup", "g", 2))


@pytest.mark.parametrize("view", ["table", "crosstable", "seats", "strengths"])
def test_the_picture_is_well_formed_and_fetches_nothing(spring_cup: Standings, nasty: Standings, view: View) -> None:
    for standings in (spring_cup, nasty):
        text = to_svg(standings, 90, 26, view)
        words = "".join(ElementTree.fromstring(text).itertext())
        assert "cautious" in words or "<script>" in words
        assert "font-face" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "").replace("https://www.textualize.io", "")


def test_the_same_standings_give_the_same_picture(spring_cup: Standings) -> None:
    assert to_svg(spring_cup) == to_svg(spring_cup)


def test_the_picture_in_the_readme_is_the_one_that_make_draws(tmp_path: Path) -> None:
    recipe = next(line for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if "--svg" in line)
    _, *words, committed = shlex.split(recipe)
    drawn = tmp_path / "drawn.svg"
    subprocess.run([sys.executable, *words, str(drawn)], cwd=ROOT, check=True, timeout=60)
    assert drawn.read_text(encoding="utf-8") == (ROOT / committed).read_text(encoding="utf-8"), "run 'make picture'"


FAULTY = Standings(
    "Cup",
    "flip7",
    2,
    rows=(
        Standing(
            1, "ada", 25.0, 1.0, 40, 40, faults=4, draws=40, wins_split=20.0,
            fault_kinds=(FaultKind("timeout", 3), FaultKind("crash", 1)),
        ),
        Standing(1, "bob", 25.0, 1.0, 40, 40, draws=40, wins_split=20.0),
        Standing(3, "eve", 25.0, 8.0, absent=True),
    ),
)  # fmt: skip


def test_draws_and_kinds_of_faults_are_in_csv_and_on_the_page() -> None:
    ada, bob, eve = csv.DictReader(io.StringIO(to_csv(FAULTY)))
    assert (ada["wins"], ada["wins_split"], ada["draws"]) == ("40", "20.0", "40")
    assert [ada[kind] for kind in ("illegal", "timeout", "disconnect", "crash", "flood", "resigned")] == list("030100")
    assert (bob["timeout"], eve["absent"]) == ("0", "yes")
    page = to_html(FAULTY)
    assert "<th>draws</th>" in page
    assert "4 (3 timeout, 1 crash)" in page


def test_faults_whose_kinds_are_not_known_are_not_said_to_be_none() -> None:
    (row,) = csv.DictReader(
        io.StringIO(to_csv(Standings("Cup", "flip7", 2, rows=(Standing(1, "ada", 25.0, 1.0, faults=2),))))
    )
    assert (row["faults"], row["timeout"]) == ("2", "")
