"""Submissions for tests: real packages, versions and bots, judged by a trial that takes no time."""

from __future__ import annotations

from pathlib import Path

from referee.hall.competition import SubmissionPlan
from referee.hosting.sandbox.launch import NoSandbox
from referee.hosting.submission.content_store import ContentStore
from referee.hosting.submission.trial import TrialSettings, Verdict
from referee.workers.version_host import HostSettings, VersionHost


async def judged(name: str, folder: Path, settings: TrialSettings) -> Verdict:
    """A trial that asks the bot itself: the real one has tests of its own, and takes seconds."""
    unfit = folder / "unfit"
    return Verdict(not unfit.exists(), unfit.read_text() if unfit.exists() else "", f"{name} was tried")


def plan(folder: Path, idle: float = 600.0) -> SubmissionPlan:
    settings = HostSettings(idle=idle, per_bot=4)
    return SubmissionPlan(
        ContentStore(folder / "submissions"),
        lambda hall, thread: VersionHost(hall, thread, settings, NoSandbox()),
        trial=judged,
    )
