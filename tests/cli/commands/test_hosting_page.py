"""`server/HOSTING.md` tells the settings of `referee serve` as the code has them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from referee.cli.main import COMMANDS
from referee.cli.serve_settings import DEFAULTS, markdown, read_config

from ..conftest import Referee

SERVER = Path(__file__).parents[3] / "server"
PAGE = (SERVER / "HOSTING.md").read_text(encoding="utf-8")
DEPLOY = SERVER / "deploy"


def test_the_table_of_settings_is_the_one_that_the_code_uses() -> None:
    assert f"\n{markdown()}\n" in PAGE


def test_the_file_that_serve_shows_is_one_that_it_reads(referee: Referee, tmp_path: Path) -> None:
    shown = referee("serve", "--show-config")
    assert shown.code == 0
    file = tmp_path / "referee.toml"
    file.write_text(shown.out)
    assert DEFAULTS | read_config(file) == DEFAULTS
    everything = "\n".join(line.removeprefix("# ") if " = " in line else line for line in shown.out.splitlines())
    assert tomllib.loads(everything).keys() == DEFAULTS.keys()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('listn = "127.0.0.1:7700"', "unknown key 'listn': did you mean 'listen'?"),
        ("wholly_else = 1", "unknown key 'wholly_else': known are listen, db, "),
        ('time = "abc"', "time: 'abc' is not a duration"),
        ('hosted_idle = "soon"', "hosted_idle: 'soon' is not a duration"),
        ('log_level = "loud"', "log_level: there is no log level 'loud': choose debug, "),
        ("submission_mb = 400", "submission_mb: 48 is the most, not 400"),
        ('insecure = "yes"', "insecure must be true or false, not 'yes'"),
        ("max_bots = 3.5", "max_bots must be a whole number, not 3.5"),
        ("max_bots = -1", "max_bots must be at least 1, not -1"),
        ("time =", "invalid value (at "),
    ],
)
def test_a_slip_in_the_settings_is_named_with_file_and_key(
    referee: Referee, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "referee.toml"
    file.write_text(f"{line}\n")
    done = referee("serve", "--config", file)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {file}: {said}")
    assert done.err.count("\n") == 1


def test_the_unit_is_one_that_systemd_reads() -> None:
    """Not whether it starts: that takes a machine with systemd. But no line may be one that it would ignore."""
    unit = (DEPLOY / "referee.service").read_text()
    lines = [line for line in unit.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*", line) for line in lines)
    assert "Type=notify" in lines
    # Seen on a busy machine: after the usual 90 s systemd kills a server that is still bringing a database up to date.
    [patience] = [line for line in lines if line.startswith("TimeoutStartSec=")]
    assert int(patience.partition("=")[2]) >= 600
    for name in re.findall(r"server/deploy/([\w.]+)", PAGE):
        assert (DEPLOY / name).is_file(), name


@pytest.mark.parametrize("further", [[], ["submissions.conf"]])
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path, further: list[str]) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze (package systemd)")
    unit = (DEPLOY / "referee.service").read_text()
    # On this machine there is neither the user nor the program.
    unit = unit.replace("/opt/referee/bin/referee serve", "/bin/true").replace("=referee\n", "=root\n")
    assert "ExecStart=/bin/true" in unit
    (tmp_path / "referee.service").write_text(unit)
    for name in further:
        folder = tmp_path / "referee.service.d"
        folder.mkdir()
        shutil.copy(DEPLOY / name, folder)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(tmp_path / "referee.service")],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_server_with_submissions_may_call_what_the_sandbox_needs() -> None:
    """Seen with systemd 252: without these, bubblewrap cannot make a sandbox in the service."""
    lines = (DEPLOY / "submissions.conf").read_text().splitlines()
    [allowed] = [line.removeprefix("SystemCallFilter=").split() for line in lines if line.startswith("SystemCall")]
    assert {"@system-service", "@mount", "sethostname"} <= set(allowed)
    assert {"RestrictNamespaces=false", "ProtectHostname=false"} <= set(lines)
    assert "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK" in lines
    # These two hide parts of /proc; then the kernel lets nobody without root mount one.
    assert {"ProtectKernelTunables=false", "ProtectKernelLogs=false"} <= set(lines)
    # Or bots would be measured from outside alone (`hosting/process/cgroups.py`).
    assert "Delegate=cpu memory pids" in lines


def test_nginx_reads_the_example_of_a_proxy(tmp_path: Path) -> None:
    if (nginx := shutil.which("nginx")) is None:
        pytest.skip("needs nginx")
    [example] = [block for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if "grpc_pass" in block]
    certificate = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=arena.example.org"]
    made = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")]
    subprocess.run(["openssl", *certificate, *made], check=True, capture_output=True)
    own = f"pid {tmp_path}/pid; error_log stderr; events {{}}\nhttp {{ access_log off;\n{example}}}\n"
    (tmp_path / "nginx.conf").write_text(own)
    done = subprocess.run(
        [nginx, "-t", "-e", "stderr", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_every_command_on_the_page_exists() -> None:
    named = set(re.findall(r"\breferee ([a-z-]+)", PAGE))
    assert len(named) > 8
    assert named <= set(COMMANDS)
