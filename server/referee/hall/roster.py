"""The roster: registered bots and house bots by name, and the tokens that let them in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee import names
from referee.hall.house_player import HouseBotThread, HousePlayer
from referee.hall.redeeming import Redeeming
from referee.hall.tokens import Tokens
from referee.hosting.bot import folders
from referee.rules.game import WrongUse
from referee.rules.spelling import brief, nearest
from referee.store import Bot, BotKind, NewBot, NewEntrant, Store
from referee.store.admins import HOST
from referee.tournament.plan import distinct

ANYONE = "anyone"
"""In a wish for practice: any other bot that waits."""


class Roster:
    """The bots of a store, and the house bots that come with the installation."""

    def __init__(self, store: Store, house_thread: HouseBotThread | None = None) -> None:
        """`house_thread` is where house bots think; without one, they can be named but not play."""
        self._store = store
        self._house_thread = house_thread
        self._loaded: dict[str, Any] = {}
        self.tokens = Tokens(store)
        self.invitations = Redeeming(store, self.tokens)

    def add(self, name: str) -> NewBot:
        """Register a remote bot, under a name that is not taken and means nothing else."""
        check_new_name(name)
        return self._store.bots.add(name)

    def entrants(self, names: Sequence[str], game: str) -> list[NewEntrant]:
        """Bots by name, as they enter a tournament or a match: repeated house bots are numbered."""
        bots = [self.bot(name, game) for name in names]
        for bot in bots:
            if bot.kind is BotKind.REMOTE and names.count(bot.name) > 1:
                raise WrongUse(f"{bot.name} is one bot and can enter once; house bots may be named several times")
        return [NewEntrant(bot.id, shown) for bot, shown in zip(bots, distinct(names), strict=True)]

    def bot(self, name: str, game: str) -> Bot:
        """The registered bot of that name, or the house bot; WrongUse if there is neither."""
        found = self._store.bots.find(name)
        if found is not None and found.kind is BotKind.REMOTE:
            if found.revoked is not None:
                raise WrongUse(f"{name} is revoked: 'referee bot rotate {name}' lets it in again")
            return found
        if name not in folders.names():
            known = [bot.name for bot in self._store.bots.all() if bot.kind is BotKind.REMOTE and bot.revoked is None]
            near = nearest(name, [*known, *folders.names(game)])
            hint = f"did you mean {near!r}?" if near else "'referee bot add NAME' registers one"
            raise WrongUse(f"there is no bot {brief(name)}, neither registered nor in the house: {hint}")
        return self.house_bot(name, game)

    def house_bot(self, name: str, game: str) -> Bot:
        """The house bot of that name, which plays this game; WrongUse if there is none."""
        folder = folders.find(name, game)
        folders.check_inside(folder)
        return self._store.bots.ensure_house(folder.name, folder.about)

    def house_player(self, bot: str, shown: str) -> HousePlayer:
        """A house bot, ready to sit down under the name that is shown."""
        assert self._house_thread is not None
        if bot not in self._loaded:
            self._loaded[bot] = folders.load(folders.find(bot))
        return HousePlayer(shown, self._loaded[bot], self._house_thread)


def check_new_name(name: str) -> None:
    """WrongUse if a bot of that name could not be told from others where bots are named."""
    if names.alike(name, ANYONE):
        raise WrongUse(f"{name} stands for whoever is waiting: choose another name")
    house = next((one for one in folders.names() if names.alike(one, name)), None)
    if house is not None:
        what = "is" if house == name else f"looks like {house},"
        raise WrongUse(f"{name} {what} the name of a house bot: choose another name")


def new_admin_token(store: Store) -> str:
    """Make an admin token; only its hash is kept, and the old one is void."""
    return store.admins.rotate(HOST).token
