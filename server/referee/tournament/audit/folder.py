"""The folder of an exported tournament: how it is written and how it is read back. `server/EXPORT.md` is its format.

The journal and the records are the source. Every other file follows from them, so a folder is checked by deriving it
again and comparing the bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.rules.files import open_regular, read_bounded
from referee.rules.game import WrongUse
from referee.rules.spelling import brief
from referee.store.journal_entry import JournalEntry
from referee.tournament.audit.audited import LARGEST_RECORD, OPEN, AuditedTournament, MatchLine, match_line
from referee.tournament.audit.drawn_rounds import final_places
from referee.tournament.audit.journal_story import BrokenJournal, tell
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.standings_file import plan_of, standings_of, standings_text
from referee.tournament.audit.story import Story
from referee.tournament.plan import is_final

FORMAT = "referee-export-2"
TOURNAMENT, SCHEDULE, MATCHES = "tournament.json", "schedule.jsonl", "matches.jsonl"
STANDINGS, JOURNAL, SUMS, RECORDS = "standings.json", "journal.txt", "SHA256SUMS", "records"
FILES = (TOURNAMENT, SCHEDULE, MATCHES, STANDINGS, JOURNAL)
LONGEST_LINE = 16 << 20
"""Bytes of a line: settings may hold a whole sheet."""
LARGEST_SETTINGS = 64 << 20
_SUM = re.compile(rb"([0-9a-f]{64})  ([a-z]+\.[a-z]+|records/(?:0|[1-9][0-9]{0,8})\.json)\n")


@dataclass(frozen=True, slots=True)
class Published:
    """What an export is made of: the journal, the lines of the schedule, and the records of finished matches."""

    entries: Sequence[JournalEntry]
    schedule: Iterable[str]
    records: Callable[[Sequence[int]], Iterator[tuple[int, bytes]]]
    """The records of the matches of these numbers, in the same order."""


def write(published: Published, folder: Path) -> Story:
    """Write a new folder; returns what the journal tells. If that fails, nothing of it is left.

    A folder that is not whole, as when the program was killed, lacks its last file, the sums.
    """
    story = _told(published.entries, "the journal")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongUse(f"{folder} exists already and is not empty: name a new folder")
    there = folder.exists()
    try:
        _write(published, story, folder)
    except BaseException:
        _take_back(folder, there)
        raise
    return story


def _take_back(folder: Path, there: bool) -> None:
    """Remove what was written, and the folder if it was not `there` before; what others have put into it stays."""
    shutil.rmtree(folder / RECORDS, ignore_errors=True)
    with suppress(OSError):
        for name in (*FILES, SUMS):
            (folder / name).unlink(missing_ok=True)
        if not there:
            folder.rmdir()


def _write(published: Published, story: Story, folder: Path) -> None:
    (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    out = _Writer(folder)
    schedule = list(published.schedule)[: story.total]
    digest = out.write(SCHEDULE, schedule)
    out.write(MATCHES, (match_line(number, story.match(number)) for number in range(story.total)))
    board, open_ = standings_of(story, schedule)
    plan = plan_of(story)
    out.write(STANDINGS, [standings_text(board, story, open_, final_places(story, plan, _seats(story, schedule)))])
    out.write(JOURNAL, (f"{line.hash} {line.entry}\n" for line in published.entries))
    for number, record in published.records(story.recorded):
        out.write_bytes(f"{RECORDS}/{number}.json", record)
    standings = board.digest() if is_final(plan, story.state, open_) else ""
    out.write(TOURNAMENT, [tournament_text(story, digest, standings)])
    out.finish()


def _seats(story: Story, schedule: Sequence[str]) -> list[tuple[int, ...]]:
    """Who sits where in each match, by position."""
    if not story.rounds:
        return []
    place = {one.name: position for position, one in enumerate(story.entrants)}
    return [tuple(place[name] for name in json.loads(line)["seats"]) for line in schedule]


def tournament_text(story: Story, schedule: str, standings: str) -> str:
    """`tournament.json`, from the journal, the SHA-256 of the schedule and the digest of the standings."""
    created = story.created
    revealed = story.revealed or {"root": "", "seed_text": None, "salt": ""}
    value = {
        "format": FORMAT,
        **{key: created[key] for key in ("name", "game", "game_version", "players", "settings")},
        **{"commitment": story.commitment, "dealt": story.dealt},
        **revealed,
        "state": story.state,
        "created": created["at"],
        "started": story.started,
        "finished": story.finished,
        "entrants": [
            {"name": one.name, "bot": one.bot, "kind": one.kind, "joined": one.joined} for one in story.entrants
        ],
        "nonces": [
            {
                "draw": draw.draw,
                "first": draw.first,
                "entrants": [
                    {"name": name, "commitment": commitment, "nonce": draw.nonces.get(name, "")}
                    for name, commitment in draw.commitments.items()
                ],
            }
            for draw in story.draws
        ],
        "schedule": schedule,
        "standings": standings,
        "entries": story.entries,
        "head": story.head,
    }
    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def is_folder(folder: Path) -> bool:
    """Whether a folder is in this format, or in none that was there before."""
    return (folder / JOURNAL).exists() or (folder / SUMS).exists()


def read(folder: Path) -> AuditedTournament:
    """The tournament that `write` wrote; DoesNotHold if a file is not what it should be."""
    try:
        sums = _sums(folder)
        story = _told(_journal(folder, sums), f"{folder / JOURNAL}")
        schedule = hashlib.sha256()
        for line in _hashed(folder, SCHEDULE, sums):
            schedule.update(line)
        standings = _whole(folder, STANDINGS, sums)
        told = _whole(folder, TOURNAMENT, sums)
        digest = _digest(told)
        if told != tournament_text(story, schedule.hexdigest(), digest).encode():
            raise DoesNotHold(f"{folder / TOURNAMENT} is not what the journal says")
        return audited(story, _FolderLines(folder, sums, story), digest, standings)
    except OSError as error:
        raise WrongUse(f"{error.filename}: {error.strerror}") from None


def entries(folder: Path) -> Iterator[JournalEntry]:
    """The journal of a folder, line by line."""
    return _journal(folder, _sums(folder))


def audited(story: Story, source: _FolderLines, digest: str, standings: bytes) -> AuditedTournament:
    created, revealed = story.created, story.revealed
    return AuditedTournament(
        created["name"],
        created["game"],
        created["game_version"],
        created["players"],
        created["settings"],
        story.state,
        story.commitment,
        bytes.fromhex(revealed["root"]) if revealed else None,
        tuple(one.name for one in story.entrants),
        tuple(story.groups),
        source,
        digest,
        revealed["seed_text"] if revealed else None,
        bytes.fromhex(revealed["salt"]) if revealed and revealed["salt"] else None,
        story.dealt == "repeatable",
        story,
        tuple(draw.drawn for draw in story.draws),
        standings=standings,
    )


class _FolderLines:
    """The matches of an exported tournament: the schedule as it is written, and what the journal tells of each."""

    def __init__(self, folder: Path, sums: dict[str, str], story: Story) -> None:
        self._folder = folder
        self._sums = sums
        self._story = story

    def count(self) -> int:
        # A line has never less than so many bytes.
        return (self._folder / SCHEDULE).stat().st_size // 36

    def read(self) -> Iterator[tuple[MatchLine, bytes | None]]:
        matches = _hashed(self._folder, MATCHES, self._sums)
        try:
            for number, text in enumerate(_hashed(self._folder, SCHEDULE, self._sums)):
                line = self._line(number, text)
                if next(matches, b"") != line.written.encode():
                    raise DoesNotHold(f"line {number + 1} of {MATCHES} is not what the journal says")
                yield line, None if line.state in OPEN else self._record(line)
            if next(matches, b""):
                raise DoesNotHold(f"{MATCHES} has more lines than {SCHEDULE}")
        except OSError as error:
            raise WrongUse(f"{error.filename}: {error.strerror}") from None

    def _line(self, number: int, text: bytes) -> MatchLine:
        told = self._story.match(number)
        try:
            value = json.loads(text)
            seats = tuple(value["seats"])
            if not all(type(value[key]) is int for key in ("match", "round", "table")) or value["match"] != number:
                raise TypeError
            if not all(type(name) is str for name in seats):
                raise TypeError
            line = MatchLine(
                *(number, value["round"], value["table"], seats, told.state, told.attempt, told.seed),
                *(told.ranks, told.scores, told.terminations, told.reason, told.started, told.finished),
                *(told.strikes, told.decisions, told.time_ms, told.record, told.versions),
            )
            if line.scheduled.encode() != text:
                raise ValueError
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise DoesNotHold(f"line {number + 1} of {SCHEDULE} cannot be read") from None
        return line

    def _record(self, line: MatchLine) -> bytes | None:
        name = f"{RECORDS}/{line.ordinal}.json"
        if name not in self._sums:
            return None
        data = read_bounded(self._folder / name, LARGEST_RECORD, regular=True)
        found = hashlib.sha256(data).hexdigest()
        if found != self._sums[name]:
            raise DoesNotHold(f"match {line.ordinal}: {name} does not fit {SUMS}")
        if found != line.record:
            raise DoesNotHold(f"match {line.ordinal}: {name} is not the record of which the journal tells")
        return data


class _Writer:
    """Writes files and notes their hashes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sums: dict[str, str] = {}

    def write(self, name: str, texts: Iterable[str]) -> str:
        digest = hashlib.sha256()
        with (self._folder / name).open("wb") as file:
            for text in texts:
                data = text.encode()
                digest.update(data)
                file.write(data)
        self._sums[name] = digest.hexdigest()
        return self._sums[name]

    def write_bytes(self, name: str, data: bytes) -> None:
        (self._folder / name).write_bytes(data)
        self._sums[name] = hashlib.sha256(data).hexdigest()

    def finish(self) -> None:
        records = [name for name in self._sums if name not in FILES]
        lines = [f"{self._sums[name]}  {name}\n" for name in (*FILES, *records)]
        (self._folder / SUMS).write_text("".join(lines), encoding="utf-8")


