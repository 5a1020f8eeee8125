"""The one rule for names of bots and tournaments: what a name may be made of, and which names look alike.

Names stand on screens, in shells, tables and pages, and a bot is known by nothing else. So a name is printable, is
written in one way only (Unicode's NFKC), has no character that is not seen, and takes its letters from one script that
is in everyday use: `odds` with a Cyrillic first letter is no name. Of two names that look alike in most fonts only the
first is accepted (`alike`).
"""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 64
SCRIPTS = frozenset(
    [
        *("ARABIC", "ARMENIAN", "BENGALI", "BOPOMOFO", "CJK", "CYRILLIC", "DEVANAGARI", "ETHIOPIC"),
        *("GEORGIAN", "GREEK", "GUJARATI", "GURMUKHI", "HANGUL", "HEBREW", "HIRAGANA", "IDEOGRAPHIC"),
        *("KANNADA", "KATAKANA", "KATAKANA-HIRAGANA", "KHMER", "LAO", "LATIN", "MALAYALAM", "MYANMAR"),
        *("ORIYA", "SINHALA", "TAMIL", "TELUGU", "THAANA", "THAI", "TIBETAN"),
    ]
)
"""Scripts in everyday use, as the Unicode standard recommends them for names (UAX 31): among the others are some whose
letters are those of the Latin alphabet to the eye."""
TOGETHER = (
    frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO"}),
    frozenset({"CJK", "HANGUL"}),
)
"""Scripts that are written together in one language."""
MOST_MARKS = 2
"""Marks above and below one letter."""
UNSEEN = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10)),
            *(0xFFA0, 0x16FE4, 0x1D159, *range(0xE0100, 0xE01F0)),
        ),
    )
)
"""Characters of which nothing is seen, and which Python calls printable: joiners, fillers, variation selectors."""
CAPITALS = dict(
    zip(
        "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЅІЈКМНОРСТУХԚԜѴӀҮՕՏՍI",  # Greek, Cyrillic, Armenian, and the Latin capital I
        "abezhlkmnoptyxabesljkmhopctyxqwvlyosul",
        strict=True,
    )
)
"""Capitals that look like a Latin one, which their small letters may not do."""
LOOKS = {
    **dict.fromkeys("0оοօ߀०০௦๐໐ᴏ", "o"),
    **dict.fromkeys("1|іιlӏاוǀ", "l"),
    **dict.fromkeys("аαɑ", "a"),
    **dict.fromkeys("еёҽε", "e"),
    **dict.fromkeys("рρ", "p"),
    **dict.fromkeys("сϲᴄ", "c"),
    **dict.fromkeys("хχ×", "x"),
    **dict.fromkeys("уγ", "y"),
    **dict.fromkeys("ѕꜱ", "s"),
    **dict.fromkeys("јϳ", "j"),
    **dict.fromkeys("һհн", "h"),
    **dict.fromkeys("ԁ", "d"),
    **dict.fromkeys("ԛ", "q"),
    **dict.fromkeys("ԝωᴡ", "w"),
    **dict.fromkeys("νѵᴠ", "v"),
    **dict.fromkeys("кκ", "k"),
    **dict.fromkeys("м", "m"),
    **dict.fromkeys("тτ", "t"),
    **dict.fromkeys("вβьƅ", "b"),
    **dict.fromkeys("ɡց", "g"),
    **dict.fromkeys("ոпη", "n"),
    **dict.fromkeys("սυᴜ", "u"),
    **dict.fromkeys("г", "r"),
    **dict.fromkeys("ζᴢ", "z"),
    **dict.fromkeys("ı", "i"),
    **dict.fromkeys("‐‑‒–—−", "-"),
    **dict.fromkeys("’‘`´ʼʻ", "'"),
    "_": "-",
    " ": "-",
}
"""Letters that look like a Latin one, or like each other; of both cases, after folding."""


def trouble(name: str, what: str = "a name") -> str | None:
    """Why a text is no name, as a sentence without its full stop; None if it is one."""
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        return f"{what} has 1 to {LONGEST_NAME} printable characters, no space at either end: {_shown(name)}"
    if any(letter in UNSEEN for letter in name):
        return f"{what} has no characters that are not seen: {name!a}"
    plain = unicodedata.normalize("NFKC", name)
    if plain != name:
        return f"{what} is written with plain letters: {_shown(plain)} in place of {_shown(name)}"
    scripts = {script for letter in name if (script := _script(letter))}
    if len(scripts) > 1 and not any(scripts <= together for together in TOGETHER):
        named = " and ".join(sorted(script.capitalize() for script in scripts))
        return f"{what} has letters of one script, not {named} together: {_shown(name)}"
    if rare := scripts - SCRIPTS:
        named = " and ".join(sorted(script.capitalize() for script in rare))
        return f"{what} has letters of a script in everyday use, not {named}: {_shown(name)}"
    if unicodedata.category(name[0]).startswith("M"):
        return f"{what} begins with no mark that belongs to a letter before it: {_shown(name)}"
    marks = 0
    for letter in name:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks > MOST_MARKS or (marks and unicodedata.category(letter) == "Me"):
            return f"{what} has no piles of marks above or below its letters: {_shown(name)}"
    return None


def alike(one: str, other: str) -> bool:
    """Whether two names can be taken for each other."""
    return not skeletons(one).isdisjoint(skeletons(other))


def skeletons(name: str) -> frozenset[str]:
    """What a name looks like, as it is written and in small letters: names that look alike have one in common."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKC", name) if letter not in UNSEEN)
    written = "".join(CAPITALS.get(letter, letter) for letter in plain)
    return frozenset({_skeleton(written), _skeleton(plain.replace("I", "l"))})


def _skeleton(text: str) -> str:
    found = "".join(LOOKS.get(letter, letter) for letter in text.casefold())
    return found.replace("rn", "m").replace("vv", "w")


def _script(letter: str) -> str:
    """The script of a letter, as the first word of its Unicode name; nothing for digits, dashes and marks."""
    if not letter.isalpha():
        return ""
    return unicodedata.name(letter, "UNKNOWN").split(" ", 1)[0]


def _shown(name: str) -> str:
    return repr(name if len(name) <= LONGEST_NAME else name[:LONGEST_NAME] + "…")
