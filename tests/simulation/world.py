"""A whole tournament by the virtual clock: the real director, runner, matches, sessions and store, with seeded faults.

`simulate(seed)` plays one tournament to its end through as many processes as die on the way, checks the invariants
while it plays and afterwards, and returns a digest of everything that happened. The same seed gives the same digest.
"""

from __future__ import annotations

import asyncio
import ctypes
import hashlib
import random
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from unittest.mock import patch

from structlog.testing import capture_logs

from arena.v1 import match_pb2 as pb
from referee.cli.commands.verify import verify_store
from referee.hall import director as director_module
from referee.hall.director import Director
from referee.hall.hall import Hall
from referee.hall.presence import Presence
from referee.hall.roster import Roster
from referee.match.result import Termination
from referee.net.play_service import PlayService
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.store import MatchState, NewEntrant, Store, TournamentState
from referee.store.connections import Connections
from referee.tournament import lifecycle
from referee.tournament.plan import Plan

from .absences import Absences
from .bots import Bot, Manner
from .databases import new_database, quick_databases
from .disk import NAME, Broken, Disk
from .lost_matches import LossyVenue
from .two_cards import ENTRY, TwoCards
from .virtual_time import Death, VirtualLoop, virtual
from .writing import SimulatedWriter

CALM_AFTER = 60.0
"""Seconds of virtual time after which all faults cease."""
ABSENCE = 20.0
"""Seconds that matches wait for a bot."""
PATIENCE = 120.0
"""Seconds of virtual time within which everything is over then."""
MANNERS = (
    Manner(),
    Manner(think=0.5, network=0.1),
    Manner(twice=0.5),
    Manner(cut=0.05, away=1.0),
    Manner(cut=0.15, away=5.0),
    Manner(cut=0.1, away=40.0, think=0.6, network=0.2),
    Manner(late=0.1),
    Manner(illegal=0.2),
    Manner(stray=0.1),
    Manner(flood=0.03),
    Manner(hung=0.1),
    Manner(resign=0.05),
)
GAMES = (*[TwoCards.name] * 9, "stop_me_go")
"""The game of each seed: nearly always the tiny one, for it has all that matters here and costs a tenth."""
_installed = registry._installed


