"""A stored tournament to be audited: what its rows say, what its journal says, and whether every column agrees."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from referee.rules.spelling import brief
from referee.store import MatchState, NotADatabase, Store, StoredMatch, Tournament
from referee.store.every_column import RawRow
from referee.store.journal_entry import INSTALLATION, schedule_line
from referee.store.pruning import in_ranges
from referee.tournament.audit.audited import OPEN, AuditedTournament, Damaged, MatchLine
from referee.tournament.audit.columns import check_rounds, check_rulings, check_webhooks, compare, version_rows
from referee.tournament.audit.entry_forms import OVER
from referee.tournament.audit.folder import Published
from referee.tournament.audit.journal_story import STEPS, BrokenJournal, follow, tell
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.story import Piece, Story, ToldMatch
from referee.tournament.repeated_matches import Repeats
from referee.tournament.standings import from_store

PAGE = 500
_EVERY = Piece(0, 1 << 62, "", 0)
"""Practice is not scheduled: any number may be one of its matches."""


def from_database(store: Store, name: str) -> AuditedTournament:
    """What is stored of a tournament, for its host: with the root, revealed or not."""
    tournament = store.tournaments.get(name)
    secret = store.tournaments.secret(tournament.id)
    story = _story(store, tournament)
    return AuditedTournament(
        tournament.name,
        tournament.game,
        tournament.game_version,
        tournament.players,
        dict(tournament.settings),
        tournament.state.value,
        tournament.commitment,
        secret.root,
        tuple(entrant.name for entrant in store.tournaments.entrants(tournament.id)),
        tuple(story.groups),
        _StoreLines(store, tournament.id, {number: story.match(number).record for number in story.pruned}),
        "",  # no digest is stored: it follows from the results
        secret.seed_text,
        secret.salt,
        tournament.repeatable,
        story,
        store.nonces.draws(tournament.id),
        lambda: _story(store, tournament),
        snapshots=lambda: store.snapshots.all(tournament.id),
        repeats=lambda: Repeats(store, tournament.id).count_anew(),
        table=lambda: from_store(store, tournament.name, keep=False).to_json_value(),
    )


def published(store: Store, name: str) -> Published:
    """What anybody may have of a stored tournament: the source of an export."""
    tournament = store.tournaments.get(name)
    entries = list(store.journal.read(tournament.id))
    return Published(entries, schedule_lines(store, tournament), lambda numbers: _records(store, tournament, numbers))


def check_columns(store: Store, name: str) -> None:
    """DoesNotHold if any column of the rows of a tournament is not what its journal tells.

    While it is being played, rows may be newer than the journal that was read before them: then one read after counts.
    """
    tournament = store.tournaments.get(name)
    story = _story(store, tournament)
    try:
        _check_columns(store, tournament, story, story)
    except DoesNotHold:
        if story.state in OVER:
            raise
        rows = _numbered(store, tournament)
        _check_columns(store, tournament, _story(store, tournament), story, rows)


def _check_columns(
    store: Store,
    tournament: Tournament,
    story: Story,
    earlier: Story,
    rows: list[tuple[RawRow, list[RawRow], list[RawRow]]] | None = None,
) -> None:
    _check_tournament(store, tournament, story)
    entrants = _check_entrants(store, tournament, story)
    _check_nonces(store, tournament, story, entrants)
    check_rounds(store, tournament, story)
    check_rulings(store, tournament, story, entrants)
    found = _numbered(store, tournament) if rows is None else rows
    ordinal = -1
    for ordinal, (match, seats, records) in enumerate(sorted(found, key=lambda one: one[0]["ordinal"])):
        try:
            _check_match(tournament, story, ordinal, match, seats, records, entrants)
        except DoesNotHold:
            if earlier is story:
                raise
            _check_match(tournament, earlier, ordinal, match, seats, records, entrants)
    if ordinal + 1 != story.total:
        name = tournament.name
        raise DoesNotHold(f"{name}: {story.total} matches were scheduled, as the journal says, not {ordinal + 1}")


def _check_match(
    tournament: Tournament,
    story: Story,
    ordinal: int,
    match: RawRow,
    seats: list[RawRow],
    records: list[RawRow],
    entrants: list[RawRow],
) -> None:
    created, told = story.created, story.match(ordinal)
    where = f"match {tournament.name}/{ordinal}"
    started = _started(match, told, where)
    piece = _piece(story, ordinal)
    expected = {
        **{"id": match["id"], "tournament_id": tournament.id, "ordinal": ordinal},
        # That these follow from the settings is checked with the schedule.
        **{"round": match["round"], "table_number": match["table_number"]},
        **{"game": created["game"], "game_version": created["game_version"], "players": created["players"]},
        **{"settings": None, "state": match["state"] if started is not None else told.state},
        **{"attempt": told.attempt, "seed": told.seed if told.ranks else None},
        **{"reason": told.reason, "created": piece.at if piece else None},
        **{"started": told.started if started is None else started, "finished": told.finished},
    }
    compare("matches", match, expected, where)
    _check_seats(seats, told, created["players"], entrants, match["id"], where)
    there = replace(told, record="") if ordinal in story.pruned else told
    _check_record(records, there, story.sizes.get(ordinal), match["id"], where)


def _piece(story: Story, ordinal: int) -> Piece | None:
    """The matches that were scheduled together with this one."""
    # Pieces follow one another without gaps; an empty one begins where the next one does.
    place = bisect_right(story.pieces, ordinal, key=lambda piece: piece.first) - 1
    while place >= 0 and story.pieces[place].matches == 0:
        place -= 1
    found = story.pieces[place] if place >= 0 else None
    return found if found is not None and ordinal < found.first + found.matches else None


LISTED = ("version", "admin", "invitation")
"""Kinds of entries of the installation that hold a whole row under their own name."""


def check_installation(store: Store) -> None:
    """DoesNotHold if bots, facts, practice matches or the file itself are not what the journal tells."""
    if (damage := store.every_column.damage()) is not None:
        raise DoesNotHold(f"the database is damaged: {damage}")
    bots: dict[int, dict[str, Any]] = {}
    listed: dict[str, dict[int, dict[str, Any]]] = {kind: {} for kind in LISTED}
    facts: dict[str, str] = {}
    webhooks: dict[str, str | None] = {}
    practice: dict[int, dict[str, Any]] = {}
    told: dict[int, ToldMatch] = {}
    sizes: dict[int, int] = {}
    try:
        for _, entry in follow(store.journal.read(INSTALLATION)):
            kind = entry["kind"]
            if kind == "removed" and entry["bot"]:
                gone = {number for number, bot in bots.items() if bot["name"] == entry["bot"]}
                kept = {number: one for number, one in listed["version"].items() if one["bot_id"] not in gone}
                listed["version"] = kept
            if kind in LISTED:
                listed[kind][entry[kind]["id"]] = entry[kind]
            elif kind == "webhook":
                webhooks.pop(entry["name"], None)
                if entry["what"] == "added":
                    webhooks[entry["name"]] = entry.get("sha256")
            elif kind != "action":
                _follow_installation(entry, bots, facts, practice, told, sizes)
    except (BrokenJournal, KeyError, TypeError) as error:
        raise DoesNotHold(f"the journal of bots and practice is broken: {error}") from None
    _compare_all("bots", store.every_column.rows("bots", "id"), "id", bots)
    _compare_all(
        "meta", store.every_column.rows("meta", "key"), "key", {key: {"key": key, "value": facts[key]} for key in facts}
    )
    _compare_all("bot_versions", version_rows(store), "id", listed["version"])
    for kind, table in (("admin", "admins"), ("invitation", "invitations")):
        _compare_all(table, store.every_column.rows(table, "id"), "id", listed[kind])
    check_webhooks(store, webhooks)
    _check_practice(store, practice, told, sizes)
    store.matches.check_logs()
    for stray in store.every_column.strays():
        raise DoesNotHold(stray)
    known = {tournament.id for tournament in store.tournaments.all()}
    if strange := store.journal.chains() - known - {INSTALLATION}:
        raise DoesNotHold(f"the journal tells of tournament number {min(strange)}, which is not there")


def _follow_installation(
    entry: Mapping[str, Any],
    bots: dict[int, dict[str, Any]],
    facts: dict[str, str],
    practice: dict[int, dict[str, Any]],
    told: dict[int, ToldMatch],
    sizes: dict[int, int],
) -> None:
    kind = entry["kind"]
    if kind == "bot":
        bots[entry["bot"]["id"]] = entry["bot"]
    elif kind == "fact":
        facts.pop(entry["key"], None)
        if entry["value"] is not None:
            facts[entry["key"]] = entry["value"]
    elif kind == "practice":
        practice[entry["match"]] = dict(entry)
    elif kind in ("result", "aside", "again"):
        # Told in the same words as in a tournament: the same steps follow.
        story = Story(adopted=0, matches=told, sizes=sizes, pieces=[_EVERY])
        try:
            STEPS[kind](story, entry)
        except ValueError as error:
            raise BrokenJournal(str(error)) from None
    elif kind == "pruned":
        for number in in_ranges(entry["matches"]):
            told[number] = replace(told[number], record="")
    elif kind == "removed":
        for number in [number for number, bot in bots.items() if bot["name"] == entry["bot"]]:
            del bots[number]
    elif kind not in ("adopted", "benched"):
        raise BrokenJournal(f"an entry ({kind}) is out of place")


def _check_practice(
    store: Store, practice: dict[int, dict[str, Any]], told: dict[int, ToldMatch], sizes: dict[int, int]
) -> None:
    count = 0
    for match, seats, records in store.every_column.matches(None):
        number = match["id"]
        where = f"match practice/{number}"
        entry = practice.get(number)
        if entry is None:
            raise DoesNotHold(f"{where}: the journal does not tell of it")
        count += 1
        became = told.get(number, ToldMatch())
        playing = became.state == "scheduled" and match["state"] == "playing"
        expected = {
            **{"id": number, "tournament_id": None, "ordinal": None, "round": None, "table_number": None},
            **{"game": entry["game"], "game_version": entry["game_version"], "players": len(entry["seats"])},
            **{"settings": entry["settings"], "state": "playing" if playing else became.state},
            **{"attempt": became.attempt, "seed": became.seed if became.state == "finished" else None},
            **{"reason": became.reason, "created": entry["at"]},
            **{"started": entry["at"] if playing else became.started, "finished": became.finished},
        }
        compare("matches", match, expected, where)
        _check_seats(seats, became, len(entry["seats"]), [], number, where, entry["seats"])
        _check_record(records, became, sizes.get(number), number, where)
        if records:
            _check_body(store, number, where)
    if count != len(practice):
        raise DoesNotHold(f"the journal tells of {len(practice)} practice matches, {count} are there")


def _check_tournament(store: Store, tournament: Tournament, story: Story) -> None:
    row = store.every_column.tournament(tournament.id)
    assert row is not None
    created, secret = story.created, store.tournaments.secret(tournament.id)
    revealed = story.revealed or {}
    expected = {
        "id": tournament.id,
        **{key: created[key] for key in ("name", "game", "game_version", "players", "settings")},
        "commitment": story.commitment,
        "state": story.state,
        "revealed": bool(revealed) if isinstance(row["revealed"], bool) else int(bool(revealed)),
        # While they are secret, the commitment vouches for them.
        **{"root": secret.root, "seed_text": secret.seed_text, "salt": secret.salt},
        **{"created": created["at"], "started": story.started, "finished": story.finished},
    }
    if revealed:
        expected |= {"root": bytes.fromhex(revealed["root"]), "seed_text": revealed["seed_text"]}
        expected |= {"salt": bytes.fromhex(revealed["salt"]) or None}
    compare("tournaments", row, expected, tournament.name)


def _check_entrants(store: Store, tournament: Tournament, story: Story) -> list[RawRow]:
    rows = store.every_column.entrants(tournament.id)
    if len(rows) != len(story.entrants):
        raise DoesNotHold(
            f"{tournament.name}: {len(story.entrants)} bots entered, as the journal says, not {len(rows)}"
        )
    for position, (row, entrant) in enumerate(zip(rows, story.entrants, strict=True)):
        expected = {
            **{"id": row["id"], "tournament_id": tournament.id, "position": position, "bot_id": row["bot_id"]},
            **{"version_id": None, "name": entrant.name, "joined": entrant.joined},
            **{"bot_name": entrant.bot, "bot_kind": entrant.kind},
        }
        compare("entrants", row, expected, f"{tournament.name}, entrant {position}")
    return rows


def _check_nonces(store: Store, tournament: Tournament, story: Story, entrants: list[RawRow]) -> None:
    numbers = {entrant["name"]: entrant["id"] for entrant in entrants}
    told = {
        (draw.draw, numbers[drawn.name]): (draw.first, drawn)
        for draw in (each.drawn for each in story.draws)
        for drawn in draw.entrants
    }
    rows = store.every_column.nonces(tournament.id)
    if len(rows) != len(told):
        raise DoesNotHold(f"{tournament.name}: {len(told)} nonces were promised, as the journal says, not {len(rows)}")
    for row in rows:
        first, drawn = told.get((row["draw"], row["entrant_id"]), (None, None))
        if drawn is None:
            raise DoesNotHold(f"{tournament.name}: nonces has a row {row['id']} of which the journal does not tell")
        expected = {
            **{"id": row["id"], "tournament_id": tournament.id, "draw": row["draw"], "first_ordinal": first},
            **{"entrant_id": row["entrant_id"], "commitment": drawn.commitment, "nonce": drawn.nonce},
        }
        compare("nonces", row, expected, f"{tournament.name}, nonce of {drawn.name}")


def _check_seats(
    rows: list[RawRow],
    told: ToldMatch,
    players: int,
    entrants: list[RawRow],
    match: int,
    where: str,
    practice: Sequence[Sequence[Any]] = (),
) -> None:
    if len(rows) != players:
        raise DoesNotHold(f"{where} has {len(rows)} seats instead of {players}")
    over = bool(told.ranks)  # also of one whose result was annulled
    bots = {entrant["id"]: entrant["bot_id"] for entrant in entrants}
    for seat, row in enumerate(rows):
        # Which entrant sits where is checked with the schedule.
        entrant = None if practice else row["entrant_id"]
        bot, name = practice[seat] if practice else (bots.get(entrant), None)
        expected = {
            **{"match_id": match, "seat": seat, "entrant_id": entrant, "bot_id": bot, "name": name},
            "rank": told.ranks[seat] if over else None,
            "score": told.scores[seat] if over else None,
            "fault": told.terminations[seat] if over else None,
            "strikes": told.strikes[seat] if over else 0,
            "decisions": told.decisions[seat] if over else 0,
            "time_ms": told.time_ms[seat] if over else 0,
            "version": told.versions[seat] if over and told.versions else None,
        }
        compare("seats", row, expected, f"{where}, seat {seat}")


def _check_record(rows: list[RawRow], told: ToldMatch, size: int | None, match: int, where: str) -> None:
    """Hash and size; the body was read and checked against both and `packed_crc` when the match was replayed."""
    if len(rows) != bool(told.record):
        raise DoesNotHold(f"{where}: {'its record is missing' if told.record else 'it has a record and no result'}")
    for row in rows:
        expected = {"match_id": match, "sha256": told.record, "size": size, "packed_crc": row["packed_crc"]}
        compare("records", row, expected, where)


def _check_body(store: Store, match: int, where: str) -> None:
    """A record of practice is not replayed: its bytes are compared with their hash."""
    try:
        store.matches.record(match)
    except NotADatabase as error:
        raise DoesNotHold(f"{where}: {error}") from None


def _started(match: RawRow, told: ToldMatch, where: str) -> int | None:
    """When a match that is being played was started, which no entry tells; None if it is not being played."""
    if told.state != "scheduled" or match["state"] != MatchState.PLAYING:
        return None
    if type(match["started"]) is not int:
        raise DoesNotHold(f"{where} is said to be played, and not when it was started")
    return match["started"]


def _compare_all(table: str, rows: Iterable[RawRow], key: str, expected: Mapping[Any, Mapping[str, Any]]) -> None:
    found = {row[key]: row for row in rows}
    for number, row in found.items():
        if number not in expected:
            raise DoesNotHold(f"{table} has a row {brief(number)} of which the journal does not tell")
        compare(table, row, expected[number], f"{table}, {brief(number)}")
    if missing := sorted(expected.keys() - found.keys()):
        raise DoesNotHold(f"{table} has no row {brief(missing[0])}, of which the journal tells")


def _story(store: Store, tournament: Tournament) -> Story:
    try:
        return tell(store.journal.read(tournament.id))
    except BrokenJournal as error:
        raise DoesNotHold(f"{tournament.name}: the journal is broken: {error}") from None


class _StoreLines:
    """The matches of a stored tournament."""

    def __init__(self, store: Store, tournament: int, pruned: Mapping[int, str]) -> None:
        """`pruned` has the SHA-256 of records that were removed."""
        self._store = store
        self._tournament = tournament
        self._pruned = pruned

    def count(self) -> int:
        return self._store.matches.total(self._tournament)

    def read(self) -> Iterator[tuple[MatchLine, bytes | None]]:
        rows = self._store.matches.in_schedule_order(self._tournament)
        while page := list(islice(rows, PAGE)):
            over = [match.id for match in page if match.state not in OPEN]
            try:
                records = self._store.matches.records(over)
            except NotADatabase:
                records = None
            for match in page:
                record = None
                if match.state not in OPEN:
                    record = self._one(match) if records is None else records.get(match.id)
                gone = self._pruned.get(match.ordinal or 0, "") if record is None else ""
                yield _line(match, record, gone), record

    def _one(self, match: StoredMatch) -> bytes | None:
        assert match.ordinal is not None
        try:
            return self._store.matches.record(match.id)
        except NotADatabase as error:
            raise Damaged(match.ordinal, str(error)) from None


def _line(match: StoredMatch, record: bytes | None, pruned: str) -> MatchLine:
    assert match.ordinal is not None
    over = match.state is MatchState.FINISHED or (
        match.state is MatchState.VOID and all(seat.rank is not None for seat in match.seats)
    )
    seats = match.seats if over else ()
    return MatchLine(
        match.ordinal,
        match.round or 0,
        match.table or 0,
        tuple(seat.name for seat in match.seats),
        match.state.value,
        match.attempt,
        match.seed or "",
        tuple(seat.rank or 0 for seat in seats),
        tuple(seat.score or 0 for seat in seats),
        tuple(seat.fault or "" for seat in seats),
        match.reason,
        match.started,
        match.finished,
        tuple(seat.strikes for seat in seats),
        tuple(seat.decisions for seat in seats),
        tuple(seat.time_ms for seat in seats),
        pruned if record is None else hashlib.sha256(record).hexdigest(),
        _versions(match) if seats else (),
    )


def _versions(match: StoredMatch) -> tuple[int | None, ...]:
    versions = tuple(seat.version for seat in match.seats)
    return versions if any(one is not None for one in versions) else ()


def _numbered(store: Store, tournament: Tournament) -> list[tuple[RawRow, list[RawRow], list[RawRow]]]:
    found = list(store.every_column.matches(tournament.id))
    for match, _, _ in found:
        if type(match["ordinal"]) is not int:
            raise DoesNotHold(f"{tournament.name}: the match in row {match['id']} has no place in the schedule")
    return found


def schedule_lines(store: Store, tournament: Tournament) -> Iterator[str]:
    """The schedule as exports write it, one match a line."""
    for match in store.matches.in_schedule_order(tournament.id):
        assert match.ordinal is not None
        yield schedule_line(match.ordinal, match.round or 0, match.table or 0, [seat.name for seat in match.seats])


def _records(store: Store, tournament: Tournament, numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    wanted = set(numbers)
    # An annulled match is void and keeps its record.
    rows = store.matches.in_schedule_order(tournament.id, [MatchState.FINISHED, MatchState.VOID])
    while page := list(islice(rows, PAGE)):
        records = store.matches.records([match.id for match in page])
        for match in page:
            if match.ordinal in wanted:
                yield match.ordinal, records[match.id]
