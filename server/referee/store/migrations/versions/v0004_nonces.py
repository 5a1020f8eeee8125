"""The nonces of entrants, which go into the seeds; tournaments from before have none and keep their seeds."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "nonces",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("draw", sa.Integer(), nullable=False),
        sa.Column("first_ordinal", sa.Integer(), nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_nonces"),
        sa.UniqueConstraint("tournament_id", "draw", "entrant_id", name="uq_nonces_tournament_id_draw_entrant_id"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_nonces_tournament_id"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrants.id"], name="fk_nonces_entrant_id"),
    )


def downgrade() -> None:
    op.drop_table("nonces")
