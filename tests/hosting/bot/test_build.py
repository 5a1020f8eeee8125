"""Builds are shown, shut in, and bring back plain files and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.hosting.bot.built_folder import FIRST_LEGAL, built, folder

from referee.hosting.bot import build as building
from referee.hosting.bot.build import BuildFailed, build
from referee.hosting.bot.spec import BotSpec, parse
from referee.hosting.sandbox.bubblewrap import SandboxFailed, SandboxLimits
from referee.hosting.sandbox.build_sandbox import CERTIFICATES
from referee.match.result import Termination
from referee.rules.game import WrongUse

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host, Nobody

    from referee.hosting.sandbox.bubblewrap import Sandbox


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
    started = await host.start_bot(spec, sandbox)
    ending = await host.play(started)
    assert ending.terminations[0] is Termination.FINISHED, started.process.stderr.lines()


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


def test_a_build_that_fills_the_disk_or_takes_too_much_memory_is_ended(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_BYTES", 32 << 20)
    fill = "exec 3> filler; rm filler; dd if=/dev/urandom of=/dev/fd/3 bs=1M count=200 2>/dev/null; sync; sleep 60"
    with pytest.raises(BuildFailed, match="was ended: it used more than 32 MB of the disk"):
        built(place, fill)
    small = SandboxLimits(memory=64 << 20, processes=64, files=256, disk=1 << 20, cores=0.0)
    path = folder(place, "python3 -c 'import time; x = bytearray(200 << 20); time.sleep(60)'")
    with pytest.raises(BuildFailed, match="was ended: it used more than its 64 MB of memory"):
        asyncio.run(build([parse(str(path))], limits=small))


def test_a_build_that_fails_leaves_the_folder_as_it_was_and_shows_its_output(place: Path) -> None:
    path = folder(place, "touch half-done; echo missing header; exit 2", 'command = "./bot"')
    with pytest.raises(BuildFailed, match=r"sh build.sh in .*entry failed with code 2:\n  \| missing header"):
        asyncio.run(build([parse(str(path))]))
    assert not (path / "half-done").exists()
    with pytest.raises(BuildFailed, match=r"took longer than 0\.5 seconds"):
        asyncio.run(build([parse(str(folder(place, "sleep 60")))], seconds=0.5))
    with pytest.raises(WrongUse, match=r"was built, but there is no .*bot.py now"):
        asyncio.run(build([parse(str(folder(place, "true")))]))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-program", "there is no program 'no-such-program' on the PATH"),
        ("../../secret/bin/tool", "the sandbox keeps it out"),
        ("./missing", "not a program that can be started"),
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
        with pytest.raises(BuildFailed, match=r"it seems to want the network.* --build-network allows it"):
            built(place, f"set -e\n{script}")
        path = built(place, f"set -e\n{script}; cat /etc/hosts > hosts", network=True)
    assert (path / "hosts").read_text() == Path("/etc/hosts").read_text()


def test_a_build_that_maven_cannot_do_without_the_network_is_told_so(place: Path) -> None:
    said = "Could not transfer artifact org.example:tool:pom:1 from/to central (https://example.invalid): …"
    with pytest.raises(BuildFailed, match=r"it seems to want the network.* or build it yourself first"):
        built(place, f"echo '{said}'; exit 1")


def test_a_build_with_network_trusts_what_the_machine_trusts(place: Path) -> None:
    trusted = next((path for path in CERTIFICATES if Path(path).is_file()), None)
    if trusted is None:
        pytest.skip("this machine has no list of authorities")
    names = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS")
    script = "\n".join(f'cat "${name}" > {name}' for name in names)
    path = built(place, f"set -e\n{script}", network=True)
    for name in names:
        assert (path / name).read_bytes() == Path(trusted).read_bytes(), name


async def test_nothing_of_a_build_survives_it_in_the_sandbox(host: Host, place: Path, marker: str) -> None:
    lasting = f"sleep 300.{int(marker[-6:], 16)}"
    path = folder(place, f"cp bot.src bot.py; setsid {lasting} & {lasting} &")
    await asyncio.wait_for(build([parse(str(path))]), PATIENCE)
    assert host.processes(lasting.split()[1]) == []
    path = folder(place, f"setsid {lasting} & {lasting}")
    interrupted = asyncio.ensure_future(build([parse(str(path))]))
    await host.until(lambda: len(host.processes(lasting.split()[1])) >= 2)
    interrupted.cancel()
    with pytest.raises(asyncio.CancelledError):
        await interrupted
    assert host.processes(lasting.split()[1]) == []


async def test_without_a_sandbox_nothing_is_built_in_the_open(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder(place, "touch bot.py")
    monkeypatch.setattr(building, "probe", lambda: "no sandbox here")
    with pytest.raises(SandboxFailed, match="no sandbox here"):
        await build([parse(str(path))])
    assert not (path / "bot.py").exists()


async def test_a_host_of_bots_builds_nothing(host: Host, place: Path) -> None:
    spec = parse(str(folder(place, "touch built", 'command = "cat"\nkind = "stdio"')))
    assert isinstance(spec, BotSpec)
    await host.start_bot(spec)
    assert not (place / "entry" / "built").exists()


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
        "echo x > shut/y; chmod 0 shut; mkdir -p 1/2/3; chmod 0 1/2/3 1/2 1;"
        "grep CapEff /proc/self/status > capabilities; id -u > uid; exit 0",
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
