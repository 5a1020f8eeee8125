"""How Alembic reaches the database: through the connection that `migrate` hands over, inside its transaction."""

from alembic import context
from sqlalchemy import Connection

from referee.store.migrate import VERSION_TABLE
from referee.store.tables import metadata


def run() -> None:
    connection = context.config.attributes["connection"]
    assert isinstance(connection, Connection)
    context.configure(connection=connection, target_metadata=metadata, version_table=VERSION_TABLE)
    context.run_migrations()


run()
