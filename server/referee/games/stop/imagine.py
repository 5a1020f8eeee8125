"""A match of STOP! imagined from a view: the hands of others are drawn, in agreement with the events that it tells.

A view tells what happened since the seat last decided. Before that, only the number of cards in each hand is known,
and any cards of their owner are equally likely. Since then every hand has a timeline: cards drawn, laid, received. The
hands are drawn along it, so that all that was laid had been drawn, and a seat that called could bid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop import events
from referee.games.stop.auction import Auction, laid, no_bids
from referee.games.stop.cards import DECK, FOUR, HAND, KINDS, NUMBERS, PLUS, SIZES, THREE, TWO, covers, spread
from referee.games.stop.events import (
    BID,
    CALLED,
    DREW,
    ELIMINATED,
    RAISED,
    RECEIVED,
    RED_PASSED,
    SHUFFLED_BACK,
    SKIPPED,
    TIED,
    WON,
    Event,
)
from referee.games.stop.memory import DECISION, RESUMED, Memory
from referee.games.stop.moves import ALL_CARDS
from referee.games.stop.position import CALLS, PLAYS
from referee.games.stop.state import StopState
from referee.rules.chance import Chance
from referee.rules.game import Result

TRIES = 10_000
"""How often hands are drawn until one of them can act, where the view says that some seat is asked and not which."""

_BY_FACE = {1: PLUS, 2: TWO, 3: THREE, 4: FOUR}
_DRAW, _LAY, _CALL, _SHOW = range(4)
Step = tuple[int, int, int]
"""What happens to a hand: a kind, a heap (all that its seat owns at a draw; what is laid or shown), a place."""


def imagine(view: pb.View, chance: Chance) -> StopState:
    """A match that looks like this view; it goes on with cards and quarrels decided by `chance`."""
    seat = view.seat if view.HasField("seat") else None
    players = len(view.scores)
    counts = (*view.scores, *view.twos, *view.threes, *view.fours, *view.plus_ones)
    if not all(0 <= count <= ALL_CARDS for count in counts):
        raise ValueError("no player of a match has so many tokens or cards")
    state = StopState.__new__(StopState)
    state.players = players
    state.chance = chance
    state.tokens = list(view.scores)
    state.outcome = Result(tuple(view.ranks), tuple(view.scores), view.reason) if view.ranks else None
    state.phase = int(view.question)
    owned = zip(view.twos, view.threes, view.fours, view.plus_ones, strict=True)
    state.owned = [twos * TWO + threes * THREE + fours * FOUR + plus * PLUS for twos, threes, fours, plus in owned]
    state.eliminated = tuple(view.eliminated)
    state.inside = sum(1 << other for other in range(players) if other not in state.eliminated)
    state.red, state.turn = view.red, view.next_draw
    state.opening_rule = view.opening_rule
    state.auctions, state.shuffles, state.shuffles_in_row = view.auctions, view.shuffles, view.shuffles_in_row
    state.auction = _auction(players, view)
    state.gone = players * DECK - sum(state.owned) - state.auction.cards
    state.shown, state.shown_scores, state.shown_cards, state.changed = b"", b"", bytearray(), (1 << players) - 1
    told = [_event(event) for event in view.events]
    since = _since_a_known_moment(told)
    sizes = _sizes_at_first(since, view.hand_sizes)
    own = None if seat is None else _heap(view.hand)
    timelines = [_timeline(state, since, one, sizes[one], own if one == seat else None) for one in range(players)]
    for _ in range(TRIES):
        drawn = [_draw_along(timeline, chance) for timeline in timelines]
        state.hands = [hands[-1] if hands else 0 for hands in drawn]
        state.asked = _asked(state, view)
        if state.asked or state.outcome is not None:
            break
    else:
        raise ValueError("nobody could be asked what it says is asked")
    state.able = sum(1 << other for other, hand in enumerate(state.hands) if hand & NUMBERS)
    state.full = sum(1 << other for other, hand in enumerate(state.hands) if SIZES[hand] == HAND)
    decks = [spread(heap - hand) for heap, hand in zip(state.owned, state.hands, strict=True)]
    if [len(deck) for deck in decks] != list(view.deck_sizes):
        raise ValueError("its cards are not those of a whole match")
    state.decks = [chance.order("decks", deck) for deck in decks]
    state.log = Memory.imagined(players, told, _history(state, view, since, sizes, timelines, drawn))
    return state


def _asked(state: StopState, view: pb.View) -> tuple[int, ...]:
    """Who is asked with these hands; nobody, if they do not fit the question."""
    if state.phase == CALLS:
        able = [other for other, hand in enumerate(state.hands) if hand & NUMBERS]
        return tuple(other for other in able if other != state.red)
    if state.phase == PLAYS:
        return state.auction.able(state.hands)
    return tuple(view.asked)


def _auction(players: int, view: pb.View) -> Auction:
    auction = no_bids(players)
    for bid in sorted(view.bids, key=lambda bid: bid.total):  # the highest was touched last
        for face, by in zip(bid.cards, bid.laid_by, strict=True):
            auction = laid(auction, bid.seat, by, _BY_FACE[face])
    if auction.highest != view.highest:
        raise ValueError("its highest bid is not on the table")
    return auction


def _heap(faces: Sequence[int]) -> int:
    return sum(_BY_FACE[face] for face in faces)


def _event(event: pb.Event) -> Event:
    kind = int(event.kind)
    if kind == events.ENDED:
        return (kind,)
    if kind == events.WON:
        return kind, event.seat, event.tokens
    if kind == RAISED:
        return kind, event.seat, event.owner, _heap(event.cards)
    if kind in (BID, RECEIVED, ELIMINATED):
        return kind, event.seat, _heap(event.cards)
    return kind, event.seat


def _since_a_known_moment(told: list[Event]) -> list[Event]:
    """The events from the last time that all hands were shuffled back, or else all of them.

    But an auction that began before them and was settled since is left out, as its bids are not known one by one.
    """
    kinds = [event[0] for event in told]
    if SHUFFLED_BACK in kinds:
        return told[len(kinds) - 1 - kinds[::-1].index(SHUFFLED_BACK) :]
    settled = next((place for place, kind in enumerate(kinds) if kind in (WON, TIED)), len(kinds))
    if CALLED in kinds[:settled] or RECEIVED not in kinds[settled:]:
        return told
    while settled < len(kinds) and kinds[settled] in (WON, TIED, RECEIVED):
        settled += 1
    return told[settled:]


def _sizes_at_first(since: list[Event], now: Sequence[int]) -> list[int]:
    """How many cards each seat held before these events, from how many it holds now."""
    sizes = list(now)
    for event in reversed(since):
        if event[0] == DREW:
            sizes[event[1]] -= 1
        elif event[0] in (BID, RAISED):
            sizes[event[1]] += SIZES[event[-1]]
        elif event[0] == ELIMINATED:
            sizes[event[1]] = SIZES[event[2]]
    return sizes


def _timeline(state: StopState, since: list[Event], seat: int, size: int, own: int | None) -> tuple[Step, ...]:
    """What happened to the hand of a seat: the cards it held at first count as drawn then, one after the other."""
    owned = state.owned[seat]
    steps: list[Step] = [] if own is None else [(_SHOW, own, len(since))]
    for place in range(len(since) - 1, -1, -1):
        event = since[place]
        kind = event[0]
        if kind == events.ENDED or event[1] != seat:
            continue
        if kind == DREW:
            steps.append((_DRAW, owned, place))
        elif kind in (BID, RAISED):
            owned += event[-1]
            steps.append((_LAY, event[-1], place))
        elif kind == CALLED:
            steps.append((_CALL, 0, place))
        elif kind == RECEIVED:
            owned -= event[2]
        elif kind == ELIMINATED:
            owned = event[2]
            steps.append((_SHOW, event[2], place))
    steps += [(_DRAW, owned, -1)] * size
    return tuple(reversed(steps))


def _draw_along(timeline: tuple[Step, ...], chance: Chance) -> list[int]:
    """The hand after each step, every way to draw the cards being equally likely that the steps allow."""
    ways = _ways(timeline)
    hand = 0
    hands = []
    for place, (step, heap, _) in enumerate(timeline):
        if step == _DRAW:
            odds = ways[place][hand]
            # Counts of ways grow beyond what `pick` takes; a 32-bit fraction of them is exact enough.
            at = chance.pick("hands", _FRACTIONS) * sum(count for _, count in odds) >> 32
            for card, count in odds:
                at -= count
                if at < 0:
                    hand += card
                    break
        elif step == _LAY:
            hand -= heap
        hands.append(hand)
    return hands


@lru_cache(maxsize=256)
def _ways(timeline: tuple[Step, ...]) -> list[dict[int, list[tuple[int, int]]]]:
    """For every draw and every hand before it: the cards that can come, each with in how many ways it goes on."""
    reached: list[set[int]] = [{0}]
    for step, heap, _ in timeline:
        after = set()
        for hand in reached[-1]:
            if step == _DRAW:
                after |= {hand + card for card in KINDS if covers(heap, hand + card)}
            elif _allows(step, heap, hand):
                after.add(hand - heap if step == _LAY else hand)
        reached.append(after)
    ways = dict.fromkeys(reached[-1], 1)
    found: list[dict[int, list[tuple[int, int]]]] = [{} for _ in timeline]
    for place in range(len(timeline) - 1, -1, -1):
        step, heap, _ = timeline[place]
        before = {}
        for hand in reached[place]:
            if step == _DRAW:
                odds = [
                    (card, (heap - hand) // card % 256 * ways.get(hand + card, 0))
                    for card in KINDS
                    if covers(heap, hand + card)
                ]
                found[place][hand] = odds
                before[hand] = sum(count for _, count in odds)
            elif _allows(step, heap, hand):
                before[hand] = ways.get(hand - heap if step == _LAY else hand, 0)
        ways = before
    if not ways.get(0):
        raise ValueError("its events and its hands contradict each other")
    return found


def _allows(step: int, heap: int, hand: int) -> bool:
    """Whether a hand can make this step, which is no draw."""
    if step == _LAY:
        return covers(hand, heap)
    return hand == heap if step == _SHOW else bool(hand & NUMBERS)


def _history(
    state: StopState,
    view: pb.View,
    since: list[Event],
    sizes: list[int],
    timelines: Sequence[tuple[Step, ...]],
    drawn: Sequence[list[int]],
) -> Iterator[tuple[Event, int]]:
    """How these hands came about, for the memory of the match: see `memory.py`.

    Between two draws a window opened if one of the hands could act then: no event tells it.
    """
    hands = [0] * state.players
    auction = no_bids(state.players)
    red, opening_rule = -1, False
    if since and since[0][0] == SHUFFLED_BACK:
        red, opening_rule = since[0][1], True
    elif since and since[0][0] == DREW and not any(sizes) and not view.shuffles and not _earlier_auctions(view, since):
        red, opening_rule = since[0][1], True
        yield (SHUFFLED_BACK, red), 0
    else:
        for owner, by, card in _bids_at_first(view, since):
            yield (DREW, by), card
            yield ((RAISED, by, owner, card) if auction.bids[owner] else (BID, by, card)), 0
            auction = laid(auction, owner, by, card)
        for seat, size in enumerate(sizes):
            for hand in drawn[seat][:size]:
                yield (DREW, seat), hand
            hands[seat] = drawn[seat][size - 1] if size else 0
        if not any(event[0] in (CALLED, RED_PASSED) for event in since):
            red = state.red
        yield (RESUMED, red), 0
    after = {
        (seat, place): hand
        for seat, timeline in enumerate(timelines)
        for (_, _, place), hand in zip(timeline, drawn[seat], strict=True)
    }
    for place, event in enumerate(since):
        kind, seat = event[0], event[1] if len(event) > 1 else -1
        hand = hands[seat] = after.get((seat, place), hands[seat])
        yield event, hand if kind == DREW else 0
        decided = kind in (CALLED, WON)
        if kind == ELIMINATED:
            hands[seat] = 0
        elif kind in (BID, RAISED):
            auction = laid(auction, event[2] if kind == RAISED else seat, seat, event[-1])
            decided = bool(auction.able(hands))
        elif kind == RECEIVED:
            auction = no_bids(state.players)
        elif kind in (DREW, SKIPPED):
            opening_rule = opening_rule and not (kind == DREW and seat == red and SIZES[hand] == 2)
            decided = not opening_rule and any(held & NUMBERS for one, held in enumerate(hands) if one != red)
        if kind in (CALLED, RED_PASSED):
            red = seat
        if decided and place < len(since) - 1:
            yield DECISION, 0


def _earlier_auctions(view: pb.View, since: list[Event]) -> bool:
    """Whether auctions were settled before these events, or one was going on."""
    settled = sum(event[0] in (WON, TIED) for event in since) - (view.question == pb.QUESTION_SPLIT)
    return view.auctions > settled or bool(_bids_at_first(view, since))


def _bids_at_first(view: pb.View, since: list[Event]) -> list[tuple[int, int, int]]:
    """What lay on the table before these events, card by card: before whom, laid by whom, the card."""
    if any(event[0] == CALLED for event in since):
        return []
    later = dict.fromkeys((bid.seat for bid in view.bids), 0)
    for event in since:
        if event[0] in (BID, RAISED):
            later[event[2] if event[0] == RAISED else event[1]] += SIZES[event[-1]]
    return [
        (bid.seat, by, _BY_FACE[face])
        for bid in view.bids
        for face, by in list(zip(bid.cards, bid.laid_by, strict=True))[: len(bid.cards) - later[bid.seat]]
    ]


_FRACTIONS = range(1 << 32)
