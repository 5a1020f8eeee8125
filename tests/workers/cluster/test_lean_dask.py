"""dask watches itself seldom and logs nothing of its own."""

from __future__ import annotations

import logging

import pytest

pytest.importorskip("distributed", reason="referee-arena[cluster] is not installed")


def test_no_part_of_dask_logs_an_error_of_its_own_or_profiles() -> None:
    import dask

    from referee.workers.cluster.lean_dask import make_lean

    with dask.config.set({}):
        make_lean()
        for name in ("distributed", "distributed.client", "distributed.worker", "distributed.core", "tornado"):
            assert not logging.getLogger(name).isEnabledFor(logging.ERROR)
        assert dask.config.get("distributed.worker.profile.enabled") is False
