"""The log on stderr: for people, or one JSON object a line."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from referee.logs import log_to_stderr


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


def test_times_in_utc_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    log_to_stderr(zone="utc")
    structlog.get_logger().info("started")
    assert capsys.readouterr().err.split()[1].endswith("Z")
