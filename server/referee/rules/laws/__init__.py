"""The laws of a game (conformance tests): the author of a game checks all of them in one line.

    from referee.rules.laws import check_game
    check_game(MyGame())

Each law is one function whose docstring is the law. It is tried on matches with the fewest, one more, a middle number
and the most players, and with every example of every option; `LawBroken` says which match and which decision broke it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.rules.game import Game, WrongUse
from referee.rules.laws.boards import boards_show_every_view
from referee.rules.laws.cases import LawBroken, Trial
from referee.rules.laws.imagining import (
    imagined_matches_play_on,
    imagined_matches_show_the_view_they_are_made_from,
    imagined_odds_are_those_of_redeals,
)
from referee.rules.laws.length import matches_end_within_their_bound
from referee.rules.laws.memory import redealt_agrees_with_all_that_was_seen
from referee.rules.laws.moves import (
    asked_seats_and_nobody_else_have_moves,
    asking_changes_nothing,
    fallbacks_are_legal,
    listed_moves_are_the_legal_moves,
    lists_are_canonical,
    texts_are_read_generously,
)
from referee.rules.laws.play import (
    chance_is_drawn_under_declared_labels,
    copies_are_independent,
    pieces_are_conserved,
    ranks_follow_scores,
    results_are_well_formed,
    the_same_seed_and_moves_give_the_same_record,
    ties_are_as_frequent_as_declared,
)
from referee.rules.laws.secrecy import (
    redealing_really_redeals,
    redealt_matches_play_on,
    sealed_answers_stay_sealed,
    views_hide_what_a_seat_may_not_know,
)
from referee.rules.laws.view_shape import views_have_the_common_shape
from referee.rules.laws.views import views_can_be_sent

__all__ = ["LAWS", "Law", "LawBroken", "check_game", "check_law"]

Law = Callable[[Trial], None]


def check_game(
    game: Game[Any],
    *,
    matches: int = 3,
    players: Sequence[int] | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Try every law on a game; `LawBroken` at the first that does not hold.

    `matches` is the number of seeds per number of players and set of options; `players` and `options` narrow it down
    to those numbers of players and that one set of options.
    """
    for name in LAWS:
        check_law(game, name, matches=matches, players=players, options=options)


def check_law(
    game: Game[Any],
    law: str,
    *,
    matches: int = 3,
    players: Sequence[int] | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Try one law, by its name in `LAWS`, on a game."""
    trial = Trial(game, matches, players, options)
    title = law.replace("_", " ")
    try:
        LAWS[law](trial)
    except LawBroken as error:
        raise LawBroken(f"law broken: {title}: {error}", error.seen, error.case, error.decision) from error.__cause__
    except Exception as error:
        seen = trial.broken(f"the game raised {type(error).__name__}: {error}")
        raise LawBroken(f"law broken: {title}: {seen}", seen.seen, seen.case, seen.decision) from error


def the_game_introduces_itself(trial: Trial) -> None:
    """Name, title, version, seats and rules are there and usable."""
    game = trial.game
    if not re.fullmatch(r"[a-z][a-z0-9_]*", game.name):
        raise trial.broken(f"the name {game.name!r} is not lower_snake_case")
    if not game.title or not isinstance(game.version, int) or game.version < 1:
        raise trial.broken(f"title {game.title!r} and version {game.version!r} must be a text and a number from 1")
    if not 1 <= game.seats.least <= game.seats.most:
        raise trial.broken(f"seats {game.seats!r} are no range from 1")
    if not 0 <= game.draw_probability < 1:
        raise trial.broken(f"draw_probability {game.draw_probability!r} is no share")
    for players, share in game.draws_by_players.items():
        if not game.seats.least <= players <= game.seats.most or not 0 <= share < 1:
            raise trial.broken(f"draws_by_players {{{players!r}: {share!r}}} is no share for a number of players")
    if len(game.rules().strip()) < 100:
        raise trial.broken("RULES.md beside the game's module does not tell the rules")


def players_and_options_are_strict(trial: Trial) -> None:
    """Unknown options and impossible player counts are refused; resolved options resolve to themselves."""
    game = trial.game
    for count in (game.seats.least - 1, game.seats.most + 1):
        _refused(trial, f"{count} players", lambda count=count: game.check_players(count))  # type: ignore[misc]
    _refused(trial, "the option 'no_such_option'", lambda: game.resolve_options({"no_such_option": 1}))
    for name, option in game.options.items():
        _refused(trial, f"an object() as {name!r}", lambda name=name: game.resolve_options({name: object()}))  # type: ignore[misc]
        for example in (option.default, *option.examples):
            resolved = game.resolve_options({name: example})
            if game.resolve_options(resolved) != resolved:
                raise trial.broken(f"option {name!r}: resolving {example!r} twice gives something else than once")
            if json.loads(json.dumps(resolved)) != resolved:
                raise trial.broken(f"option {name!r}: {example!r} does not resolve to plain JSON")
        if game.resolve_options({name: option.default}) != game.resolve_options():
            raise trial.broken(f"option {name!r}: giving the default is not the same as giving nothing")


def options_open_no_files(trial: Trial) -> None:
    """What an option says of a text is the same whether the text names a file of this machine or none."""
    game = trial.game
    for name in game.options:
        if _said(game, name, os.devnull) != _said(game, name, os.devnull[:-1] + "_"):
            raise trial.broken(f"option {name!r}: what it says of a path depends on whether there is such a file")


def _said(game: Game[Any], name: str, path: str) -> str:
    """What comes of giving a path as an option, with the path itself left out."""
    try:
        said = json.dumps(game.resolve_options({name: path}))
    except WrongUse as error:
        said = str(error)
    return said.replace(path, "…")


LAWS: Mapping[str, Law] = {
    law.__name__: law
    for law in (
        the_game_introduces_itself,
        players_and_options_are_strict,
        options_open_no_files,
        views_can_be_sent,
        views_have_the_common_shape,
        asked_seats_and_nobody_else_have_moves,
        lists_are_canonical,
        listed_moves_are_the_legal_moves,
        fallbacks_are_legal,
        texts_are_read_generously,
        asking_changes_nothing,
        copies_are_independent,
        the_same_seed_and_moves_give_the_same_record,
        matches_end_within_their_bound,
        results_are_well_formed,
        ranks_follow_scores,
        ties_are_as_frequent_as_declared,
        pieces_are_conserved,
        chance_is_drawn_under_declared_labels,
        views_hide_what_a_seat_may_not_know,
        redealing_really_redeals,
        redealt_matches_play_on,
        redealt_agrees_with_all_that_was_seen,
        sealed_answers_stay_sealed,
        imagined_matches_show_the_view_they_are_made_from,
        imagined_matches_play_on,
        imagined_odds_are_those_of_redeals,
        boards_show_every_view,
    )
}


def _refused(trial: Trial, what: str, ask: Callable[[], Any]) -> None:
    try:
        ask()
    except WrongUse as error:
        if str(error):
            return
    raise trial.broken(f"{what} should be refused with WrongUse and a sentence")
