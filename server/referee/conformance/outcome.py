"""What became of a conformance case: the outcome that is reported, and the mismatch that a case fails with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from referee.conformance import bodies
from referee.conformance.bot_under_test import BotUnderTest


class CaseVerdict(Enum):
    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "known failure"
    """It failed, and is listed among the known failures."""
    MENDED = "no longer fails"
    """It passed, though it is listed among the known failures: the list is wrong."""
    LACKING = "lacks the feature"
    """Not tried: the SDK declares to lack what the case needs."""

    @property
    def ok(self) -> bool:
        return self not in (CaseVerdict.FAILED, CaseVerdict.MENDED)


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case with one SDK."""

    case: str
    verdict: CaseVerdict
    reason: str = ""
    seconds: float = 0.0
    stderr: str = ""
    """The end of what the bot wrote, where it failed."""


class Mismatch(Exception):
    """Something else was seen than the case expects; the text says what was expected and what was seen."""


def check_texts(bot: BotUnderTest, wanted: Iterable[str], never: Iterable[str], stdout: Iterable[str] = ()) -> None:
    """The sentences that must and must not have been written."""
    for text in wanted:
        if not found(text, bot.stderr):
            raise Mismatch(f"expected on stderr: {shown(text)}\nseen: {seen(bot)}")
    for text in never:
        if found(text, bot.stderr):
            raise Mismatch(f"expected nothing on stderr like: {text.removeprefix('~')}\nseen: {seen(bot)}")
    for text in stdout:
        if not found(text, bot.stdout):
            raise Mismatch(f"expected on stdout: {shown(text)}\nseen: {bot.stdout[-200:] or 'nothing'}")


def check_exit(bot: BotUnderTest, code: int, right: Iterable[int], lasts: float = 0.0) -> None:
    if code not in right:
        wanted = " or ".join(str(one) for one in right)
        raise Mismatch(f"expected exit code {wanted}, seen {how_it_ended(code)}; {last_words(bot)}")
    if bot.seconds < lasts:
        raise Mismatch(f"expected the bot to run for {lasts:g} s at least, seen {bot.seconds:.1f} s; {last_words(bot)}")


def how_it_ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"an end by signal {-code}"


def found(text: str, where: str) -> bool:
    return bodies.fits(text, where) if text.startswith("~") else text in where


def shown(text: str) -> str:
    """A text that is expected, without the mark of a pattern."""
    return f"a text like {text[1:]}" if text.startswith("~") else text


def seen(bot: BotUnderTest) -> str:
    return bot.last_words or "nothing"


def last_words(bot: BotUnderTest) -> str:
    """What stands behind how a bot ended, or that it hung."""
    return f"last on stderr: {bot.last_words}" if bot.last_words else "nothing on stderr"


def hung(bot: BotUnderTest, patience: float) -> str:
    return f"it hung for {patience:g} s and was killed; {last_words(bot)}"


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """A value of a case with its placeholders, such as `{where}`, replaced."""
    if isinstance(value, str):
        for word, meaning in words.items():
            value = value.replace(f"{{{word}}}", meaning)
        return value
    if isinstance(value, Mapping):
        return {key: filled(part, words) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [filled(part, words) for part in value]
    return value
