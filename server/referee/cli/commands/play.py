"""`referee play`: a seat for a person, in the terminal, against bots that play in this process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, game_options, read_bots
from referee.cli.errors import DID_NOT_HOLD, INTERRUPTED, WRONG_USE, Failure
from referee.cli.output import stdout_console
from referee.cli.terminal import wants_ascii, wants_colour

if TYPE_CHECKING:
    from referee.rules.game import Game, Seat
    from referee.rules.playout import Chooser
    from referee.rules.table import Table

MOST_LISTED = 40
"""Legal moves that are listed; more are found by typing a part of one."""
HELP = "a number or a move; ? asks a house bot, l lists all moves, r resigns, q leaves"


def play(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The name of a game; 'referee games' lists them.", show_default=False)
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against", "-a", metavar="BOTS", help="House bots with commas between them.", show_default="a strong one"
        ),
    ] = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat, from 0.", show_default="drawn")] = None,
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="The same text deals the same again.")] = None,
    name: Annotated[str, typer.Option(help="How you are called at the table.")] = "you",
    option: Annotated[list[str] | None, typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP)] = None,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII only.")] = False,
) -> int:
    """Play against house bots in the terminal: nothing is rated, stored or timed.

    You see what a bot in your seat would see. Answer with the number of a move, or with the move itself.

    Example: [bold]referee play flip7 --against odds,cautious[/bold]
    """
    import secrets

    from referee.hosting.bot import folders
    from referee.hosting.inprocess import chooser
    from referee.hosting.simulation import BotFault
    from referee.rules import registry
    from referee.rules.game import seed_bytes
    from referee.rules.table import Table
    from referee.tournament.plan import distinct

    chosen = registry.find(game)
    options = game_options(chosen, option or [])
    house = folders.names(game, inside=True)
    bots = read_bots(against, "--against") if against else [_strong(house)] * max(1, chosen.seats.least - 1)
    found = [folders.find(bot, game) for bot in bots]
    players = chosen.check_players(1 + len(bots))
    if seat is not None and seat >= players:
        raise Failure(f"there is no seat {seat}: the match has the seats 0 to {players - 1}", WRONG_USE)
    own = secrets.randbelow(players) if seat is None else seat
    loaded = []
    for folder in found:
        folders.check_inside(folder)
        loaded.append(folders.load(folder))
    names = distinct(list(bots))
    names.insert(own, name)
    loaded.insert(own, None)
    choosers = {
        place: chooser(bot, names[place], chosen, options, "play", place, names)
        for place, bot in enumerate(loaded)
        if bot is not None
    }
    adviser = folders.load(folders.find(_strong(house), game)) if house else None
    advise = None if adviser is None else chooser(adviser, _strong(house), chosen, options, "play", own, names)
    table = Table(chosen, players, options, seed_bytes(seed) if seed else secrets.token_bytes(32))
    screen = _Screen(chosen, names, own, ascii, _strong(house) if house else "", advise)
    try:
        return _play(table, choosers, screen)
    except BotFault as error:
        raise Failure(str(error), DID_NOT_HOLD) from error


def _strong(house: Sequence[str]) -> str:
    """A house bot worth playing against."""
    return next(
        (name for name in house if name not in ("random", "mixed", "cautious")), house[0] if house else "random"
    )


class _Screen:
    """What the person sees and types."""

    def __init__(
        self, game: Game[Any], names: Sequence[str], seat: Seat, ascii: bool, adviser: str, advise: Chooser | None
    ) -> None:
        self._game, self._names, self.seat, self._ascii = game, names, seat, ascii
        self._adviser, self._advise = adviser, advise
        self._console = stdout_console()

    def show(self, table: Table) -> None:
        """The board as this seat sees it."""
        lines = self._game.drawing(
            table.state.view(self.seat),
            self._console.width,
            names=self._names,
            colour=wants_colour(),
            ascii=self._ascii or wants_ascii(),
        )
        sys.stdout.write("\n" + "\n".join(lines) + "\n\n")

    def ask(self, table: Table) -> str | None:
        """A move that was typed; None: the person leaves."""
        legal = table.legal(self.seat)
        moves = [table.state.format(move) for move in legal.moves]
        self._list(moves, legal.complete, MOST_LISTED)
        while True:
            sys.stdout.write("your move: ")
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line or line.strip() in ("q", "quit"):
                return None
            text = line.strip()
            if text == "?":
                self._say(self._advice(table))
            elif text == "l":
                self._list(moves, legal.complete, len(moves))
            elif text == "r":
                return ""
            elif text.isdecimal() and text not in moves:
                if 1 <= int(text) <= len(moves):
                    return moves[int(text) - 1]
                self._say(f"there are the moves 1 to {len(moves)}")
            elif text:
                return text
            else:
                self._say(HELP)

    def refused(self, text: str, message: str, moves: Sequence[str]) -> None:
        """A move that was not accepted, and those that it may have meant."""
        self._say(message)
        near = [move for move in moves if text.lower() in move.lower()]
        if near:
            self._list(near, True, MOST_LISTED, numbered=False)

    def _advice(self, table: Table) -> str:
        if self._advise is None:
            return "no house bot plays this game"
        return f"{self._adviser} would play {table.state.format(self._advise(table.state, self.seat))}"

    def _list(self, moves: Sequence[str], complete: bool, most: int, numbered: bool = True) -> None:
        for number, move in enumerate(moves[:most], 1):
            sys.stdout.write(f"{number:4}  {move}\n" if numbered else f"      {move}\n")
        if len(moves) > most:
            self._say(f"      and {len(moves) - most} more: l lists them all")
        if not complete:
            self._say("      and others: these are suggestions")

    def _say(self, text: str) -> None:
        sys.stdout.write(text + "\n")


def _play(table: Table, choosers: dict[int, Chooser], screen: _Screen) -> int:
    resigned = False
    while (result := table.result()) is None:
        for seat in table.pending():
            if seat in choosers:
                table.put(seat, choosers[seat](table.state, seat))
            elif resigned:
                table.put(seat, table.state.fallback(seat))
            else:
                answer = _answer(table, screen)
                if answer is None:
                    return INTERRUPTED
                resigned = answer is False
                if resigned:
                    table.put(seat, table.state.fallback(seat))
            if seat not in table.pending() and not table.sealed:
                break
    screen.show(table)
    rank = result.ranks[screen.seat]
    sys.stdout.write(
        "you resigned\n" if resigned else "you have won\n" if rank == 1 else f"you came in at rank {rank}\n"
    )
    return 0


def _answer(table: Table, screen: _Screen) -> bool | None:
    """Ask the person until a move is accepted: True; False: resigned; None: left."""
    screen.show(table)
    while True:
        text = screen.ask(table)
        if text is None:
            return None
        if text == "":
            return False
        rejection = table.offer(screen.seat, text)
        if rejection is None:
            return True
        state = table.state
        screen.refused(text, rejection.message, [state.format(move) for move in state.legal(screen.seat).moves])
