"""The `referee` command: wiring between people and the packages that do the work."""
