"""What hosted bots write belongs to the matches that they play at that moment, within bounds."""

from __future__ import annotations

from referee.match.seat_log import LogLine
from referee.workers.stderr_logs import MOST_BYTES, StderrLogs


def test_a_line_counts_for_every_match_that_the_bot_is_playing() -> None:
    logs, at = StderrLogs(), {"a": 0, "b": 0}
    logs.heard("ada", b"starting\n")
    logs.opened("a", ["ada", "bob"], lambda: at["a"])
    logs.heard("ada", b"alone\n")
    at["a"] = 4
    logs.opened("b", ["cy", "ada"], lambda: at["b"])
    logs.heard("ada", b"together\n")
    [first] = logs.closed("a")
    assert (first.seat, first.lines) == (0, (LogLine(0, 1, "alone"), LogLine(4, 2, "together")))
    logs.heard("ada", b"alone again\n")
    [second] = logs.closed("b")
    assert (second.seat, second.lines) == (1, (LogLine(0, 2, "together"), LogLine(0, 1, "alone again")))
    logs.heard("ada", b"nobody plays\n")
    assert logs.closed("b") == ()


def test_a_line_that_names_a_match_counts_for_that_match_alone() -> None:
    logs = StderrLogs()
    for match in ("cup/1", "cup/2"):
        logs.opened(match, ["ada"], lambda: 3)
    logs.heard("ada", b"both\nin [cup/2]: only there\nread 1/2 of src/x.py\ncup/1, in two ")
    logs.heard("ada", b"pieces\n")
    [one], [two] = logs.closed("cup/1"), logs.closed("cup/2")
    assert one.lines == (
        LogLine(3, 2, "both"),
        LogLine(3, 2, "read 1/2 of src/x.py"),
        LogLine(3, 1, "cup/1, in two pieces"),
    )
    assert two.lines == (
        LogLine(3, 2, "both"),
        LogLine(3, 1, "in [cup/2]: only there"),
        LogLine(3, 2, "read 1/2 of src/x.py"),
    )


def test_a_line_about_a_match_that_is_over_counts_for_no_other() -> None:
    logs = StderrLogs()
    for match in ("cup/1", "cup/2"):
        logs.opened(match, ["ada"], lambda: 0)
    logs.closed("cup/1")
    logs.heard("ada", b"flip7 cup/1: rank 1 of 2, score 9 against bob\nwell\n")
    [log] = logs.closed("cup/2")
    assert [line.text for line in log.lines] == ["well"]


def test_a_match_does_not_get_the_end_of_a_line_that_began_before_it() -> None:
    logs = StderrLogs()
    logs.opened("cup/1", ["ada"], lambda: 0)
    logs.heard("ada", b"thinking ")
    logs.opened("cup/2", ["ada"], lambda: 0)
    logs.heard("ada", b"hard\n")
    assert [line.text for line in logs.closed("cup/1")[0].lines] == ["thinking hard"]
    assert logs.closed("cup/2") == ()


def test_of_too_much_the_latest_is_kept() -> None:
    logs = StderrLogs()
    logs.opened("a", ["ada"], lambda: 0)
    for number in range(10_000):
        logs.heard("ada", b"line %d\n" % number)
    [log] = logs.closed("a")
    assert log.lines[-1].text == "line 9999"
    assert sum(len(line.text) + 1 for line in log.lines) <= MOST_BYTES
    assert log.left_out > 50_000
    assert log.lines[0].text.startswith("line ")


def test_a_flood_in_one_piece_is_cut() -> None:
    logs = StderrLogs()
    logs.opened("a", ["ada"], lambda: 0)
    logs.heard("ada", b"x" * (MOST_BYTES + 500) + b"\nlast\n")
    [log] = logs.closed("a")
    assert ([line.text for line in log.lines], log.left_out) == (["last"], 506)


def test_a_bot_that_cannot_play_leaves_its_last_words() -> None:
    logs = StderrLogs()
    logs.opened("a", ["ada", "bob"], lambda: 0)
    logs.noted("a", "bob", ["Traceback", "SyntaxError"])
    logs.noted("a", "eve", ["never seated"])
    [log] = logs.closed("a")
    assert (log.seat, [line.text for line in log.lines]) == (1, ["Traceback", "SyntaxError"])
