"""A season by the virtual clock: weeks of a competition, day after day, through releases, crashes and a full disk.

`play(seed)` begins with a database of before the journal and brings it up to date three more times, as a host who
installs each new release does. Every day some things happen, chosen by the seed, and the invariants are checked. The
server is the real one without sockets; who dies leaves its objects behind, and the next process opens the file.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from structlog.testing import capture_logs

from arena.v1 import match_pb2 as pb
from referee.hall.roster import new_admin_token
from referee.hosting.submission.content_store import ContentStore
from referee.rules import registry
from referee.store import NewEntrant, Store, TournamentState
from referee.store.migrate import downgrade
from referee.tournament import lifecycle
from referee.tournament.events import Event
from referee.tournament.plan import Plan

from ..simulation.absences import Absences
from ..simulation.bots import Bot, Manner
from ..simulation.databases import quick_databases
from ..simulation.two_cards import TwoCards
from ..simulation.virtual_time import VirtualLoop, virtual
from ..simulation.world import _with_the_tiny_game
from .afterwards import check_whole, referee
from .author import SeasonBot
from .checks import Broken, Memory, check_day
from .deeds import LEAGUE, Evening
from .mailbox import Mailbox
from .process import live
from .sandboxed import sandboxed_day
from .server import Declined

DAY = 86_400.0
SPRING = "spring"
FOUNDERS = ("ann", "bob", "cleo", "dan", "eve")
PLAN = Plan(TwoCards.name, 2, rounds=8, limit=1.0, bank=2.0, grace=10.0, absence=20.0, allow_join=True)
MANNERS = (Manner(think=0.4), Manner(think=0.4, cut=0.02, away=1.0), Manner(think=0.3, illegal=0.02), Manner(hung=0.01))
PATIENCE = 120.0
"""Seconds of virtual time without a result after which nothing more is expected of an evening."""
MOST_DEATHS = 200
ERAS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "0002",
        (
            *("register_and_join", "new_token", "holiday", "come_back", "annul", "replay", "disqualify", "extend"),
            *("pause_and_resume", "cup", "kill", "rough", "full_disk"),
        ),
    ),
    ("0006", ("submit", "submit_unfit", "submit_hung", "rollback", "retire")),
    ("0008", ("helper", "invite")),
    ("0009", ()),
)
"""The schema of each release that the host had, and what could happen only with the one after it."""
FATE = ("kill", "rough", "full_disk")
STORED = """SELECT matches.state, matches.seed, group_concat(seats.rank) FROM matches
JOIN tournaments ON tournaments.id = tournament_id JOIN seats ON seats.match_id = matches.id
WHERE tournaments.name = ? AND ordinal = ?"""
FINISHED = "SELECT count(*) FROM matches WHERE tournament_id IS NOT NULL AND state = 'finished'"


@dataclass
class Season:
    """One seed."""

    seed: int
    folder: Path
    days: int = 21
    matches: int = 30
    """Results of a day."""
    deeds: int = 5
    """Things that happen on a day."""
    sandbox: bool = False
    """Whether on one day a bot is submitted that is built, examined and played in the sandbox."""
    now: float = 1000.0
    deaths: int = 0
    results: int = 0
    deadly: float = 0.0
    """How likely the process dies around a commit."""
    admin_token: str = ""
    helper_token: str = ""
    memory: Memory = field(default_factory=Memory)
    done: Counter[str] = field(default_factory=Counter)
    """How often each thing has happened."""
    told: Counter[str] = field(default_factory=Counter)
    alarms: list[Event] = field(default_factory=list)
    bots: dict[str, SeasonBot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.path = self.folder / "season.db"
        self.content = ContentStore(self.folder / "season.db-submissions")
        self.game = TwoCards.name
        self.loop: VirtualLoop | None = None
        self.began: float | None = None
        """When real time runs: since when, by the real clock."""
        self._real = time.monotonic
        self.mailbox = Mailbox(self)

    def clock(self) -> float:
        return self.now if self.loop is None else self.loop.time()

    def wall(self) -> int:
        """Milliseconds since 1970; the season begins in November 2023."""
        passed = 0.0 if self.began is None else self._real() - self.began
        return int((1_700_000_000 + self.clock() + passed) * 1000)

    def play(self) -> None:
        """All days, and what has to hold in the end."""
        with (
            capture_logs(),
            patch.object(registry, "_installed", _with_the_tiny_game),
            patch.object(time, "time_ns", lambda: self.wall() * 1_000_000),
            patch.object(time, "time", lambda: self.wall() / 1000),
            quick_databases(),
        ):
            self._before_the_season()
            for day in range(self.days):
                self._day(day)
            self._last_day()
            self.mailbox.check()
            check_whole(self)
            self.results = self._finished()

    def plays(self, name: str) -> bool:
        """Whether a bot is there, or its submitted version is."""
        return name in self.bots and not self.bots[name].away

    def add_bot(self, name: str, token: str) -> SeasonBot:
        number = len(self.bots)
        manner = self.chance.choice(MANNERS) if number else MANNERS[0]
        away = Absences(patience=0.0)  # how long matches wait is the simulation's to check
        known = (number, name, token, manner, str(self.seed), away)
        bot = self.bots[name] = SeasonBot(*known, heard=self._heard, sent=lambda bot, body: None)
        return bot

    # Days.

    def _before_the_season(self) -> None:
        """A tournament is half played when the host comes to the first release that has a journal."""
        with Store.open(self.path) as store:
            self.admin_token = new_admin_token(store)
            entrants = []
            for name in FOUNDERS:
                made = store.bots.add(name)
                assert made.token is not None
                self.add_bot(name, made.token)
                entrants.append(NewEntrant(made.bot.id, name))
            lifecycle.create(store, SPRING, PLAN, entrants[:4])
            lifecycle.create(store, LEAGUE, PLAN, entrants)

        async def half(evening: Evening) -> None:
            await evening.server.competition.director.control(SPRING, "start")
            await self._until(8)  # and is killed

        self._processes(half)

    def _day(self, day: int) -> None:
        self.now = 1000.0 + (day + 1) * DAY
        era = min(day * (len(ERAS) + 1) // self.days, len(ERAS))
        before = min(max(day - 1, 0) * (len(ERAS) + 1) // self.days, len(ERAS)) if day else -1
        for upgrade in range(before + 1, era + 1):
            if upgrade < len(ERAS):
                self._upgrade(ERAS[upgrade][0])
        possible = [deed for _, deeds in ERAS[: era + 1] for deed in deeds]
        self.chance.shuffle(possible)
        possible.sort(key=lambda deed: self.done[deed])
        chosen = possible[: self.deeds]
        self.chance.shuffle(chosen)
        target = self._finished() + self.matches
        shares = sorted(self.chance.randrange(self.matches) for _ in chosen)
        todo = [(target - self.matches + share, deed) for share, deed in zip(shares, chosen, strict=True)]
        killed_at_night = self.chance.random() < 0.3

        async def evening(evening: Evening) -> None:
            await self._open_league(evening)
            while todo:
                await self._until(todo[0][0])
                _, deed = todo.pop(0)
                if await self._do(evening, deed):
                    self.done[deed] += 1
            await self._until(target)
            if killed_at_night:
                return
            if evening.store.tournaments.get(LEAGUE).state is TournamentState.RUNNING:
                await evening.control("PAUSE", f"paused the tournament {LEAGUE}")
            await evening.server.drain()

        self._processes(evening)
        if self.sandbox and day == self.days - 1:
            sandboxed_day(self)
        self._at_night(day)
        with Store.open(self.path) as store:
            check_day(store, self.memory)

    async def _do(self, evening: Evening, deed: str) -> bool:
        try:
            return bool(await getattr(evening, deed)())
        except Declined:  # most things cannot be done to a league that is over
            if evening.store.tournaments.get(LEAGUE).state is not TournamentState.FINISHED:
                raise
            return False

    async def _open_league(self, evening: Evening) -> None:
        """Enough is left to play today, and it goes on."""
        league = evening.store.tournaments.get(LEAGUE)
        if league.state is TournamentState.FINISHED:
            await evening.control("REOPEN", f"reopened the tournament {LEAGUE}")
        while evening.store.tournaments.counts(league.id).scheduled < self.matches:
            await evening.extend()
        state = evening.store.tournaments.get(LEAGUE).state
        if state is TournamentState.CREATED:
            await evening.control("START", f"started the tournament {LEAGUE}")
        elif state is TournamentState.PAUSED:
            await evening.control("RESUME", f"resumed the tournament {LEAGUE}")

    def _last_day(self) -> None:
        """Everybody comes, and the league is played to its end."""
        self.now += DAY
        reopened = False

        async def evening(evening: Evening) -> None:
            nonlocal reopened
            await evening.come_back()
            while True:
                league = evening.store.tournaments.get(LEAGUE)
                if league.state is TournamentState.FINISHED:
                    if reopened or not evening.store.tournaments.counts(league.id).absent:
                        break
                    reopened = True
                    await evening.control("REOPEN", f"reopened the tournament {LEAGUE}")
                await self._open_if_paused(evening)
                await evening.server.competition.director.wait_until_stopped(LEAGUE)
            for name in list(evening.server.competition.director.runners):
                await evening.server.competition.director.wait_until_stopped(name)
            await evening.server.drain()

        self._processes(evening)
        with Store.open(self.path) as store:
            check_day(store, self.memory)
            states = {one.name: one.state for one in store.tournaments.all()}
        if set(states.values()) != {TournamentState.FINISHED}:
            raise Broken(f"not every tournament has come to its end: {states}")

    async def _open_if_paused(self, evening: Evening) -> None:
        if evening.store.tournaments.get(LEAGUE).state is TournamentState.PAUSED:
            await evening.control("RESUME", f"resumed the tournament {LEAGUE}")

    def _at_night(self, day: int) -> None:
        """What a host does while the server is down."""
        self.now += 4 * 3600
        if self.mailbox.is_open:
            self.mailbox.night()
        if day % 3 == 1:
            copy = self.folder / f"copy-{day}.db"
            referee("backup", copy, "--db", self.path)
            referee("verify", "--db", copy, "--allow-new-deals", "--allow-set-aside")
            self.done["backup"] += 1
            if self.chance.random() < 0.5:  # to another machine
                for end in ("", "-wal", "-shm"):
                    Path(f"{self.path}{end}").unlink(missing_ok=True)
                shutil.move(copy, self.path)
                self.done["move"] += 1
        if day == self.days * 3 // 4:
            referee("webhook", "add", "room", "https://chat.example.org/x", "--form", "slack", "--db", self.path)
            self.mailbox.open()
            self.mailbox.night()
            referee("prune", "--before", "2024-01-01", "--db", self.path)  # of what is over
            self.done["prune"] += 1

    def _upgrade(self, schema: str) -> None:
        """The host had a release with this schema until yesterday; today the new one opens the file."""
        with Store.open(self.path) as store, store._writing.begin() as connection:
            downgrade(connection, schema)
        if schema == "0002":
            self.memory.forget_chains()
        with Store.open(self.path) as store:
            check_day(store, self.memory)
        self.done[f"upgrade from {schema}"] += 1

    # Processes.

    def _processes(self, evening: Callable[[Evening], Any]) -> None:
        """So many processes as it takes; a killed server is started again a while later."""
        with virtual(self.clock, self.chance):
            while not live(self, evening):
                self.deaths += 1
                self.deadly = 0.0
                if self.deaths > MOST_DEATHS:
                    raise Broken("no process lives long enough to come to the end of the day")
                self.now += self.chance.choice((1.0, 60.0, 3600.0))

    async def _until(self, finished: int) -> None:
        """Until there are so many results, or no more come."""
        before, since = -1, self.clock()
        while (found := self._finished()) < finished:
            if found != before:
                before, since = found, self.clock()
            elif self.clock() - since > PATIENCE:
                return
            await asyncio.sleep(0.5)

    def _finished(self) -> int:
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as disk:
            return int(disk.execute(FINISHED).fetchone()[0])

    def _heard(self, bot: Bot, body: pb.RefereeBody) -> None:
        """A result is stored before a bot hears of it, and is told once."""
        if body.WhichOneof("body") != "match_end" or body.match_end.result.reason == "void":
            return
        end = body.match_end
        name, _, number = end.match_id.partition("/")
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as disk:
            state, seed, ranks = disk.execute(STORED, (name, int(number))).fetchone()
        both = f"{bot.name} {end.match_id} {end.seed}"
        self.told[both] += 1
        wrong = ""
        if self.told[both] > 1:
            wrong = f"{bot.name} was told twice of the end of {end.match_id}"
        elif seed == end.seed and (state, ranks) not in (
            ("finished", ",".join(map(str, end.result.ranks))),
            ("void", ranks),  # annulled meanwhile
        ):
            wrong = f"{end.match_id} was announced otherwise than it is stored"
        if wrong and self.loop is not None:
            self.loop.fail(Broken(wrong))


def play(seed: int, folder: Path, **settings: Any) -> Season:
    """Play one season; Broken, with how to repeat it, if anything does not hold."""
    season = Season(seed, folder, **settings)
    given = "".join(f" --{name} {value}" for name, value in settings.items() if name != "sandbox")
    try:
        season.play()
    except Exception as error:
        again = f".venv/bin/python -m tests.season --seed {seed}{given}{' --sandbox' if season.sandbox else ''}"
        raise Broken(f"seed {seed}: {type(error).__name__}: {error}; again: {again}") from error
    return season
