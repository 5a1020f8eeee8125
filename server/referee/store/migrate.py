"""Schema migrations: bring a database to the schema this program knows, or refuse it untouched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from referee.store.errors import ForeignDatabase, NewerSchema, UnknownSchema

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection, Engine

REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011")
"""Every schema this program knows, oldest first; the files in `migrations/versions` have the same names."""

VERSION_TABLE = "referee_schema"
SCRIPTS = Path(__file__).parent / "migrations"


def is_current(connection: Connection, where: str) -> bool:
    """Whether the database has the newest schema; refuses one that is newer still or not Referee's at all."""
    from sqlalchemy import inspect  # here, because `quick_look.py` asks for the newest schema without SQLAlchemy

    tables = inspect(connection).get_table_names()
    if VERSION_TABLE not in tables:
        if tables:
            raise ForeignDatabase(
                f"{where} holds another program's tables ({tables[0]}): give Referee a database of its own"
            )
        return False
    version = connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar()
    if version is not None and version not in REVISIONS:
        if not str(version).isdecimal() or str(version) < REVISIONS[-1]:
            raise UnknownSchema(
                f"{where} has a schema that no Referee made ({str(version)[:40]!r}): restore the file from a copy"
            )
        raise NewerSchema(
            f"{where} has schema {version}, newer than this program's {REVISIONS[-1]}: upgrade Referee to open it"
        )
    return bool(version == REVISIONS[-1])


def migrate(engine: Engine, where: str) -> None:
    """Run what is missing in one transaction; of two programs that try at once, the second finds nothing to do."""
    with engine.begin() as connection:
        if not is_current(connection, where):
            upgrade(connection)
        # Deletes nothing, but fails on a read-only file, where SQLite lets even BEGIN IMMEDIATE pass.
        connection.exec_driver_sql("DELETE FROM meta WHERE 1 = 0")


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run the migrations inside the connection's transaction."""
    # Imported here because most starts need no migration, and Alembic takes longer to load than the rest.
    from alembic import command

    command.upgrade(_config(connection), revision)


def downgrade(connection: Connection, revision: str) -> None:
    """Take the migrations after `revision` back, inside the connection's transaction."""
    from alembic import command

    command.downgrade(_config(connection), revision)


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
