"""Scenario files: what holds, what does not, what cannot be read, and on which line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.scenario import ScenarioFailed, ScenarioUnreadable, load, run, run_file
from referee.rules.scenario.file import ScenarioFile
from tall_tales.game import TallTalesState

pytestmark = pytest.mark.usefixtures("tall_tales_installed")
Write = Callable[..., Path]

HEAD = """\
about   = "A lie that is doubted costs two points"
game    = "tall_tales"
players = 2
options = { rounds = 1 }
chance.deck = [2, 5]
"""
PLAYED = "0: claim 4\n1: doubt\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(script: str = "", head: str = HEAD, text: str | None = None) -> Path:
        path = tmp_path / "case.toml"
        path.write_text(f'{head}script = """\n{script}"""\n' if text is None else text, newline="")
        return path

    return write


def failed(path: Path) -> ScenarioFailed:
    with pytest.raises(ScenarioFailed) as caught:
        run_file(path)
    return caught.value


def unreadable(path: Path) -> ScenarioUnreadable:
    with pytest.raises(ScenarioUnreadable) as caught:
        load(path)
    return caught.value


def test_a_scenario_that_holds(write: Write) -> None:
    script = """
    pending = 0 1
    over = no           # a comment
    legal 0 = doubt | claim 6 | claim 1 | claim 2 | claim 3 | claim 4 | claim 5
    legal 0 has  claim   3 | doubt
    legal 0 lacks claim 7 | rubbish
    ! 0: claim 7
    ! 5: doubt
    !1:
    0:claim 4
    pending = 1
    legal 0 =
    ! 0: doubt
    1 : doubt
    pending =
    legal 1=
    scores = -2 1
    over=yes
    ranks = 2 1
    reason = finished
    ! 0: doubt
    """
    run_file(write(script))


@pytest.mark.parametrize(
    ("script", "line", "expected", "seen"),
    [
        ("0: claim 7\n", 7, "the move '0: claim 7' to be legal", "1 to 6"),
        ("\n\n0: doubt\n0: doubt\n", 10, "to be legal", "already moved"),
        ("5: doubt\n", 7, "to be legal", "no seat 5 at a table of 2"),
        (PLAYED + "0: doubt\n", 9, "to be legal", "the match is over"),
        ("! 0: doubt\n", 7, "'0: doubt' to be rejected", "accepted"),
        ("pending = 0\n", 7, "pending = 0", "0 1"),
        ("pending =\n", 7, "pending =", "0 1"),
        (PLAYED + "pending = 0\n", 9, "pending = 0", "nobody"),
        ("legal 0 = doubt\n", 7, "legal 0 = doubt", "claim 1 | claim 2"),
        ("legal 0 = claim 9\n", 7, "legal 0 = claim 9", "no move"),
        ("legal 0 has claim 9\n", 7, "legal 0 has claim 9", "no move"),
        ("legal 0 lacks claim  3\n", 7, "legal 0 lacks claim 3", "claim 3"),
        (PLAYED + "legal 0 has doubt\n", 9, "legal 0 has doubt", "no moves"),
        (PLAYED + "scores = 1 1\n", 9, "scores = 1 1", "-2 1"),
        ("scores = 0\n", 7, "scores = 0", "0 0"),
        ("over = yes\n", 7, "over = yes", "no"),
        (PLAYED + "over = no\n", 9, "over = no", "yes"),
        (PLAYED + "ranks = 1 2\n", 9, "ranks = 1 2", "2 1"),
        (PLAYED + "reason = tired\n", 9, "reason = tired", "finished"),
        ("ranks = 1 1\n", 7, "ranks = 1 1", "not over"),
        ("reason = finished\n", 7, "reason = finished", "not over"),
        ("0: doubt\n\n", 9, "sealed decision", "have moved: 1"),
    ],
)
def test_what_does_not_hold_is_told_with_its_line(
    write: Write, script: str, line: int, expected: str, seen: str
) -> None:
    failure = failed(write(script))
    assert expected in failure.expected
    assert seen in failure.seen
    assert failure.line == line
    assert f"case.toml:{line}: expected" in str(failure)


def test_a_rejected_move_that_changes_something_does_not_hold(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.rules.game import Rejection

    def check(self: TallTalesState, seat: int, move: int) -> Rejection:
        self.news = [{"kind": "doubted", "seat": 0}]
        return Rejection("never", "never")

    scenario = load(write("! 0: doubt\n"))
    module = type(scenario.game.start(2)).__module__
    monkeypatch.setattr(f"{module}.TallTalesState.check", check)
    with pytest.raises(ScenarioFailed, match="nothing to change"):
        run(scenario)


@pytest.mark.parametrize(
    ("outcomes", "words"), [('["x"]', "'x'"), ("[2, 9]", "9"), ("[1, 1, 1, 1]", "no longer"), ("[5, 7.5]", "7")]
)
def test_an_impossible_outcome_does_not_hold(write: Write, outcomes: str, words: str) -> None:
    failure = failed(write(head=HEAD.replace("[2, 5]", outcomes)))
    assert "an impossible outcome of deck" in failure.seen
    assert words in failure.seen
    assert failure.line == 5


def test_an_unused_outcome_of_a_label_that_must_be_spent_does_not_hold(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    from referee.rules.chance import Label

    scenario = load(write(PLAYED))
    labels = {**scenario.game.labels, "arbiter": Label("pick", "a seat", int, spent=True)}
    monkeypatch.setattr(type(scenario.game), "labels", labels)
    path = write(PLAYED, HEAD + "chance.arbiter = [1, 0]\n")
    failure = failed(path)
    assert failure.line == 6
    assert (failure.expected, failure.seen) == ("every scripted outcome of 'arbiter' to be used", "left over: 1, 0")


@pytest.mark.parametrize(
    ("head", "line", "words"),
    [
        (HEAD + "sed = 1\n", 6, "unknown key 'sed'; did you mean 'seed'?"),
        (HEAD.replace("game ", "gam "), 2, "unknown key 'gam'"),
        (HEAD.replace('game    = "tall_tales"\n', ""), None, "the key 'game' is missing"),
        (HEAD.replace("players = 2\n", ""), None, "the key 'players' is missing"),
        (HEAD.replace("tall_tales", "tall_tails"), 2, "did you mean 'tall_tales'?"),
        (HEAD.replace("players = 2", "players = 9"), 3, "2 to 5 players, not 9"),
        (HEAD.replace("players = 2", 'players = "2"'), 3, "must be a whole number"),
        (HEAD.replace("players = 2", "players = true"), 3, "must be a whole number"),
        (HEAD.replace("rounds = 1", "round = 1"), 4, "did you mean 'rounds'?"),
        (HEAD.replace("rounds = 1", "rounds = 9"), 4, "from 1 to 3"),
        (HEAD.replace("options = { rounds = 1 }", "options.rounds = 9"), 4, "from 1 to 3"),
        (HEAD.replace("{ rounds = 1 }", "3"), 4, "must be a table"),
        (HEAD.replace("chance.deck", "chance.desk"), 5, "unknown label 'desk' of chance; did you mean 'deck'?"),
        (HEAD.replace("[2, 5]", "2"), 5, "must be a list"),
        (HEAD + "seed = 1.5\n", 6, "'seed' must be"),
        (HEAD.replace("players = 2", "players = "), 3, "not TOML"),
        (HEAD + "players = 3\n", 6, "not TOML"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(write: Write, head: str, line: int | None, words: str) -> None:
    error = unreadable(write(PLAYED, head))
    assert words in error.message
    assert error.line == line


@pytest.mark.parametrize(
    "statement",
    [
        "hit",
        "0 claim 3",
        "-1: doubt",
        "01: doubt",
        "pending: 0",
        "pending = x",
        "pending = 2",
        "legal = doubt",
        "legal 2 = doubt",
        "legal 0 has",
        "legal 0 lacks",
        "legal 0 = doubt | | claim 1",
        "legal 0 contains doubt",
        "scores =",
        "scores = a b",
        "ranks =",
        "over = maybe",
        "over =",
        "reason =",
        "reason = two words",
        "winner = 1",
        "! pending = 0",
    ],
)
def test_a_line_that_cannot_be_read_is_named(write: Write, statement: str) -> None:
    error = unreadable(write(f"0: claim 4\n\n  {statement}  # what is this\n1: doubt\n"))
    assert error.line == 9
    assert f"cannot read '{statement}'" in error.message


def test_a_run_stops_at_the_first_failure_be_it_a_line_that_cannot_be_read_or_not(write: Write) -> None:
    assert failed(write("over = yes\nwhat is this\n")).line == 7
    with pytest.raises(ScenarioUnreadable) as caught:
        run_file(write("over = no\nwhat is this\nover = yes\n"))
    assert caught.value.line == 8


def test_a_file_without_a_script_cannot_be_read(write: Write) -> None:
    assert "the key 'script' is missing" in unreadable(write(text=HEAD)).message


def test_an_empty_script_holds(write: Write) -> None:
    run_file(write(""))


def test_a_missing_file_a_folder_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    assert "no such file" in unreadable(tmp_path / "none.toml").message
    assert "folder" in unreadable(tmp_path).message
    (tmp_path / "bytes.toml").write_bytes(b"about = 1\n\xff\n")
    error = unreadable(tmp_path / "bytes.toml")
    assert (error.line, error.message) == (2, "this is not UTF-8 text")


def test_a_seed_decides_what_the_script_leaves_open(write: Write) -> None:
    head = 'game = "tall_tales"\nplayers = 2\nseed = {}\n'
    scenarios = [load(write("", head.format(seed))) for seed in (0, 1)]
    default = load(write("", 'game = "tall_tales"\nplayers = 2\n'))
    assert default.seed == scenarios[0].seed != scenarios[1].seed


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('script = "0: doubt\\nhm"\n', 1),
        ("script = '0: doubt'\nx = 1\n", 2),
        ('script = """0: doubt\nhm"""\n', 2),
        ("script = '''\n0: doubt\nhm\n'''\n", 3),
        ("script = '''0: doubt\\n\nhm\n'''\n", 2),
        ('script = """\n0: \\\n   doubt\nhm"""\n', 4),
        ('script = """\n0: doubt\\nhm"""\n', 2),
        ('script = """\n0: doubt\\u000Ahm"""\n', 2),
        ('x.y = """\nscript = 3\n"""\nscript = """\nhm"""', 1),
        ('"script" = """\n\n# script = 1\nhm"""', 4),
        ("[chance]\ndeck = [\n  2,\n]\n", 0),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_line_is_that_of_the_file(tmp_path: Path, text: str, line: int, ending: str, mark: bytes) -> None:
    head = 'game = "tall_tales"\nplayers = 2\n'
    path = tmp_path / "case.toml"
    path.write_bytes(mark + (head + text).replace("\n", ending).encode())
    error = unreadable(path)
    assert error.line == (2 + line if line else None)


