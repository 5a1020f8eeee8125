"""What standings ask of a store, read from a SQLite file with the driver alone, as `quick_look.py` does.

It has some verbs of `Store` under the same names, with the same values, all of one moment. What it has not got, or what
is not as usual in the file, is an error of `UNUSUAL`: the caller then opens the `Store`. A test compares the two.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from referee.chain_head import ChainHead
from referee.store import quick_look as look
from referee.store.errors import StoreError
from referee.store.record_form import unpacked_record
from referee.store.snapshot_form import NOTED, StoredSnapshot, digest_of, value_in
from referee.store.values import (
    Counts,
    Entrant,
    MatchState,
    Ruling,
    RulingKind,
    SnapshotKind,
    StoredMatch,
    StoredRound,
    StoredSeat,
    Tournament,
    TournamentState,
    fault_word,
    out_after,
)

UNUSUAL = (*look.UNUSUAL, StoreError)
OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)
SET_ASIDE = (MatchState.ABSENT, MatchState.VOID)
PAGE = 500
MATCH = (
    *("id", "tournament_id", "round", "table_number", "ordinal", "game", "game_version", "settings", "state"),
    *("attempt", "seed", "reason", "created", "started", "finished", "players"),
)
MATCH_KINDS = (int, int, int, int, int, str, str, str, str, int, str, str, int, int, int, int)
MATCH_MAY_MISS = frozenset(("settings", "seed", "started", "finished"))
SEATS = (
    "SELECT match_id, seat, seats.bot_id, coalesce(entrants.name, seats.name), position, rank, score, fault, strikes, "
    "decisions, time_ms, version FROM seats LEFT JOIN entrants ON entrants.id = entrant_id "
    "WHERE match_id IN (%s) ORDER BY match_id, seat"
)
SEAT_KINDS = (int, int, int, str, int, int, int, str, int, int, int, int)
SEAT_MAY_MISS = frozenset((5, 6, 7, 11))
RULING_KINDS = (int, str, str, int, str, str, str, int)
ROUND_KINDS = (int, int, str, str, str, str, str, int)


class NotHere(LookupError):
    """This store does not do that: open the `Store`."""


@contextmanager
def open_to_look(db: str) -> Iterator[QuickStore]:
    """One moment of a SQLite file; NotHere if there is none of this version."""
    with look.reading(db) as connection:
        if connection is None:
            raise NotHere
        yield QuickStore(connection)


class QuickStore:
    """Reads; every verb is the one of that name in `Store`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.tournaments = _Tournaments(connection)
        self.matches = _Matches(connection)
        self.rounds = _Rounds(connection)
        self.rulings = _Rulings(connection)
        self.snapshots = _Snapshots(connection)
        self.journal = _Journal(connection)


class _Tournaments:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def meant(self, name: str) -> str:
        """The tournament meant: by name, or without one the running or newest."""
        every = self._connection.execute("SELECT name, state FROM tournaments ORDER BY id").fetchall()
        names = [each for each, state in every if state == TournamentState.RUNNING.value] or [each for each, _ in every]
        return name or str(names[-1])

    def get(self, key: str | int) -> Tournament:
        column = "name" if isinstance(key, str) else "id"
        row = look.named_row(self._connection, f"SELECT * FROM tournaments WHERE {column} = ?", key)
        if row is None:
            raise NotHere
        return look.tournament_in(row)

    def entrants(self, tournament: int) -> list[Entrant]:
        query = "SELECT id, position, bot_id, name, joined FROM entrants WHERE tournament_id = ? ORDER BY position"
        rows = self._connection.execute(query, (tournament,)).fetchall()
        return [Entrant(*_checked(row, (int, int, int, str, int))) for row in rows]

    def counts(self, tournament: int) -> Counts:
        query = "SELECT state, count(*) FROM matches WHERE tournament_id = ? GROUP BY state"
        return Counts(**dict(self._connection.execute(query, (tournament,))))


