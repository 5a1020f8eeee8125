"""The trial of a submitted bot: built and examined in the sandbox, and nothing of it runs or is imported outside."""

from __future__ import annotations

from pathlib import Path

from referee.hosting.submission.trial import TrialSettings, try_out

from .zips import TOML, bot_folder

SETTINGS = TrialSettings(matches=1)


async def test_a_bot_that_is_fit_passes_and_no_file_of_it_is_imported_outside_the_sandbox(place: Path) -> None:
    folder = bot_folder(place / "bot")
    marker = place / "imported"
    for name in ("referee.py", "typing.py", "sitecustomize.py", "arena.py"):
        (folder / name).write_text(f"open({str(marker)!r}, 'w').close()\n")
    verdict = await try_out("mine", folder, SETTINGS)
    assert verdict.fit, verdict.log
    assert verdict.reason == ""
    assert "mine is fit to play" in verdict.log
    assert str(place) not in verdict.log
    assert not marker.exists()


async def test_a_bot_that_crashes_is_refused_with_the_reason_and_its_last_words(place: Path) -> None:
    folder = bot_folder(place / "bot")
    (folder / "bot.sh").write_text("echo out of coffee >&2; exit 7\n")
    verdict = await try_out("mine", folder, SETTINGS)
    assert not verdict.fit
    assert not verdict.again
    assert verdict.reason.startswith("the check failed: stop me go plays forfeited (crash)")
    assert "out of coffee" in verdict.log


async def test_a_build_that_fails_is_refused_with_what_it_wrote(place: Path) -> None:
    folder = bot_folder(place / "bot")
    (folder / "bot.toml").write_text(TOML + "build = \"sh -c 'echo no such compiler; exit 3'\"\n")
    verdict = await try_out("a bot's name", folder, SETTINGS)
    assert not verdict.fit
    assert "cannot be built" in verdict.reason
    assert "no such compiler" in verdict.log
    assert str(place) not in verdict.reason + verdict.log


async def test_a_trial_that_does_not_end_is_ended(place: Path, marker: str) -> None:
    folder = bot_folder(place / "bot")
    (folder / "bot.toml").write_text(TOML + f"build = \"sh -c 'while :; do sleep 1; done' {marker}\"\n")
    verdict = await try_out("mine", folder, TrialSettings(seconds=2.0))
    assert not verdict.fit
    assert verdict.reason == "building and checking it took longer than 2 seconds"
