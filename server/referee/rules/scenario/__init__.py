"""Scenarios: a rule shown as a short script that must hold.

A scenario file (TOML) names a game, players, options, a seed and scripted outcomes of chance; its script makes moves
and states what must be true between them. `load` reads a file and raises `ScenarioUnreadable`; `run` plays it and
raises `ScenarioFailed` at the first line that does not hold. Both name the file and the line. `run_file` does both and
stops at whichever comes first, so a line that cannot be read does not hide an earlier one that does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.rules import registry
from referee.rules.chance import Impossible, Scripted
from referee.rules.files import FilesInside
from referee.rules.game import Game, Unreadable, WrongUse, seed_bytes
from referee.rules.scenario.file import ScenarioFile, ScenarioUnreadable
from referee.rules.scenario.script import Expect, ListIs, Offer, Statement, read_script
from referee.rules.table import Table

__all__ = ["Scenario", "ScenarioFailed", "ScenarioUnreadable", "load", "run", "run_file"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario that was read and understood; `line_of` knows where in the file each key is."""

    path: Path
    about: str
    game: Game[Any]
    players: int
    options: Mapping[str, Any]
    seed: bytes
    chance: Mapping[str, list[Any]]
    script: tuple[Statement, ...]
    last_line: int
    line_of: Callable[..., int]
    flaw: ScenarioUnreadable | None = None
    """The first line of the script that cannot be read; `script` ends before it."""


class ScenarioFailed(AssertionError):
    """A scenario that does not hold: where, what was expected and what was seen."""

    def __init__(self, path: Path, line: int, expected: str, seen: str) -> None:
        super().__init__(f"{path}:{line}: expected {expected}; seen: {seen}")
        self.path, self.line, self.expected, self.seen = path, line, expected, seen


def load(path: str | Path) -> Scenario:
    """Read a scenario file and check everything that can be checked without playing."""
    scenario = _load(path)
    if scenario.flaw is not None:
        raise scenario.flaw
    return scenario


def run_file(path: str | Path) -> None:
    """Load and run one file; what is wrong first in the order of the script is what is raised."""
    run(_load(path))


def run(scenario: Scenario) -> None:
    """Play the script from start to end; the first thing that does not hold raises `ScenarioFailed`."""
    _Run(scenario).all()


def _load(path: str | Path) -> Scenario:
    """The scenario as far as its script can be read."""
    file = ScenarioFile(Path(path))
    file.refuse_unknown_keys()
    name = file.take("game", str, 'a string such as "flip7"')
    players = file.take("players", int, "a whole number")
    script = file.take("script", str, "a string with one statement per line")
    try:
        game = registry.find(name)
    except WrongUse as error:
        raise file.unreadable(str(error), "game") from None
    try:
        game.check_players(players)
    except WrongUse as error:
        raise file.unreadable(str(error), "players") from None
    given = file.take("options", dict, "a table of options", default={})
    try:
        options = game.resolve_options(given, FilesInside(file.path.parent))
    except WrongUse as error:
        named = [key for key in given if repr(key) in str(error)]
        raise file.unreadable(str(error), "options", *named[:1]) from None
    about = file.take("about", str, "a sentence", default="")
    seed = seed_bytes(file.take("seed", int, "a whole number", default=0))
    chance = file.take_chance(game)
    statements, flaw = read_script(file, script, players)
    return Scenario(
        file.path,
        about,
        game,
        players,
        options,
        seed,
        chance,
        tuple(statements),
        file.script_lines[-1],
        file.line_of,
        flaw,
    )


