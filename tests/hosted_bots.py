"""A tiny real host for hosted bots: bot host, tables, opponents, and a look at what a bot leaves behind."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process import cgroups
from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxLimits, probe
from referee.hosting.sandbox.launch import Launcher, NoSandbox
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Player, Question, Rejected
from referee.match.result import Ending
from referee.rules import registry
from referee.workers.bot_host import BotHost, HostedBot

from .waiting import PATIENCE, soon

BAD_BOTS = Path(__file__).resolve().parent / "bad_bots"
UNHURRIED = TimeControl(limit=30.0, bank=30.0, grace=5.0)


class FirstMove:
    """An opponent that takes the first legal move."""

    wants_legal = True

    def __init__(self, name: str = "opponent") -> None:
        self.name = name

    def started(self, match: Match, seat: int) -> None: ...

    def ask(self, question: Question) -> None:
        def answer() -> None:
            now = asyncio.get_running_loop().time()
            question.match.sent(question.seat, question.number, now)
            question.match.answer(question.seat, question.number, question.legal[0], now)

        asyncio.get_running_loop().call_soon(answer)

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class Host:
    """Plays matches of hosted bots."""

    def __init__(self, house: BotHost) -> None:
        self.bot_host = house
        self._matches = 0

    async def start_bot(self, spec: BotSpec, launcher: Launcher | None = None, **settings: object) -> HostedBot:
        started = await self.bot_host.host(spec, launcher=launcher, **settings)  # type: ignore[arg-type]
        assert await self.bot_host.wait_ready(started, PATIENCE), started.process.stderr.lines()
        return started

    def seat(
        self, *players: HostedBot | Player, game: str = "stop_me_go", control: TimeControl = UNHURRIED
    ) -> asyncio.Future[Match]:
        """Start a match; opponents fill up the table."""
        self._matches += 1
        chosen = registry.find(game)
        seats = [player.player if isinstance(player, HostedBot) else player for player in players]
        seats += self.opponents(max(chosen.seats.least, 2) - len(seats))
        over: asyncio.Future[Match] = asyncio.get_running_loop().create_future()

        def finished(match: Match, ending: Ending) -> None:
            match.announce()
            over.set_result(match)

        assert all(seats)
        self.bot_host.hall.play(
            f"m{self._matches}",
            chosen,
            [seat for seat in seats if seat is not None],
            chosen.resolve_options(),
            self._matches.to_bytes(32, "big"),
            control,
            finished=finished,
        )
        return over

    @staticmethod
    def opponents(count: int) -> list[FirstMove]:
        return [FirstMove(f"opponent-{number}") for number in range(count)]

    @staticmethod
    def bad(file: str, *words: str, kind: Kind = Kind.STDIO) -> BotSpec:
        """One of the bad bots."""
        argv = (sys.executable, str(BAD_BOTS / file), *words)
        return BotSpec(Path(file).stem, argv, kind, BAD_BOTS, folder=BAD_BOTS)

    @staticmethod
    def shell(script: str, name: str = "script") -> BotSpec:
        """A bot in a line of shell."""
        return BotSpec(name, ("/bin/sh", "-c", script), Kind.STDIO, Path("/"))

    @staticmethod
    def processes(word: str) -> list[int]:
        """Running processes with a word on their command line."""
        return running(word)

    @staticmethod
    async def until(holds: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until something is so."""
        await soon(holds, seconds)

    async def play(
        self, *players: HostedBot | Player, game: str = "stop_me_go", control: TimeControl = UNHURRIED
    ) -> Ending:
        match = await asyncio.wait_for(self.seat(*players, game=game, control=control), PATIENCE)
        assert match.ending is not None
        return match.ending


@pytest.fixture
async def host(marker: str) -> AsyncIterator[Host]:
    """Closed before the marker is looked for."""
    async with BotHost(NoSandbox()) as house:
        yield Host(house)


