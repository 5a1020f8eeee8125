"""The check of a bot's conduct: what an author runs before submitting, and what an SDK has to pass.

The bot is started as in a tournament and plays against house bots: every game it says it plays, one match after the
other, several at once, with a move refused, with its stream broken in the middle. `check` returns a `Report` with a
`Finding` for everything that was looked at; nothing a bot does makes it raise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import grpc

from referee.conformance.refusing_game import ContraryGame
from referee.hall.house_player import HousePlayer, HouseRoom
from referee.hosting.bot import folders
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.bot_process import Patience
from referee.hosting.sandbox.launch import Quarters
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Player
from referee.match.result import Ending, Termination
from referee.net.guard import Refusal
from referee.rules import registry
from referee.rules.game import Game, WrongUse, seed_bytes
from referee.workers.bot_host import Guest, Guesthouse

CONTROL = TimeControl(limit=1.0, bank=10.0, grace=10.0)
BROKEN = Refusal(grpc.StatusCode.UNAVAILABLE, "this connection is broken on purpose: come back and play on")
ARRIVE_SECONDS = 20.0
AT_ONCE = 8
UNHEARD = "; does it end its lines, and flush its output after each?"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str
    """A stable name: "handshake", "plays", "several_at_once", "refused_move", "reconnect", "still_there"."""
    game: str
    ok: bool
    text: str


@dataclass(slots=True)
class Report:
    """All that was found out about a bot."""

    bot: str
    findings: list[Finding] = field(default_factory=list)
    matches: int = 0
    decisions: int = 0
    strikes: int = 0
    p50_ms: int = 0
    p99_ms: int = 0
    slowest_ms: int = 0
    memory_mb: float = 0.0
    last_lines: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return all(finding.ok for finding in self.findings)

    def value(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"ok": self.ok, **asdict(self)}


async def check(
    spec: BotSpec,
    quarters: Quarters,
    games: Sequence[str] = (),
    *,
    matches: int = 5,
    control: TimeControl = CONTROL,
    told: Callable[[Finding], object] = lambda finding: None,
) -> Report:
    """Check a bot: the games named, or all it plays; `told` hears of every finding as it is made."""
    chosen = [registry.find(name) for name in games or spec.games or registry.names()]
    for game in chosen:
        if not spec.plays(game.name):
            raise WrongUse(f"{spec.name} does not play {game.name}; it plays {', '.join(spec.games)}")
    async with Guesthouse(quarters) as house:
        room = HouseRoom()
        try:
            examination = _Examination(house, room, spec, matches, control, told)
            return await examination.run(chosen)
        finally:
            room.close()


class _Examination:
    """One bot before the examiners."""

    def __init__(
        self,
        house: Guesthouse,
        room: HouseRoom,
        spec: BotSpec,
        matches: int,
        control: TimeControl,
        told: Callable[[Finding], object],
    ) -> None:
        self._house = house
        self._room = room
        self._spec = spec
        self._matches = matches
        self._control = control
        self._told = told
        self._report = Report(spec.name)
        self._times: list[int] = []
        self._seats: dict[str, int] = {}
        self._number = 0

    async def run(self, games: Sequence[Game[Any]]) -> Report:
        report = self._report
        guest = await self._house.host(self._spec, concurrency=AT_ONCE, patience=Patience(crashes=3))
        arrived = await self._house.arrive(guest, ARRIVE_SECONDS)
        self._find("handshake", "", arrived, self._how_it_came(guest, arrived))
        if arrived:
            for game in games:
                if not await self._examine(guest, game):
                    break
            there = guest.process.runs == 1 and guest.process.pid is not None
            text = "the program runs on after its matches" if there else f"the program {_last_exit(guest)}"
            self._find("still_there", "", there, text)
        self._times.sort()
        if self._times:
            report.p50_ms = self._times[len(self._times) // 2]
            report.p99_ms = self._times[min(len(self._times) - 1, len(self._times) * 99 // 100)]
            report.slowest_ms = self._times[-1]
        report.memory_mb = round(max(guest.process.weigh().memory, guest.process.peak.memory) / (1 << 20), 1)
        report.last_lines = guest.process.stderr.lines()[-10:]
        return report

    async def _examine(self, guest: Guest, game: Game[Any]) -> bool:
        """All checks of one game; False if it makes no sense to go on."""
        one: list[Match] = []
        while len(one) < self._matches and not (one and self._ran_out(one[-1])):
            one.append(await self._play(guest, game))
        self._judge("plays", game, one, f"{len(one)} match{'es' * (len(one) > 1)}, one after the other")
        if not await self._house.arrive(guest, ARRIVE_SECONDS):
            return False
        if self._ran_out(one[-1]):  # the rest would only take as long again, many times
            return True
        together = max(1, min(AT_ONCE, guest.free))
        several = await asyncio.gather(*(self._play(guest, game) for _ in range(together)))
        self._judge("several_at_once", game, several, f"{together} at once")
        if not await self._house.arrive(guest, ARRIVE_SECONDS):
            return False
        refused = await self._play(guest, game, contrary=True)
        self._judge("refused_move", game, [refused], "answers again when a move is refused", strikes=1)
        if not await self._house.arrive(guest, ARRIVE_SECONDS):
            return False
        if self._spec.kind is not Kind.STDIO:
            broken = await self._play(guest, game, broken=True)
            self._judge("reconnect", game, [broken], "comes back and plays on when its stream breaks")
        return await self._house.arrive(guest, ARRIVE_SECONDS)

    async def _play(self, guest: Guest, game: Game[Any], *, contrary: bool = False, broken: bool = False) -> Match:
        """One match of the bot against house bots; the bot changes seats from match to match."""
        self._number += 1
        players = min(game.seats.most, max(game.seats.least, 2 + self._number % 2))
        seat = self._seats[f"check-{self._number}"] = self._number % players
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def finished(match: Match, ending: Ending) -> None:
            match.announce()
            over.set_result(None)

        bot = guest.player
        seats: list[Player] = [self._opponent(number) for number in range(players)]
        if bot is not None:
            seats[seat] = bot
        match = self._house.hall.play(
            f"check-{self._number}",
            ContraryGame(game, seat) if contrary else game,
            seats,
            game.resolve_options(),
            seed_bytes(f"check {self._number}"),
            self._control,
            finished=finished,
        )
        if bot is None:
            match.forfeit(seat, Termination.DISCONNECT, "the bot is not connected")
        if broken:
            self._house.play.close(guest.name, BROKEN)
        await over
        self._account(match, seat)
        return match

    def _ran_out(self, match: Match) -> bool:
        """Whether the bot did not answer in time."""
        assert match.ending is not None
        return match.ending.terminations[self._seats[match.id]] is Termination.TIMEOUT

    def _opponent(self, number: int) -> HousePlayer:
        return HousePlayer(f"random-{number + 1}", folders.load(folders.find("random")), self._room)

    def _account(self, match: Match, seat: int) -> None:
        log = match.transcript.seats[seat]
        self._report.matches += 1
        self._report.decisions += log.decisions
        self._report.strikes += log.strikes
        self._times += log.times_ms

    def _judge(self, check: str, game: Game[Any], matches: Sequence[Match], text: str, *, strikes: int = 0) -> None:
        """Every match has to be played to the end without a strike, or with exactly those that were provoked."""
        for match in matches:
            assert match.ending is not None
            seat = self._seats[match.id]
            how, why = match.ending.terminations[seat], match.ending.texts[seat]
            if how is not Termination.FINISHED:
                mute = how is Termination.TIMEOUT and not match.transcript.seats[seat].decisions
                hint = UNHEARD if mute and self._spec.kind is Kind.STDIO else ""
                self._find(check, game.name, False, f"forfeited ({how.value}): {why}{hint}")
                return
            if match.transcript.seats[seat].strikes > strikes:
                last = [event for event in match.transcript.events if event[0] == "rejected"][-1]
                self._find(check, game.name, False, f"the move {last[5]!r} was refused ({last[4]})")
                return
        self._find(check, game.name, True, text)

    def _find(self, check: str, game: str, ok: bool, text: str) -> None:
        finding = Finding(check, game, ok, text)
        self._report.findings.append(finding)
        self._told(finding)

    def _how_it_came(self, guest: Guest, arrived: bool) -> str:
        if arrived:
            session = guest.session
            return f"connected as {session.client or 'an unnamed client'}" if session is not None else "started"
        if guest.benched:
            return (
                f"the program {_last_exit(guest)} without connecting; if it speaks JSON lines, write stdio: before it"
            )
        return f"no connection within {ARRIVE_SECONDS:g} seconds; does it call arena.run, or speak JSON lines (stdio:)?"


def _last_exit(guest: Guest) -> str:
    return guest.process.exits[-1].text if guest.process.exits else "is not running"
