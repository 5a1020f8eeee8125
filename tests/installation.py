"""Both distributions, built from this checkout and installed into an empty virtual environment far from it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = (ROOT, ROOT / "sdk" / "python")
UV = Path(sys.executable).with_name("uv")
OURS = ("referee", "_referee", "_editable_impl_referee", "arena")


def build(folder: Path, *options: str) -> Path:
    """Build both distributions into this folder: sdists, and wheels from them; with `--wheel` wheels alone, quickly."""
    for project in PROJECTS:
        words = [UV, "build", "--quiet", "--offline", "--no-build-isolation", *options, "--out-dir", folder, project]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder


class Installation:
    """A virtual environment of its own, and a folder to work in that is no checkout."""

    def __init__(self, folder: Path) -> None:
        self.home, self.bin = folder / "work", folder / "venv" / "bin"
        self.home.mkdir()
        # With symlinks, the interpreter finds the standard library of the Python that runs the tests.
        venv.create(folder / "venv", with_pip=False, symlinks=True)
        self.python = self.bin / "python"
        words = [self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
        self.packages = Path(self.run(words).strip())
        others = folder / "dependencies"
        _link_dependencies(others)
        (self.packages / "dependencies.pth").write_text(f"{others}\n")

    @property
    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "COV", "REFEREE"))}
        kept.pop("VIRTUAL_ENV", None)
        path = f"{self.bin}{os.pathsep}{os.environ['PATH']}"
        return kept | {"PATH": path, "HOME": str(self.home), "COLUMNS": "200"}

    def install(self, wheels: Sequence[Path]) -> None:
        self.run([UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", self.python, *wheels])

    def run(self, words: Sequence[object], code: int = 0) -> str:
        """What a program says on stdout, run in the folder that is no checkout."""
        done = subprocess.run(
            [str(word) for word in words],
            env=self.environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def referee(self, *words: object, code: int = 0) -> str:
        return self.run([self.bin / "referee", *words], code)


def _link_dependencies(folder: Path) -> None:
    """What the distributions depend on, from the environment of the tests; nothing of the distributions themselves."""
    folder.mkdir()
    for entry in sorted(Path(sysconfig.get_path("purelib")).iterdir()):
        if not entry.name.startswith(OURS) and entry.suffix != ".pth":
            (folder / entry.name).symlink_to(entry)
