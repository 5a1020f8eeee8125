"""`--web`: the usual address, addresses that are refused, packages that are missing."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli import web
from referee.cli.web import USUAL, with_usual_address
from referee.store import ADMIN_FACT, Store


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serve --web", f"serve --web {USUAL}"),
        ("serve --web --db x.db", f"serve --web {USUAL} --db x.db"),
        ("serve --web 8080", "serve --web 8080"),
        ("serve --web :8080", "serve --web :8080"),
        ("serve --web 0.0.0.0:80 --insecure", "serve --web 0.0.0.0:80 --insecure"),
        ("serve --web [::1]:80", "serve --web [::1]:80"),
        ("serve --web unix:/tmp/page", "serve --web unix:/tmp/page"),
        ("run flip7 --web odds stdio:bot.lua", f"run flip7 --web {USUAL} odds stdio:bot.lua"),
        ("bridge -- cmd --web", "bridge -- cmd --web"),
        ("games", "games"),
    ],
)
def test_web_alone_means_the_usual_address(typed: str, meant: str) -> None:
    assert with_usual_address(typed.split()) == meant.split()


@pytest.mark.parametrize("words", ["serve --web 0.0.0.0:0", "run flip7 odds random random --web 0.0.0.0:0"])
def test_a_public_address_without_tls_is_refused(referee: Any, tmp_path: Path, words: str) -> None:
    done = referee(*words.split(), "--db", str(tmp_path / "x.db"))
    assert done.code == 2
    assert "--web 0.0.0.0:0 can be reached from outside" in done.err
    assert "--insecure" in done.err


def test_what_is_no_address_is_refused(referee: Any, tmp_path: Path) -> None:
    done = referee("serve", "--web", "99999", "--db", str(tmp_path / "x.db"))
    assert done.code == 2
    assert "--web 99999 is not an address: give HOST:PORT" in done.err


def test_without_the_extra_a_sentence_says_how_to_get_it(
    referee: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "NEEDED", ("no_such_package",))
    done = referee("serve", "--web", "--db", str(tmp_path / "x.db"))
    assert done.code == 3
    assert "the page needs further packages: pip install 'referee-arena[web]'" in done.err


def test_a_page_that_cannot_listen_stops_the_server_with_a_sentence(referee: Any, tmp_path: Path) -> None:
    db = str(tmp_path / "x.db")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = referee("serve", "--listen", "127.0.0.1:0", "--web", address, "--db", db)
    assert done.code == 3
    assert f"cannot listen on {address}: it is taken" in done.err
    assert "REFEREE_ADMIN_TOKEN" not in done.err
    with Store.open(db) as store:
        assert store.fact(ADMIN_FACT) is None, "no token is made that nobody was shown"


def test_every_package_of_the_extra_is_looked_for() -> None:
    page = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if line.startswith("web = "))
    assert sorted(web.NEEDED) == sorted(
        word.strip(' "[]').partition(">")[0].replace("-", "_") for word in line.partition("= ")[2].split(",")
    )


LATE = """
import asyncio, sys
from referee.cli.web import check_web

check_web("127.0.0.1:0", None, False)
before = set(sys.modules)
from referee.web.server import WebServer, WebSettings
from referee.web.source import of_competition
from referee.hall.competition import Competition
from referee.store import Store

async def main():
    with Store.open(sys.argv[1]) as store:
        server = WebServer(of_competition(Competition(store)), WebSettings("127.0.0.1:0"))
        await server.start()
        await server.stop()

asyncio.run(main())
late = set(sys.modules) - before
print(*sorted(name for name in late if name.startswith(("referee.web", "starlette", "prometheus"))))
"""


def test_the_page_is_loaded_before_the_server_runs_for_it_would_stand_still_meanwhile(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", LATE, str(tmp_path / "x.db")], capture_output=True, text=True)
    assert (done.stdout.strip(), done.returncode) == ("", 0), done.stderr
