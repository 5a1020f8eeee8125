"""The store: everything that must survive a restart, behind a few verbs.

with Store.open("league.db", owner="server") as store:
    token = store.bots.add("greedy").token
    ...
    store.matches.report(result)
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import select

from referee.store import journal
from referee.store import tables as t
from referee.store.address import Address, check_address, parse_address
from referee.store.admins import Admins
from referee.store.amendments import Amendments
from referee.store.bots import Bots
from referee.store.connections import Clock, Connections, wall_clock
from referee.store.engines import READERS, fill, reader_engine, writer_engine
from referee.store.errors import ReadOnly, Unreachable
from referee.store.every_column import EveryColumn
from referee.store.file_rights import create_private, exposure
from referee.store.invitations import Invitations
from referee.store.matches import Matches
from referee.store.migrate import is_current, migrate
from referee.store.nonces import Nonces
from referee.store.owner import Ownership
from referee.store.pruning import Pruning
from referee.store.rounds import Rounds
from referee.store.rulings import Rulings
from referee.store.snapshots import Snapshots
from referee.store.tournaments import Tournaments
from referee.store.versions import Versions
from referee.store.webhooks import Webhooks
from referee.store.writer import Writer


class Store:
    """An open database; `bots`, `tournaments`, `matches`, `nonces` hold the verbs, `writer` takes any unit of work."""

    def __init__(self, address: Address, ownership: Ownership | None, timeout: float, now: Clock) -> None:
        self.address = address
        self._ownership = ownership
        self._readers = reader_engine(address, timeout)
        self._writing = writer_engine(address, timeout)
        self.writer = Writer(self._writing)
        self._connections = Connections(self._readers, self.writer, now)
        self.bots = Bots(self._connections)
        self.admins = Admins(self._connections)
        self.invitations = Invitations(self._connections)
        self.versions = Versions(self._connections)
        self.webhooks = Webhooks(self._connections)
        self.pruning = Pruning(self._connections)
        self.tournaments = Tournaments(self._connections)
        self.matches = Matches(self._connections)
        self.nonces = Nonces(self._connections)
        self.rounds = Rounds(self._connections)
        self.rulings = Rulings(self._connections)
        self.amendments = Amendments(self._connections)
        self.snapshots = Snapshots(self._connections)
        self.journal = journal.Journal(self._readers)
        self.every_column = EveryColumn(self._readers)

    @classmethod
    def open(
        cls,
        address: str | Path,
        *,
        owner: str | None = None,
        create: bool = True,
        timeout: float = 10.0,
        now: Clock = wall_clock,
    ) -> Self:
        """Open a database, creating or upgrading it as needed.

        `owner` says who runs a server on it ("server"): a second one is refused while the first lives, others may
        still open it. With `create=False` a missing file is an error. `timeout` bounds the wait for a lock.
        """
        where = parse_address(address)
        check_address(where, create=create)
        ownership = None if owner is None else Ownership(where, owner)
        try:
            store = cls(where, ownership, timeout, now)
        except BaseException:
            if ownership is not None:
                ownership.release()
            raise
        try:
            store._prepare()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def exposure(self) -> str | None:
        """What to tell the host if others than the owner can read the file; None if all is well, or on a server."""
        return None if self.address.path is None else exposure(self.address.path)

    def fact(self, key: str) -> str | None:
        """A fact about the installation, such as the hash of the admin's token."""
        with self._readers.connect() as connection:
            return connection.execute(select(t.meta.c.value).where(t.meta.c.key == key)).scalar()

    def renew_ownership(self) -> None:
        """After a fault that has passed: see that this program still owns the database; AlreadyOwned if not."""
        if self._ownership is not None:
            self._ownership.renew(self.address)

    def close(self) -> None:
        """Write what was submitted and let go of the database; a second time does nothing."""
        self.writer.close()
        self._readers.dispose()
        self._writing.dispose()
        if self._ownership is not None:
            self._ownership.release()
            self._ownership = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        """Check by reading alone first: a file that is refused is left as it was."""
        name = str(self.address)
        current = False
        path = self.address.path
        made = path is not None and not path.exists() and create_private(path)
        if not made:
            with self._readers.connect() as connection:
                current = is_current(connection, name)
        # A server also proves now that it can write, rather than at its first result.
        if not current or self._ownership is not None:
            try:
                migrate(self._writing, name)
            except (ReadOnly, Unreachable) as error:
                if current or made or self._ownership is not None:
                    raise
                raise ReadOnly(
                    f"{name} was made by an older version and cannot be brought up to date, because it is read-only: "
                    "copy it to a folder in which you may write, and name the copy"
                ) from error
        # And it opens all it will ever need: others may leave it no descriptor later.
        if self._ownership is not None:
            fill(self._writing, 1)
            fill(self._readers, READERS)
