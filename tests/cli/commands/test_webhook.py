"""`referee webhook`: added with a secret that is shown once, listed without its address, tested, logged and removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli.serve_settings import read_config
from referee.cli.webhook_settings import bring_in, configured
from referee.store import Store
from referee.tournament.audit.database import check_installation

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
    told = referee("events", "--kind", "action").out
    assert all(f" (this machine) {what} the webhook mine" in told for what in ("added", "tested", "removed"))
    gone = referee("webhook", "log", "mine")
    assert (gone.code, gone.out) == (2, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("http://10.0.0.5/x",), "needs https"),
        ((URL, "--form", "teams"), "there is no form 'teams': choose standard, slack, discord"),
        ((URL, "--on", "everything"), "there is no kind 'everything'"),
        ((URL, "--on", ","), "no kind is chosen"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(referee: Referee, words: tuple[str, ...], says: str) -> None:
    done = referee("webhook", "add", "mine", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_webhooks_of_the_config_file_are_brought_into_the_database_once(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(f'[[webhooks]]\nname = "mine"\nurl = "{URL}"\non = ["bot.away"]\n')
    with Store.open("referee.db") as store:
        store.webhooks.add("other", URL, "whsec_x", "slack", ["bot.away"])
        webhooks = configured(read_config(file)["webhooks"])
        [said] = bring_in(store, webhooks)
        secret = store.webhooks.get("mine").secret
        assert said == f"webhook mine is added, its messages are signed (shown once): {secret}"
        assert bring_in(store, webhooks) == []
        store.webhooks.announce("bot.away", {})
        file.write_text(file.read_text().replace("very-secret", "another"))
        assert bring_in(store, configured(read_config(file)["webhooks"])) == ["webhook mine is changed"]
        changed = store.webhooks.get("mine")
        assert (changed.url, changed.secret) == (URL.replace("very-secret", "another"), secret)
        assert [row["kind"] for row in store.webhooks.messages("mine")] == ["bot.away"]
        assert [one.name for one in store.webhooks.all()] == ["other", "mine"]
        check_installation(store)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('name = "a"', "webhook a of the --config file has no url: give name and url"),
        (f'name = "a"\nurl = "{URL}"\nforms = "slack"', "a table [[webhooks]] with name, url, form and secret"),
        (f'name = "a"\nurl = "{URL}"\non = "all"', "a table [[webhooks]] with name, url, form and secret"),
        (f'name = "a"\nurl = "{URL}"\non = ["all"]', "webhook a of the --config file: there is no kind 'all'"),
        (f'name = "a"\nurl = "{URL}"\nsecret = "x"', "does not begin with whsec_"),
        (f'name = "a"\nurl = "{URL}"\n[[webhooks]]\nname = "a"\nurl = "{URL}"', "two webhooks named a"),
    ],
)
def test_a_webhook_of_the_config_file_that_cannot_be_is_said_before_the_server_starts(
    referee: Referee, tmp_path: Path, table: str, says: str
) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(f"[[webhooks]]\n{table}\n")
    done = referee("serve", "--config", file)
    assert (done.code, done.out) == (2, "")
    assert says in " ".join(done.err.split())
    assert "very-secret" not in done.err
