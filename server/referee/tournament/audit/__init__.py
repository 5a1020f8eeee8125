"""Audit of a tournament: export, replay and verification."""
