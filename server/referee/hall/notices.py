"""Notices: what a bot is told beside its matches, as a code for programs. The protocol has the same codes."""

from __future__ import annotations

from enum import StrEnum


class NoticeCode(StrEnum):
    """What a notice is about."""

    WAITING = "waiting"
    """A wish for practice waits for other bots, or for a tournament."""
    REFUSED = "refused"
    """A wish for practice cannot be had."""
    CLOSED = "closed"
    """The server is stopping and starts no more practice."""
    IGNORED = "ignored"
    """Something that was sent means nothing here."""
    UNKNOWN_GAME = "unknown_game"
    """The bot says that it plays a game that is not refereed here."""
