"""The database of a command: opened, closed, and what is wrong with it said in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.cli.arguments import DEFAULT_DB
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import print_warning

if TYPE_CHECKING:
    from referee.store import Store


@contextmanager
def open_store(db: str | None, *, owner: str | None = None, create: bool = True) -> Iterator[Store]:
    """The database, closed afterwards; what is wrong with it becomes one sentence and exit code 3.

    Commands that own or may create it write to it: they tell the host if others can read what they write.
    """
    from referee.store import NameTaken, NotAllowed, Refused, Store, StoreError, Unknown

    try:
        with Store.open(db or DEFAULT_DB, owner=owner, create=create) as store:
            if (owner is not None or create) and (exposure := store.exposure) is not None:
                print_warning(exposure)
            yield store
    except (NameTaken, NotAllowed, Refused, Unknown) as error:
        raise Failure(str(error), WRONG_USE) from None
    except StoreError as error:
        raise Failure(str(error), ENVIRONMENT) from None
