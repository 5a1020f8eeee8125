"""Output that nobody reads to its end (`referee … | head`): no traceback, and no exit code that means another thing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.rules.playout import playout, random_chooser

PIPE_HOLDS = 1 << 16


@pytest.fixture(scope="module")
def long_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game, seed = registry.find("encore"), seed_bytes(1)
    played = playout(game, 4, game.resolve_options(), seed, [random_chooser(seed, seat) for seat in range(4)])
    path = tmp_path_factory.mktemp("pipe") / "match.json"
    path.write_bytes(played.record.to_bytes())
    return path


@pytest.mark.parametrize("words", [["replay"], ["replay", "--json"]], ids=" ".join)
def test_a_reader_that_leaves_early_is_no_failure(words: list[str], long_record: Path) -> None:
    command = [sys.executable, "-m", "referee", words[0], str(long_record), *words[1:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        first = running.stdout.readline()
        running.stdout.close()  # the command has more to say than a pipe holds, so it comes to know
        said = running.stderr.read()
        assert running.wait() == 0, said
    assert first
    assert said == b""


def test_without_a_reader_a_command_that_judges_gives_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An exit code of 0 would say that everything holds, and 1 that something does not."""

    def closed(*words: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr("referee.cli.main._run", closed)
    with capfd.disabled():
        kept = os.dup(1)
        try:
            assert main(["verify"]) == 3
            assert main(["compare", "flip7", "odds", "cautious"]) == 3
            assert main(["matches"]) == 0
        finally:
            os.dup2(kept, 1)
            os.close(kept)


def test_the_output_is_longer_than_a_pipe_holds(long_record: Path) -> None:
    """Else the test above would pass whatever happens."""
    command = [sys.executable, "-m", "referee", "replay", str(long_record)]
    whole = subprocess.run(command, capture_output=True, check=True).stdout
    assert len(whole) > 2 * PIPE_HOLDS
