"""Rounds that a format drew while its tournament ran, and what the host decided about bots and matches."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rounds",
        sa.Column("tournament_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("first_ordinal", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("byes", sa.JSON(), nullable=False),
        sa.Column("active", sa.JSON(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("deals", sa.JSON(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_rounds_tournament_id"),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_rounds"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rulings",
        sa.Column("tournament_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("annulled", sa.JSON(), nullable=False),
        sa.Column("aside", sa.JSON(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('disqualified', 'withdrawn', 'returned', 'annulled', 'replayed')", name=op.f("ck_rulings_kind")
        ),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_rulings_tournament_id"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrants.id"], name="fk_rulings_entrant_id"),
        sa.PrimaryKeyConstraint("tournament_id", "number", name="pk_rulings"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("rulings")
    op.drop_table("rounds")