@pytest.fixture(scope="session")
def bubblewrap() -> Iterator[None]:
    """The real thing; installed if it is missing and we may. Groups of workers that tests have killed go in the end."""
    if shutil.which("bwrap") is None and os.geteuid() == 0 and shutil.which("apt-get") is not None:
        command = ["apt-get", "install", "-qy", "-o", "DPkg::Lock::Timeout=120", "bubblewrap"]
        subprocess.run(command, capture_output=True, timeout=300, check=False)
    probe.cache_clear()
    if (missing := probe()) is not None:
        pytest.skip(f"bots cannot be sandboxed on this machine: {missing}")
    yield
    cgroups.find().clear_away()


@pytest.fixture
def sandbox(bubblewrap: None) -> Sandbox:
    return Sandbox(SandboxLimits(memory=96 << 20, processes=40, disk=8 << 20))


@pytest.fixture(params=["open air", "sandbox"])
def launcher(request: pytest.FixtureRequest) -> Launcher:
    """Both ways to put up a bot."""
    return NoSandbox() if request.param == "open air" else request.getfixturevalue("sandbox")


@pytest.fixture
def marker() -> Iterator[str]:
    """A word to find again; nothing that carries it may be left when the test is over."""
    word = f"marker-{secrets.token_hex(8)}"
    yield word
    assert running(word) == []
    for folder in ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", str(Path.home()), str(BAD_BOTS)):
        assert [name for name in os.listdir(folder) if word in name] == []


NOBODY = 65534
AS_NOBODY = """
while [ "$1" != -- ]; do
    stash=$(mktemp -d) && mount --bind "$2" "$stash" && mount -t tmpfs -o mode=0755 none "$1" || exit 99
    mkdir -p "$2" && mount --move "$stash" "$2" && rmdir "$stash" || exit 99
    shift 2
done
shift
exec setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
"""
"""In a mount namespace of its own, where a Python below a closed home is within everybody's reach."""


def words_of_nobody() -> tuple[str, ...]:
    """What to put before a command, so that somebody without rights runs it; nothing where we have none ourselves."""
    if os.geteuid() != 0:
        return ()
    closed: list[str] = []
    python = Path(sys.base_prefix).resolve()
    for folder in reversed(python.parents):
        if not folder.stat().st_mode & 0o001:
            closed = [str(folder), str(python)]
            break
    return ("unshare", "-m", "sh", "-c", AS_NOBODY, "sh", *closed, "--")


class Nobody:
    """Somebody without rights on this machine, with a home of his own; where the tests have none themselves, we."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *argv: str, cwd: Path | None = None, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        command = [*words_of_nobody(), *argv]
        if os.geteuid() == 0:
            for path in (self.home, *self.home.rglob("*")):
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        return subprocess.run(
            command, cwd=cwd or self.home, env=environment, capture_output=True, text=True, timeout=seconds, check=False
        )


@pytest.fixture
def nobody(bubblewrap: None) -> Iterator[Nobody]:
    with tempfile.TemporaryDirectory(prefix="nobody-") as folder:
        one = Nobody(Path(folder).resolve())
        trial = one.run(
            sys.executable,
            "-c",
            "from referee.hosting.sandbox.bubblewrap import probe; import sys; sys.exit(probe() or 0)",
        )
        if trial.returncode != 0:
            pytest.skip(f"nobody without rights can be had on this machine: {trial.stderr}")
        yield one


@pytest.fixture
def place(tmp_path: Path, bubblewrap: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for bots; whatever becomes of a build, nothing of its copies is left."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setenv("TMPDIR", str(copies))
    yield tmp_path
    assert list(copies.iterdir()) == []


def running(word: str) -> list[int]:
    """Running processes with a word on their command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                command = Path("/proc", name, "cmdline").read_bytes()
            except OSError:
                continue
            if word.encode() in command:
                found.append(int(name))
    return found
