"""What `import arena` gives: every public name, to editors and to Python, without loading what is not needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import arena


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_every_public_name_is_there_and_listed() -> None:
    for name in arena.__all__:
        assert getattr(arena, name).__name__.rpartition(".")[2] == name
    assert set(arena.__all__) <= set(dir(arena))
    assert "__version__" in dir(arena)


def test_names_are_listed_before_they_are_loaded() -> None:
    heavy = "[name for name in ('asyncio', 'google.protobuf', 'grpc') if name in sys.modules]"
    assert python(f"import sys, arena; print('Decision' in dir(arena), {heavy})") == "True []\n"


def test_decisions_and_views_are_read_without_the_network() -> None:
    code = "import sys, arena; arena.Decision, arena.Match, arena.Result; print('grpc' in sys.modules)"
    assert python(code) == "False\n"


def test_a_star_import_brings_all() -> None:
    assert python("from arena import *; print(run.__name__, testing.play.__name__)") == "run play\n"


def test_a_misspelled_name_is_an_error_that_python_can_help_with() -> None:
    with pytest.raises(AttributeError, match="module 'arena' has no attribute 'Decison'") as error:
        arena.Decison  # type: ignore[attr-defined]  # noqa: B018
    assert (error.value.name, error.value.obj) == ("Decison", arena)
