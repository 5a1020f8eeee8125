"""Reading a tournament's journal: the hash chain is checked, and its entries are followed one after the other.

Entries may come from a stranger. Their form is checked to the last key before anything is made of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.chain_head import BEGINNING
from referee.rules.spelling import brief
from referee.store.journal_entry import JournalEntry, canonical, link
from referee.store.values import annulment
from referee.tournament.audit.entry_forms import COMMON, FORMS, OVER, REVEALED, ROW, VERSIONS
from referee.tournament.audit.story import (
    UNTOUCHED,
    Chapter,
    Draw,
    Growth,
    Piece,
    Story,
    ToldEntrant,
    ToldMatch,
    ToldRound,
    ToldRuling,
)


class BrokenJournal(Exception):
    """The journal is not what a program wrote: says at which entry and why."""


def follow(lines: Iterable[JournalEntry]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a chain with the hash of each; BrokenJournal at the first that is not in its place."""
    before = BEGINNING
    for number, line in enumerate(lines):
        if line.number != number:
            raise BrokenJournal(f"entry {number} is missing")
        before = link(before, line.entry)
        if before != line.hash:
            raise BrokenJournal(f"entry {number} does not fit its hash")
        yield before, _read(number, line.entry)


def tell(lines: Iterable[JournalEntry]) -> Story:
    """What the chain of a tournament says; BrokenJournal if it makes no sense."""
    story = Story()
    for hash_, entry in follow(lines):
        kind = entry["kind"]
        if (not story.created) != (kind in ("adopted", "created")) or kind not in STEPS:
            raise BrokenJournal(f"entry {story.entries} ({kind}) is out of place")
        try:
            STEPS[kind](story, entry)
        except (KeyError, ValueError, TypeError) as error:
            raise BrokenJournal(f"entry {story.entries} ({kind}) does not fit what came before: {error}") from None
        story.entries += 1
        story.head = hash_
    if not story.created:
        raise BrokenJournal("it does not say how the tournament was created")
    return story


def _read(number: int, text: str) -> dict[str, Any]:
    """An entry, checked to be exactly of its kind's form."""
    try:
        entry = json.loads(text)
        form = FORMS[entry["kind"]] | COMMON
        if entry["kind"] == "state" and "root" in entry:
            form = form | REVEALED
        if entry["kind"] == "result" and "versions" in entry:
            form = form | VERSIONS
        if entry["kind"] == "webhook" and "sha256" in entry:
            form = form | ROW
        if entry.keys() != form.keys() or entry["number"] != number:
            raise ValueError("its keys are not those of its kind")
        for key, fits in form.items():
            if not fits(entry[key]):
                raise ValueError(f"{key!r} cannot be {brief(entry[key])}")
        if canonical(entry) != text:
            raise ValueError("it is not written canonically")
    except RecursionError:
        raise BrokenJournal(f"entry {number} is nested too deeply") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BrokenJournal(f"entry {number} cannot be read: {error}") from None
    return dict(entry)


# What follows from each kind of entry.


def _adopt(story: Story, entry: Mapping[str, Any]) -> None:
    if story.entries:
        raise ValueError("only the first entry can say so")
    story.adopted = entry["at"]


def _create(story: Story, entry: Mapping[str, Any]) -> None:
    story.created = dict(entry)


def _enter(story: Story, entry: Mapping[str, Any]) -> None:
    known = {entrant.name for entrant in story.entrants}
    for one in entry["entrants"]:
        if one["name"] in known:
            raise ValueError(f"{brief(one['name'])} plays already")
        known.add(one["name"])
        story.entrants.append(ToldEntrant(one["name"], one["bot"], one["kind"], entry["at"]))
    if story.groups:
        story.growth.append(_growth(story, None))
    story.groups.append(len(entry["entrants"]))


def _schedule(story: Story, entry: Mapping[str, Any]) -> None:
    if entry["first"] != story.total:
        raise ValueError(f"{story.total} matches were scheduled before")
    story.pieces.append(Piece(entry["first"], entry["matches"], entry["sha256"], entry["at"]))


def _commit(story: Story, entry: Mapping[str, Any]) -> None:
    # Draw 0 is before the first match, and there is one for what is added when bots join: none can be made again.
    first = story.pieces[-1].first if story.pieces else 0
    following = story.draws[-1].draw + 1 if story.draws else min(1, first)
    if entry["draw"] != following:
        raise ValueError(f"draw {following} comes next")
    if entry["first"] != first or (story.draws and first <= story.draws[-1].first):
        raise ValueError("it does not belong to the matches that were scheduled last")
    if any(number >= first for number in story.matches) or (first == 0 and story.started is not None):
        raise ValueError("matches were dealt already")
    commitments = {one["name"]: one["commitment"] for one in entry["entrants"]}
    if len(commitments) != len(entry["entrants"]) or not commitments.keys() <= {one.name for one in story.entrants}:
        raise ValueError("not each of them is an entrant, once")
    story.draws.append(Draw(entry["draw"], entry["first"], commitments))