def _with_the_tiny_game(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return (*_installed(path), ENTRY)


@dataclass
class World:
    """One seed."""

    seed: int
    folder: Path
    bots: int = 4
    rounds: int = 25
    wild: bool = True
    """False: all bots are honest and nothing fails."""
    now: float = 1000.0
    calm_since: float = float("inf")
    deaths: int = 0
    trace: Any = field(default_factory=hashlib.sha256)
    told: Counter[str] = field(default_factory=Counter)
    """How often each bot was told of the end of each match."""
    dealt: dict[str, tuple[int, str]] = field(default_factory=dict)
    """In which process each bot was sent each match, and the commitment to its seed."""
    lost: set[str] = field(default_factory=set)
    """Bots and matches whose deal was lost with a worker since it was sent."""
    losses: int = 0
    ends: Counter[Termination] = field(default_factory=Counter)
    digest: str = ""
    matches: int = 0
    _jump: float = 0.0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.absences = Absences(ABSENCE)
        self.disk = Disk(self.folder / "league.db", lambda bots: self.absences.long_enough(bots, self.clock()))
        self.game = GAMES[self.seed % len(GAMES)]
        if self.game != TwoCards.name:
            self.rounds = min(self.rounds, 10)  # a slow bot takes its time in a long game
        # A process that dies deals every open match anew: too many deaths would hide a match that hangs.
        self.deadly_until = self.now + self.chance.choice((2.0, 8.0, CALM_AFTER))
        self.players: list[Bot] = []
        self.loop: VirtualLoop | None = None
        self.hall: Hall | None = None
        self.director: Director | None = None

    def clock(self) -> float:
        return self.now if self.loop is None else self.loop.time()

    def wall(self) -> int:
        """The wall clock, which the host may set as he likes."""
        return int((1_700_000_000 + self.clock() + self._jump) * 1000)

    def play(self) -> str:
        """Until the tournament is over; returns the digest of the trace."""
        with (
            virtual(self.clock, self.chance),
            capture_logs(),
            patch.object(director_module, "HallVenue", LossyVenue),
            patch.object(registry, "_installed", _with_the_tiny_game),
            quick_databases(),
        ):
            new_database(self.disk.path)
            self._prepare()
            while not self._process():
                self.deaths += 1
            self._check_afterwards()
        return str(self.trace.hexdigest())

    def _prepare(self) -> None:
        with Store.open(str(self.disk.path), now=self.wall) as store:
            entrants = []
            for number in range(self.bots):
                name = f"bot{number}"
                made = store.bots.add(name)
                manner = self.chance.choice(MANNERS) if self.wild and number else Manner()
                assert made.token is not None
                entrants.append(NewEntrant(made.bot.id, name))
                make = partial(Bot, heard=self._heard, sent=self._sent)
                self.players.append(make(number, name, made.token, manner, str(self.seed), self.absences))
            plan = Plan(self.game, 2, rounds=self.rounds, limit=1.0, bank=2.0, grace=10.0, absence=ABSENCE)
            lifecycle.create(store, NAME, plan, entrants)

    def _process(self) -> bool:
        """One process of the server; False if it has died."""
        loop = self.loop = VirtualLoop(self.now, self.chance, self._check_now)
        asyncio.set_event_loop(loop)
        self.disk.open()
        self.absences.begin([player.name for player in self.players], self.now)
        store = Store.open(str(self.disk.path), now=self.wall)
        rough = self.wild and self.now < self.deadly_until
        writer = SimulatedWriter(
            store.writer, self.chance, self._check_disk, errors=0.01 if rough else 0.0, deaths=0.01 if rough else 0.0
        )
        store.writer = writer
        connections = Connections(store._readers, writer, self.wall)
        for part in vars(store).values():
            if hasattr(part, "_connections"):
                part._connections = connections
        try:
            loop.run_until_complete(self._serve(store))
            return True
        except Death:
            return False
        except RuntimeError as error:
            if loop.failure is not None:
                if isinstance(loop.failure, Death):
                    return False
                if isinstance(loop.failure, Broken):
                    raise loop.failure from None
                raise Broken(f"an error that nobody expected: {loop.failure!r}") from loop.failure
            if "stopped before Future completed" in str(error):
                return False
            raise Broken(str(error)) from error
        finally:
            self.now = loop.time()
            for player in self.players:
                player.wire = None
            _freeze(loop)
            self.disk.close()
            asyncio.set_event_loop(None)
            store._readers.dispose()
            store._writing.dispose()

    async def _serve(self, store: Store) -> None:
        loop = self.loop
        assert loop is not None
        hall = self.hall = Hall()
        presence = Presence()
        roster = Roster(store)
        director = self.director = Director(store, roster, hall, presence, concurrency=8)
        service = PlayService(roster.tokens, presence, grace=10.0)
        failed: asyncio.Future[None] = loop.create_future()

        def fails(error: BaseException) -> None:
            if not failed.done():
                failed.set_result(None)

        director.on_failure = fails
        beat = asyncio.ensure_future(hall.beat())
        await roster.tokens.refresh()
        state = store.tournaments.get(NAME).state
        if state is TournamentState.CREATED:
            await director.control(NAME, "start")
        else:
            await director.resume_all()
        for player in self.players:
            player.server_is(partial(service.Play, None))
        faults = asyncio.ensure_future(self._faults(loop))
        over = asyncio.ensure_future(director.wait_until_stopped(NAME))
        await asyncio.wait({over, failed, faults}, return_when=asyncio.FIRST_COMPLETED)
        if faults.done():
            faults.result()
        for task in (beat, faults):
            task.cancel()
        if failed.done():  # the disk failed: the server says so and stops, and is started again
            raise Death

    async def _faults(self, loop: VirtualLoop) -> None:
        """What befalls the whole process."""
        while True:
            await asyncio.sleep(0.05)
            elapsed = loop.time() - 1000.0
            if elapsed > CALM_AFTER:
                for player in self.players:
                    player.calm = True
                self.calm_since = min(self.calm_since, loop.time())  # a stall may have come just before
            elif self.wild:
                if self.chance.random() < 0.01:
                    seconds = self.chance.choice([0.1, 0.4, 2.0] * 3 + [70.0])
                    self.absences.stalled(seconds)
                    loop.stall(seconds)
                if self.chance.random() < 0.01:
                    self._jump = self.chance.choice([-3600.0, 0.0, 3600.0])
                # Workers die on when the server dies no more: its next process would find what this one forgot.
                if self.chance.random() < 0.03:
                    self._lose_a_match()
                if loop.time() < self.deadly_until and self.chance.random() < 0.01:
                    loop.stop()  # SIGKILL
            if loop.time() > self.calm_since + PATIENCE:
                raise Broken("the tournament does not come to its end")

    def _lose_a_match(self) -> None:
        """As when the worker that plays it dies."""
        assert self.director is not None
        for venue in self.director._venues.values():
            assert isinstance(venue, LossyVenue)
            if venue.playing:
                match = self.chance.choice(sorted(venue.playing))
                self.lost.update(f"{player.name} {match}" for player in self.players)
                self.losses += 1
                venue.lose(match)

    # What has to hold.

    def _check_now(self) -> None:
        """After every turn of the loop."""
        if self.hall is None:
            return
        for match in self.hall.matches.values():
            for seat, chair in enumerate(match._chairs):
                if chair.bank < 0:
                    raise Broken(f"{match.id}: the bank of seat {seat} is {chair.bank}")

    def _check_disk(self) -> None:
        """After every commit."""
        try:
            self.disk.check()
        except Broken as error:
            self._fail(error)

    def _fail(self, error: Broken) -> None:
        """End the simulation; not raised, because the server would take it for an error of its own and go on."""
        assert self.loop is not None
        self.loop.fail(error)

    def _heard(self, bot: Bot, body: pb.RefereeBody) -> None:
        assert self.loop is not None
        kind = body.WhichOneof("body") or ""
        what = body.match_end.match_id if kind == "match_end" else body.decide.match_id if kind == "decide" else ""
        self.trace.update(f"{self.loop.time():.6f} {bot.name} {kind} {what}\n".encode())
        if kind == "match_end" and body.match_end.result.reason != "void":
            self._check_end(bot, body.match_end)

    def _sent(self, bot: Bot, body: pb.RefereeBody) -> None:
        """What must never leave the server, whether it arrives or not."""
        if body.HasField("match_start"):
            self._check_deal(bot, body.match_start)
        elif body.HasField("decide"):
            self._check_view(body.decide)

    def _check_deal(self, bot: Bot, start: pb.MatchStart) -> None:
        """A match that was interrupted, or lost with its worker, is dealt anew: its bots have seen cards."""
        both = f"{bot.name} {start.match_id}"
        process, commitment = self.dealt.setdefault(both, (self.deaths, ""))
        if (process != self.deaths or both in self.lost) and commitment == start.seed_commitment:
            self._fail(Broken(f"{start.match_id} was dealt twice from the same seed"))
        self.lost.discard(both)
        self.dealt[both] = (self.deaths, start.seed_commitment)

    def _check_view(self, decide: pb.Decide) -> None:
        """Nothing hidden is sent: the view is the same if all that the seat may not know were otherwise."""
        assert self.hall is not None
        match = self.hall.matches.get(decide.match_id)
        if match is None or not match.is_asked(decide.seat, decide.decision):
            return
        redealt = match.table.state.redealt(decide.seat, Seeded(self.chance.randbytes(32)))
        if redealt.view_bytes(decide.seat) != decide.view:
            self._fail(Broken(f"{decide.match_id}: seat {decide.seat} was sent something hidden"))

    def _check_end(self, bot: Bot, end: pb.MatchEnd) -> None:
        self.disk.check_end(bot.name, end)
        self.told[f"{bot.name} {end.match_id}"] += 1
        if self.told[f"{bot.name} {end.match_id}"] > 1:
            raise Broken(f"{bot.name} was told twice of the end of {end.match_id}")

    def _check_afterwards(self) -> None:
        with Store.open(str(self.disk.path), create=False, now=self.wall) as store:
            tournament = store.tournaments.get(NAME)
            if tournament.state is not TournamentState.FINISHED:
                raise Broken(f"the tournament ended as {tournament.state}")
            honest = {player.name for player in self.players if player.manner.honest}
            total = 0
            for match in store.matches.in_schedule_order(tournament.id, list(MatchState)):
                total += 1
                if (match.state is MatchState.FINISHED) != (match.ordinal in self.disk.results):
                    raise Broken(f"match {match.ordinal} is {match.state}, and its journal says otherwise")
                if match.state not in (MatchState.FINISHED, MatchState.ABSENT):
                    raise Broken(f"match {match.ordinal} is {match.state}")
                if match.state is MatchState.ABSENT and honest.issuperset(seat.name for seat in match.seats):
                    raise Broken(f"match {match.ordinal} of bots that were there is set aside: {match.reason}")
                for seat in match.seats:
                    fault = seat.fault or "finished"
                    self.ends[Termination(fault)] += 1
                    if seat.name in honest and fault != "finished" and match.state is MatchState.FINISHED:
                        raise Broken(f"match {match.ordinal}: the honest {seat.name} forfeited ({fault})")
            self.matches = total
            [found] = verify_store(store, NAME)  # replays every record and compares every column
            self.trace.update(str(found["digest"]).encode())


def _freeze(loop: VirtualLoop) -> None:
    """A process that died: nothing of it runs again, not even when memory is cleared away; so it is kept for good."""
    for dead in (loop, *asyncio.all_tasks(loop)):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(dead))


def simulate(seed: int, folder: Path, **settings: Any) -> World:
    """Play one seed; Broken, with the seed and how to repeat it, if an invariant does not hold."""
    world = World(seed, folder, **settings)
    try:
        world.digest = world.play()
    except Exception as error:
        again = f".venv/bin/python -m tests.simulation --seed {seed}"
        raise Broken(f"seed {seed}: {error}; again: {again}") from error
    return world
