"""Import of an exported tournament into an empty database: the same rows, the same journal, the same digest.

The folder is verified first; nothing of one that does not hold is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from referee.rules.game import WrongUse
from referee.store import Ruling, RulingKind, Store, StoredRound
from referee.store.taken_over import TakenMatch, TakenOver
from referee.tournament.audit import folder as folders
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.story import Story
from referee.tournament.audit.verify import Verified, verify


def import_folder(store: Store, folder: Path) -> Verified:
    """Verify a folder and store what it holds; DoesNotHold or WrongUse, and nothing is stored."""
    if store.bots.all() or store.tournaments.all() or store.matches.practice_total():
        raise WrongUse("the database has bots, tournaments or matches already: import into a new file")
    audited = folders.read(folder)
    found = verify(audited)
    story = audited.story
    assert story is not None
    created, secret = story.created, story.revealed
    if story.pruned:
        raise WrongUse(f"records of {audited.name} were pruned: only a whole tournament can be imported")
    if secret is None:
        raise WrongUse(f"{audited.name} is not over, and its root is still secret: import it when it is finished")
    taken = TakenOver(
        **{key: created[key] for key in ("name", "game", "game_version", "players", "settings")},
        commitment=story.commitment,
        state=story.state,
        root=bytes.fromhex(secret["root"]),
        seed_text=secret["seed_text"],
        salt=bytes.fromhex(secret["salt"]) or None,
        created=created["at"],
        started=story.started,
        finished=story.finished,
        entrants=tuple((one.name, one.bot, one.kind, one.joined) for one in story.entrants),
        draws=tuple(draw.drawn for draw in story.draws),
        entries=tuple(folders.entries(folder)),
        rounds=_rounds(story),
        rulings=tuple(
            Ruling(
                *(number, RulingKind(told.kind), told.bot, told.match, told.reason),
                *(told.annulled, told.aside, told.at),
            )
            for number, told in enumerate(story.rulings, 1)
        ),
    )

    def matches() -> Iterator[TakenMatch]:
        pieces = iter(story.pieces)
        piece = next(pieces)
        for line, record in audited.lines():
            while line.ordinal >= piece.first + piece.matches:
                piece = next(pieces)
            by_seat = (line.ranks, line.scores, line.faults, line.strikes, line.decisions, line.time_ms)
            versions = line.versions or (None,) * len(line.ranks)
            yield TakenMatch(
                *(line.ordinal, line.round, line.table, line.seats, piece.at, line.state, line.attempt, line.seed),
                *(line.reason, line.started, line.finished, tuple(zip(*by_seat, versions, strict=True)), record),
            )

    store.tournaments.take_over(taken, matches())
    if store.journal.head(store.tournaments.get(audited.name).id)[1] != story.head:
        raise DoesNotHold("the database did not keep the journal as it was")
    return found


def _rounds(story: Story) -> tuple[StoredRound, ...]:
    place = {one.name: position for position, one in enumerate(story.entrants)}
    return tuple(
        StoredRound(
            told.number,
            told.first,
            told.stage,
            tuple(place[name] for name in told.byes),
            tuple(place[name] for name in told.active),
            told.reasons,
            told.deals,
            told.at,
        )
        for told in story.rounds
    )
