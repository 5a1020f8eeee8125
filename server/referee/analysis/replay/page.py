"""A replay as one HTML page that needs nothing else: no network, no files beside it, works from a memory stick.

The page holds the steps as data, compressed, and a small script that shows them. Pictures are the game's own
(`Game.picture`), taken apart into pieces that come again and again, for two positions of a match differ little. They
are shown as images, so nothing in a picture can run or reach the page. The policy in the page's head (CSP) allows its
own script and style, by their hashes, and images that are part of it; everything else is forbidden, the network first.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from referee.analysis.replay.perspective import PUBLIC, REVEALED, Perspective, perspectives
from referee.analysis.replay.steps import Replay, Step
from referee.rules.boards.text import clean
from referee.rules.game import Seat

MOST_PICTURES = 1500
"""Pictures in a page: where all seats would make more, only the public's and the revealed boards are drawn."""
MOST_MOVES = 24
"""Legal moves of a question that the page lists."""
_PIECES = re.compile(r"[^>]*>|[^>]+")


def page(replay: Replay, perspective: Perspective = REVEALED, *, only: bool = False, at: int = 0) -> str:
    """The page, which begins at step `at` and with this perspective.

    With `only` it holds nothing that this perspective could not know; else there are others to choose from.
    """
    value = _data(replay, perspective, only=only, at=at)
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    packed = base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()
    script, style, body = _asset("page.js"), _asset("page.css"), _asset("page.html")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    title = escape(clean(f"{replay.match.match or replay.match.game.title}: replay"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}"
        f'<script type="application/octet-stream" id="data">{packed}</script>\n<script>{script}</script>\n'
        "</body>\n</html>\n"
    )


def choices(replay: Replay, perspective: Perspective, *, only: bool = False) -> list[Perspective]:
    """The perspectives that a page offers; seats as long as there are not too many pictures."""
    if only:
        return [perspective]
    players = replay.match.players
    # The views of all seats are drawn for the revealed boards, where they differ.
    if len(replay) * (players + 1) <= MOST_PICTURES:
        return perspectives(players)
    return [REVEALED, PUBLIC]


def _data(replay: Replay, perspective: Perspective, *, only: bool, at: int) -> dict[str, Any]:
    offered = choices(replay, perspective, only=only)
    pieces = _Pieces()
    steps = [_step(step, offered, pieces) for step in replay]
    header = replay.header(perspective)
    match = replay.match
    names = [clean(name) for name in match.names]
    return {
        "match": clean(header["match"]),
        "game": clean(header["title"]),
        "names": names,
        "ranks": list(match.ending.ranks),
        "scores": list(match.ending.scores),
        "terminations": list(match.ending.words),
        "texts": [clean(text) for text in match.ending.texts],
        "reason": clean(match.ending.reason),
        "perspectives": [one.word for one in offered],
        "perspective": perspective.word,
        "left_out": not only and len(offered) < 2 + match.players,
        "at": at,
        "troubles": [number for number in replay.troubles if any(_shows(replay[number], one) for one in offered)],
        "pieces": pieces.all,
        "steps": steps,
    }


def _shows(step: Step, perspective: Perspective) -> bool:
    """Whether this perspective knows of anything that went wrong at a step."""
    value = step.to_value(perspective, views=False)
    return bool(
        value["besides"] or value["notes"] or any(asked["rejected"] or asked["forfeit"] for asked in value["asked"])
    )


def _step(step: Step, offered: list[Perspective], pieces: _Pieces) -> dict[str, Any]:
    """One step: what the widest of the perspectives knows, and for each of them the pictures it shows."""
    known = step.to_value(offered[0], views=False)
    for asked in known["asked"]:
        del asked["name"], asked["legal"][MOST_MOVES:]
    value: dict[str, Any] = {"scores": known["scores"]}
    value |= {key: known[key] for key in ("asked", "besides", "notes", "log") if known[key]}
    pictures: dict[Seat | None, list[Any]] = {}
    boards: dict[str, list[Any]] = {}
    for perspective in offered:
        shown = step.boards(perspective)
        for viewer, _ in shown:
            if viewer not in pictures:
                pictures[viewer] = [pieces.of(_picture(step, viewer)), step.told(viewer)]
        boards[perspective.word] = [
            step.waits_for(perspective),
            [[_key(viewer), list(seats)] for viewer, seats in shown],
        ]
    value["pictures"] = {_key(viewer): picture for viewer, picture in pictures.items()}
    value["boards"] = boards
    if offered[0].revealed and (hidden := step.hidden):
        value["hidden"] = {clean(key): _words(what) for key, what in hidden.items()}
    return value


def _picture(step: Step, viewer: Seat | None) -> str:
    return step.match.game.picture(step.view(viewer), names=step.match.names)


def _key(viewer: Seat | None) -> str:
    return "public" if viewer is None else str(viewer)


def _words(value: Any) -> str:
    return " ".join(clean(str(part)) for part in value) if isinstance(value, list | tuple) else clean(str(value))


class _Pieces:
    """The pieces of all pictures, each once: a picture is a list of their numbers."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._numbers: dict[str, int] = {}

    def of(self, picture: str) -> list[int]:
        found = _PIECES.findall(picture)
        numbers = self._numbers
        for piece in found:
            if piece not in numbers:
                numbers[piece] = len(self.all)
                self.all.append(piece)
        return [numbers[piece] for piece in found]


@cache
def _asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
