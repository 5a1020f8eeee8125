"""The redeal of STOP me GO: what a seat cannot know is drawn anew, so that laws can show that a view leaks nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.chance import Chance

if TYPE_CHECKING:
    from referee.games.stop_me_go.state import StopMeGoState


def redeal(state: StopMeGoState, seat: int | None, chance: Chance) -> None:
    """Draw everything that this agent (None: the public) cannot know anew, in place."""
    _redeal_stops(state, seat, chance)
    redraw(state, chance)


def redraw(state: StopMeGoState, chance: Chance) -> None:
    """Draw what no agent knows anew, in place: the pile and the values of the tokens."""
    state.pile = chance.order("gangsters", sorted(state.pile))
    _redeal_tokens(state, chance)


def _redeal_stops(state: StopMeGoState, seat: int | None, chance: Chance) -> None:
    """Put the `stop` of every other agent anywhere it can be after what was turned up this round."""
    for other in range(state.players):
        if other == seat:
            continue
        place = chance.pick("stops", range(_first_place(state, other), len(state.stops) + 1))
        agent = 1 << other
        state.stops = [stops & ~agent for stops in state.stops]
        state.out &= ~agent
        if place < len(state.stops):  # one place further than the table is the hand
            state.stops[place] |= agent
            state.out |= agent


def _first_place(state: StopMeGoState, agent: int) -> int:
    """The oldest place on the table where this agent's `stop` can lie.

    A `stop` that came back to the hand at an escape can lie only where cards were put since: on the newest gangsters,
    one for every later escape. A `stop` that was not turned up yet can lie anywhere.
    """
    for escapes_since, (_, stops) in enumerate(reversed(state.arrests)):
        if stops >> agent & 1:
            return max(0, len(state.stops) - escapes_since)
    return 0


def _redeal_tokens(state: StopMeGoState, chance: Chance) -> None:
    """Deal values anew: before the end of every token, then only of those that no agent has."""
    over = state.ended is not None
    known = [over and taker >= 0 for taker in state.takers]
    known += [False] * (len(state.rewards) - len(known))
    unknown = [worth for worth, seen in zip(state.rewards, known, strict=True) if not seen]
    fresh = iter(chance.order("tokens", sorted(unknown)))
    state.rewards = tuple([worth if seen else next(fresh) for worth, seen in zip(state.rewards, known, strict=True)])
