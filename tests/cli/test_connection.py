"""A command that cannot reach the server it was told of says why, in the same words whichever way it asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Referee

NOBODY = "127.0.0.1:1"


@pytest.mark.parametrize(
    "command",
    [
        ("leaderboard",),
        ("leaderboard", "--once"),
        ("leaderboard", "--json"),
        ("tournament", "list"),
        ("tournament", "pause", "league"),
        ("bot", "list"),
        ("match", "flip7", "random", "random", "random"),
    ],
    ids=" ".join,
)
class TestWhatIsWrongWithTheWayToTheServer:
    def test_a_certificate_that_is_not_there(self, referee: Referee, command: tuple[str, ...], tmp_path: Path) -> None:
        done = referee(*command, "--server", NOBODY, "--ca", tmp_path / "no.pem")
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: cannot read {tmp_path / 'no.pem'}: No such file or directory\n"

    def test_a_file_without_a_certificate(self, referee: Referee, command: tuple[str, ...], tmp_path: Path) -> None:
        garbage = tmp_path / "garbage.pem"
        garbage.write_text("no certificate at all\n")
        done = referee(*command, "--server", NOBODY, "--ca", garbage)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: {garbage} holds no certificate (PEM)\n"

    def test_what_is_no_address(self, referee: Referee, command: tuple[str, ...]) -> None:
        done = referee(*command, "--server", "no address")
        assert (done.code, done.out) == (2, "")
        assert done.err == "error: 'no address' is no address; write HOST:PORT, or unix:PATH\n"

    def test_nobody_there(self, referee: Referee, command: tuple[str, ...]) -> None:
        done = referee(*command, "--server", NOBODY)
        assert (done.code, done.out) == (3, "")
        assert done.err == f"error: no Referee server answers at {NOBODY}; start one with 'referee serve'\n"
