"""Logging set-up (structlog): the program's own log goes to stderr, with plain tracebacks, never among results."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
FORMATS = ("text", "json")
ZONES = ("local", "utc")
Say = Callable[..., None]
"""Prints a sentence for people, as `Console.print` does."""


def log_to_stderr(level: int = logging.INFO, form: str = "text", zone: str = "local") -> None:
    """Send the log of this process to stderr, from this level up.

    `form` is one of FORMATS: lines for people, or one JSON object a line. `zone` is one of ZONES: times of people have
    no zone written beside them when they are local, JSON always has ISO 8601 with its zone.
    What `sys.stderr` is at the moment of writing counts, not what it was when the log was set up.
    """
    structlog.configure(
        processors=[structlog.processors.add_log_level, *_rendered(form, zone)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def json_speaker(zone: str = "local") -> Say:
    """What a program says besides its log, as lines of a log in JSON: all that stands on stderr can be parsed then.

    It is said whatever the level of the log is: a token that is shown once must not be left out.
    """

    def say(text: str, *, markup: bool = True, **_: object) -> None:
        from rich.text import Text

        plain = Text.from_markup(text).plain if markup else text
        line = {"event": plain.strip(), "level": "info"}
        for step in _rendered("json", zone):
            line = step(None, "info", line)
        print(line, file=sys.stderr, flush=True)

    return say


def _rendered(form: str, zone: str) -> list[Any]:
    utc = zone == "utc"
    if form == "json":
        return [
            structlog.processors.TimeStamper(fmt="iso" if utc else "%Y-%m-%dT%H:%M:%S.%f%z", utc=utc),
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    return [
        _told_once,
        structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S" + ("Z" if utc else ""), utc=utc),
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback),
    ]


def _told_once(logger: Any, method: str, line: Any) -> Any:
    """For people: the details of an event that its words tell already are left out, and so are empty ones."""
    if line.pop("event_kind", None) is None:
        return line
    words = str(line["event"])
    kept = ("event", "level", "tournament")
    return {key: value for key, value in line.items() if key in kept or not _is_told(value, words)}


def _is_told(value: Any, words: str) -> bool:
    values = value if isinstance(value, (list, tuple)) else [value]
    parts = words.replace(":", " ").split()
    return all(one is None or (one in words if isinstance(one, str) else str(one) in parts) for one in values)
