"""A match of Flip 7 imagined from a view: all but the order of the pile is open, so only that is drawn."""

from __future__ import annotations

from collections import Counter

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7.cards import COPIES, KINDS, MOST_ROUNDS, THREE, Card, decks
from referee.games.flip7.events import Telling, wire
from referee.games.flip7.moves import MOST_PLAYERS
from referee.games.flip7.round import NO_CARD, NOBODY, ThreeInProgress
from referee.games.flip7.state import Flip7State
from referee.games.flip7.view import options, round_and_dealer
from referee.rules.chance import Chance
from referee.rules.game import Result


def imagine(view: pb.View, chance: Chance) -> Flip7State:
    """A match that looks like this view; it goes on with cards drawn from `chance`."""
    players = len(view.scores)
    if players > MOST_PLAYERS or view.dealer >= players or view.round > MOST_ROUNDS or min(view.scores) < 0:
        raise ValueError("its players or its rounds are not those of a whole match")
    state = Flip7State.__new__(Flip7State)
    state.players = players
    state.faq = view.rules == pb.RULES_FAQ
    state.target_score = view.target_score
    state.chance = chance
    state.log = Telling.told(players, [_event(event) for event in view.events])
    state.ended = Result(tuple(view.ranks), tuple(view.scores), view.reason) if view.ranks else None
    state.totals = list(view.scores)
    state.hands = [list(player.cards) for player in view.players]
    state.shown = [b""] * players
    state.shown_standing = b""
    state.shown_options = options(state.faq, state.target_score)
    state.status = [player.status for player in view.players]
    in_round = [seat for seat, status in enumerate(state.status) if status == pb.STATUS_IN]
    state.in_round = 0 if state.ended else sum(1 << seat for seat in in_round)
    state.asked = view.asked[0] if view.asked else NOBODY
    state.card = view.card if view.HasField("card") else NO_CARD
    state.eligible = sum(1 << seat for seat in view.targets)
    state.turn = view.turn if view.HasField("turn") else NOBODY
    state.threes = [_three(three) for three in view.threes]
    state.unserved = list(reversed(view.unserved))
    state.number = view.round
    state.dealer = view.dealer
    state.shown_round = round_and_dealer(view.round, view.dealer)
    state.reshuffles = view.reshuffles
    pile = [card for card, count in enumerate(view.pile_counts) for _ in range(count)]
    state.pile = chance.order("deck", pile)
    state.pile_counts = bytearray(view.pile_counts)
    state.discard = _discard(state)
    if len(view.players) != players or len(state.pile_counts) != KINDS or len(state.discard) != view.discard_size:
        raise ValueError("its cards are not those of a whole match")
    return state


def _event(event: pb.Event) -> bytes:
    seat = event.seat if event.HasField("seat") else -1
    card = event.card if event.HasField("card") else -1
    return wire(event.kind, seat, card, event.target if event.HasField("target") else -1, tuple(event.points))


def _three(shown: pb.Three) -> ThreeInProgress:
    three = ThreeInProgress(shown.seat)
    three.left = shown.left
    three.aside = list(shown.aside)
    return three


def _discard(state: Flip7State) -> list[Card]:
    """What lies neither in the pile nor before anybody; in which order, makes no difference."""
    lying = Counter(state.pile)
    for hand in state.hands:
        lying.update(hand)
    for three in state.threes:
        lying.update((THREE, *three.aside))
    if state.card != NO_CARD:
        lying[state.card] += 1
    copies = decks(state.players)
    if any(card >= KINDS or count > copies * COPIES[card] for card, count in lying.items()):
        raise ValueError("its cards are not those of a whole match")
    return [card for card, count in enumerate(COPIES) for _ in range(copies * count - lying[card])]
