"""The interface of a game, and its manual: `Game`, `State`, legal moves, results, ranks.

A game is two classes. `Game` says what can be played (name, version, seats, options) and starts a match; `State` is
one match in progress. A state is mutable, cheap to copy and pure: no I/O, no clock, no randomness but the `Chance`
it was given. Everything the engine does with a game, it does through the verbs below:

    state = game.start(players=3, seed=b"any bytes")
    while state.result() is None:
        moves = {seat: choose(state.legal(seat).moves) for seat in state.pending()}
        state.play(moves)
    print(state.result().ranks)

How the verbs fit together
- `pending()` names the seats that are asked now. One seat is an ordinary turn; several seats are a *sealed*
  decision: all of them choose without seeing the others' choice, and `play` takes all the moves at once. Nobody is
  pending exactly when `result()` is there.
- `legal(seat)` lists moves in canonical order. `complete` says whether that is all of them; where it is not, the list
  holds suggestions and `check` is the judge. `check` never needs the list and never changes anything.
- A move inside is whatever small hashable value suits the game; outside it is text. `parse` reads text generously
  (extra spaces, boxes in any order), `format` prints the one canonical form, and `parse(format(move)) == move`.
- `view(seat)` is the only door through which a state leaves a match; `view(None)` is what the public sees. A view
  is a plain dict (texts as keys, whole numbers, texts, lists, dicts) or a protobuf message, and complete: a bot that
  sees only the current one can play well, and it carries what happened since that seat last decided. The views of all
  games share `seat`, `asked`, `events`, `scores`, `ranks` and `reason`: `referee.rules.views.common` makes them.
- `fallback(seat)` is the harmless move made for a seat that is late, gone or forfeited.
- `options` are read by `resolve_options`, which checks whatever a stranger may send. A game opens no file of its own
  accord: an option that names one asks the `Files` it is read with (`referee.rules.options`, `referee.rules.files`).
- `openings` is an option of every game: so many random legal moves before the bots are asked, drawn under the label
  `opening` (`referee.rules.openings`). A game does nothing for it.
- `hidden()` is for replays with everything revealed, once a match is over: what no view of any seat shows.
- `drawing(view, width)` and `picture(view)` show a view to people, as lines for a terminal and as an SVG document, and
  `told(view)` says what happened in words. They belong to the game and not to the state, for a view is all they need:
  whoever may see the view may see the picture. A game draws its own through `board`, made from the parts in
  `referee.rules.boards`; without one it gets a tidy table of its view.
- `redealt(seat, chance)` and `pieces()` exist for the laws: they let a check prove that a view leaks nothing and
  that no card is lost or doubled.
- `redrawn(chance)` draws anew what no seat knows at all, and may be left out. `referee luck` needs it.
- `imagine(view, chance)` is the way back, from a view to a match in progress, and may be left out. A bot that has only
  its view can then try what its moves lead to. What the view says stays; the rest is drawn with the odds that `redealt`
  gives it.

Where one seat is asked at a time, `referee.rules.turns.OneAtATime` spares the author half of these verbs.

A third party's game is found through the entry point group `referee.games`; `referee new-game NAME` makes one to start
from, and `referee check-game NAME` (`referee.rules.laws.check_game`) tells its author whether it keeps every promise
made here. `games/README.md` is the way from an empty folder to the first match.
"""

from __future__ import annotations

import hashlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from referee.rules.boards.board import Board
from referee.rules.boards.spots import Spot, usable
from referee.rules.chance import Chance, Label, Seeded
from referee.rules.files import NO_FILES, Files
from referee.rules.openings import OPENINGS, opened, openings_of, without_openings
from referee.rules.options import Option, resolve
from referee.rules.views import View, pack

Seat = int
M = TypeVar("M")


class WrongUse(ValueError):
    """Something a person asked for cannot be: the text says what and what would do."""


