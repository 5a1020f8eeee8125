"""The settings of `referee serve`: one table for the defaults, `--config`, `--show-config` and HOSTING.md."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from referee.cli.arguments import seconds
from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import WRONG_USE, Failure
from referee.logs import FORMATS, LEVELS, ZONES
from referee.rules.files import read_bounded, read_toml
from referee.rules.spelling import brief, nearest

LARGEST = 1 << 20
"""Bytes of a configuration file."""


class Setting(NamedTuple):
    """A key of the file, what holds without it (None: nothing), and what it is."""

    key: str
    default: Any
    what: str


SETTINGS = (
    Setting("listen", "127.0.0.1:7700", "where bots and commands connect"),
    Setting("db", DEFAULT_DB, "the database: a file, or a PostgreSQL URL"),
    Setting("tls_cert", None, "certificate chain (PEM), to speak TLS"),
    Setting("tls_key", None, "its private key (PEM)"),
    Setting("insecure", False, "allow a public address without TLS"),
    Setting("time", "1s", "free time per decision of practice matches; a tournament has its own (`tournament create`)"),
    Setting("bank", "30s", "time per practice match beyond it; a tournament has its own (`tournament create`)"),
    Setting("grace", "30s", "how long a match waits for a bot that lost its connection, in tournaments too"),
    Setting("concurrency", 256, "most matches of a tournament at once"),
    Setting("max_bots", 2000, "bots that are connected at once"),
    Setting("max_connections", 5000, "connections in all, as far as `ulimit -n` allows"),
    Setting("max_per_address", 256, "connections of one address without a bot; a proxy may need more"),
    Setting("max_watchers", 2000, "who may watch at once"),
    Setting("max_watchers_per_address", 128, "of them from one address"),
    Setting(
        "max_memory",
        2048,
        "MB of memory; beyond it strangers are sent away, and if that does not help, the server stops after the "
        "running matches",
    ),
    Setting("web", None, "the page for browsers: `127.0.0.1:7780`"),
    Setting("watch_delay", 0, "decisions by which running matches are shown late, in the page and to all who watch"),
    Setting("web_people", 16, "people who play against house bots in the page; 0: none"),
    Setting("addresses", [], "further addresses of this server, which bots try when the first does not answer"),
    Setting("log_level", "info", "`debug`, `info`, `warning` or `error`"),
    Setting("log_format", "text", "`text` for people, `json` for one object a line"),
    Setting("log_time", "local", "`local` or `utc`"),
    Setting(
        "webhooks",
        [],
        "whom to tell what happens ([below](#being-told)): a table `[[webhooks]]` for each, with `name`, `url` and, if "
        "wanted, `form`, `on` and `secret`",
    ),
    Setting("submissions", False, "take bots that authors submit, and host them ([below](#submitted-bots))"),
    Setting(
        "submissions_dir",
        None,
        "where their files lie; without it, beside the database file: `referee.db-submissions`. With PostgreSQL it "
        "has to be given",
    ),
    Setting("build_network", False, "let builds of submitted bots reach the network, and with it what listens here"),
    Setting("submission_mb", 48, "MB of a zip, 48 at most; unpacked six times as much"),
    Setting("submissions_per_hour", 30, "submissions of one bot"),
    Setting("hosted_idle", "60s", "a submitted bot without a match is stopped after so long"),
    Setting("hosted_matches", 16, "matches that one submitted bot plays at once"),
    Setting("hosted_memory", 1024, "MB of memory that one of them may use"),
    Setting("max_hosted", 0, "how many of them run at once; 0: as many as cores and memory allow"),
)
DEFAULTS: dict[str, Any] = {setting.key: setting.default for setting in SETTINGS}
MAY_BE_NONE = ("watch_delay", "web_people", "max_hosted")
MOST = {"submission_mb": 48}
"""What gRPC connections of bots are allowed to send at once bounds it (`net/received_bytes.py`)."""
DURATIONS = ("time", "bank", "grace", "hosted_idle")
CHOICES = {"log_level": tuple(LEVELS), "log_format": FORMATS, "log_time": ZONES}
_BELOW = re.compile(r" \(\[below\]\(#[a-z-]+\)\)")
KINDS = {str: "a text in quotes", int: "a whole number", bool: "true or false", list: "a list"}


def markdown() -> str:
    """The table of settings, as it stands in HOSTING.md."""
    rows = (
        f"| `{key}` | {'none' if default is None else f'`{_shown(default)}`'} | {what} |"
        for key, default, what in SETTINGS
    )
    return "\n".join(["| key | default | what it is |", "|---|---|---|", *rows])


def example() -> str:
    """A whole file for `--config`: every key with its default, those without one behind `#`."""
    lines = []
    for key, default, what in SETTINGS:
        value = f'# {key} = "…"' if default is None else f"{key} = {_toml(default)}"
        lines += [f"# {_BELOW.sub('', what).replace('`', '')}", value, ""]
    return "\n".join(lines)


def read_config(path: Path | None) -> dict[str, Any]:
    """What a file sets; Failure for what no key can be."""
    if path is None:
        return {}
    try:
        given = read_toml(read_bounded(path, LARGEST).decode())
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", WRONG_USE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        said = str(error)
        raise Failure(f"{path}: {said[:1].lower()}{said[1:]}", WRONG_USE) from None
    for name, value in given.items():
        if name not in DEFAULTS:
            meant = nearest(name, DEFAULTS)
            advice = f"did you mean {meant!r}?" if meant else f"known are {', '.join(DEFAULTS)}"
            raise Failure(f"{path}: unknown key {brief(name)}: {advice}", WRONG_USE)
        wanted = str if DEFAULTS[name] is None else type(DEFAULTS[name])
        if type(value) is not wanted:
            raise Failure(f"{path}: {name} must be {KINDS[wanted]}, not {brief(value)}", WRONG_USE)
        least = 0 if name in MAY_BE_NONE else 1
        if wanted is int and int(value) < least:
            raise Failure(f"{path}: {name} must be at least {least}, not {value}", WRONG_USE)
        try:
            check(name, value)
        except Failure as error:
            raise Failure(f"{path}: {name}: {error}", WRONG_USE) from None
    return given


def check(key: str, value: Any) -> None:
    """Failure for a value that its key cannot have, wherever it was given."""
    if key in MOST and value > MOST[key]:
        raise Failure(f"{MOST[key]} is the most, not {value}", WRONG_USE)
    if key in CHOICES and value not in CHOICES[key]:
        said = f"there is no {key.replace('_', ' ')} {value!r}: choose {', '.join(CHOICES[key])}"
        raise Failure(said, WRONG_USE)
    if key in DURATIONS:
        seconds(value)


def _toml(value: Any) -> str:
    return json.dumps(value)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else _toml(value)
