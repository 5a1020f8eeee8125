"""Goldens: recorded matches that must replay to the same bytes and the same views for as long as a version stands.

A golden is two files: `NAME.record`, the record as it was written, and `NAME.views`, one line per decision (and one for
the end) of a digest chain over everything that every seat and the public saw up to there. So a change of the rules or
of a view that was not meant is found, and named by the first decision it touches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.rules.game import Game, State, seed_bytes
from referee.rules.playout import Chooser, fallback_chooser, playout, random_chooser
from referee.rules.record import Record, ReplayError, read_moves
from referee.rules.views import pack

MOST_DECISIONS = 1500
"""A longer match says no more and only takes room."""


@dataclass(frozen=True, slots=True)
class Golden:
    """One recorded match: the bytes of its record, and the chain of digests of what was seen."""

    name: str
    record: bytes
    views: tuple[str, ...]

    @property
    def version(self) -> int:
        return Record.from_bytes(self.record).version


def make(game: Game[Any]) -> Iterator[Golden]:
    """Goldens of a game as it is now: over its player counts, the examples of its options, and a table of no-shows."""
    least, most = game.seats
    some = {least, least + 1, (2 * least + most) // 3, (least + most) // 2, most}
    counts = list(range(least, most + 1)) if most - least <= 6 else sorted(some)
    middle = counts[len(counts) // 3]
    for players in counts:
        yield from _played(game, f"{players}_players", players, {})
    for name, option in game.options.items():
        for number, example in enumerate(option.examples):
            if game.resolve_options({name: example}) != game.resolve_options():
                yield from _played(game, f"{name}_{_word(example, number)}", middle, {name: example})
    yield from _played(game, "only_fallbacks", middle, {}, fallback_chooser)


def fault(game: Game[Any], golden: Golden) -> str | None:
    """What is wrong between a golden and the game as it is now, in one sentence, or None."""
    where = f"{game.name}/{golden.name}"
    if golden.version < game.version:
        return f"{where} is of version {golden.version}, the game is version {game.version}: make new goldens"
    if golden.version > game.version:
        return f"{where} is of version {golden.version}, but the game says {game.version}: a version never goes back"
    changed = f"{where}: the rules changed without a new version (raise `version`, then make new goldens)"
    record = Record.from_bytes(golden.record)
    try:
        views, state = _chain(game, record)
    except ReplayError as error:
        return f"{changed}: {error}"
    for number, (now, then) in enumerate(zip(views, golden.views, strict=False)):
        if now != then:
            return f"{changed}: decision {number} shows something else than before"
    if Record(**_fields(record), result=state.result()).to_bytes() != golden.record or len(views) != len(golden.views):
        return f"{changed}: the match ends otherwise than before"
    return None


def save(golden: Golden, folder: Path) -> None:
    """Write the two files of a golden."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{golden.name}.record").write_bytes(golden.record)
    (folder / f"{golden.name}.views").write_text("\n".join(golden.views) + "\n")


def load(folder: Path) -> list[Golden]:
    """The goldens of a folder."""
    return [
        Golden(path.stem, path.read_bytes(), tuple(path.with_suffix(".views").read_text().split()))
        for path in sorted(folder.glob("*.record"))
    ]


def _played(
    game: Game[Any], name: str, players: int, options: dict[str, Any], chooser: Chooser | None = None
) -> Iterator[Golden]:
    seed = seed_bytes(f"golden {game.name} {name}")
    choosers = [chooser or random_chooser(seed, seat) for seat in range(players)]
    match = playout(game, players, game.resolve_options(options), seed, choosers)
    if len(match.record.moves) <= MOST_DECISIONS:
        yield Golden(name, match.record.to_bytes(), tuple(_chain(game, match.record)[0]))


def _chain(game: Game[Any], record: Record) -> tuple[list[str], State[Any]]:
    """The digests of everything seen at every decision, each over the one before, and the state at the end."""
    state = game.start(record.players, record.options, bytes.fromhex(record.seed))
    link = b""
    links = []
    for number in range(len(record.moves) + 1):
        digest = hashlib.sha256(link)
        for seat in (None, *range(record.players)):
            view = pack(state.view(seat))
            digest.update(b"%d:%b" % (len(view), view))
        link = digest.digest()
        links.append(link.hex()[:16])
        if number < len(record.moves):
            try:
                state.play(read_moves(state, record.moves[number]))
            except ReplayError as error:
                raise ReplayError(f"decision {number}: {error}") from None
    return links, state


def _fields(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("game", "version", "players", "options", "seed", "moves")}


def _word(example: Any, number: int) -> str:
    """A short word for an example, fit for the name of a file."""
    text = str(example)
    return text if len(text) <= 20 and text.replace("_", "").isalnum() else str(number)