class _Matches:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def in_schedule_order(
        self, tournament: int, states: Sequence[MatchState] = tuple(MatchState), after: int = -1
    ) -> Iterator[StoredMatch]:
        query = f"state IN ({_marks(states)}) AND ordinal > ? ORDER BY ordinal LIMIT {PAGE}"
        while True:
            found = self._read(tournament, query, *states, after)
            yield from found
            if len(found) < PAGE:
                return
            after = found[-1].ordinal or 0

    def results_in_schedule_order(self, tournament: int, after: int = -1) -> Iterator[StoredMatch]:
        return self.in_schedule_order(tournament, [MatchState.FINISHED], after)

    def latest(self, tournament: int, limit: int = 10) -> list[StoredMatch]:
        query = "state = ? AND finished IS NOT NULL ORDER BY finished DESC, id DESC LIMIT ?"
        return self._read(tournament, query, MatchState.FINISHED, limit)

    def last_set_aside(self, tournament: int, limit: int = 10) -> list[StoredMatch]:
        query = "state = ? ORDER BY ordinal DESC LIMIT ?"
        found = [match for state in SET_ASIDE for match in self._read(tournament, query, state, limit)]
        return sorted(found, key=lambda match: -(match.ordinal or 0))[:limit]

    def dealt_anew(self, tournament: int) -> list[int]:
        query = "SELECT ordinal FROM matches WHERE tournament_id = ? AND attempt > 1 ORDER BY ordinal"
        return [ordinal for (ordinal,) in self._connection.execute(query, (tournament,))]

    def first_open(self, tournament: int) -> int | None:
        query = "SELECT min(ordinal) FROM matches WHERE tournament_id = ? AND state = ?"
        lowest = [self._connection.execute(query, (tournament, state.value)).fetchone()[0] for state in OPEN]
        return min((ordinal for ordinal in lowest if ordinal is not None), default=None)

    def records(self, matches: Sequence[int]) -> dict[int, bytes]:
        query = f"SELECT match_id, body, sha256, size, packed_crc FROM records WHERE match_id IN ({_marks(matches)})"
        return {row[0]: unpacked_record(*row) for row in self._connection.execute(query, tuple(matches))}

    def ranks_before(self, tournament: int, before: int) -> dict[int, tuple[tuple[str, ...], tuple[int, ...]]]:
        query = (
            "SELECT ordinal, entrants.name, rank FROM matches JOIN seats ON match_id = matches.id "
            "LEFT JOIN entrants ON entrants.id = entrant_id "
            "WHERE matches.tournament_id = ? AND state = ? AND ordinal < ? ORDER BY ordinal, seat"
        )
        seated: dict[int, tuple[list[str], list[int]]] = {}
        for row in self._connection.execute(query, (tournament, MatchState.FINISHED.value, before)):
            ordinal, bot, rank = _checked(row, (int, str, int))
            bots, ranks = seated.setdefault(ordinal, ([], []))
            bots.append(bot)
            ranks.append(rank)
        return {ordinal: (tuple(bots), tuple(ranks)) for ordinal, (bots, ranks) in seated.items()}

    def _read(self, tournament: int, where: str, *words: object) -> list[StoredMatch]:
        query = f"SELECT {', '.join(MATCH)} FROM matches WHERE tournament_id = ? AND {where}"
        may_miss = frozenset(number for number, name in enumerate(MATCH) if name in MATCH_MAY_MISS)
        rows = self._connection.execute(query, (tournament, *map(_plain, words))).fetchall()
        seats: dict[int, list[StoredSeat]] = {row[0]: [] for row in rows}
        for row in self._connection.execute(SEATS % _marks(seats), tuple(seats)):
            match, *seat = _checked(row, SEAT_KINDS, SEAT_MAY_MISS)
            seat[6] = None if seat[6] is None else fault_word(seat[6])
            seats[match].append(StoredSeat(*seat))
        found = []
        for row in rows:
            *values, players = _checked(row, MATCH_KINDS, may_miss)
            if len(seats[values[0]]) != players:
                raise NotHere
            values[7] = None if values[7] is None else json.loads(values[7])
            values[8] = MatchState(values[8])
            values.append(tuple(seats[values[0]]))
            found.append(StoredMatch(*values))
        return found