def test_tables_may_be_written_in_any_way_toml_allows(write: Write) -> None:
    tail = "[options]\nrounds = 1\n[chance]\ndeck = [\n 2, # two\n 5,\n]\n"
    run_file(write(text=f'script = """\n{PLAYED}scores = -2 1\n"""\ngame = "tall_tales"\nplayers = 2\n{tail}'))
    error = failed(write(text=f'script = "{"0: doubt"}"\ngame = "tall_tales"\nplayers = 2\n{tail.replace("5", "9")}'))
    assert error.line == 7


def test_files_named_in_options_are_relative_to_the_scenario_file(tmp_path: Path, write: Write) -> None:
    path = write("", 'game = "encore"\nplayers = 2\noptions = { sheet = "nowhere.json" }\n')
    assert "nowhere.json" in unreadable(path).message


lines = st.lists(st.sampled_from(["0: doubt", "", "# x", "over = no", "   "]), max_size=6)


@given(lines, st.integers(0, 4), st.sampled_from(['"""', "'''"]), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_every_script_line_knows_its_line(
    tmp_path_factory: pytest.TempPathFactory, script: list[str], before: int, quotes: str, newline: bool, crlf: bool
) -> None:
    first = "\n" if newline else ""
    text = "# script = 1\n" * before + f"script = {quotes}{first}" + "\n".join(script) + f"{quotes}\n"
    path = tmp_path_factory.mktemp("lines") / "case.toml"
    path.write_bytes(text.replace("\n", "\r\n" if crlf else "\n").encode())
    file = ScenarioFile(path)
    content = file.take("script", str, "").split("\n")
    raw = text.split("\n")
    assert len(file.script_lines) == len(content)
    for line, words in zip(file.script_lines, content, strict=True):
        assert words in raw[line - 1]


def test_the_code_of_a_rejection_can_be_asserted(write: Write) -> None:
    script = """
    ! unreadable 0: claim 7
    !unreadable 1:
    ! not_asked 5: doubt
    0: claim 4
    ! already_moved 0: doubt
    1: doubt
    ! over 0: doubt
    """
    run_file(write(script))


def test_another_code_is_named_with_its_sentence(write: Write) -> None:
    failure = failed(write("! not_now 0: claim 7\n"))
    assert failure.line == 7
    assert failure.expected == "the move '0: claim 7' to be rejected with the code not_now"
    assert failure.seen == "the code unreadable: a move is 'doubt' or 'claim' with a number from 1 to 6"


def test_a_move_that_is_accepted_has_no_code(write: Write) -> None:
    assert failed(write("! not_now 0: claim 4\n")).seen == "it was accepted"
    assert "cannot read 'not_now 0: claim 4'" in str(unreadable(write("not_now 0: claim 4\n")))
    assert "cannot read '! Not_Now 0: claim 4'" in str(unreadable(write("! Not_Now 0: claim 4\n")))


PAGE = (Path(__file__).parents[2] / "server/referee/rules/SCENARIOS.md").read_text(encoding="utf-8")


def test_the_page_of_the_syntax_has_every_key_and_every_statement() -> None:
    for key in ("about", "game", "players", "options", "seed", "chance", "script"):
        assert f"| `{key}` |" in PAGE
    for statement in (
        "SEAT: MOVE",
        "! SEAT: MOVE",
        "! CODE SEAT: MOVE",
        "pending =",
        "scores =",
        "over =",
        "ranks =",
        "reason =",
    ):
        assert f"| `{statement}" in PAGE


@pytest.mark.parametrize("number", range(2))
def test_the_examples_on_the_page_hold(write: Write, number: int) -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 2
    run_file(write(text=examples[number]))
