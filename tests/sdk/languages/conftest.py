"""Every test here runs once per language, built first; a language whose toolchain is absent is skipped by name."""

from __future__ import annotations

import pytest

from .language import LANGUAGES, Language


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "language" in metafunc.fixturenames:
        # One group per language: each is built by one process only, once.
        each = [pytest.param(one, id=one.name, marks=pytest.mark.xdist_group(one.name)) for one in LANGUAGES]
        metafunc.parametrize("language", each, indirect=True)


@pytest.fixture
def language(request: pytest.FixtureRequest) -> Language:
    return _built(request.param)


@pytest.fixture
def typescript() -> Language:
    """For what only its bots have; such a test belongs to the group of that name."""
    return _built(next(one for one in LANGUAGES if one.name == "typescript"))


def _built(one: Language) -> Language:
    if missing := one.missing:
        pytest.skip(f"{one.name}: {missing} is not installed")
    one.made_once("build")
    return one