class Unreadable(ValueError):
    """A move's text is no move of this game in any position; the text says how moves are written."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a move was not accepted: a stable code in lower_snake_case for programs, a sentence for people."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended: `ranks[seat]` is 1 + the number of seats strictly better; `reason` is a stable word."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str = "finished"


class Legal(NamedTuple, Generic[M]):
    """The moves a seat is shown, in canonical order; `complete` is False where they are only suggestions."""

    moves: tuple[M, ...]
    complete: bool = True


class Seats(NamedTuple):
    """How many players a game takes."""

    least: int
    most: int

    def __str__(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


class Appraisal(NamedTuple):
    """A position in numbers: how far the match has come, from 0 to 1, and as many numbers for each seat."""

    progress: float
    seats: Sequence[Sequence[float]]


class State(ABC, Generic[M]):
    """One match in progress."""

    players: int

    @abstractmethod
    def pending(self) -> tuple[Seat, ...]:
        """The seats that are asked now, ascending; several at once choose sealed; empty once the match is over."""

    @abstractmethod
    def result(self) -> Result | None:
        """How the match ended, or None while it goes on."""

    @abstractmethod
    def legal(self, seat: Seat) -> Legal[M]:
        """What this seat may do now, in canonical order; no moves for a seat that is not asked."""

    @abstractmethod
    def check(self, seat: Seat, move: M) -> Rejection | None:
        """Why this move of an asked seat is illegal now, or None; changes nothing and builds no list."""

    @abstractmethod
    def play(self, moves: Mapping[Seat, M]) -> None:
        """Carry out one decision: a checked move for every pending seat."""

    @abstractmethod
    def view(self, seat: Seat | None) -> View:
        """All that this seat may know, or (None) all that is public."""

    def view_bytes(self, seat: Seat | None) -> bytes:
        """The same as it goes over the wire; a game that writes it faster than its message does says so here."""
        return pack(self.view(seat))

    def unwatched(self) -> None:
        """From here on neither a view, a redeal nor a copy is asked for, so what only these tell need not be kept.

        For `referee verify`, which replays matches by the thousand. The rules stay the same; a game may do without it.
        """

    @abstractmethod
    def fallback(self, seat: Seat) -> M:
        """The deterministic, legal, harmless move of an asked seat that does not answer."""

    @abstractmethod
    def scores(self) -> list[int]:
        """The current public score of every seat."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent state with the same past and the same future."""

    @abstractmethod
    def parse(self, text: str) -> M:
        """The move this text means, or `Unreadable`. Depends on the options at most, never on the position."""

    @abstractmethod
    def format(self, move: M) -> str:
        """The canonical text of a move."""

    @abstractmethod
    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        """A copy in which everything this seat (None: the public) cannot know is drawn anew from `chance`.

        Hidden cards, the order of piles and all outcomes still to come change; what the seat has seen stays.
        """

    @abstractmethod
    def pieces(self) -> Mapping[str, int]:
        """How many of each physical piece there are, wherever they lie: the same at every moment of a match."""

    def redrawn(self, chance: Chance) -> Self:
        """A copy in which only what no seat knows yet is drawn anew: piles, rolls to come. Every seat sees the same.

        For `referee luck`, which compares what came with what could have come. A game may do without it: WrongUse.
        """
        raise WrongUse("its author does not say what no seat knows, and provides no 'redrawn'")

    def appraisal(self) -> Appraisal:
        """What lets one guess who will be ahead, from what all seats know together: see `Appraisal`.

        For `referee luck`, which learns from matches of a house bot what these numbers are worth. Scores unless the
        game says more; the more they tell, the more luck can be taken off.
        """
        return Appraisal(0.0, [(float(score),) for score in self.scores()])

    def hidden(self) -> dict[str, Any]:
        """What no view shows at this moment, such as the order of a pile (next card first): plain values under plain
        names, for a replay with everything revealed. Never asked for while a match is played.
        """
        return {}


