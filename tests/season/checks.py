"""What has to hold after every day of a season, whatever befell it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from referee.chain_head import BEGINNING
from referee.store import MatchState, Store
from referee.store.journal_entry import INSTALLATION, link
from referee.tournament.audit.database import check_columns, check_installation
from referee.tournament.events import latest_of_installation, latest_of_tournament
from referee.tournament.plan import Plan
from referee.tournament.standings import empty_board, fill, from_store
from referee.tournament.standings.by_format import format_view

ALL = 100_000


class Broken(AssertionError):
    """An invariant does not hold."""


@dataclass
class Memory:
    """What was seen so far: nothing of it may change."""

    chains: dict[str, list[str]] = field(default_factory=dict)
    """The hashes of each chain, by the name of its tournament; empty for the installation."""
    actions: Counter[str] = field(default_factory=Counter)
    """What admins did, as events have to tell it."""
    rulings: list[tuple[str, str]] = field(default_factory=list)
    """Tournament and sentence of each ruling."""
    removed: set[str] = field(default_factory=set)
    """Tournaments that were removed on purpose."""

    def forget_chains(self) -> None:
        """After a database of before the journal was taken over: its chains begin anew."""
        self.chains.clear()


def check_day(store: Store, memory: Memory) -> None:
    """All of it."""
    names = {one.name: one.id for one in store.tournaments.all()}
    lost = set(memory.chains) - {""} - set(names) - memory.removed
    if lost:
        raise Broken(f"tournaments are gone: {sorted(lost)}")
    for name, chain in {"": INSTALLATION, **names}.items():
        entries = _check_chain(store, memory, name, chain)
        if name:
            _check_results(store, name, chain, entries)
            _check_standings(store, name)
            check_columns(store, name)
    check_installation(store)
    _check_events(store, memory)


def _check_chain(store: Store, memory: Memory, name: str, chain: int) -> list[dict[str, Any]]:
    """The chain is whole, and begins with what was there yesterday."""
    before, hashes, entries = BEGINNING, [], []
    for line in store.journal.read(chain):
        before = link(before, line.entry)
        if line.hash != before:
            raise Broken(f"{name or 'the installation'}: entry {line.number} does not follow on the one before")
        hashes.append(before)
        entries.append(json.loads(line.entry))
    known = memory.chains.get(name, [])
    if hashes[: len(known)] != known:
        raise Broken(f"{name or 'the installation'}: what was stored is no longer there")
    memory.chains[name] = hashes
    return entries


def _check_results(store: Store, name: str, chain: int, entries: list[dict[str, Any]]) -> None:
    """One result for each deal of a match, and one for each match that is finished."""
    told = Counter((entry["match"], entry["attempt"]) for entry in entries if entry["kind"] == "result")
    twice = [each for each, count in told.items() if count > 1]
    if twice:
        raise Broken(f"{name}: matches with two results: {twice}")
    for match in store.matches.in_schedule_order(chain, list(MatchState)):
        if match.state is MatchState.FINISHED and (match.ordinal, match.attempt) not in told:
            raise Broken(f"{name}/{match.ordinal} is finished, and the journal has no result of it")


def _check_standings(store: Store, name: str) -> None:
    """The standings, which may begin with a snapshot, are those of all results one by one."""
    tournament = store.tournaments.get(name)
    plan = Plan.of(tournament)
    shown = format_view(store, tournament, plan)
    if shown is not None:
        shown.update()
    entrants = [entrant.name for entrant in store.tournaments.entrants(tournament.id)]
    board = empty_board(plan, entrants) if shown is None else empty_board(plan, entrants, shown.shared_deals)
    fill(board, store, tournament)
    standings = from_store(store, name)
    recomputed = {row.bot: (row.mu, row.sigma, row.matches, row.versions) for row in board.rows(None, final=True)}
    found = {row.bot: (row.mu, row.sigma, row.matches, row.versions) for row in standings.rows}
    if found != recomputed:
        wrong = sorted(bot for bot in recomputed if found.get(bot) != recomputed[bot])
        raise Broken(f"{name}: the standings of {', '.join(wrong)} are not those of the results")
    if standings.digest not in ("", board.digest()):
        raise Broken(f"{name}: the digest is not that of the results")


def _check_events(store: Store, memory: Memory) -> None:
    """Everything that was done is told, with who did it."""
    told = Counter(event.text for event in latest_of_installation(store) if event.kind == "action")
    if missing := memory.actions - told:
        raise Broken(f"no event tells: {'; '.join(sorted(missing))}")
    for name, sentence in memory.rulings:
        if name not in memory.removed and not any(
            event.text == sentence for event in latest_of_tournament(store, name, ALL) if event.kind == "ruling"
        ):
            raise Broken(f"{name}: no event tells: {sentence}")