class _Rulings:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def count(self, tournament: int) -> int:
        query = "SELECT count(*) FROM rulings WHERE tournament_id = ?"
        return int(self._connection.execute(query, (tournament,)).fetchone()[0])

    def all(self, tournament: int) -> list[Ruling]:
        query = (
            "SELECT number, kind, coalesce(name, ''), ordinal, reason, annulled, aside, created "
            "FROM rulings LEFT JOIN entrants ON entrants.id = entrant_id "
            "WHERE rulings.tournament_id = ? ORDER BY number"
        )
        found = []
        for row in self._connection.execute(query, (tournament,)):
            number, kind, bot, match, reason, annulled, aside, created = _checked(row, RULING_KINDS, frozenset((3,)))
            what = (number, RulingKind(kind), bot, match, reason)
            found.append(Ruling(*what, _numbers(annulled), _numbers(aside), created))
        return found

    def out(self, tournament: int) -> dict[str, Ruling]:
        return out_after(self.all(tournament))

    def rounds_before(self, tournament: int) -> list[int]:
        query = (
            'SELECT entry FROM journal WHERE chain = ? AND (entry LIKE \'%"kind":"round"%\' '
            'OR entry LIKE \'%"kind":"ruling"%\') ORDER BY number'
        )
        found, rounds = [], 0
        for (entry,) in self._connection.execute(query, (tournament,)):
            kind = json.loads(entry)["kind"]
            rounds += kind == "round"
            if kind == "ruling":
                found.append(rounds)
        return found


class _Rounds:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, tournament: int, after: int = 0) -> list[StoredRound]:
        query = (
            "SELECT number, first_ordinal, stage, byes, active, reasons, deals, created FROM rounds "
            "WHERE tournament_id = ? AND number > ? ORDER BY number"
        )
        found = []
        for row in self._connection.execute(query, (tournament, after)):
            number, first, stage, byes, active, reasons, deals, created = _checked(row, ROUND_KINDS)
            drawn = (number, first, stage, _numbers(byes), _numbers(active))
            found.append(StoredRound(*drawn, _each(reasons, str), _numbers(deals), created))
        return found


class _Snapshots:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fitting(
        self, tournament: int, kind: SnapshotKind, settings: str, through: int | None = None
    ) -> StoredSnapshot | None:
        query = (
            f"SELECT tournament_id, kind, {', '.join(NOTED)}, sha256, body FROM snapshots "
            "WHERE tournament_id = ? AND kind = ? AND settings = ? AND coalesce(through = ?, 1) ORDER BY through DESC"
        )
        cursor = self._connection.execute(query, (tournament, kind.value, settings, through))
        cursor.row_factory = sqlite3.Row
        for row in cursor:
            if self._fits(tournament, row) and digest_of(row, row["body"]) == row["sha256"]:
                *what, number, hash = (row[name] for name in NOTED)
                what += [value_in(row["body"]), number, hash]
                return StoredSnapshot(kind, *what)
        return None

    def keep(self, tournament: int, new: object) -> None:
        raise NotHere  # it is worth being kept

    def _fits(self, tournament: int, row: sqlite3.Row) -> bool:
        ask = self._connection.execute
        told = ask("SELECT hash FROM journal WHERE chain = ? AND number = ?", (tournament, row["journal_number"]))
        if told.fetchone() != (row["journal_hash"],):
            return False
        before = "SELECT count(*) FROM matches WHERE tournament_id = ? AND state = ? AND ordinal < ?"
        finished, *aside = [
            ask(before, (tournament, state.value, row["through"])).fetchone()[0]
            for state in (MatchState.FINISHED, *SET_ASIDE)
        ]
        if finished != row["finished"] or sum(aside) != row["aside"]:
            return False
        later = "SELECT ordinal, annulled, aside FROM rulings WHERE tournament_id = ? AND number > ?"
        concerned = [
            [*_numbers(annulled), *_numbers(aside), ordinal]
            for ordinal, annulled, aside in ask(later, (tournament, row["rulings"]))
        ]
        return all(each is None or each >= row["through"] for matches in concerned for each in matches)


class _Journal:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def head(self, chain: int) -> ChainHead:
        return look.head(self._connection, chain)


def _each(text: str, kind: type) -> tuple[Any, ...]:
    """The values of a JSON list; TypeError if one is not of its kind."""
    values = json.loads(text)
    return tuple(_checked(values, (kind,) * len(values)))


def _numbers(text: str) -> tuple[int, ...]:
    return _each(text, int)


def _marks(words: Sequence[object] | dict[int, Any]) -> str:
    return ", ".join("?" * len(words))


def _plain(word: object) -> Any:
    return word.value if isinstance(word, MatchState) else word


def _checked(row: Sequence[Any], kinds: Sequence[type], may_miss: frozenset[int] = frozenset()) -> list[Any]:
    """The values of a row; TypeError if one is not of its kind: the `Store` says which row is damaged."""
    for number, (value, kind) in enumerate(zip(row, kinds, strict=True)):
        if value.__class__ is not kind and not (value is None and number in may_miss):
            raise TypeError("a damaged row")
    return list(row)
