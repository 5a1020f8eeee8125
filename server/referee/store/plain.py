"""Text as every database can hold it."""

from __future__ import annotations


def plain(text: str) -> str:
    """The text without what some database cannot hold: zero bytes and halves of surrogate pairs."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
