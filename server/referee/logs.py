"""Logging set-up (structlog): the program's own log goes to stderr, with plain tracebacks, never among results."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
FORMATS = ("text", "json")
ZONES = ("local", "utc")


def log_to_stderr(level: int = logging.INFO, form: str = "text", zone: str = "local") -> None:
    """Send the log of this process to stderr, from this level up.

    `form` is one of FORMATS: lines for people, or one JSON object a line. `zone` is one of ZONES: times of people have
    no zone written beside them when they are local, JSON always has ISO 8601 with its zone.
    What `sys.stderr` is at the moment of writing counts, not what it was when the log was set up.
    """
    utc = zone == "utc"
    render: list[Any]
    if form == "json":
        render = [
            structlog.processors.TimeStamper(fmt="iso" if utc else "%Y-%m-%dT%H:%M:%S.%f%z", utc=utc),
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    else:
        render = [
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S" + ("Z" if utc else ""), utc=utc),
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ]
    structlog.configure(
        processors=[structlog.processors.add_log_level, *render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
