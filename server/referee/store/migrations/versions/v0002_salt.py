"""The salt that is mixed into a seed's text; tournaments from before have none and keep their root."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tournaments", sa.Column("salt", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("tournaments", "salt")
