"""The view of a match of STOP!: what a seat or the public may know of it.

A view is joined from wire forms (`referee.rules.wire`): what everybody sees is written once per decision, and of that
only what has changed. What only the seat sees is among few forms that are kept.
"""

from __future__ import annotations

from functools import lru_cache

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.auction import Auction, Bid
from referee.games.stop.cards import SIZES, faces, hands
from referee.games.stop.position import CALLS, MOST_PLAYERS, PLAYS, SEATS, SPLIT, Position
from referee.rules.wire import each, heads

WINDOWS = (CALLS, PLAYS)
"""Questions to several seats at once; the others are asked of one seat, in the open."""


def view_of(position: Position, seat: int | None) -> pb.View:
    """All that this seat may know; None is the public."""
    return pb.View.FromString(wire(position, seat))


def wire(position: Position, seat: int | None) -> bytes:
    """The wire form of that view."""
    if not position.shown:
        position.shown = _table(position)
    if not position.shown_scores:
        position.shown_scores = _scores(position)
    # Whom else a window asks stays hidden: it would tell what they hold.
    if seat in position.asked:
        head = _ASKED[seat]
    else:
        head = _head(seat, () if position.phase in WINDOWS else position.asked)
    hand = b"" if seat is None else _HANDS[position.hands[seat]]
    question = _QUESTIONS[position.phase]
    return b"".join([head, *position.log.since(seat), position.shown_scores, question, hand, position.shown])


@lru_cache(maxsize=256)
def _head(seat: int | None, asked: tuple[int, ...]) -> bytes:
    return pb.View(seat=seat, asked=asked).SerializeToString()


def _scores(position: Position) -> bytes:
    """Tokens, and how the match ended."""
    scores = _SCORES[position.players] + bytes(position.tokens)
    if position.outcome is None:
        return scores
    return scores + pb.View(ranks=position.outcome.ranks, reason=position.outcome.reason).SerializeToString()


def _table(position: Position) -> bytes:
    """What lies on the table and in which number: hands, decks, bids, and how far the match has come."""
    auction = position.auction
    parts: list[bytes | bytearray] = [
        _cards(position),
        _draws(position.red, position.turn, position.eliminated, position.opening_rule),
    ]
    if auction.highest:
        parts.append(auction.shown or _bids(auction))
    parts.append(_progress(auction.highest, position.auctions, position.shuffles, position.shuffles_in_row))
    return b"".join(parts)


def _cards(position: Position) -> bytearray:
    """How many cards everybody has in hand and deck, and of each kind."""
    form = position.shown_cards
    if not position.changed:
        return form
    blank, places = _BLANKS[position.players]
    if not form:
        form = position.shown_cards = bytearray(blank)
    for seat in SEATS[position.changed]:
        owned = position.owned[seat]
        in_hand, in_deck, twos, threes, fours, plus_ones = places[seat]
        form[in_hand] = SIZES[position.hands[seat]]
        form[in_deck] = len(position.decks[seat])
        form[twos] = owned & 255
        form[threes] = owned >> 8 & 255
        form[fours] = owned >> 16 & 255
        form[plus_ones] = owned >> 24
    position.changed = 0
    return form


def _blank(players: int) -> tuple[bytes, list[tuple[int, ...]]]:
    """The same before any card is counted, and for each seat the places of its counts."""
    form, starts = b"", []
    for field in _COUNTS:
        form += heads(pb.View, field, players)[players]
        starts.append(len(form))
        form += bytes(players)
    return form, [tuple(start + seat for start in starts) for seat in range(players)]


@lru_cache(maxsize=4096)
def _draws(red: int, turn: int, eliminated: tuple[int, ...], opening_rule: bool) -> bytes:
    return pb.View(red=red, next_draw=turn, eliminated=eliminated, opening_rule=opening_rule).SerializeToString()


def _bids(auction: Auction) -> bytes:
    auction.shown = b"".join([bid.shown or _bid(bid) for bid in auction.bids if bid is not None])
    return auction.shown


def _bid(bid: Bid) -> bytes:
    message = pb.Bid(seat=bid.owner, value=bid.value, total=bid.total, cards=bid.faces, laid_by=bid.by)
    bid.shown = pb.View(bids=[message]).SerializeToString()
    return bid.shown


@lru_cache(maxsize=4096)
def _progress(highest: int, auctions: int, shuffles: int, shuffles_in_row: int) -> bytes:
    return pb.View(
        highest=highest, auctions=auctions, shuffles=shuffles, shuffles_in_row=shuffles_in_row
    ).SerializeToString()


_ASKED: dict[int | None, bytes] = {seat: _head(seat, (seat,)) for seat in range(MOST_PLAYERS)}
_HANDS = {hand: pb.View(hand=faces(hand)).SerializeToString() for hand in hands()}
_QUESTIONS = each(pb.View, "question", range(SPLIT + 1))
# No number of tokens or cards in a match is above 127, so each is one byte.
_SCORES = heads(pb.View, "scores", MOST_PLAYERS)
_COUNTS = ("hand_sizes", "deck_sizes", "twos", "threes", "fours", "plus_ones")
_BLANKS = [_blank(players) for players in range(MOST_PLAYERS + 1)]
