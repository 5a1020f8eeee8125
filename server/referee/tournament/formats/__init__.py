"""Formats of competitions: round-robin, gauntlet, Swiss, knock-out, groups and finals, ladder."""
