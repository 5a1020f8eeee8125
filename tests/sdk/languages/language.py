"""The SDKs in other languages: which toolchain each needs, and how it is built and started."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD_SECONDS = 900
"""A first build fetches and compiles everything an SDK rests on."""


@dataclass(frozen=True, slots=True)
class Language:
    """One SDK in `sdk/NAME`, with a Makefile that has the same targets in every language."""

    name: str
    programs: tuple[str, ...]
    """What has to be installed to build it."""
    bot: str
    """The folder in `bots/` that is written with it."""
    game: str
    rival: str
    """The simple house bot of that game."""
    lacks: tuple[str, ...] = ("untyped",)
    """Features of the conformance kit that the language cannot have."""

    @property
    def folder(self) -> Path:
        return ROOT / "sdk" / self.name

    @property
    def conformbot(self) -> str:
        return str(self.folder / "run-conformbot")

    @property
    def missing(self) -> str:
        """The first program that is not installed, or nothing."""
        return next((program for program in self.programs if shutil.which(program) is None), "")

    def make(self, target: str, folder: Path | None = None) -> str:
        """Make a target of the SDK, or of another folder; returns what was said, fails with it."""
        done = subprocess.run(
            ["make", "--no-print-directory", "-C", str(folder or self.folder), target],
            capture_output=True,
            text=True,
            timeout=BUILD_SECONDS,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"make {target} of {self.name} ended with {done.returncode}:\n{said[-6000:]}"
        return said


# Those that take longest to build come first, so that all who run tests side by side are done at the same time.
LANGUAGES = (
    Language("cpp", ("g++", "cmake", "grpc_cpp_plugin"), "gambler", "flip7", "cautious"),
    Language("rust", ("cargo",), "weaver", "encore", "tidy"),
    Language("java", ("javac", "mvn"), "broker", "stop", "frugal"),
    Language("go", ("go",), "detective", "stop_me_go", "patient"),
    Language("typescript", ("node", "npm"), "sprinter", "flip7", "cautious", lacks=()),
)
