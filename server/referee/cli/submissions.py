"""`serve --submissions`: whether submitted bots can be hosted here, where their files lie, and what they may use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.cli.arguments import seconds
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure

if TYPE_CHECKING:
    from referee.hall.competition import SubmissionPlan
    from referee.logs import Say
    from referee.store import Store

UNPACKED = 6
"""Files may take so many times the bytes of the zip."""


def submission_plan(settings: dict[str, Any], store: Store, say: Say) -> SubmissionPlan | None:
    """What the host allows; None without submissions. Failure if bots cannot be hosted here."""
    if not settings["submissions"]:
        return None
    from referee.hall.competition import SubmissionPlan
    from referee.hall.submissions import SubmissionSettings
    from referee.hosting.sandbox.bubblewrap import OWN_BOTS, probe, what_holds
    from referee.hosting.submission.content_store import ContentStore
    from referee.hosting.submission.trial import TrialSettings
    from referee.hosting.submission.zip_check import PackageLimits
    from referee.workers.version_host import HostSettings, VersionHost

    if (idle := seconds(settings["hosted_idle"])) < 1:
        raise Failure(f"hosted_idle is at least 1s, not {settings['hosted_idle']}", WRONG_USE)
    folder = _folder(settings["submissions_dir"], store)
    if (missing := probe()) is not None:
        # Strangers wrote them: what helps with bots of one's own is no choice here.
        raise Failure(f"submitted bots need the sandbox: {missing.removesuffix(f'; {OWN_BOTS}')}", ENVIRONMENT)
    say(f"note: {what_holds()}", style="dim", markup=False)
    packed = settings["submission_mb"] << 20
    hosting = HostSettings(idle, settings["hosted_matches"], settings["hosted_memory"] << 20, settings["max_hosted"])
    return SubmissionPlan(
        ContentStore(folder, PackageLimits(packed, UNPACKED * packed)),
        lambda hall, house_thread: VersionHost(hall, house_thread, hosting),
        SubmissionSettings(TrialSettings(settings["build_network"]), settings["submissions_per_hour"]),
    )


def _folder(given: str | None, store: Store) -> Path:
    """Beside the database file, unless another folder is named."""
    if given is not None:
        folder = Path(given).resolve()
    elif store.address.path is not None:
        path = store.address.path
        folder = path.with_name(f"{path.name}-submissions")
    else:
        raise Failure(
            "with PostgreSQL, say where submitted bots are kept: submissions_dir in the --config file", WRONG_USE
        )
    if not folder.parent.is_dir():
        raise Failure(f"{folder} cannot be made: there is no folder {folder.parent}", WRONG_USE)
    return folder
