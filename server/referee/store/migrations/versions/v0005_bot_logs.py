"""What hosted bots write to stderr, per match and seat."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bot_logs",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_bot_logs_match_id"),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_bot_logs"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("bot_logs")
