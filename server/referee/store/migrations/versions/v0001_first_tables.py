"""Bots, tournaments, matches, their records, and facts about the installation."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bots",
        _id(),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=True),
        *_times("created", "rotated", "revoked"),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("name", name="uq_bots_name"),
        sa.UniqueConstraint("token_hash", name="uq_bots_token_hash"),
        sa.CheckConstraint("kind IN ('house', 'remote')", name=op.f("ck_bots_kind")),
    )
    op.create_table(
        "bot_versions",
        _id(),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        *_times("created"),
        sa.PrimaryKeyConstraint("id", name="pk_bot_versions"),
        sa.UniqueConstraint("bot_id", "label", name="uq_bot_versions_bot_id_label"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_bot_versions_bot_id"),
    )
    op.create_table(
        "tournaments",
        _id(),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("game_version", sa.String(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("revealed", sa.Boolean(), nullable=False),
        sa.Column("seed_text", sa.String(), nullable=True),
        *_times("created", "started", "finished"),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
        sa.UniqueConstraint("name", name="uq_tournaments_name"),
        sa.CheckConstraint(
            "state IN ('created', 'running', 'paused', 'finished', 'cancelled')", name=op.f("ck_tournaments_state")
        ),
    )
    op.create_table(
        "entrants",
        _id(),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        *_times("joined"),
        sa.PrimaryKeyConstraint("id", name="pk_entrants"),
        sa.UniqueConstraint("tournament_id", "position", name="uq_entrants_tournament_id_position"),
        sa.UniqueConstraint("tournament_id", "name", name="uq_entrants_tournament_id_name"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_entrants_tournament_id"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_entrants_bot_id"),
        sa.ForeignKeyConstraint(["version_id"], ["bot_versions.id"], name="fk_entrants_version_id"),
    )
    op.create_table(
        "matches",
        _id(),
        sa.Column("tournament_id", sa.Integer(), nullable=True),
        sa.Column("ordinal", sa.Integer(), nullable=True),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("table_number", sa.Integer(), nullable=True),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("game_version", sa.String(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        *_times("created", "started", "finished"),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("tournament_id", "ordinal", name="uq_matches_tournament_id_ordinal"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id"),
        sa.CheckConstraint(
            "state IN ('scheduled', 'playing', 'finished', 'absent', 'void')", name=op.f("ck_matches_state")
        ),
    )
    op.create_index("ix_matches_tournament_id_state_ordinal", "matches", ["tournament_id", "state", "ordinal"])
    op.create_index("ix_matches_tournament_id_finished", "matches", ["tournament_id", "finished"])
    op.create_table(
        "seats",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entrant_id", sa.Integer(), nullable=True),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("score", sa.BigInteger(), nullable=True),
        sa.Column("fault", sa.String(), nullable=True),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("time_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_seats_match_id"),
        sa.ForeignKeyConstraint(["entrant_id"], ["entrants.id"], name="fk_seats_entrant_id"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seats_bot_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_seats_bot_id", "seats", ["bot_id"])
    op.create_table(
        "records",
        sa.Column("match_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name="pk_records"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_records_match_id"),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )


def downgrade() -> None:
    for table in ("meta", "records", "seats", "matches", "entrants", "tournaments", "bot_versions", "bots"):
        op.drop_table(table)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer(), nullable=False)


def _times(first: str, *others: str) -> list[sa.Column[int]]:
    """Columns of times: the first is always known, the others only once it has happened."""
    required = sa.Column(first, sa.BigInteger(), nullable=False)
    return [required, *(sa.Column(name, sa.BigInteger(), nullable=True) for name in others)]
