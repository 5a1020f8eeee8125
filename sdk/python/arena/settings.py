"""How a bot connects and plays: what `arena.run` reads from the command line and the environment."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from arena.spelling import meant

DEFAULT_SERVER = "localhost:7700"
PATIENCE = 600.0
FIRST_PATIENCE = 15.0
OFF = ("", "0", "no", "off", "false")


@dataclass(frozen=True, slots=True)
class Practice:
    """A wish for practice matches."""

    game: str
    against: tuple[str, ...]
    matches: int = 1
    options_json: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    server: str = DEFAULT_SERVER
    token: str = ""
    name: str = ""
    games: tuple[str, ...] = ()
    concurrency: int = 0
    """Matches at once; 0: the SDK chooses (16, or 1 where one object plays all matches)."""
    without_legal: bool = False
    tls: bool = False
    ca: Path | None = None
    practice: Practice | None = None
    record: Path | None = None
    strict: bool = False
    quiet: bool = False
    patience: float = PATIENCE
    """Seconds to keep trying after a lost connection."""
    first_patience: float = FIRST_PATIENCE
    """Seconds to keep trying for the first connection."""


def read(arguments: Sequence[str] | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from the command line, then from REFEREE_… variables; argparse says what is wrong and exits with 2."""
    env = os.environ if environment is None else environment
    parser = _Parser(
        usage="%(prog)s [--server HOST:PORT] [--token TOKEN] [--practice GAME --against BOT,…] [more: --help]",
        description="A bot for a Referee server.",
        allow_abbrev=False,
        add_help=False,
        epilog="REFEREE_SERVER, REFEREE_TOKEN, REFEREE_NAME, REFEREE_CONCURRENCY, REFEREE_TLS and REFEREE_CA stand in "
        "for missing options.",
    )
    parser.add_argument("--server", default=env.get("REFEREE_SERVER") or DEFAULT_SERVER, metavar="HOST:PORT",
                        help=f"where the referee listens, or unix:PATH (default: {DEFAULT_SERVER})")  # fmt: skip
    parser.add_argument("--token", default=env.get("REFEREE_TOKEN", ""), help="the bot's token, from the host")
    parser.add_argument("--name", default=env.get("REFEREE_NAME", ""), help="the bot's name, if you want it checked")
    parser.add_argument("--concurrency", type=_whole, metavar="N", help="how many matches to play at once")
    parser.add_argument("--tls", action="store_true", default=env.get("REFEREE_TLS", "").lower() not in OFF,
                        help="the server speaks TLS")  # fmt: skip
    parser.add_argument("--ca", type=Path, default=env.get("REFEREE_CA") or None, metavar="FILE",
                        help="certificate to trust (implies --tls)")  # fmt: skip
    parser.add_argument("--practice", metavar="GAME", help="play practice matches of this game, then stop")
    parser.add_argument("--against", metavar="BOT,…",
                        help="who takes the other seats: house bots, bots that practise too, or 'anyone'")  # fmt: skip
    parser.add_argument("--matches", type=_positive, metavar="N", help="how many practice matches (default: 1)")
    parser.add_argument("--options", metavar="JSON", help="options of the practised game")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep what the bot saw and answered (JSON lines)")
    parser.add_argument("--strict", action="store_true", help="stop at the first error in decide")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors and warnings")
    parser.add_argument("--help", "-h", action="help", help="show this help message and exit")
    given = parser.parse_args(parser.words(sys.argv[1:] if arguments is None else arguments))
    given.token = given.token.strip()
    if given.concurrency is None:
        try:
            given.concurrency = _whole(env.get("REFEREE_CONCURRENCY") or "0")
        except argparse.ArgumentTypeError as error:
            parser.error(f"REFEREE_CONCURRENCY: {error}")
    for option, value in vars(given).items():
        if isinstance(value, str) and not _is_text(value):
            parser.error(f"--{option}: {value!a} is no text")
    if not is_address(given.server):
        parser.error(f"--server: '{given.server}' is not an address: write HOST:PORT or unix:PATH")
    if given.token and not is_token(given.token):
        parser.error("--token: it has characters that no token has; copy it again")
    for option in ("against", "matches", "options"):
        if getattr(given, option) is not None and not given.practice:
            parser.error(f"--{option} goes with --practice GAME")
    if given.ca is not None:
        if not given.ca.is_file():
            parser.error(f"--ca: there is no file {given.ca}")
        try:
            read_certificates(given.ca)
        except (OSError, ValueError) as error:
            parser.error(f"--ca: {error}")
    patience: float | None = None
    if text := env.get("REFEREE_PATIENCE", ""):
        patience = _seconds(text)
        if patience is None:
            parser.error(f"REFEREE_PATIENCE: '{text}' is no number of seconds")
    practice = None
    if given.practice:
        against = tuple(name.strip() for name in (given.against or "").split(",") if name.strip())
        practice = Practice(given.practice, against, given.matches or 1, given.options or "")
    return Settings(
        server=given.server,
        token=given.token,
        name=given.name,
        concurrency=given.concurrency,
        tls=given.tls or given.ca is not None,
        ca=given.ca,
        practice=practice,
        record=given.record,
        strict=given.strict,
        quiet=given.quiet,
        patience=PATIENCE if patience is None else patience,
        first_patience=FIRST_PATIENCE if patience is None else patience,
    )


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in the words of all SDKs: a line of usage, then `error: FLAG: what is wrong`."""

    def words(self, arguments: Sequence[str]) -> list[str]:
        """The words as all SDKs read them: --help wins, every value behind its flag and an equals sign."""
        if "--help" in arguments or "-h" in arguments:
            return ["--help"]
        known = [flag for flag in self._option_string_actions if flag.startswith("--")]
        words = iter(arguments)
        joined = []
        for word in words:
            flag, equals, _ = word.partition("=")
            if flag not in known:
                self.error(_unknown(word, known))
            if not equals and self._option_string_actions[flag].nargs != 0:
                value = next(words, "--")
                if value.startswith("--"):
                    self.error(f"{flag}: its value is missing; write {flag} {self._value_of(flag)}")
                word = f"{flag}={value}"
            joined.append(word)
        return joined

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        message = message.removeprefix("argument ")
        flag, _, what = message.partition(": ")
        if what.startswith("ignored explicit argument"):
            message = f"{flag}: it takes no value"
        self.exit(2, f"error: {message}\n")

    def _value_of(self, flag: str) -> str:
        action = self._option_string_actions[flag]
        return str(action.metavar or action.dest.upper())


def _unknown(word: str, flags: list[str]) -> str:
    if not word.startswith("-"):
        return f"'{word}' belongs to no flag; --help shows all of them"
    flag = word.partition("=")[0]
    near = meant(flag, flags)
    return f"{flag}: there is no such flag; {f'did you mean {near}?' if near else '--help shows all of them'}"


def is_address(server: str) -> bool:
    """Whether it is HOST:PORT, an IPv6 address in brackets, or unix:PATH."""
    import re

    if server.startswith("unix:"):
        return server != "unix:"
    read = re.fullmatch(r"(\[[^][/\s]+\]|[^][:/\s]+):([0-9]{1,5})", server)
    return read is not None and 0 < int(read[2]) < 65536


def is_token(text: str) -> bool:
    """Whether it can travel as a token at all; whose it is, the server knows."""
    return text.isascii() and text.isprintable() and " " not in text


def read_certificates(file: Path) -> bytes:
    """What is in a file of certificates to trust; OSError if it cannot be read, ValueError if there are none in it."""
    import ssl

    try:
        ssl.create_default_context(cafile=file)
    except ssl.SSLError:
        raise ValueError(f"{file} holds no certificate (PEM)") from None
    return file.read_bytes()


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _positive(text: str) -> int:
    number = _whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError("1 is the least")
    return number


def _is_text(value: str) -> bool:
    """Half a character, as a shell may hand it over, fits into no message."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