class Game(ABC, Generic[M]):
    """What can be played; one instance per game, found through the entry point group `referee.games`."""

    name: ClassVar[str]
    """How the game is called in commands, files and on the wire: lower_snake_case."""
    title: ClassVar[str]
    """How the game is called among people."""
    version: ClassVar[int]
    """Raised by one whenever the same seed and moves could lead elsewhere than before."""
    seats: ClassVar[Seats]
    options: ClassVar[Mapping[str, Option]] = {}
    labels: ClassVar[Mapping[str, Label]] = {}
    """The labels chance is drawn under, and how a scenario's script writes their outcomes."""
    draw_probability: ClassVar[float] = 0.1
    """Share of all pairs of seats that end level when all choose at random: TrueSkill needs it."""
    draws_by_players: ClassVar[Mapping[int, float]] = {}
    """The same for each number of players, where it depends on that; `draw_probability` is for those not named."""
    lower_is_better: ClassVar[bool] = False
    """Whether the lowest score wins."""
    ranks_beside_scores: ClassVar[str] = ""
    """Why a better score may rank below a worse one, in a sentence; empty where ranks follow the scores."""
    redealt_forgets: ClassVar[str] = ""
    """What a seat could remember or deduce from earlier and `redealt` does not keep, in a sentence; empty: nothing."""
    imagine_forgets: ClassVar[str] = ""
    """What `redealt` keeps from earlier and the present view alone does not tell, in a sentence; empty: nothing."""

    mirroring: ClassVar[str] = ""
    """Whether mirrored deals pay in this game, in a sentence with what was measured; empty: not measured."""

    @property
    def board(self) -> Board | None:
        """How the game draws its views; None: as tables. `board = Board(…)` will do; a game whose drawing takes long to
        import makes it a `cached_property`, because most who need the rules draw nothing.
        """
        return None

    @abstractmethod
    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> State[M]:
        """A fresh match; `players` is in range and `options` are resolved."""

    @abstractmethod
    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        """No match asks for more decisions (calls of `play`) than this, whatever the bots do."""

    def start(
        self,
        players: int,
        options: Mapping[str, Any] | None = None,
        seed: bytes = b"",
        *,
        chance: Chance | None = None,
    ) -> State[M]:
        """A fresh match: checks the players and the options (which name no files), seeds the chance."""
        return self.begin(self.check_players(players), self.resolve_options(options), chance or Seeded(seed))

    def begin(self, players: int, options: Mapping[str, Any], chance: Chance) -> State[M]:
        """A fresh match after its opening, if the options want one (`referee.rules.openings`); all is checked."""
        state = self.new(players, options, chance)
        moves = openings_of(self, options)
        return opened(state, moves, chance) if moves else state

    def imagine(self, view: View | bytes, chance: Chance) -> State[M]:
        """A match in progress that agrees with all that a view says; the rest is drawn from `chance`.

        `view` is what `State.view` gave some seat or the public, its bytes, or the dict that JSON lines carry of it.
        The view that the imagined match shows that seat has the same bytes. `WrongUse` if it is no view of this game.
        """
        raise WrongUse(f"{self.name} cannot imagine a match from a view: its author provides no 'imagine'")

    def draws(self, players: int) -> float:
        """How often two of so many players end level, if all are alike."""
        return self.draws_by_players.get(players, self.draw_probability)

    def check_players(self, players: int) -> int:
        """The same number, or `WrongUse` if this game cannot seat so many."""
        if not self.seats.least <= players <= self.seats.most:
            raise WrongUse(f"{self.name} is for {self.seats} players, not {players}")
        return players

    def resolve_options(self, options: Mapping[str, Any] | None = None, files: Files = NO_FILES) -> dict[str, Any]:
        """Every option with its value: checked, defaults filled in, plain JSON.

        An option that names a file is refused unless `files` says where one may be read: give it only for options
        that a person wrote on this machine (see `referee.rules.files`).
        """
        try:
            own, openings = without_openings(self, {} if options is None else options)
            resolved = resolve(self.options, own, files)
        except ValueError as error:
            raise WrongUse(f"{self.name}: {error}") from None
        return resolved | ({OPENINGS: openings} if openings else {})

    def drawing(
        self,
        view: View,
        width: int = 80,
        *,
        names: Sequence[str] | None = None,
        colour: bool = False,
        ascii: bool = False,
    ) -> list[str]:
        """The view as lines for a terminal, none wider than `width` columns (wide characters take two).

        `names` are the names of the bots by seat, whatever they hold. Lines carry ANSI colours only with `colour`, and
        nothing but ASCII with `ascii`. Pure, and raises for no view: this is shown wherever a match is shown. Drawn by
        the game's `board`, or as a table of any view.
        """
        if self.board is not None and self.board.takes(view):
            return self.board.draw(view, width, names, colour=colour, ascii=ascii)
        from referee.rules.boards import generic

        return generic.drawing(self.title, view, width, names, colour=colour, ascii=ascii)

    def picture(self, view: View, *, names: Sequence[str] | None = None) -> str:
        """The view as a whole SVG document that can stand alone or in a page beside others.

        Pure, and raises for no view. No scripts, ids, files or fonts from elsewhere; everything that comes from the
        view or from `names` is escaped; light and dark by `prefers-color-scheme`; a `<title>` for screen readers.
        """
        if self.board is not None and self.board.takes(view):
            return self.board.paint(view, names)
        from referee.rules.boards import generic

        return generic.picture(self.name, self.title, view, names)

    def spots(self, view: View, legal: Sequence[str], *, names: Sequence[str] | None = None) -> list[Spot]:
        """The places of `picture(view)` that can be clicked to make one of these moves; none without a board that has
        them. Pure, and raises for no view.
        """
        if self.board is None or self.board.spots is None or not self.board.takes(view):
            return []
        return usable(self.board.spots(view, names), legal)

    def told(self, view: View, *, names: Sequence[str] | None = None) -> list[str]:
        """What the events of a view say, in words: one line for each, oldest first."""
        if self.board is not None and self.board.told is not None and isinstance(view, self.board.view):
            return self.board.told(view, names)
        from referee.rules.boards import generic

        return generic.told(view, names)

    def rules(self) -> str:
        """The rules for a bot author (Markdown), from `RULES.md` beside the game's module."""
        module = sys.modules[type(self).__module__]
        assert module.__file__ is not None
        return (Path(module.__file__).parent / "RULES.md").read_text(encoding="utf-8")


NOT_ASKED = Rejection("not_asked", "this seat is not asked now")


def ranks(keys: Iterable[Any]) -> tuple[int, ...]:
    """Ranks by key, highest first: 1 + the number of seats strictly better, so equals share a rank (1 1 3)."""
    values = list(keys)
    best_first = sorted(values, reverse=True)
    return tuple([1 + best_first.index(value) for value in values])


def seed_bytes(seed: int | str) -> bytes:
    """The 32-byte match seed meant by a number or a word that a person types."""
    return hashlib.sha256(f"referee seed {seed}".encode()).digest()
