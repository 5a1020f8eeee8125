"""The log on stderr: for people, or one JSON object a line."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from referee.logs import json_speaker, log_to_stderr

from .e2e.tournament_hall import Hall
from .waiting import PATIENCE


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def test_json_lines_hold_level_event_details_and_a_time_with_its_zone(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(form="json", zone="utc")
    structlog.get_logger().warning("match 4 is set aside", tournament="Größe", match=4)
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told.pop("timestamp").endswith("Z")
    assert told == {"level": "warning", "event": "match 4 is set aside", "tournament": "Größe", "match": 4}


def test_an_error_is_one_json_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(form="json")
    try:
        raise ValueError("broken")
    except ValueError:
        structlog.get_logger().exception("a page failed")
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["exception"][0]["exc_value"] == "broken"


def test_what_is_below_the_level_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(logging.ERROR)
    structlog.get_logger().warning("quiet")
    structlog.get_logger().error("loud")
    told = capsys.readouterr().err
    assert "loud" in told
    assert "quiet" not in told


def test_people_are_not_told_twice_what_the_words_of_an_event_say(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr()
    details = {"who": "ada", "role": "helper", "action": "annulled match", "subject": "10 in cup: seen", "seat": 0}
    words = "ada (helper) annulled match 10 in cup: seen"
    structlog.get_logger().info(words, event_kind="action", tournament="cup", **details, bots=["bob"], draw=None)
    line = capsys.readouterr().err.rstrip("\n")
    assert line.partition("] ")[2].split(words)[1].split() == ["bots=['bob']", "seat=0", "tournament=cup"]


def test_times_in_utc_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(zone="utc")
    structlog.get_logger().info("started")
    assert capsys.readouterr().err.split()[1].endswith("Z")


def test_what_is_said_besides_the_log_is_a_json_line_whatever_the_level(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(logging.ERROR, form="json", zone="utc")
    say = json_speaker("utc")
    say("[bold]referee[/bold] listens on [bold]127.0.0.1:7700[/bold]")
    say("  admin token (shown once):  [0a]", markup=False, soft_wrap=True)
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in told] == [
        "referee listens on 127.0.0.1:7700",
        "admin token (shown once):  [0a]",
    ]
    assert all(line["level"] == "info" and line["timestamp"].endswith("Z") for line in told)


def test_all_that_a_server_writes_from_start_to_end_can_be_parsed(tmp_path: Path) -> None:
    with closing(Hall(tmp_path)) as hall:
        hall.start("--log-format", "json")
        hall.referee("bot", "add", "ada", "--server", hall.address)
        assert hall.server is not None
        hall.server.send_signal(signal.SIGINT)
        assert hall.server.wait(PATIENCE) == 0
        told = [json.loads(line)["event"] for line in (tmp_path / "server.log").read_text().splitlines()]
    assert any(line.startswith("referee ") and f"listens on {hall.address}" in line for line in told)
    assert "host registered the bot ada" in told
    assert told[-1] == "stopped"
