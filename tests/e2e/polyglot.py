"""`make demo-polyglot`: one tournament of Flip 7 between bots in every language that this machine has the tools for.

A language whose house bot plays Flip 7 sends that. The others send the conformbot of their SDK, or what `referee new`
makes: bots that always take the first legal move. All are sandboxed. `--rounds N` plays longer; other options go to
`referee run` as they are.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFEREE = Path(sys.executable).with_name("referee")
GAME = "flip7"
HOUSE = {"python": "odds", "sh": "shell", "awk": "awk"}
"""House bots that need no building, and the programs that run them."""
BUILT = {"typescript": "sprinter", "cpp": "gambler"}
"""House bots that are built in their folders."""
CONFORMBOTS = {
    "go": ("./conformbot", ("bin/conformbot",)),
    "rust": ("./conformbot", ("target/release/conformbot",)),
    "java": (
        "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx64m -XX:MaxMetaspaceSize=96m -cp jars/* Conformbot",
        ("target/conformbot.jar", "target/referee-sdk-*[0-9].jar", "target/lib/*.jar"),
    ),
}
"""How the conformbot of an SDK is started, and which files of the SDK's folder that takes."""
LINES = ("ruby", "perl", "lua")
"""Languages that play over JSON lines."""


class Skipped(Exception):
    """A language that cannot take part, and why."""


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="referee-polyglot-") as temporary:
        place = Path(temporary)
        place.chmod(0o755)  # sandboxed bots run as another user
        line_up = gathered(place)
        rounds = [] if "--rounds" in words else ["--rounds", "20"]
        tell(f"\nreferee run {GAME}: {len(line_up)} bots, sandboxed")
        return subprocess.run([str(REFEREE), "run", GAME, *line_up, *rounds, *words], check=False).returncode


def gathered(place: Path) -> list[str]:
    """Build and make the bots; says which there are, and which not and why."""
    makers: dict[str, Callable[[str, Path], tuple[str, str]]] = {
        **dict.fromkeys(HOUSE, house),
        **dict.fromkeys(BUILT, built),
        **dict.fromkeys(CONFORMBOTS, conformbot),
        **dict.fromkeys(LINES, new),
    }
    line_up = []
    for name, maker in makers.items():
        try:
            bot, what = maker(name, place)
        except Skipped as why:
            tell(f"{name:<11} skipped: {why}")
        else:
            tell(f"{name:<11} {Path(bot).name}: {what}")
            line_up.append(bot)
    return line_up


def house(name: str, _: Path) -> tuple[str, str]:
    if name != "python" and shutil.which(name) is None:
        raise Skipped(f"there is no {name} here")
    return HOUSE[name], "a house bot"


def built(name: str, _: Path) -> tuple[str, str]:
    folder = ROOT / "bots" / BUILT[name]
    make(folder)
    return str(folder), "a house bot, built with the SDK"


def conformbot(name: str, place: Path) -> tuple[str, str]:
    sdk = ROOT / "sdk" / name
    make(sdk)
    command, patterns = CONFORMBOTS[name]
    bot = place / f"first-in-{name}"
    target = bot / "jars" if name == "java" else bot
    target.mkdir(parents=True)
    for pattern in patterns:
        for file in sdk.glob(pattern):
            shutil.copy(file, target)
    memory = "memory = 320\n" if name == "java" else ""
    about = "Always takes the first legal move"
    (bot / "bot.toml").write_text(
        f'name = "{bot.name}"\ngames = ["*"]\ncommand = "{command}"\n{memory}about = "{about}"\n'
    )
    return str(bot), "the SDK's conformbot, which takes the first legal move"


def new(name: str, place: Path) -> tuple[str, str]:
    if shutil.which(name) is None:
        raise Skipped(f"there is no {name} here")
    bot = place / f"first-in-{name}"
    subprocess.run(
        [str(REFEREE), "new", str(bot), "--game", GAME, "--lang", name], check=True, stdout=subprocess.DEVNULL
    )
    return str(bot), "as 'referee new' makes it: it takes the first legal move"


def make(folder: Path) -> None:
    """Build a folder that has a Makefile, or Skipped with what make said."""
    tell(f"building {folder.relative_to(ROOT)} …")
    words = ["make", "--no-print-directory", "-C", str(folder), "build"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line and not line.startswith("make")]
        raise Skipped(said[-1] if said else f"'{' '.join(words)}' failed")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
