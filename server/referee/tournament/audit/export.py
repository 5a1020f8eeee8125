"""A tournament on paper: all that is needed to check it, from a database or from a folder of files.

The folder holds `tournament.json` (settings, entrants, commitment, digest, and once they are revealed the root with
the seed's text and salt), `matches.jsonl` (the schedule with the results, one match a line) and `records/`, one file
for every finished match. Every number in it can be recomputed from the root, the settings and the moves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.rules.files import open_regular, read_bounded
from referee.rules.game import WrongUse
from referee.store import Match, MatchState, NotADatabase, Store
from referee.tournament.plan import Plan
from referee.tournament.standings import from_store

OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)
TOURNAMENT, MATCHES, RECORDS = "tournament.json", "matches.jsonl", "records"
LARGEST_RECORD = 64 << 20
"""Bytes of a file in a folder, which may have been made by anybody."""
LONGEST_LINE = 1 << 20


@dataclass(frozen=True, slots=True)
class Line:
    """One match of the schedule, as it was written down; everything by seat, results empty until it is finished."""

    ordinal: int
    round: int
    table: int
    seats: tuple[int, ...]
    """The entrants' numbers."""
    state: str
    attempt: int
    seed: str
    ranks: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    faults: tuple[str, ...] = ()
    reason: str = ""


class Damaged(Exception):
    """The record of this match cannot be read."""

    def __init__(self, ordinal: int, why: str) -> None:
        super().__init__(why)
        self.ordinal = ordinal


@dataclass(frozen=True, slots=True)
class Dossier:
    """What is published of a tournament; its matches are read one after the other."""

    name: str
    game: str
    game_version: str
    players: int
    settings: Mapping[str, Any]
    state: str
    commitment: str
    root: bytes | None
    """None while it is secret."""
    entrants: tuple[str, ...]
    joined_later: int
    """How many of them, the last ones, came after the beginning."""
    digest: str
    """Of the final standings; empty while matches are open."""
    source: _StoreLines | _FolderLines
    seed_text: str | None = None
    """The host's text behind the root, and its salt (None: the root follows from the text alone)."""
    salt: bytes | None = None
    repeatable: bool | None = None
    """Whether the root is said to follow from a text alone; None in a folder that was written before this was told."""

    @property
    def plan(self) -> Plan:
        return Plan(**{name: value for name, value in self.settings.items() if name in Plan.__slots__})

    def lines(self) -> Iterator[tuple[Line, bytes | None]]:
        """The schedule in order, each match that is over with its record; Damaged if one cannot be read."""
        return self.source.read()


def from_database(store: Store, name: str) -> Dossier:
    """The dossier of a stored tournament, for its host: with the root, revealed or not."""
    tournament = store.tournaments.get(name)
    entrants = store.tournaments.entrants(tournament.id)
    secret = store.tournaments.secret(tournament.id)
    return Dossier(
        tournament.name,
        tournament.game,
        tournament.game_version,
        tournament.players,
        dict(tournament.settings),
        tournament.state.value,
        tournament.commitment,
        secret.root,
        tuple(entrant.name for entrant in entrants),
        sum(entrant.joined != tournament.created for entrant in entrants),
        from_store(store, name).digest,
        _StoreLines(store, tournament.id),
        secret.seed_text,
        secret.salt,
        tournament.repeatable,
    )