def _told(entries: Iterable[JournalEntry], where: str) -> Story:
    try:
        return tell(entries)
    except BrokenJournal as error:
        raise DoesNotHold(f"{where} is broken: {error}") from None


def _sums(folder: Path) -> dict[str, str]:
    """The hashes of all files; DoesNotHold if these are not the files that are there."""
    sums: dict[str, str] = {}
    with open_regular(folder / SUMS) as file:
        for number, line in enumerate(iter(lambda: file.readline(200), b""), 1):
            found = _SUM.fullmatch(line)
            if found is None or found[2].decode() in sums:
                raise DoesNotHold(f"line {number} of {folder / SUMS} cannot be read")
            sums[found[2].decode()] = found[1].decode()
    there = set(_files(folder, ""))
    for name in (*FILES, SUMS):
        if name not in there or (name != SUMS and name not in sums):
            raise DoesNotHold(f"{folder / name} is missing")
    if strange := sorted(there ^ (sums.keys() | {SUMS})):
        where = "is not part of the export" if strange[0] in there else "is missing"
        raise DoesNotHold(f"{folder / strange[0]} {where}")
    return sums


def _files(folder: Path, prefix: str) -> Iterator[str]:
    with os.scandir(folder / prefix) as found:
        for entry in found:
            if entry.name == RECORDS and not prefix and entry.is_dir(follow_symlinks=False):
                yield from _files(folder, f"{RECORDS}/")
            else:
                yield prefix + entry.name


