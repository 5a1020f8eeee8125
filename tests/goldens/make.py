"""Make the goldens of games: python tests/goldens/make.py [--replace] [GAME...]

Without names, of every game that comes with Referee. Goldens of the version a game has now are never replaced by others
unless `--replace` says that no match of that version was ever played in earnest: raise the game's `version` instead.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from referee.rules import golden, registry
from referee.rules.game import Game, WrongUse

HERE = Path(__file__).parent
GAMES = ("encore", "flip7", "stop", "stop_me_go")


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the goldens of games.")
    parser.add_argument("games", nargs="*", metavar="GAME", default=[], help="names of games; all of ours if none")
    parser.add_argument("--replace", action="store_true", help="replace goldens of the same version that differ")
    given = parser.parse_args()
    try:
        for name in given.games or GAMES:
            print(make(registry.find(name), HERE / name, given.replace))
    except WrongUse as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def make(game: Game[Any], folder: Path, replace: bool) -> str:
    """Write the goldens of one game and say what was done."""
    old = {one.name: one for one in golden.load(folder)}
    new = {one.name: one for one in golden.make(game)}
    if new == old:
        return f"{game.name}: {len(new)} goldens of version {game.version} are as they were"
    if not replace and any(one.version == game.version and new.get(name) != one for name, one in old.items()):
        raise WrongUse(
            f"{game.name}: goldens of version {game.version} would change; raise the version of the game first"
        )
    for name in old:
        for suffix in (".record", ".views"):
            (folder / f"{name}{suffix}").unlink(missing_ok=True)
    for one in new.values():
        golden.save(one, folder)
    return f"{game.name}: {len(new)} goldens of version {game.version}"


if __name__ == "__main__":
    sys.exit(main())