def from_folder(folder: Path) -> Dossier:
    """The dossier that `export` wrote; WrongUse if the folder holds none."""
    try:
        value = json.loads(read_bounded(folder / TOURNAMENT, LARGEST_RECORD, regular=True))
        root, salt = value.pop("root"), value.pop("salt", "")
        entrants = tuple(str(name) for name in value["entrants"])
        dossier = Dossier(
            **value
            | {
                "entrants": entrants,
                "root": bytes.fromhex(root) if root else None,
                "salt": bytes.fromhex(salt) if salt else None,
            },
            source=_FolderLines(folder),
        )
        if not isinstance(dossier.seed_text, str | None):
            raise TypeError("the text of the seed is none")
        if not 0 <= dossier.joined_later < len(entrants) or dossier.plan.players != dossier.players:
            raise ValueError("its figures do not fit")
    except OSError as error:
        raise WrongUse(f"{folder} holds no exported tournament: {error.filename}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise WrongUse(f"{folder / TOURNAMENT} is not what 'referee tournament export' writes: {error}") from None
    return dossier


def export(store: Store, name: str, folder: Path) -> int:
    """Write a tournament into a new folder, its secrets only if they are revealed; returns how many records."""
    dossier = from_database(store, name)
    published = store.tournaments.get(name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongUse(f"{folder} exists already and is not empty: name a new folder")
    (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    records = 0
    with (folder / MATCHES).open("w", encoding="utf-8") as schedule:
        for line, record in dossier.lines():
            schedule.write(json.dumps(asdict(line)) + "\n")
            if record is not None:
                (folder / RECORDS / f"{line.ordinal}.json").write_bytes(record)
                records += 1
    value = {
        name: getattr(dossier, name)
        for name in (
            *("name", "game", "game_version", "players", "settings", "state"),
            *("commitment", "entrants", "joined_later", "digest", "repeatable"),
        )
    } | {
        "root": published.root.hex() if published.root else "",
        "seed_text": published.seed_text,
        "salt": published.salt.hex() if published.salt else "",
    }
    text = json.dumps(value, indent=2, ensure_ascii=False)
    (folder / TOURNAMENT).write_text(text + "\n", encoding="utf-8")
    return records


class _StoreLines:
    """The matches of a stored tournament."""

    def __init__(self, store: Store, tournament: int) -> None:
        self._store = store
        self._tournament = tournament

    def read(self) -> Iterator[tuple[Line, bytes | None]]:
        for match in self._store.matches.in_schedule_order(self._tournament):
            assert match.ordinal is not None
            record = None
            if match.state not in OPEN:
                try:
                    record = self._store.matches.record(match.id)
                except NotADatabase as error:
                    raise Damaged(match.ordinal, str(error)) from None
            yield _line(match), record


class _FolderLines:
    """The matches of an exported tournament."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self) -> Iterator[tuple[Line, bytes | None]]:
        try:
            with open_regular(self._folder / MATCHES) as schedule:
                for number, text in enumerate(iter(lambda: schedule.readline(LONGEST_LINE), b"")):
                    line = self._line(number, text)
                    yield line, self._record(line)
        except OSError as error:
            raise WrongUse(f"{error.filename}: {error.strerror}") from None

    def _line(self, number: int, text: bytes) -> Line:
        try:
            value: dict[str, Any] = json.loads(text)
            fields: dict[str, Any] = {key: tuple(it) if isinstance(it, list) else it for key, it in value.items()}
            line = Line(**fields)
            if _types(line) != _types(_EXAMPLE):
                raise TypeError
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise Damaged(number, f"line {number + 1} of {MATCHES} cannot be read") from None
        return line

    def _record(self, line: Line) -> bytes | None:
        if line.state in OPEN:
            return None
        try:
            return read_bounded(self._folder / RECORDS / f"{line.ordinal}.json", LARGEST_RECORD, regular=True)
        except FileNotFoundError:
            return None


def _line(match: Match) -> Line:
    assert match.ordinal is not None
    over = match.state is MatchState.FINISHED
    return Line(
        match.ordinal,
        match.round or 0,
        match.table or 0,
        tuple(seat.position if seat.position is not None else -1 for seat in match.seats),
        match.state.value,
        match.attempt,
        match.seed or "",
        tuple(seat.rank or 0 for seat in match.seats) if over else (),
        tuple(seat.score or 0 for seat in match.seats) if over else (),
        tuple(seat.fault or "" for seat in match.seats) if over else (),
        match.reason,
    )


_EXAMPLE = Line(0, 1, 1, (), "", 1, "")


def _types(line: Line) -> list[type]:
    return [type(value) for value in asdict(line).values()]
