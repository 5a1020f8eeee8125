"""Passwords in database addresses, masked: every message that names a database passes through here.

An address is shown as it was given but for its secrets: `postgresql://ada:***@db.example/league?sslmode=require`.
"""

from __future__ import annotations

import re

MASK = "***"
HARMLESS = frozenset(
    {
        *("host", "hostaddr", "port", "dbname", "user", "service", "options", "application_name", "client_encoding"),
        *("connect_timeout", "sslmode", "sslrootcert", "target_session_attrs"),
    }
)
"""What may be read in the query of an address. Whatever else stands there is masked: it may be a password's typo."""

_USER = re.compile(r"(://[^\s/:]*):.*@")
"""From the colon after the user's name to the last @, whatever is in between; names of users may have an @ too."""
_QUERY = re.compile(r"(postgres\w*(?:\+\w+)?://[^\s?]*\?)(\S+)", re.IGNORECASE)
_PAIR = re.compile(r"([^&=]*)=([^&]*)")


def masked(text: str) -> str:
    """A sentence, without the passwords of the addresses in it."""
    if "://" not in text:
        return text
    return _QUERY.sub(_masked_query, _USER.sub(rf"\1:{MASK}@", text))


def shown(address: str) -> str:
    """The address of a database as a person gave it, without its password."""
    if "://" not in address or address.startswith("sqlite:"):
        return address
    return masked(re.sub(r"\s", "%20", address))


def _masked_query(found: re.Match[str]) -> str:
    def pair(each: re.Match[str]) -> str:
        return each[0] if each[1].lower() in HARMLESS else f"{each[1]}={MASK}"

    return found[1] + _PAIR.sub(pair, found[2])
