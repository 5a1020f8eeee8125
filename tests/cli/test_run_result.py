"""The end of `referee run`: bots that forfeited, why, and in which match; bots entered twice taken together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.cli.run_result import print_faults
from referee.tournament.fault_reasons import FaultReason

if TYPE_CHECKING:
    from tests.cli.conftest import Referee

STUBBORN = """\
#!/bin/sh
while read -r line; do
  number=${line#*'"decision":'}
  case $line in *'"legal"'*) printf '{"decision":%s,"move":"nonsense"}\\n' "${number%%,*}" ;; esac
done
"""


def test_a_run_tells_why_a_bot_forfeited_and_where_to_look(referee: Referee, tmp_path: Path) -> None:
    bot = tmp_path / "stubborn.sh"
    bot.write_text(STUBBORN)
    bot.chmod(0o755)
    words = ["run", "stop_me_go", f"stubborn=stdio:{bot}", "random", "--rounds", "2", "--no-sandbox", "--name", "cup"]
    shown = referee(*words, "--db", tmp_path / "cup.db")
    assert shown.code == 0, shown.err
    told = shown.out.partition("matches forfeited:\n")[2]
    assert told.startswith("  stubborn: illegal in 2 matches, the first cup/0: 3 rejected moves; the last, 'nonsense'")
    assert "--db" not in told
    value = referee(*words, "--db", tmp_path / "cup.db", "--json").json
    [fault] = value["faults"]
    assert (fault["bot"], fault["termination"], fault["matches"], fault["match"]) == ("stubborn", "illegal", 2, "cup/0")
    assert fault["text"].startswith("3 rejected moves; the last, 'nonsense'")


def test_a_line_about_a_fault_announces_no_lines_that_do_not_follow(capsys: pytest.CaptureFixture[str]) -> None:
    text = "crash: mine is benched: it ended 5 times, the last time because it exited with code 1. Its last words:"
    print_faults([FaultReason("mine", "crash", 1, "cup/0", text)], kept=True)
    told = capsys.readouterr().out
    assert told.endswith("because it exited with code 1.\n")


def test_a_run_without_faults_tells_of_none(referee: Referee) -> None:
    assert referee("run", "stop_me_go", "random", "mixed", "--rounds", "1", "--json").json["faults"] == []


def test_entries_of_the_same_bot_are_pooled_whatever_they_are_called(referee: Referee) -> None:
    words = ("run", "stop_me_go", "random", "mine=random", "patient", "--players", "3", "--rounds", "4", "--seed", "p")
    done = referee(*words, "--workers", "1", "--json")
    assert done.code == 0, done.err
    (pooled,) = done.json["pooled"]
    own = [row for row in done.json["standings"] if row["bot"] in ("random", "mine")]
    assert (pooled["bot"], pooled["entries"], pooled["matches"]) == ("random", ["random", "mine"], 8)
    assert pooled["wins"] == sum(row["wins"] for row in own)
    assert pooled["mean_rank"] == pytest.approx(sum(row["mean_rank"] for row in own) / 2)
    assert pooled["mean_score"] == pytest.approx(sum(row["mean_score"] for row in own) / 2)
