"""What is told of a match: the kinds of events, from when they are news, and that nothing is missing."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7 import GAME, events
from referee.games.flip7.cards import CODES, points
from referee.games.flip7.moves import HIT, STAY
from referee.games.flip7.state import Flip7State
from referee.rules.chance import Seeded

Laid = Callable[..., Flip7State]


def test_every_kind_of_event_has_its_name() -> None:
    kinds = {name.removeprefix("EVENT_KIND_"): kind for name, kind in pb.EventKind.items() if kind}
    assert {name: getattr(events, name) for name in kinds} == kinds


def test_an_event_is_written_as_a_view_that_tells_nothing_else() -> None:
    written = pb.View.FromString(events.wire(events.TARGETED, 0, CODES["S"], 2, ()))
    told = pb.Event(kind=pb.EVENT_KIND_TARGETED, seat=0, card=pb.SPECIAL_CARD_STOP, target=2)
    assert written == pb.View(events=[told])


def test_news_is_what_happened_since_the_own_decision_and_public_news_since_the_latest(laid: Laid) -> None:
    state = laid("SC 5 SC 5")
    for seat, move in ((0, HIT), (1, HIT), (2, STAY), (0, HIT), (0, 1)):
        state.play({seat: move})
    told = [(event.kind, event.seat, event.card, event.target) for event in state.view(1).events]
    assert told == [
        (pb.EVENT_KIND_DEALT, 1, 5, 0),
        (pb.EVENT_KIND_STAYED, 2, 0, 0),
        (pb.EVENT_KIND_DEALT, 0, CODES["SC"], 0),
        (pb.EVENT_KIND_TARGETED, 0, CODES["SC"], 1),
    ]
    assert [event.kind for event in state.view(None).events] == [pb.EVENT_KIND_TARGETED]
    state.play({1: HIT})
    kinds = [event.kind for event in state.view(1).events]
    assert kinds == [pb.EVENT_KIND_DEALT, pb.EVENT_KIND_SAVED]


def test_the_end_of_a_round_is_told_with_what_it_brought(laid: Laid) -> None:
    state = laid("5 6 6", target_score=5)
    for seat, move in ((0, HIT), (1, HIT), (2, STAY), (0, STAY), (1, HIT)):
        state.play({seat: move})
    view = state.view(None)
    assert [event.kind for event in view.events] == [
        pb.EVENT_KIND_DEALT,
        pb.EVENT_KIND_BUSTED,
        pb.EVENT_KIND_ROUND_ENDED,
        pb.EVENT_KIND_ENDED,
    ]
    assert list(view.events[-2].points) == [5, 0, 0]
    assert view.question == pb.QUESTION_UNSPECIFIED
    assert list(view.asked) == []
    assert not view.HasField("turn")
    assert (list(view.scores), list(view.ranks), view.reason) == ([5, 0, 0], [1, 2, 2], "finished")


@settings(max_examples=25, deadline=None)
@given(
    players=st.sampled_from([3, 4, 6, 18, 19, 36]),
    rules=st.sampled_from(["printed", "faq"]),
    seed=st.binary(max_size=4),
    choices=st.lists(st.integers(0, 35), min_size=1, max_size=40),
)
def test_the_events_alone_tell_everybodys_cards(players: int, rules: str, seed: bytes, choices: list[int]) -> None:
    """Follow the events of one seat from decision to decision: they lead from hand to hand without a gap."""
    state = GAME.new(players, GAME.resolve_options({"rules": rules, "target_score": 120}), Seeded(seed))
    follower = 0
    hands: list[list[int]] = [[] for _ in range(players)]
    for turn in range(150):
        if not state.pending():
            break
        if state.pending() == (follower,):
            view = state.view(follower)
            for event in view.events:
                follow(hands, event)
            assert [list(player.cards) for player in view.players] == hands
        [seat] = state.pending()
        moves = state.legal(seat).moves
        state.play({seat: moves[choices[turn % len(choices)] % len(moves)]})


def follow(hands: list[list[int]], event: pb.Event) -> None:
    plain = event.card < pb.SPECIAL_CARD_STOP
    if event.kind == pb.EVENT_KIND_DEALT and plain:
        hands[event.seat].append(event.card)
    elif event.kind == pb.EVENT_KIND_SAVED:
        hands[event.seat].pop()
        hands[event.seat].remove(pb.SPECIAL_CARD_SECOND_CHANCE)
    elif event.kind == pb.EVENT_KIND_KEPT:
        hands[event.seat].append(event.card)
    elif event.kind == pb.EVENT_KIND_TARGETED and event.card != pb.SPECIAL_CARD_THREE:
        hands[event.target].append(event.card)
    elif event.kind == pb.EVENT_KIND_ROUND_ENDED:
        assert all(brought in (0, points(hand)) for brought, hand in zip(event.points, hands, strict=True))
        for hand in hands:
            hand.clear()
