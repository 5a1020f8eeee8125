"""The SDKs in other languages: which toolchain each needs, and how it is built and started."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD_SECONDS = 900
"""A first build fetches and compiles everything an SDK rests on."""
QUICK_BUILDS = {
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
    "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "true",
    "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS": "true",
    "CMAKE_BUILD_TYPE": "None",
}
"""The environment of all builds in these tests: Rust and C++ compile sooner without optimising. It is the same
everywhere, so that what was built for one test serves the next."""


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
    packed: str
    """The package that `make dist` leaves in `dist/`, as a pattern."""
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
            env=os.environ | QUICK_BUILDS,
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, f"make {target} of {self.name} ended with {done.returncode}:\n{said[-6000:]}"
        return said

    def made_once(self, target: str) -> None:
        """Make a target of the SDK, unless a test of this process has done so before."""
        if (self.name, target) not in _made:
            self.make(target)
            _made.add((self.name, target))

    def packages(self) -> list[Path]:
        """What `make dist` makes; older packages are removed first, so that none of them is taken for it."""
        if (self.name, "dist") not in _made:
            for package in (ROOT / "dist").glob(self.packed):
                package.unlink()
        self.made_once("dist")
        return sorted((ROOT / "dist").glob(self.packed))


_made: set[tuple[str, str]] = set()
"""Languages and targets: all tests of a language run in one process."""

# Those that take longest to build come first, so that all who run tests side by side are done at the same time.
LANGUAGES = (
    Language("cpp", ("g++", "cmake", "grpc_cpp_plugin"), "gambler", "flip7", "cautious", "referee-sdk-cpp-*.tar.gz"),
    Language("rust", ("cargo",), "weaver", "encore", "tidy", "referee-sdk-*.crate"),
    Language("java", ("javac", "mvn"), "broker", "stop", "frugal", "referee-sdk-*.[jp]*"),
    Language("go", ("go",), "detective", "stop_me_go", "patient", "referee-sdk-go-v*.zip"),
    Language("typescript", ("node", "npm"), "sprinter", "flip7", "cautious", "referee-sdk-*.tgz", lacks=()),
)