def _tell_nonces(story: Story, entry: Mapping[str, Any]) -> None:
    draw = next((one for one in story.draws if one.draw == entry["draw"]), None)
    if draw is None:
        raise ValueError("there was no such draw")
    if any(number >= draw.first for number in story.matches) or (draw.first == 0 and story.started is not None):
        raise ValueError("matches were dealt already")
    if not draw.commitments.keys() >= entry["nonces"].keys() or draw.nonces.keys() & entry["nonces"].keys():
        raise ValueError("not each of these entrants committed itself and told its nonce once")
    draw.nonces |= entry["nonces"]


def _state(story: Story, entry: Mapping[str, Any]) -> None:
    if story.state in OVER:
        raise ValueError(f"it was {story.state} before")
    story.state = entry["state"]
    if story.state == "running" and story.started is None:
        story.started = entry["at"]
    if story.state in OVER:
        story.finished = entry["at"]
        story.out_at_the_end = frozenset(story.out)
    if "root" in entry:
        if story.state not in OVER:
            raise ValueError("the root is told only at the end")
        story.revealed = {key: entry[key] for key in REVEALED}


def _result(story: Story, entry: Mapping[str, Any]) -> None:
    before = _open(story, entry["match"])
    if entry["attempt"] != before.attempt and not (story.adopted is not None and before is UNTOUCHED):
        raise ValueError(f"it was dealt {before.attempt} times, not {entry['attempt']}")
    versions = entry.get("versions")
    if versions is not None and (len(versions) != len(entry["ranks"]) or not any(versions)):
        raise ValueError("the versions are not those of its seats")
    story.matches[entry["match"]] = ToldMatch(
        "finished",
        entry["attempt"],
        entry["seed"],
        entry["reason"],
        entry["started"],
        entry["at"],
        tuple(entry["ranks"]),
        tuple(entry["scores"]),
        tuple(entry["terminations"]),
        tuple(entry["strikes"]),
        tuple(entry["decisions"]),
        tuple(entry["time_ms"]),
        entry["record"],
        tuple(entry.get("versions", ())),
    )
    story.sizes[entry["match"]] = entry["size"]
    if story.chapters:
        story.chapter_of[entry["match"]] = len(story.chapters)


def _aside(story: Story, entry: Mapping[str, Any]) -> None:
    attempt = _open(story, entry["match"]).attempt
    story.matches[entry["match"]] = ToldMatch(
        entry["state"], attempt, reason=entry["reason"], started=entry["started"], finished=entry["at"]
    )


def _again(story: Story, entry: Mapping[str, Any]) -> None:
    before = story.match(entry["match"])
    adopted = story.adopted is not None and before is UNTOUCHED
    if before.state == "finished" or not (adopted or before.attempt <= entry["attempt"] <= before.attempt + 1):
        raise ValueError(f"it was {before.state} at attempt {before.attempt}")
    story.matches[entry["match"]] = ToldMatch(attempt=entry["attempt"])
    story.again += 1


def _round(story: Story, entry: Mapping[str, Any]) -> None:
    if entry["round"] != len(story.rounds) + 1 or entry["first"] != story.total or not entry["tables"]:
        raise ValueError(f"{len(story.rounds)} rounds with {story.total} matches were drawn before")
    if any(story.match(number).state == "scheduled" for number in range(_last_round(story), story.total)):
        raise ValueError("matches of the round before were open")
    inside = [one.name for one in story.entrants if one.name not in story.out]
    if entry["active"] != inside or not set(entry["byes"]) <= set(inside):
        raise ValueError("it was drawn among others than those who were in")
    story.rounds.append(
        ToldRound(
            entry["round"],
            entry["first"],
            entry["stage"],
            tuple(entry["byes"]),
            tuple(entry["active"]),
            tuple(table["why"] for table in entry["tables"]),
            tuple(table["deal"] for table in entry["tables"]),
            len(story.entrants),
            entry["at"],
        )
    )


def _last_round(story: Story) -> int:
    return story.rounds[-1].first if story.rounds else 0


def _extend(story: Story, entry: Mapping[str, Any]) -> None:
    if story.state in OVER or story.rounds or not story.groups:
        raise ValueError("it could not be extended")
    story.growth.append(replace(_growth(story, None), rounds=entry["rounds"]))


