"""Where the program's own log goes: to stderr, with plain tracebacks, never among results."""

from __future__ import annotations

import logging
import sys

import structlog


def log_to_stderr(level: int = logging.INFO) -> None:
    """Send the log of this process to stderr, from this level up.

    What `sys.stderr` is at the moment of writing counts, not what it was when the log was set up.
    """
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
