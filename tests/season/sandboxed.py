"""One day in real time, on the same database: a bot is submitted, built, examined and played in the sandbox."""

from __future__ import annotations

import asyncio
import io
import time
from typing import TYPE_CHECKING

from tests.hosting.submission.zips import bot_folder

from referee.hall.competition import Competition, SubmissionPlan
from referee.hosting.submission.packing import pack
from referee.store import MatchState, Store, VersionState
from referee.tournament.plan import Plan
from referee.workers.version_host import VersionHost

from .checks import Broken

if TYPE_CHECKING:
    from .season import Season

SHOW = "show"
AUTHOR = "ann"


def sandboxed_day(season: Season) -> None:
    """The league rests; a small tournament of a real game is played beside it."""
    season.began = time.monotonic()
    try:
        with Store.open(season.path, owner="server") as store:
            asyncio.run(_submit_and_play(season, store))
    finally:
        season.now += time.monotonic() - season.began
        season.began = None
    season.done["sandbox"] += 1


async def _submit_and_play(season: Season, store: Store) -> None:
    plan = SubmissionPlan(season.content, VersionHost)
    competition = Competition(store, submissions=plan)
    await competition.prepare()
    competition.start()
    submissions = competition.submissions
    assert submissions is not None
    try:
        zipped = io.BytesIO()
        pack(bot_folder(season.folder / "submitted", note=str(season.seed)), zipped)
        upload = season.content.receive()
        upload.write_bytes(zipped.getvalue())
        version = await submissions.settled(await submissions.submit(AUTHOR, upload))
        upload.unlink(missing_ok=True)
        if version.state is not VersionState.ACTIVE:
            raise Broken(f"the bot of the sandbox is {version.state}: {version.reason}\n{version.log}")
        show = await competition.director.create(
            SHOW, Plan("stop_me_go", 2, rounds=2, absence=60.0), [AUTHOR, "random"], None, True
        )
        await competition.director.wait_until_stopped(SHOW)
        played = list(store.matches.in_schedule_order(show.id, [MatchState.FINISHED]))
        versions = {seat.version for match in played for seat in match.seats if seat.name == AUTHOR}
        if len(played) != 2 or versions != {version.number}:
            raise Broken(f"{len(played)} matches were played in the sandbox, by version {versions}")
    finally:
        await competition.stop()
