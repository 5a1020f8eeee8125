"""The view of stop."""
