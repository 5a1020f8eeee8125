"""Builds are shown, shut in, and bring back plain files and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.cli import main
from referee.hosting import building, staging, workshop
from referee.hosting.building import BuildFailed, build
from referee.hosting.sandbox import Limits, SandboxFailed
from referee.hosting.spec import BotSpec, parse
from referee.match.ending import Termination
from referee.rules.game import WrongUse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.hosting.sandbox import Sandbox
    from tests.hosting.conftest import Host, Nobody

FIRST_LEGAL = "import arena\narena.run(lambda decision: decision.legal[0])\n"


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


def folder(place: Path, script: str, more: str = 'main = "bot.py"', name: str = "entry") -> Path:
    """A bot folder that is built by a script of its own."""
    path = place / name
    path.mkdir(exist_ok=True)
    (path / "bot.toml").write_text(f'name = "{name}"\ngames = ["*"]\nabout = "x"\nbuild = "sh build.sh"\n{more}\n')
    (path / "build.sh").write_text(script)
    (path / "bot.src").write_text(FIRST_LEGAL)
    return path


def built(place: Path, script: str, **settings: object) -> Path:
    path = folder(place, script + "\ncp bot.src bot.py\n")
    asyncio.run(build([parse(str(path))], **settings))  # type: ignore[arg-type]
    return path


def test_a_build_makes_files_in_the_bots_folder_and_sees_where_it_is(place: Path) -> None:
    path = built(place, "pwd > where; mkdir -p a/b; echo deep > a/b/c; rm bot.src.old 2>/dev/null; ln -s a/b/c link")
    assert (path / "where").read_text() == f"{path}\n"
    assert (path / "a" / "b" / "c").read_text() == "deep\n"
    assert os.readlink(path / "link") == "a/b/c"
    assert (path / "bot.py").read_text() == FIRST_LEGAL
    assert {one.stat().st_uid for one in path.rglob("*")} == {os.getuid()}


def test_what_a_build_changes_and_removes_is_changed_and_removed(place: Path) -> None:
    path = folder(
        place, "rm old; rm -r gone; echo new > changed; rm swapped; mkdir swapped; touch swapped/x; touch bot.py"
    )
    for name in ("old", "changed", "kept", "swapped"):
        (path / name).write_text("before")
    (path / "gone" / "inner").mkdir(parents=True)
    os.utime(path / "kept", (1, 1))
    inode = (path / "kept").stat().st_ino
    asyncio.run(build([parse(str(path))]))
    assert not (path / "old").exists()
    assert not (path / "gone").exists()
    assert (path / "changed").read_text() == "new\n"
    assert (path / "swapped" / "x").exists()
    assert ((path / "kept").read_text(), (path / "kept").stat().st_ino) == ("before", inode)


async def test_a_program_that_is_compiled_plays(host: Host, sandbox: Sandbox, place: Path) -> None:
    path = folder(place, "", 'command = "./bot"\nkind = "stdio"')
    (path / "bot.src").rename(path / "bot.c")
    (path / "bot.c").write_text(
        "#include <stdio.h>\n#include <string.h>\nint main(void) { char line[65536]; setvbuf(stdout, 0, _IOLBF, 0);\n"
        'while (fgets(line, sizeof line, stdin)) { char *d = strstr(line, "\\"decision\\":"), *l = strstr(line, '
        '"\\"legal\\":[\\""); int n;\n'
        'if (!strstr(line, "\\"type\\":\\"decide\\"") || !d || !l) continue; sscanf(d + 11, "%d", &n);\n'
        'l += 10; printf("{\\"decision\\":%d,\\"move\\":\\"%.*s\\"}\\n", n, (int)(strchr(l, 34) - l), l); } }\n'
    )
    (path / "build.sh").write_text("cc -O1 -o bot bot.c\n")
    spec = parse(str(path))
    await build([spec])
    guest = await host.put_up(spec, sandbox)
    ending = await host.play(guest)
    assert ending.terminations[0] is Termination.FINISHED, guest.process.stderr.lines()


def test_a_build_is_shut_in(place: Path, marker: str) -> None:
    secret = place / "secret"
    secret.write_text("the root of all deals")
    other = folder(place, "", name="other")
    script = f"""
    id -u > uid
    for path in {secret} {other}/bot.toml {Path.home()}/. /etc/shadow {Path.cwd()}/pyproject.toml; do
        cat $path >> seen 2>/dev/null; ls $path >> seen 2>/dev/null; echo x 2>/dev/null > $path/{marker}
    done
    for path in / /usr /etc /dev /proc/sys {place} {other} {Path.home()}; do touch $path/{marker} 2>/dev/null; done
    ls /proc | grep -c '^[0-9]' > processes
    grep CapEff /proc/self/status > capabilities
    ls /sys/class/net /proc/net/dev > network 2>&1; grep -c : /proc/net/dev > devices
    env > environment
    ln {secret} hard 2>/dev/null; mknod device c 1 3 2>/dev/null
    """
    os.environ["REFEREE_SECRET"] = "passwords"
    try:
        path = built(place, script)
    finally:
        del os.environ["REFEREE_SECRET"]
    assert int((path / "uid").read_text()) != 0
    assert "root of all" not in (path / "seen").read_text()
    assert "pytest" not in (path / "seen").read_text()
    assert "[project]" not in (path / "seen").read_text()
    assert int((path / "processes").read_text()) <= 6
    assert int((path / "capabilities").read_text().split()[1], 16) == 0
    assert (path / "devices").read_text() == "1\n"  # nothing but the loop to itself
    assert "passwords" not in (path / "environment").read_text()
    assert not list(place.glob(f"**/{marker}"))
    assert not (path / "hard").exists()


def test_nothing_but_plain_files_comes_back(place: Path) -> None:
    path = built(
        place,
        "cp /bin/sh shell; chmod 6755 shell; mkdir sticky; chmod 7777 sticky; mkfifo pipe; echo x > closed; chmod 0 closed;"
        "mkdir shut; echo x > shut/y; chmod 0 shut;"
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; ln -s pipe to-pipe; ln shell twin",
    )
    assert {stat.S_IFMT(one.lstat().st_mode) for one in path.rglob("*")} <= {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
    assert not [one for one in path.rglob("*") if not one.is_symlink() and one.stat().st_mode & 0o7022]
    assert not [one for one in (path / "pipe", path / "sock") if os.path.lexists(one)]
    assert (path / "shell").stat().st_nlink == 1
    assert os.access(path / "shell", os.X_OK)
    needed = 0o004 if os.geteuid() == 0 else 0o400
    assert all((path / name).stat().st_mode & needed for name in ("closed", "shut/y", "bot.py"))


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("out", "/etc/shadow"),
        ("out", "../secret"),
        ("out", "a/../../secret"),
        ("out", "/usr/../etc/shadow"),
        ("a/out", "../../secret"),
        ("out", "{folder}/../secret"),
        ("bot.toml", "../other/bot.toml"),
    ],
)
def test_a_link_out_of_the_folder_is_told_and_nothing_is_taken_over(link: str, target: str, place: Path) -> None:
    path = folder(
        place, f"mkdir a; touch bot.py made; rm -f {link}; ln -s {target.format(folder=place / 'entry')} {link}"
    )
    before = sorted(one.name for one in path.rglob("*"))
    with pytest.raises(WrongUse, match="it made a link that leads out of the folder") as refused:
        asyncio.run(build([parse(str(path))]))
    assert str(link) in str(refused.value)
    assert sorted(one.name for one in path.rglob("*")) == before
    assert not (path / "bot.toml").is_symlink()


def test_links_inside_the_folder_and_to_the_system_and_those_of_before_stay(place: Path) -> None:
    path = folder(
        place,
        f"mkdir -p a/b; ln -s ../../bot.src a/b/up; ln -s /usr/bin/env env; ln -s {place}/entry/a abs; touch bot.py",
    )
    (path / "hosts").symlink_to(place)
    asyncio.run(build([parse(str(path))]))
    assert (path / "a" / "b" / "up").read_text() == FIRST_LEGAL
    assert os.readlink(path / "env") == "/usr/bin/env"
    assert (path / "abs").is_dir()
    assert os.readlink(path / "hosts") == str(place)


@pytest.mark.parametrize(
    ("name", "most", "script", "sentence"),
    [
        (
            "MOST_FILES",
            20,
            "for i in 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k; do touch n$i; done",
            "more than 20 files",
        ),
        ("MOST_BYTES", 3 << 20, "truncate -s 4M hole", "more than 3 MB"),
        ("DEEPEST", 5, "mkdir -p 1/2/3/4/5/6/7", "more than 5 folders inside each other"),
    ],
)
def test_too_much_is_told_and_nothing_of_it_taken_over(
    name: str, most: int, script: str, sentence: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, name, most)
    monkeypatch.setattr(staging._Allowance, "__init__", _allowance)
    with pytest.raises(WrongUse, match=sentence):
        built(place, script)
    assert sorted(one.name for one in (place / "entry").iterdir()) == ["bot.src", "bot.toml", "build.sh"]


def _allowance(self: staging._Allowance, refused: str) -> None:
    self.refused, self.bytes, self.files = refused, staging.MOST_BYTES, staging.MOST_FILES


def test_a_build_that_fills_the_disk_or_takes_too_much_memory_is_ended(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_BYTES", 32 << 20)
    fill = "exec 3> filler; rm filler; dd if=/dev/urandom of=/dev/fd/3 bs=1M count=200 2>/dev/null; sync; sleep 60"
    with pytest.raises(BuildFailed, match="was ended: it used more than 32 MB of the disk"):
        built(place, fill)
    small = Limits(memory=64 << 20, processes=64, files=256, disk=1 << 20, cores=0.0)
    monkeypatch.setattr(workshop.Workshop, "__init__", _small(small))
    with pytest.raises(BuildFailed, match="was ended: it used more than its 64 MB of memory"):
        built(place, "python3 -c 'import time; x = bytearray(200 << 20); time.sleep(60)'")


def _small(limits: Limits) -> object:
    def init(self: workshop.Workshop, copy: Path, uid: int, network: bool = False) -> None:
        self.copy, self.uid, self.network, self.limits, self._news = copy, uid, network, limits, None

    return init


def test_a_build_that_fails_leaves_the_folder_as_it_was_and_shows_its_output(place: Path) -> None:
    path = folder(place, "touch half-done; echo missing header; exit 2", 'command = "./bot"')
    with pytest.raises(BuildFailed, match=r"sh build.sh in .*entry failed with code 2:\n  \| missing header"):
        asyncio.run(build([parse(str(path))]))
    assert not (path / "half-done").exists()
    with pytest.raises(BuildFailed, match=r"took longer than 0\.5 seconds"):
        asyncio.run(build([parse(str(folder(place, "sleep 60")))], seconds=0.5))
    with pytest.raises(WrongUse, match="was built, but there is no .*bot.py now"):
        asyncio.run(build([parse(str(folder(place, "true")))]))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-program", "there is no program 'no-such-program' on the PATH"),
        ("../../secret/bin/tool", "the sandbox keeps it out"),
        ("./missing", "no program that can be started"),
        ("./link", "the sandbox keeps it out"),
    ],
)
def test_a_build_starts_a_program_of_the_hosts_list_or_of_its_own(command: str, sentence: str, place: Path) -> None:
    path = folder(place, "")
    (path / "bot.py").write_text(FIRST_LEGAL)
    (path / "link").symlink_to(place / "secret")
    (path / "bot.toml").write_text((path / "bot.toml").read_text().replace("sh build.sh", command))
    with pytest.raises(WrongUse, match=f"entry cannot be built: .*{sentence}"):
        asyncio.run(build([parse(str(path))]))


def test_a_build_has_no_network_unless_the_host_allows_it(place: Path) -> None:
    reach = "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)' 2>&1"
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = reach.format(port=server.getsockname()[1])
        with pytest.raises(BuildFailed, match="it seems to want the network.* --build-network allows it"):
            built(place, f"set -e\n{script}")
        path = built(place, f"set -e\n{script}; cat /etc/hosts > hosts", network=True)
    assert (path / "hosts").read_text() == Path("/etc/hosts").read_text()


async def test_nothing_of_a_build_survives_it_in_the_sandbox(host: Host, place: Path, marker: str) -> None:
    lasting = f"sleep 300.{int(marker[-6:], 16)}"
    path = folder(place, f"cp bot.src bot.py; setsid {lasting} & {lasting} &")
    await asyncio.wait_for(build([parse(str(path))]), 30)
    assert host.processes(lasting.split()[1]) == []
    path = folder(place, f"setsid {lasting} & {lasting}")
    interrupted = asyncio.ensure_future(build([parse(str(path))]))
    await host.until(lambda: len(host.processes(lasting.split()[1])) >= 2, 30)
    interrupted.cancel()
    with pytest.raises(asyncio.CancelledError):
        await interrupted
    assert host.processes(lasting.split()[1]) == []


def test_copies_of_killed_referees_are_cleared_away(place: Path) -> None:
    dead = place / "copies" / "referee-build-dead"
    (dead / "folder" / "closed").mkdir(parents=True)
    (dead / "folder" / "closed").chmod(0)
    with staging.staged(folder(place, ""), os.getuid()) as living:
        staging._clear_away(str(place / "copies"))
        assert living.copy.is_dir()
        assert not dead.exists()


async def test_without_a_sandbox_nothing_is_built_in_the_open(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(place, "touch bot.py")
    monkeypatch.setattr(building, "probe", lambda: "no sandbox here")
    with pytest.raises(SandboxFailed, match="no sandbox here"):
        await build([parse(str(path))])
    assert not (path / "bot.py").exists()


async def test_a_guesthouse_builds_nothing(host: Host, place: Path) -> None:
    spec = parse(str(folder(place, "touch built", 'command = "cat"\nkind = "stdio"')))
    assert isinstance(spec, BotSpec)
    await host.put_up(spec)
    assert not (place / "entry" / "built").exists()


@pytest.mark.parametrize("where", ["--sandbox", "--no-sandbox"])
def test_commands_show_what_they_build_and_build_it_once(
    where: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setattr(main, "COMMANDS", ("run", "check"))
    folder(place, "echo built >> log; cp bot.src bot.py")
    words = ["stop_me_go", "./entry", "random", "--workers", "2", "--rounds", "2"]
    assert main.main(["run", *words, where, "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["standings"][0]["faults"] == 0
    assert (
        f"building entry ({'no sandbox' if where == '--no-sandbox' else 'in the sandbox, without network'}): sh build.sh"
        in said.err
    )
    assert (place / "entry" / "log").read_text() == "built\n"
    assert main.main(["check", "entry", where, "-g", "stop_me_go", "-m", "1", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["ok"]
    assert said.err.count("sh build.sh") == 1
    assert (place / "entry" / "log").read_text() == "built\nbuilt\n"


@pytest.mark.parametrize("command", ["run", "check"])
def test_commands_show_the_output_of_a_build_that_fails(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setattr(main, "COMMANDS", ("run", "check"))
    folder(place, "echo one; echo 'Could not resolve host: example.invalid'; exit 7")
    words = ["run", "stop_me_go", "./entry", "random", "--rounds", "1"] if command == "run" else ["check", "./entry"]
    assert main.main(words) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[1:3] == ["  | one", "  | Could not resolve host: example.invalid"]
    assert said[3].startswith("error: entry cannot be built: sh build.sh in ")
    assert said[3].endswith(
        "failed with code 7; it seems to want the network, which builds do not have: --build-network allows it"
    )


def test_what_is_shown_of_a_command_cannot_move_the_cursor(place: Path) -> None:
    path = folder(place, "cp bot.src bot.py")
    (path / "bot.toml").write_text((path / "bot.toml").read_text().replace("sh build.sh", "sh build.sh '\\u001b[2J'"))
    heard: list[str] = []
    asyncio.run(build([parse(str(path))], told=heard.append))
    assert len(heard) == 1
    assert heard[0].isprintable()


def test_a_build_of_somebody_without_rights_is_shut_in_too(nobody: Nobody) -> None:
    (nobody.home / "secret").write_text("PRIVATE KEY")
    folder(
        nobody.home,
        "cat ../secret; ls -a ..; touch ../made; cp bot.src bot.py; cp /bin/sh shell; chmod 6755 shell; mkdir shut;"
        "echo x > shut/y; chmod 0 shut; grep CapEff /proc/self/status > capabilities; id -u > uid; exit 0",
    )
    words = ["run", "stop_me_go", "./entry", "random", "--rounds", "1", "--workers", "1", "--json"]
    done = nobody.run(sys.executable, "-m", "referee", *words)
    assert done.returncode == 0, done.stderr
    assert "building entry (in the sandbox, without network): sh build.sh" in done.stderr
    path = nobody.home / "entry"
    assert json.loads(done.stdout)["standings"][0]["faults"] == 0
    assert not (nobody.home / "made").exists()
    assert not (path / "shell").stat().st_mode & 0o7000
    assert (path / "shut" / "y").read_text() == "x\n"
    assert int((path / "capabilities").read_text().split()[1], 16) == 0
    assert not list(Path("/var/tmp").glob("referee-build-*/folder/shell"))
