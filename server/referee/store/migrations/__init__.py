"""Alembic's scripts: how each schema follows from the one before."""
