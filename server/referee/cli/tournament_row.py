"""A tournament of a database file as a row: what `tournament list`, `status` and `show` tell of it in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from referee.tournament.nonces import digest

if TYPE_CHECKING:
    from referee.store.values import TournamentLook


def tournament_row(look: TournamentLook, rulings: Sequence[str] = ()) -> dict[str, Any]:
    """The row of a tournament; `rulings` are what its rulings say."""
    one = look.tournament
    return {
        "name": one.name,
        "game": one.game,
        "players": one.players,
        "state": one.state.value,
        "matches_done": look.counts.total - look.counts.open,
        "matches_set_aside": look.counts.aside,
        "matches_dealt_anew": look.dealt_anew,
        "matches_total": look.counts.total,
        "bots": list(look.entrants),
        "commitment": one.commitment,
        "root": one.root.hex() if one.root else "",
        "repeatable": one.repeatable,
        "seed_text": one.seed_text or "",
        "salt": one.salt.hex() if one.salt else "",
        "nonces": [
            {
                "draw": draw.draw,
                "first_match": draw.first,
                "digest": digest(one.name, draw).hex(),
                "entrants": [asdict(entrant) for entrant in draw.entrants],
            }
            for draw in look.draws
        ],
        "settings": dict(one.settings),
        "rulings": list(rulings),
        "stage": look.stage,
        "head": look.head._asdict(),
    }
