"""Everything here runs with gRPC set up as Referee does it, which has to happen before grpc is first imported."""

import arena  # noqa: F401, I001 - first
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from referee.logs import log_to_stderr

from .command import referee
from .fresh_databases import fresh_databases
from .hosted_bots import bubblewrap, host, marker, nobody, place, launcher, sandbox
from .store.postgres_server import own_postgres, postgres_address, postgres_url

__all__ = [
    "bubblewrap",
    "fresh_databases",
    "host",
    "launcher",
    "marker",
    "nobody",
    "open_folder",
    "own_postgres",
    "place",
    "postgres_address",
    "postgres_url",
    "referee",
    "sandbox",
]

# Hypothesis measures wall-clock time too: a busy machine that pauses for a second would fail a test of nothing.
hypothesis.settings.register_profile(
    "whatever the machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("whatever the machine")

# As in every command: a server in this process that says it stood still would say so among what a test reads.
log_to_stderr()

NIGHT = 24 * 3600
"""Seconds that a long run may take which says nothing else: the limit of all other tests would end it in the midst."""
QUICK = ("games", "match", "rules")
"""Folders of thousands of tests that take no time."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The quick ones come last, so that all who run tests side by side are done at the same time."""
    here = Path(__file__).parent
    items.sort(key=lambda item: item.path.is_relative_to(here) and item.path.relative_to(here).parts[0] in QUICK)
    for item in items:
        if item.get_closest_marker("soak") is not None and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(NIGHT))
    if config.getoption("loadgroup", False):  # in a worker of pytest-xdist, with --dist loadgroup
        keep_together(items)


def keep_together(items: list[pytest.Item]) -> None:
    """Tests of one `xdist_group` run in one worker, which is told by the end of their names.

    pytest-xdist 3.8 writes it where pytest since 9.2 no longer looks: without this the groups would mean nothing.
    """
    for item in items:
        group = item.get_closest_marker("xdist_group")
        if group is not None and not item.nodeid.endswith(told := f"@{group.args[0]}"):
            from _pytest.nodeid import coerce_node_id

            item._id = coerce_node_id(f"{item.nodeid}{told}")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may reach; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)
