"""Webhooks of the `--config` file of `referee serve`: checked before anything starts, and brought into the database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.cli.errors import WRONG_USE, Failure

if TYPE_CHECKING:
    from referee.store import Store

KEYS = {"name": str, "url": str, "form": str, "on": list, "secret": str}
NEEDED = ("name", "url")


class ConfiguredWebhook(NamedTuple):
    """A webhook as the file has it."""

    name: str
    url: str
    form: str
    kinds: list[str]
    secret: str
    """Empty: the one it has, or a new one."""


def configured(tables: Sequence[Any]) -> list[ConfiguredWebhook]:
    """What the key `webhooks` says; Failure for what cannot be."""
    from referee.hall.webhook_forms import PREFIX, checked
    from referee.rules.game import WrongUse

    found: list[ConfiguredWebhook] = []
    for table in tables:
        if not isinstance(table, dict) or any(key not in KEYS or type(table[key]) is not KEYS[key] for key in table):
            raise Failure(
                "a webhook of the --config file is a table [[webhooks]] with name, url, form and secret as texts and "
                f"on as a list, not {_shown(table)}",
                WRONG_USE,
            )
        for key in NEEDED:
            if not table.get(key):
                which = f"webhook {table['name']}" if table.get("name") else "a webhook"
                raise Failure(f"{which} of the --config file has no {key}: give name and url", WRONG_USE)
        name, secret, form = table["name"], table.get("secret", ""), table.get("form", "standard")
        if any(one.name == name for one in found):
            raise Failure(f"the --config file has two webhooks named {name}: choose another name", WRONG_USE)
        if secret and not secret.startswith(PREFIX):
            raise Failure(f"the secret of the webhook {name} does not begin with {PREFIX}: copy it again", WRONG_USE)
        try:
            kinds = checked(table["url"], form, table.get("on"))
        except WrongUse as error:
            raise Failure(f"webhook {name} of the --config file: {error}", WRONG_USE) from None
        found.append(ConfiguredWebhook(name, table["url"], form, kinds, secret))
    return found


def bring_in(store: Store, webhooks: Sequence[ConfiguredWebhook]) -> list[str]:
    """Add or change what the database has under these names; returns what to say, secrets that are new among it."""
    from referee.hall.webhook_forms import new_secret

    said = []
    for one in webhooks:
        secret = one.secret or new_secret()
        what = store.webhooks.put(one.name, one.url, secret, one.form, one.kinds, keep_secret=not one.secret)
        if what:
            shown = what == "added" and one.form == "standard" and not one.secret
            signed = f", its messages are signed (shown once): {secret}" if shown else ""
            said.append(f"webhook {one.name} is {what}{signed}")
    return said


def _shown(table: Any) -> str:
    """A table without its secrets."""
    if not isinstance(table, dict):
        return repr(table)[:80]
    return ", ".join(str(key)[:40] for key in table) or "an empty one"
