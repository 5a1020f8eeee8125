"""Events (audit trail): what a journal entry says, in words, for the server's log and for `referee events`.

The journal (`store/journal.py`) is the one place where everything that happens to a tournament or an installation is
kept. Here its entries become sentences. Matches that ended as they should are not told; every forfeit is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.match.result import Termination
from referee.store import ADMIN_FACT, DamagedRow, Ruling, RulingKind, Store
from referee.store.journal_entry import INSTALLATION, JournalEntry
from referee.tournament.audit.folder import Published
from referee.tournament.moderation import told as ruling_told

WELL = Termination.FINISHED.value
KINDS = (
    *("created", "adopted", "entered", "scheduled", "commitments", "nonces", "state"),
    *("round", "forfeit", "aside", "again", "ruling", "extended", "undone", "reopened", "pruned"),
)
"""Kinds of events of a tournament; those of the installation belong to none."""
INSTALLATION_KINDS = (
    *("bot", "version", "benched", "admin", "invitation", "action", "fact", "webhook", "pruned", "removed"),
)
LOOKED_THROUGH = 20
"""Entries of the installation that are read for each event that is wanted: practice matches are among them."""
Seats = Callable[[int], Sequence[str]]
"""The names of the bots of a match, by its number."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""

    at: int
    """When: milliseconds since 1970."""
    tournament: str
    """Empty if it belongs to no tournament."""
    kind: str
    text: str
    """What happened, as words without a full stop."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Details: bots, match, reason."""
    alarm: bool = False
    """Whether the host should look at it."""

    def to_json(self) -> dict[str, Any]:
        told = {"at": self.at / 1000, "tournament": self.tournament, "kind": self.kind, "text": self.text}
        return told | {"alarm": self.alarm, "about": dict(self.about)}