def _hashed(folder: Path, name: str, sums: dict[str, str]) -> Iterator[bytes]:
    """The lines of a file; DoesNotHold at its end if its hash is not the noted one."""
    digest = hashlib.sha256()
    with open_regular(folder / name) as file:
        for line in iter(lambda: file.readline(LONGEST_LINE), b""):
            digest.update(line)
            yield line
    if digest.hexdigest() != sums[name]:
        raise DoesNotHold(f"{folder / name} does not fit {SUMS}")


def _whole(folder: Path, name: str, sums: dict[str, str]) -> bytes:
    data = read_bounded(folder / name, LARGEST_SETTINGS, regular=True)
    if hashlib.sha256(data).hexdigest() != sums[name]:
        raise DoesNotHold(f"{folder / name} does not fit {SUMS}")
    return data


def _journal(folder: Path, sums: dict[str, str]) -> Iterator[JournalEntry]:
    for number, line in enumerate(_hashed(folder, JOURNAL, sums)):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = ""
        if len(text) < 66 or text[64] != " " or text[-1] != "\n":
            raise DoesNotHold(f"line {number + 1} of {folder / JOURNAL} cannot be read")
        yield JournalEntry(number, text[65:-1], text[:64])


def _digest(told: bytes) -> str:
    """The digest of the standings, the only thing in the file that does not follow from the journal alone."""
    try:
        value: Any = json.loads(told)
        form, digest = value["format"], value["standings"]
        if form == FORMAT and type(digest) is str:
            return digest
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DoesNotHold(f"{TOURNAMENT} cannot be read") from None
    raise DoesNotHold(f"{TOURNAMENT} is in the format {brief(form)}, this program reads {FORMAT!r}: upgrade Referee")