class _Run:
    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.chance = Scripted(scenario.chance, scenario.game.labels, scenario.seed)

    def all(self) -> None:
        scenario = self.scenario
        self._read_outcomes()
        try:
            self.table = Table(scenario.game, scenario.players, scenario.options, scenario.seed, self.chance)
        except Impossible as error:
            label = str(error).partition(":")[0]
            raise self._impossible(scenario.line_of("chance", label), error) from None
        for statement in scenario.script:
            if isinstance(statement, Offer):
                self._offer(statement)
            elif isinstance(statement, ListIs):
                self._list(statement)
            else:
                self._expect(statement)
        if scenario.flaw is not None:
            raise scenario.flaw
        self._end()

    def _read_outcomes(self) -> None:
        """An outcome that could never be is told even where the script does not come to draw it."""
        for name, outcomes in self.scenario.chance.items():
            label = self.scenario.game.labels[name]
            items = [item for order in outcomes for item in order] if label.kind == "orders" else outcomes
            for item in items:
                try:
                    label.read(item)
                except (ValueError, TypeError, AttributeError) as error:
                    line = self.scenario.line_of("chance", name)
                    raise self._impossible(line, Impossible(f"{name}: {item!r}: {error}")) from None

    def _impossible(self, line: int, error: Impossible) -> ScenarioFailed:
        return self._failed(line, "scripted outcomes that are possible", f"an impossible outcome of {error}")

    def _offer(self, offer: Offer) -> None:
        table = self.table
        before = self._sight() if offer.refused else None
        try:
            rejection = table.offer(offer.seat, offer.text)
        except Impossible as error:
            raise self._impossible(offer.line, error) from None
        move = f"{offer.seat}: {offer.text}"
        if not offer.refused:
            if rejection is not None:
                if offer.seat >= self.scenario.players:
                    why = f"there is no seat {offer.seat} at a table of {self.scenario.players}"
                else:
                    why = f"{rejection.message} ({rejection.code}); asked now: {_seats(table.pending())}"
                raise self._failed(offer.line, f"the move '{move}' to be legal", f"rejected: {why}")
        elif rejection is None:
            raise self._failed(offer.line, f"the move '{move}' to be rejected", "it was accepted")
        elif offer.code and rejection.code != offer.code:
            raise self._failed(
                offer.line,
                f"the move '{move}' to be rejected with the code {offer.code}",
                f"the code {rejection.code}: {rejection.message}",
            )
        elif self._sight() != before:
            raise self._failed(offer.line, f"nothing to change by the rejected move '{move}'", "the position changed")

    def _list(self, wanted: ListIs) -> None:
        state = self.table.state
        shown = [state.format(move) for move in self.table.legal(wanted.seat).moves]
        moves: list[str] = []
        for text in wanted.moves:
            try:
                moves.append(state.format(state.parse(text)))
            except Unreadable as error:
                if wanted.how != "lacks":
                    expected = f"legal {wanted.seat} {wanted.how} {text}"
                    raise self._failed(wanted.line, expected, f"'{text}' is no move: {error}") from None
        expected = f"legal {wanted.seat} {wanted.how} {' | '.join(moves)}".rstrip()
        if wanted.how == "=":
            holds = set(moves) == set(shown)
        elif wanted.how == "has":
            holds = set(moves) <= set(shown)
        else:
            holds = not set(moves) & set(shown)
        if not holds:
            raise self._failed(wanted.line, expected, _listed(shown, moves, wanted.how))

    def _expect(self, wanted: Expect) -> None:
        state, result = self.table.state, self.table.result()
        seen: str
        match wanted.what:
            case "pending":
                seen = " ".join(map(str, self.table.pending()))
            case "scores":
                seen = " ".join(map(str, state.scores()))
            case "over":
                seen = "no" if result is None else "yes"
            case "ranks":
                seen = "the match is not over" if result is None else " ".join(map(str, result.ranks))
            case "reason":
                seen = "the match is not over" if result is None else result.reason
        if seen != wanted.value:
            raise self._failed(wanted.line, f"{wanted.what} = {wanted.value}".rstrip(), seen or "nobody")

    def _end(self) -> None:
        scenario, table = self.scenario, self.table
        if table.pending() != table.state.pending():
            raise self._failed(
                scenario.last_line,
                "the script to finish the sealed decision it began",
                f"it ends before these seats have moved: {_seats(table.pending())}",
            )
        for label, outcomes in self.chance.unspent().items():
            written = ", ".join(map(str, outcomes))
            raise self._failed(
                scenario.line_of("chance", label),
                f"every scripted outcome of '{label}' to be used",
                f"left over: {written}",
            )

    def _sight(self) -> tuple[Any, ...]:
        """All that can be seen of a position, by anybody."""
        state = self.table.state
        seats = (None, *range(self.scenario.players))
        return self.table.pending(), *(state.view_bytes(seat) for seat in seats)

    def _failed(self, line: int, expected: str, seen: str) -> ScenarioFailed:
        return ScenarioFailed(self.scenario.path, line, expected, seen)


def _seats(seats: tuple[int, ...]) -> str:
    return " ".join(map(str, seats)) or "nobody"


def _listed(shown: list[str], wanted: list[str], how: str) -> str:
    """The list, or where it is long what matters of it."""
    if len(shown) <= 24:
        return " | ".join(shown) or "no moves"
    missing = [text for text in wanted if text not in shown]
    if how == "lacks":
        return f"among {len(shown)} moves: {' | '.join(text for text in wanted if text in shown)}"
    lacking = f"without {' | '.join(missing)}" if missing else f"with more than that, such as {shown[0]}"
    return f"{len(shown)} moves {lacking}"
