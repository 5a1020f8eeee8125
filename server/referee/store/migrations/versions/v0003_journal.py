"""The journal: a hash chain of everything that is stored; what is there already is taken over into it."""

import sqlalchemy as sa
from alembic import op

from referee.store.adoption import adopt

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "journal",
        sa.Column("chain", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("chain", "number", name="pk_journal"),
        sqlite_with_rowid=False,
    )
    op.add_column("records", sa.Column("packed_crc", sa.BigInteger(), nullable=True))
    adopt(op.get_bind())


def downgrade() -> None:
    op.drop_column("records", "packed_crc")
    op.drop_table("journal")
