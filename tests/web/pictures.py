"""Screenshots of every page, written to a folder: `make pictures`.

    python -m tests.web.pictures [FOLDER] [--readme] [--pages match,replay]

A competition of house bots is played in this process. `--readme` takes only what README.md shows.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from referee.hall.competition import Competition
from referee.store import Store
from referee.tournament.plan import Plan

from ..hosting.submission.zips import bot_zip, entry
from ..workers.submission_plan import plan
from .browser import CHROMIUM, Watched, browser, watched
from .conftest import SlowMatch, competing, play, serving

PAGES = {
    "tournaments": "/",
    "tournament": "/tournaments/Spring%20Cup",
    "strengths": "/tournaments/Spring%20Cup?view=strengths",
    "crosstable": "/tournaments/Spring%20Cup?view=crosstable",
    "seats": "/tournaments/Spring%20Cup?view=seats",
    "history": "/tournaments/Spring%20Cup?view=history",
    "schedule": "/tournaments/Spring%20Cup?view=schedule",
    "wall": "/wall/Spring%20Cup",
    "bots": "/bots",
    "bot": "/bots/odds",
    "games": "/games",
    "game": "/games/stop",
    "connect": "/connect",
    "submit": "/submit",
    "join": "/join#9d6e-54fa-22c7",
    "play": "/play",
    "seat": "/play?game=encore",
    "match": "/matches/league/0",
    "embed": "/matches/league/0?embed",
    "replay": "/matches/Sheets/0?seat=0#40",
    "problem": "/nothing-here",
}
README = {"tournament": (1480, "light"), "wall": (1280, "dark"), "replay": (1280, "light")}
LOOKS = ((360, "light"), (1024, "dark"), (1920, "light"), (3840, "dark"), (1024, "print"))
"""Every page in each of these: how wide, and light, dark or on paper."""


async def competition_of_house_bots(competition: Competition) -> None:
    plan = Plan(game="flip7", players=4, rounds=60, limit=60.0, bank=60.0)
    bots = ["odds", "cautious", "cautious", "random", "random", "random"]
    await competition.director.create("Spring Cup", plan, bots, "pictures", True, repeatable=True)
    await play(competition, "Sheets", "encore", "planner,tidy,random")
    await competition.director.wait_until_stopped("Spring Cup")
    SlowMatch(competition, "league/0", "stop", names=("Ada", "Grace", "Edsger")).move(14)


async def submitted_versions(competition: Competition, home: Path) -> str:
    """A bot of which something was submitted: one version was refused, one replaced, one plays. Returns its token."""
    submissions = competition.submissions
    assert submissions is not None
    token = competition.store.bots.add("Ada's first").token
    assert token is not None
    refusal = "it took 12.4 s to decide in the third of ten matches, and a decision may take 1 s"
    for name, content in (("notes", b"the first"), ("unfit", refusal.encode()), ("notes", b"better")):
        package = bot_zip(home / "package.zip", (entry(name), content))
        await submissions.settled(await submissions.submit("Ada's first", package))
    return token


async def take(folder: Path, readme: bool, pages: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as place, Store.open(Path(place) / "pictures.db", owner="server") as store:
        home = Path(place)
        async with competing(store, plan(home)) as competition, serving(competition) as page, browser() as opened:
            await competition_of_house_bots(competition)
            token = await submitted_versions(competition, home)
            wanted = (
                [(name, width, look) for name, (width, look) in README.items()]
                if readme
                else [(name, width, look) for name in pages for width, look in LOOKS]
            )
            for name, width, look in wanted:
                if (name, look) == ("seat", "print"):
                    continue  # a match that goes on is not for paper
                scheme = "dark" if look == "dark" else "light"
                async with watched(opened, page.server.url, width, color_scheme=scheme) as seen:
                    seen.may_fail = name == "problem"
                    await show(seen, name, look, token)
                    path = folder / (f"{name}.png" if readme else f"{name}-{width}-{look}.png")
                    await seen.page.screenshot(path=path, full_page=not readme and name not in ("wall", "embed"))
                    print(path)


async def show(seen: Watched, name: str, look: str, token: str) -> None:
    """Open a page, and do what there is to do on it before it is worth a picture."""
    if look == "print":
        await seen.page.emulate_media(media="print")
    await seen.open(PAGES[name])
    if name == "replay":
        await seen.until("document.body.dataset.ready === 'true'")
    if name == "submit":
        await seen.page.fill("#token", token)
        await seen.page.click("#show")
        await seen.page.click("text=Log >> nth=1")
        await seen.until("!document.getElementById('log').hidden")
    if name == "seat":
        await seen.page.click("text=Sit down")
        await seen.until("document.body.dataset.decision > 0")
        await seen.page.click("#advice")
        await seen.until("document.getElementById('advised').textContent.includes('would play')")
        await seen.page.evaluate("document.querySelectorAll('#spots button')[0].click()")
    await asyncio.sleep(1.2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("pictures"))
    parser.add_argument("--readme", action="store_true", help="only the pictures that README.md shows")
    parser.add_argument(
        "--pages", type=lambda text: text.split(","), default=list(PAGES), help="only these, not with --readme"
    )
    words = parser.parse_args()
    if unknown := set(words.pages) - set(PAGES):
        parser.error(f"there is no page {unknown.pop()}: there are {', '.join(PAGES)}")
    if CHROMIUM is None:
        print("pictures need Chromium: apt-get install chromium", file=sys.stderr)
        return 3
    words.folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(take(words.folder, words.readme, words.pages))
    return 0


if __name__ == "__main__":
    sys.exit(main())
