"""`referee webhook`: added with a secret that is shown once, listed without its address, tested, logged and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..conftest import Referee

URL = "https://chat.example.org/hooks/very-secret"


@pytest.fixture(autouse=True)
def with_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, referee: Referee) -> None:
    monkeypatch.chdir(tmp_path)
    assert referee("bot", "add", "ada").code == 0


def test_a_webhook_is_added_listed_tested_and_removed(referee: Referee) -> None:
    added = referee("webhook", "add", "mine", URL, "--on", "tournament.finished, leader.changed")
    assert added.code == 0
    assert "whsec_" in added.out
    listed = referee("webhook", "list")
    assert listed.out == "mine: chat.example.org, standard: tournament.finished, leader.changed\n"
    assert referee("webhook", "test", "mine").code == 0
    assert "  test: waiting\n" in referee("webhook", "log", "mine").out
    events = referee("events").out
    assert "webhook mine to chat.example.org was added" in events
    assert "very-secret" not in events
    assert referee("webhook", "remove", "mine").out == "webhook mine is removed\n"
    assert json.loads(referee("webhook", "list", "--json").out) == []
    gone = referee("webhook", "log", "mine")
    assert (gone.code, gone.out) == (2, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("http://10.0.0.5/x",), "needs https"),
        ((URL, "--form", "teams"), "there is no form 'teams': choose standard, slack, discord"),
        ((URL, "--on", "everything"), "there is no kind 'everything'"),
        ((URL, "--on", ","), "--on is empty"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(referee: Referee, words: tuple[str, ...], says: str) -> None:
    done = referee("webhook", "add", "mine", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
