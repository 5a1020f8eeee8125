"""Conformance check of a bot: what an author runs before submitting (`referee check`), and what an SDK has to pass.

The bot is started as in a tournament and plays against house bots: every game it says it plays, one match after the
other, several at once, with a move refused, with its stream broken in the middle. `check` returns a `Report` with a
`Finding` for everything that was looked at; nothing a bot does makes it raise.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.conformance.causes import cause_of, why_forfeited, why_refused
from referee.conformance.refusing_game import RefusingGame
from referee.hall.house_player import HouseBotThread, HousePlayer
from referee.hosting.bot import folders
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.bot_process import RestartPolicy
from referee.hosting.sandbox.launch import Launcher
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Player
from referee.match.result import Ending, Termination
from referee.net.play_service import BROKEN_ON_PURPOSE
from referee.rules import registry
from referee.rules.game import Game, WrongUse, seed_bytes
from referee.workers.bot_host import BotHost, HostedBot

CONTROL = TimeControl(limit=1.0, bank=10.0, grace=10.0)
ARRIVE_SECONDS = 20.0
AT_ONCE = 8
SHOWN_LINES = 10
ERROR = "error: "
"""What the last sentence of an SDK begins with."""
NEITHER = "does it call arena.run, or speak JSON lines (stdio:)?"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str
    """A stable name: "handshake", "plays", "several_at_once", "refused_move", "reconnect", "still_there"."""
    game: str
    ok: bool
    text: str
    same_as: str = ""
    """The earlier check that failed for the same cause, with its game: "flip7 plays"."""


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
    launcher: Launcher,
    games: Sequence[str] = (),
    *,
    matches: int = 5,
    control: TimeControl = CONTROL,
    told: Callable[[Finding], object] = lambda finding: None,
    doing: Callable[[str], object] = lambda text: None,
) -> Report:
    """Check a bot: the games named, or all it plays.

    `told` hears of every finding as it is made, `doing` what is being done while nothing is found.
    """
    chosen = [registry.find(name) for name in games or spec.games or registry.names()]
    for game in chosen:
        if not spec.plays(game.name):
            raise WrongUse(f"{spec.name} does not play {game.name}; it plays {', '.join(spec.games)}")
    async with BotHost(launcher) as host:
        house_thread = HouseBotThread()
        try:
            examination = _Examination(host, house_thread, spec, matches, control, told, doing)
            return await examination.run(chosen)
        finally:
            house_thread.close()


class _Examination:
    """One run of all checks on one bot."""

    def __init__(
        self,
        host: BotHost,
        house_thread: HouseBotThread,
        spec: BotSpec,
        matches: int,
        control: TimeControl,
        told: Callable[[Finding], object],
        doing: Callable[[str], object],
    ) -> None:
        self._host = host
        self._house_thread = house_thread
        self._spec = spec
        self._matches = matches
        self._control = control
        self._told = told
        self._doing = doing
        self._causes: dict[str, str] = {}
        self._report = Report(spec.name)
        self._times: list[int] = []
        self._seats: dict[str, int] = {}
        self._number = 0

    async def run(self, games: Sequence[Game[Any]]) -> Report:
        report = self._report
        self._doing(f"starting {self._spec.name}")
        hosted = await self._host.host(self._spec, concurrency=AT_ONCE, restart_policy=RestartPolicy(crashes=3))
        arrived = await self._host.wait_ready(hosted, ARRIVE_SECONDS)
        self._find("handshake", "", arrived, self._how_it_came(hosted, arrived))
        if arrived:
            for game in games:
                if not await self._examine(hosted, game):
                    break
            there = hosted.process.runs == 1 and hosted.process.pid is not None
            text = "the program runs on after its matches" if there else f"the program {_last_exit(hosted)}"
            self._find("still_there", "", there, text)
        self._times.sort()
        if self._times:
            report.p50_ms = self._times[len(self._times) // 2]
            report.p99_ms = self._times[min(len(self._times) - 1, len(self._times) * 99 // 100)]
            report.slowest_ms = self._times[-1]
        report.memory_mb = round(max(hosted.process.usage().memory, hosted.process.peak.memory) / (1 << 20), 1)
        report.last_lines = hosted.process.stderr.shown(SHOWN_LINES)
        return report

    async def _examine(self, hosted: HostedBot, game: Game[Any]) -> bool:
        """All checks of one game; False if it makes no sense to go on."""
        one: list[Match] = []
        while len(one) < self._matches and not (one and self._ran_out(one[-1])):
            self._doing(f"playing {game.name}, match {len(one) + 1} of {self._matches}")
            one.append(await self._play(hosted, game))
        self._judge("plays", game, hosted, one, f"{len(one)} match{'es' * (len(one) > 1)}, one after the other")
        if not await self._host.wait_ready(hosted, ARRIVE_SECONDS):
            return False
        if self._ran_out(one[-1]):  # the rest would only take as long again, many times
            return True
        together = max(1, min(AT_ONCE, hosted.free))
        self._doing(f"playing {game.name}, {together} matches at once")
        several = await asyncio.gather(*(self._play(hosted, game) for _ in range(together)))
        self._judge("several_at_once", game, hosted, several, f"{together} at once")
        if not await self._host.wait_ready(hosted, ARRIVE_SECONDS):
            return False
        self._doing(f"playing {game.name}, with a move refused")
        refused = await self._play(hosted, game, refusing=True)
        self._judge("refused_move", game, hosted, [refused], "answers again when a move is refused", strikes=1)
        if not await self._host.wait_ready(hosted, ARRIVE_SECONDS):
            return False
        if self._spec.kind is not Kind.STDIO:
            self._doing(f"playing {game.name}, with a broken stream")
            broken = await self._play(hosted, game, broken=True)
            self._judge("reconnect", game, hosted, [broken], "comes back and plays on when its stream breaks")
        return await self._host.wait_ready(hosted, ARRIVE_SECONDS)

    async def _play(self, hosted: HostedBot, game: Game[Any], *, refusing: bool = False, broken: bool = False) -> Match:
        """One match of the bot against house bots; the bot changes seats from match to match."""
        self._number += 1
        players = min(game.seats.most, max(game.seats.least, 2 + self._number % 2))
        seat = self._seats[f"check-{self._number}"] = self._number % players
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def finished(match: Match, ending: Ending) -> None:
            match.announce()
            over.set_result(None)

        bot = hosted.player
        seats: list[Player] = [self._opponent(number) for number in range(players)]
        if bot is not None:
            seats[seat] = bot
        match = self._host.hall.play(
            f"check-{self._number}",
            RefusingGame(game, seat) if refusing else game,
            seats,
            game.resolve_options(),
            seed_bytes(f"check {self._number}"),
            self._control,
            finished=finished,
        )
        if bot is None:
            match.forfeit(seat, Termination.DISCONNECT, "the bot is not connected")
        if broken:
            self._host.play.close(hosted.name, BROKEN_ON_PURPOSE)
        await over
        self._account(match, seat)
        return match

    def _ran_out(self, match: Match) -> bool:
        """Whether the bot did not answer in time."""
        assert match.ending is not None
        return match.ending.terminations[self._seats[match.id]] is Termination.TIMEOUT

    def _opponent(self, number: int) -> HousePlayer:
        return HousePlayer(f"random-{number + 1}", folders.load(folders.find("random")), self._house_thread)

    def _account(self, match: Match, seat: int) -> None:
        log = match.transcript.seats[seat]
        self._report.matches += 1
        self._report.decisions += log.decisions
        self._report.strikes += log.strikes
        self._times += log.times_ms

    def _judge(
        self,
        check: str,
        game: Game[Any],
        hosted: HostedBot,
        matches: Sequence[Match],
        text: str,
        *,
        strikes: int = 0,
    ) -> None:
        """Every match has to be played to the end without a strike, or with exactly those that were provoked."""
        for match in matches:
            assert match.ending is not None
            seat = self._seats[match.id]
            if match.ending.terminations[seat] is not Termination.FINISHED:
                self._find(check, game.name, False, why_forfeited(match, seat, hosted))
                return
            if match.transcript.seats[seat].strikes > strikes:
                self._find(check, game.name, False, why_refused(match, seat, hosted))
                return
        self._find(check, game.name, True, text)

    def _find(self, check: str, game: str, ok: bool, text: str) -> None:
        named = f"{game} {check}".strip()
        first = named if ok else self._causes.setdefault(cause_of(text), named)
        finding = Finding(check, game, ok, text, "" if first == named else first)
        self._report.findings.append(finding)
        self._told(finding)

    def _how_it_came(self, hosted: HostedBot, arrived: bool) -> str:
        if arrived:
            session = hosted.session
            return f"connected as {session.client or 'an unnamed client'}" if session is not None else "started"
        if hosted.benched:
            told = hosted.process.exits[-1].advice
            hint = f"{told[:1].lower()}{told[1:]}" if told else _own_error(hosted) or NEITHER
            return f"the program {_last_exit(hosted)} without connecting; {hint}"
        return f"no connection within {ARRIVE_SECONDS:g} seconds; {NEITHER}"


def _last_exit(hosted: HostedBot) -> str:
    return hosted.process.exits[-1].text if hosted.process.exits else "is not running"


def _own_error(hosted: HostedBot) -> str:
    """What a program said last of its own mistake, such as a flag that there is not."""
    lines = hosted.process.stderr.shown(SHOWN_LINES)
    return next((f"it says: {line.removeprefix(ERROR)}" for line in reversed(lines) if line.startswith(ERROR)), "")