def _undo(story: Story, entry: Mapping[str, Any]) -> None:
    """The last growth is as if it had never been: no match of it had begun."""
    if story.state in (*OVER, "running") or not story.growth or story.growth[-1].lost is not None:
        raise ValueError("there was nothing to take back")
    piece, first = story.pieces[-1], entry["first"]
    extension = story.growth[-1].rounds is not None
    joined = [] if extension else [one.name for one in story.entrants[-story.groups[-1] :]]
    if (piece.first, piece.matches, joined) != (first, entry["matches"], entry["bots"]) or story.rounds:
        raise ValueError("it is not what was added last")
    if any(number >= first for number in story.matches):
        raise ValueError("a match of it had begun")
    story.pieces.pop()
    story.growth.pop()
    if not extension:
        del story.entrants[-story.groups.pop() :]
        if story.draws and story.draws[-1].first == first:
            story.draws.pop()


def _reopen(story: Story, entry: Mapping[str, Any]) -> None:
    if story.state not in OVER or story.rounds or story.revealed is None:
        raise ValueError("it was not over, or its root was not told")
    story.chapters.append(Chapter(story.commitment, story.revealed))
    story.reopened = entry["commitment"]
    story.state, story.finished, story.revealed = "paused", None, None


def _prune(story: Story, entry: Mapping[str, Any]) -> None:
    if story.state not in OVER:
        raise ValueError("it was not over")
    for first, last in entry["matches"]:
        if last >= story.total:
            raise ValueError(f"there is no match {last}")
        for number in range(first, last + 1):
            if not story.match(number).record or number in story.pruned:
                raise ValueError(f"match {number} had no record")
            story.pruned.add(number)


def _rule(story: Story, entry: Mapping[str, Any]) -> None:
    kind, bot, number = entry["ruling"], entry["bot"], entry["match"]
    if bool(bot) == (number is not None) or (bool(bot) != (kind in ("disqualified", "withdrawn", "returned"))):
        raise ValueError("it is about a bot or about a match")
    if bot and bot not in {one.name for one in story.entrants}:
        raise ValueError(f"{brief(bot)} does not play")
    for match in entry["annulled"]:
        before = story.match(match)
        if before.state != "finished":
            raise ValueError(f"match {match} had no result")
        drawn = len(story.rounds) + (story.state in OVER)
        story.amended.setdefault(match, []).append((drawn, before))
        story.matches[match] = replace(before, state="void", reason=annulment(kind, bot, entry["reason"]))
    if kind == "replayed":
        _replay(story, number)
    elif kind == "returned":
        if story.out.pop(bot, "") != "withdrawn":
            raise ValueError(f"{brief(bot)} had not withdrawn")
    elif bot:
        story.out[bot] = kind
        if story.state not in OVER:  # once it is over, nothing is drawn in place of what is lost
            story.growth.append(_growth(story, frozenset((*entry["annulled"], *entry["aside"]))))
    story.rulings.append(
        ToldRuling(kind, bot, number, entry["reason"], tuple(entry["annulled"]), tuple(entry["aside"]), entry["at"])
    )


def _replay(story: Story, match: int) -> None:
    before = story.match(match)
    if before.state == "scheduled" or not _last_round(story) <= match < story.total or story.state in OVER:
        raise ValueError(f"match {match} could not be played again")
    story.matches[match] = ToldMatch(attempt=before.attempt + 1)
    story.sizes.pop(match, None)
    story.pruned.discard(match)


def _growth(story: Story, lost: frozenset[int] | None) -> Growth:
    uncounted = set(lost or ())
    if story.out:
        uncounted |= {number for number, told in story.matches.items() if told.state in ("absent", "void")}
    return Growth(len(story.entrants), frozenset(story.out), frozenset(uncounted), lost)


def _open(story: Story, number: int) -> ToldMatch:
    before = story.match(number)
    if before.state != "scheduled" or not 0 <= number < story.total:
        raise ValueError(f"match {number} was not waiting for it")
    return before


STEPS: dict[str, Callable[[Story, Mapping[str, Any]], None]] = {
    "adopted": _adopt,
    "created": _create,
    "entered": _enter,
    "scheduled": _schedule,
    "commitments": _commit,
    "nonces": _tell_nonces,
    "state": _state,
    "result": _result,
    "aside": _aside,
    "again": _again,
    "round": _round,
    "ruling": _rule,
    "extended": _extend,
    "undone": _undo,
    "reopened": _reopen,
    "pruned": _prune,
}
