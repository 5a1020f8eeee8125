"""Snapshots may hold the table of a tournament that is over: showing it again need not compute anything."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _make_anew("kind IN ('board', 'strengths', 'repeats', 'table')")


def downgrade() -> None:
    op.execute("DELETE FROM snapshots WHERE kind = 'table'")
    _make_anew("kind IN ('board', 'strengths', 'repeats')")


def _make_anew(kinds: str) -> None:
    """SQLite cannot change a constraint: the rows wait elsewhere while the table is made again."""
    op.execute("CREATE TEMPORARY TABLE waiting_snapshots AS SELECT * FROM snapshots")
    op.drop_table("snapshots")
    op.create_table(
        "snapshots",
        sa.Column("tournament_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("through", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entrants", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Integer(), nullable=False),
        sa.Column("aside", sa.Integer(), nullable=False),
        sa.Column("rulings", sa.Integer(), nullable=False),
        sa.Column("settings", sa.String(), nullable=False),
        sa.Column("journal_number", sa.Integer(), nullable=False),
        sa.Column("journal_hash", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.CheckConstraint(kinds, name=op.f("ck_snapshots_kind")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_snapshots_tournament_id"),
        sa.PrimaryKeyConstraint("tournament_id", "kind", "through", name="pk_snapshots"),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO snapshots SELECT * FROM waiting_snapshots")
    op.execute("DROP TABLE waiting_snapshots")
