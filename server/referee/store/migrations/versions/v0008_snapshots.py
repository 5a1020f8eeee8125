"""Snapshots: values computed from the results before a place in the schedule, to save computing them again."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
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
        sa.CheckConstraint("kind IN ('board', 'strengths', 'repeats')", name=op.f("ck_snapshots_kind")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_snapshots_tournament_id"),
        sa.PrimaryKeyConstraint("tournament_id", "kind", "through", name="pk_snapshots"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("snapshots")
