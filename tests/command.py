"""`referee` called in this process, as a person would call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from referee.cli.main import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a call of `referee` left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Referee = Callable[..., Done]


@pytest.fixture
def referee(capsys: pytest.CaptureFixture[str]) -> Referee:
    def call(*words: object) -> Done:
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call
