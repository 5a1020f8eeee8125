"""What became of each submitted version of a bot, and which version played in a match; no version was stored before."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TEXTS = ("state", "reason", "log")


def upgrade() -> None:
    for name in TEXTS:
        op.add_column("bot_versions", sa.Column(name, sa.String(), nullable=False, server_default=sa.text("''")))
    op.add_column("bot_versions", sa.Column("files", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("bot_versions", sa.Column("size", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("bot_versions", sa.Column("settled", sa.BigInteger(), nullable=True))
    op.add_column("seats", sa.Column("version", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("seats", "version")
    for name in ("settled", "size", "files", *reversed(TEXTS)):
        op.drop_column("bot_versions", name)
