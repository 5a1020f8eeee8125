"""Tests that share what takes long to make run in one worker."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("together")
def test_a_worker_tells_the_group_of_a_test_by_the_end_of_its_name(request: pytest.FixtureRequest) -> None:
    """Only where tests are spread over workers: the scheduler reads it there."""
    spread = bool(request.config.getoption("loadgroup", False))
    assert request.node.nodeid.endswith("@together") is spread