class Teller:
    """Tells the entries of one chain, in their order, from its beginning or from somewhere in it.

    `first_start` is when the tournament was started first: a reader that begins later has not seen it.
    """

    def __init__(self, tournament: str, seats: Seats, first_start: int | None = None) -> None:
        self._tournament = tournament
        self._seats = seats
        self._first_start = first_start
        self._started = False

    def tell(self, entry: JournalEntry) -> list[Event]:
        """The events of an entry: none, one, or one for each seat that forfeited. DamagedRow if it is none of ours."""
        try:
            return list(self._told(entry.entry))
        except (ValueError, KeyError, TypeError, AttributeError):
            whose = f"of {self._tournament}" if self._tournament else "of bots, admins and tokens"
            raise DamagedRow(
                f"the database is damaged: entry {entry.number} in the journal {whose} cannot be read; "
                "restore it from a copy"
            ) from None

    def _told(self, entry: str) -> Iterator[Event]:
        told = json.loads(entry)
        kind, at = told.pop("kind"), told.pop("at")
        told.pop("number", None)
        if kind == "result":
            yield from self._forfeits(at, told)
            return
        if (said := self._words(kind, at, told)) is not None:
            text, about, alarm = said
            yield Event(at, self._tournament, kind, text, about, alarm)

    def _forfeits(self, at: int, told: Mapping[str, Any]) -> Iterator[Event]:
        for seat, word in enumerate(told["terminations"]):
            if word in (None, WELL):
                continue
            names = self._seats(told["match"])
            bot = names[seat] if seat < len(names) else f"seat {seat}"
            about = {"match": told["match"], "seat": seat, "bot": bot, "termination": word}
            yield Event(at, self._tournament, "forfeit", f"{bot} forfeited match {told['match']}: {word}", about)

    def _words(self, kind: str, at: int, told: dict[str, Any]) -> tuple[str, dict[str, Any], bool] | None:
        """Words, details and whether it is an alarm; None for what needs no telling."""
        match kind:
            case "created":
                about = {name: told[name] for name in ("game", "players", "commitment")}
                return f"created: {told['game']}, {told['players']} players a match", about, False
            case "adopted":
                return "taken over from a version that kept no journal", {}, False
            case "entered":
                names = [entrant["name"] for entrant in told["entrants"]]
                return f"entered: {', '.join(names)}", {"bots": names}, False
            case "scheduled":
                return f"{told['matches']:,} matches scheduled", {"first": told["first"]}, False
            case "commitments":
                return f"{len(told['entrants'])} entrants promised a nonce", {"draw": told["draw"]}, False
            case "nonces":
                return f"{len(told['nonces'])} entrants told their nonce", {"draw": told["draw"]}, False
            case "state":
                return self._state(at, told["state"]), {"state": told["state"]}, False
            case "round":
                byes = f", bye: {', '.join(told['byes'])}" if told["byes"] else ""
                return f"drawn: {told['stage']}, {_count(len(told['tables']), 'table')}{byes}", told, False
            case "ruling":
                ruling = Ruling(
                    0, RulingKind(told["ruling"]), told["bot"], told["match"], told["reason"], *_lists(told), at
                )
                return ruling_told(ruling), {key: told[key] for key in ("bot", "match", "reason")}, False
            case "aside":
                text = f"match {told['match']} is set aside ({told['state']}): {told['reason']}"
                return text, {name: told[name] for name in ("match", "state", "reason")}, True
            case "again":
                anew = f" and is dealt anew (attempt {told['attempt']})" if told["attempt"] > 1 else ""
                text = f"match {told['match']} goes back into the schedule{anew}"
                return text, told, told["attempt"] > 1
            case "extended":
                return f"extended by {_count(told['rounds'], 'round')}", told, False
            case "undone":
                who = f" of {', '.join(told['bots'])}" if told["bots"] else ""
                return f"taken back: {_count(told['matches'], 'match')}{who}", told, False
            case "reopened":
                return "reopened, with a new secret for the deals to come", told, True
            case "bot":
                return self._bot(at, told["bot"])
            case "version":
                return self._version(told["bot"], told["version"])
            case "benched":
                return f"bot {told['bot']} kept crashing and forfeits its matches for a while", told, True
            case "admin":
                return self._admin(at, told["admin"])
            case "invitation":
                return self._invitation(at, told["invitation"])
            case "action":
                role = f" ({told['role']})" if told["role"] not in ("", told["who"]) else ""
                subject = f" {told['subject']}" if told["subject"] else ""
                return f"{told['who']}{role} {told['action']}{subject}", dict(told), False
            case "fact":
                return self._fact(told), {"key": told["key"]}, False
            case "pruned":
                number = sum(last - first + 1 for first, last in told["matches"])
                return f"{_count(number, 'record')} pruned", told, True
            case "removed":
                what = f"bot {told['bot']}" if told["bot"] else f"tournament {told['tournament']}"
                return f"{what} was removed", told, True
            case "webhook":
                return f"webhook {told['name']} to {told['host']} was {told['what']}", told, False
            case "practice":
                return None
        return kind.replace("_", " "), told, False

    def _state(self, at: int, state: str) -> str:
        if state != "running":
            return state
        again = self._started or self._first_start not in (None, at)
        self._started = True
        return "goes on" if again else "started"

    def _bot(self, at: int, bot: Mapping[str, Any]) -> tuple[str, dict[str, Any], bool] | None:
        name = bot["name"]
        about = {"bot": name, "kind": bot["kind"]}
        if bot["kind"] == "house":
            return None
        if bot["revoked"] == at:
            return f"bot {name} was revoked", about, False
        if bot["rotated"] == at:
            return f"bot {name} has a new token", about, False
        return f"bot {name} was registered", about, False

    def _version(self, bot: str, version: Mapping[str, Any]) -> tuple[str, dict[str, Any], bool]:
        words = {"testing": "was submitted", "active": "is active", "refused": "was refused"}
        what = words.get(version["state"], f"is {version['state']}")
        why = f": {version['reason']}" if version["reason"] else ""
        about = {"bot": bot, **{key: version[key] for key in ("label", "digest", "state", "reason")}}
        return f"bot {bot}, version {version['label']} {what}{why}", about, False

    def _admin(self, at: int, admin: Mapping[str, Any]) -> tuple[str, dict[str, Any], bool]:
        about = {"admin": admin["name"], "role": admin["role"]}
        if admin["removed"] == at:
            return f"admin {admin['name']} was removed", about, False
        if admin["rotated"] == at:
            return f"admin {admin['name']} has a new token", about, False
        if admin["created"] == at:
            return f"admin {admin['name']} was added as {admin['role']}", about, False
        return f"admin {admin['name']} is {admin['role']} now", about, False

    def _invitation(self, at: int, invitation: Mapping[str, Any]) -> tuple[str, dict[str, Any], bool]:
        about = {"invitation": invitation["id"]}
        if invitation["redeemed"] == at:
            return f"invitation {invitation['id']} became a bot", about, False
        if invitation["revoked"] == at:
            return f"invitation {invitation['id']} was revoked", about, False
        return f"invitation {invitation['id']} was made by {invitation['made_by']}", about, False

    def _fact(self, told: Mapping[str, Any]) -> str:
        if told["key"] == ADMIN_FACT:
            return "there is a new admin token" if told["value"] else "the admin token is void"
        return f"noted: {told['key']}"


def _lists(told: Mapping[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(told["annulled"]), tuple(told["aside"])


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 'es' if what.endswith('ch') else 's'}"


def latest_of_installation(store: Store, limit: int | None = None) -> list[Event]:
    """What happened to bots, admins, invitations and tokens, and what admins did; the latest, oldest first."""
    teller = Teller("", lambda match: [seat.name for seat in store.matches.get(match).seats])
    first = 0 if limit is None else max(0, store.journal.head(INSTALLATION).entries - LOOKED_THROUGH * limit)
    found = [event for entry in store.journal.read(INSTALLATION, first) for event in teller.tell(entry)]
    return found if limit is None else found[-limit:]


def latest_of_tournament(store: Store, name: str, limit: int) -> list[Event]:
    """The latest events of a tournament, oldest first, without reading all of its journal."""
    tournament = store.tournaments.get(name)

    def seats(match: int) -> list[str]:
        return [seat.name for one in store.matches.page(tournament.id, match, 1) for seat in one.seats]

    teller = Teller(name, seats, tournament.started)
    first = max(0, store.journal.head(tournament.id).entries - LOOKED_THROUGH * limit)
    found = [event for entry in store.journal.read(tournament.id, first) for event in teller.tell(entry)]
    return found[-limit:]


def told_by(tournament: str, published: Published) -> Iterator[Event]:
    """All events of a tournament, from what is published of it."""
    seats = [json.loads(line)["seats"] for line in published.schedule]
    teller = Teller(tournament, lambda match: seats[match] if match < len(seats) else ())
    for entry in published.entries:
        yield from teller.tell(entry)
