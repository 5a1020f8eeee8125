"""Which tournament is meant where none is named: the running one, else the newest."""

from __future__ import annotations

from referee.rules.game import WrongUse
from referee.store import Store, TournamentState


def meant(store: Store, name: str) -> str:
    """The tournament of that name, Unknown if there is none; without a name the running or newest, or WrongUse."""
    if name:
        return store.tournaments.get(name).name
    tournaments = store.tournaments.all()
    if not tournaments:
        raise WrongUse("there is no tournament yet")
    running = [one.name for one in tournaments if one.state is TournamentState.RUNNING]
    return running[-1] if running else tournaments[-1].name
