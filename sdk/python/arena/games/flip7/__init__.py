"""The view of flip7."""
