"""The one rule for names of bots and tournaments: what a name may be made of, and which names look alike.

Names stand on screens, in shells, tables and pages, and a bot is known by nothing else. So a name is printable, is
written in one way only (Unicode's NFKC), and takes its letters from one script: `odds` with a Cyrillic first letter is
no name. Two names that look alike in most fonts have the same `skeleton`, and only the first of them is accepted.
"""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 64
TOGETHER = (
    frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO"}),
    frozenset({"CJK", "HANGUL"}),
)
"""Scripts that are written together in one language."""
MOST_MARKS = 2
"""Marks above and below one letter."""
LOOKS = {
    **dict.fromkeys("0оοօ߀०০௦๐໐", "o"),
    **dict.fromkeys("1|Iіιlӏاו", "l"),
    **dict.fromkeys("аαɑ", "a"),
    **dict.fromkeys("еёҽε", "e"),
    **dict.fromkeys("рρ", "p"),
    **dict.fromkeys("сϲ", "c"),
    **dict.fromkeys("хχ", "x"),
    **dict.fromkeys("уγ", "y"),
    **dict.fromkeys("ѕ", "s"),
    **dict.fromkeys("јϳ", "j"),
    **dict.fromkeys("һհ", "h"),
    **dict.fromkeys("ԁ", "d"),
    **dict.fromkeys("ԛ", "q"),
    **dict.fromkeys("ԝω", "w"),
    **dict.fromkeys("νѵ", "v"),
    **dict.fromkeys("кκ", "k"),
    **dict.fromkeys("мΜ", "m"),
    **dict.fromkeys("тτ", "t"),
    **dict.fromkeys("нΗ", "n"),
    **dict.fromkeys("вβ", "b"),
    **dict.fromkeys("ɡց", "g"),
    **dict.fromkeys("ոп", "n"),
    **dict.fromkeys("ս", "u"),
    **dict.fromkeys("ı", "l"),
    **dict.fromkeys("‐‑‒–—−", "-"),
    "_": "-",
    " ": "-",
}
"""Letters that look like a Latin one, or like each other; of both cases, after folding."""


def trouble(name: str, what: str = "a name") -> str | None:
    """Why a text is no name, as a sentence without its full stop; None if it is one."""
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        return f"{what} has 1 to {LONGEST_NAME} printable characters, no space at either end: {_shown(name)}"
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        return f"{what} is written with plain letters: {_shown(plain)} in place of {_shown(name)}"
    scripts = {script for letter in name if (script := _script(letter))}
    if len(scripts) > 1 and not any(scripts <= together for together in TOGETHER):
        named = " and ".join(sorted(script.capitalize() for script in scripts))
        return f"{what} has letters of one script, not {named} together: {_shown(name)}"
    marks = 0
    for letter in name:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks > MOST_MARKS or (marks and unicodedata.category(letter) == "Me"):
            return f"{what} has no piles of marks above or below its letters: {_shown(name)}"
    return None


def skeleton(name: str) -> str:
    """What a name looks like: names that can be taken for each other have the same one."""
    plain = unicodedata.normalize("NFKC", name).replace("I", "l").casefold()
    return "".join(LOOKS.get(letter, letter) for letter in plain)


def _script(letter: str) -> str:
    """The script of a letter, as the first word of its Unicode name; nothing for digits, dashes and marks."""
    if not letter.isalpha():
        return ""
    return unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0]


def _shown(name: str) -> str:
    return repr(name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…")
