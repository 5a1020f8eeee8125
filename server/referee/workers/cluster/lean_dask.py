"""Settings of dask for all processes of a cluster: what watches dask itself, many times a second, is left out.

Its profiler looks at the stack a hundred times a second, its monitors of the event loop fifty times. They took several
hundredths of a core in every process, whether a match was played or not.
"""

from __future__ import annotations

import logging


def make_lean() -> None:
    """Before the first scheduler, worker or client of this process is made."""
    import dask
    import distributed  # noqa: F401 - it sets what is set here otherwise

    dask.config.set(
        {
            "distributed.worker.profile.enabled": False,
            "distributed.worker.profile.interval": "1s",
            "distributed.worker.profile.cycle": "60s",
            "distributed.admin.tick.interval": "1s",
            "distributed.admin.tick.cycle": "10s",
            "distributed.admin.system-monitor.interval": "5s",
            "distributed.admin.system-monitor.disk": False,
            "distributed.admin.system-monitor.gil.enabled": False,
        }
    )
    # It logs what we tell in our own words; its import has given levels of their own to parts of it.
    for name in ("distributed", "tornado", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
