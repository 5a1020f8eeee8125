"""A process that opens a store under hardship and says how it went: `ErrorName: message`, or `opened`.

Run by test_faults.py as `python opener.py ADDRESS VERB [LIMIT]`. VERB is `open`, which root does as nobody, for
nothing is read-only to root; or `report`, which stores matches until something fails. With LIMIT no file may grow
beyond so many bytes.
"""

from __future__ import annotations

import os
import resource
import sys
from itertools import count

import alembic.command  # noqa: F401 - imported before the rights are dropped, for nobody may not read it afterwards

from referee.store import NewEntrant, Store, StoreError


def main(address: str, verb: str, limit: int | None) -> None:
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if verb == "open" and os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    try:
        with Store.open(address, owner="server") as store:
            if verb == "report":
                fill(store)
        print("opened")
    except StoreError as error:
        print(f"{type(error).__name__}: {error}")


def fill(store: Store) -> None:
    """Store practice matches, and say the number of each once it is stored."""
    bot = store.bots.ensure_house("random").id
    for number in count():
        match = store.matches.add_practice(
            "stop", "1", [NewEntrant(bot, "random")], {"filler": "x" * 5_000, "n": number}
        )
        print(match.id, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
