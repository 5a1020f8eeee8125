"""Tables of bots and tournaments for people to read."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_a_list_names_the_first_of_many_bots_and_counts_the_rest(referee: Any, tmp_path: Path) -> None:
    db = ("--db", str(tmp_path / "arena.db"))
    bots = ",".join(["random"] * 20)
    assert (
        referee("tournament", "create", "crowd", "--game", "stop_me_go", "--bots", bots, "--rounds", "1", *db).code == 0
    )
    listed = " ".join(referee("tournament", "list", *db).out.split())
    assert listed.endswith("random-12 and 8 more")
    assert "random-20" in referee("tournament", "show", "crowd", *db).out
    assert len(referee("tournament", "list", "--json", *db).json[0]["bots"]) == 20
