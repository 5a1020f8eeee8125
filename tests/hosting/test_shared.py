"""What bots share, none of them can change: the socket of their worker, devices, their own files."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from referee.hosting.bot.spec import Kind, parse
from referee.match.clock import TimeControl
from referee.match.result import Termination

if TYPE_CHECKING:
    from tests.hosting.conftest import Host, Nobody

    from referee.hosting.sandbox.bubblewrap import Sandbox

BAD_BOTS = Path(__file__).resolve().parents[1] / "bad_bots"
UNHURRIED = TimeControl(limit=5.0, bank=5.0)
ATTEMPTS = 11


async def test_no_bot_shuts_the_others_out(host: Host, sandbox: Sandbox) -> None:
    before = BAD_BOTS.stat().st_mode, (BAD_BOTS / "locks_out.py").stat().st_mode
    guest = await host.put_up(host.bad("locks_out.py", kind=Kind.GRPC), sandbox)
    late = await host.put_up(parse("builtin:random"), sandbox)
    ending = await host.play(guest, late, control=UNHURRIED)
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED)
    said = guest.process.stderr.lines()
    assert sum(line.startswith("denied") for line in said) == ATTEMPTS, said
    assert not [line for line in said if line.startswith("DONE")]
    assert (BAD_BOTS.stat().st_mode, (BAD_BOTS / "locks_out.py").stat().st_mode) == before


def test_no_bot_shuts_the_others_out_where_all_run_under_the_hosts_own_id(nobody: Nobody) -> None:
    shutil.copy(BAD_BOTS / "locks_out.py", nobody.home / "attacker.py")
    (nobody.home / "honest.py").write_text("import arena\narena.run(lambda decision: decision.legal[-1])\n")
    words = ["stop_me_go", "attacker.py", "honest.py", "random", "-p", "2", "--rounds", "6", "--workers", "1", "--json"]
    done = nobody.run(sys.executable, "-m", "referee", "run", *words)
    assert done.returncode == 0, done.stderr
    rows = {row["bot"]: row for row in json.loads(done.stdout)["standings"]}
    assert {name: row["faults"] for name, row in rows.items()} == {"attacker": 0, "honest": 0, "random": 0}
