"""The view of encore."""
