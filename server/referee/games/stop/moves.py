"""The moves of STOP! and their notation: `stop`, `wait`, `bid`, `raise`, `pass`, `share`."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from referee.games.stop.cards import BY_NAME, HAND, PLUS, VALUES, names, size, worth
from referee.rules.game import Legal, Unreadable


class Move(NamedTuple):
    """What a player answers: a verb, and what the verb needs."""

    verb: str
    """stop, wait, bid, raise, pass or share."""
    seat: int = -1
    """raise: whose bid."""
    cards: int = 0
    """bid, raise: the heap laid down."""
    piles: tuple[tuple[int, int], ...] = ()
    """share: seats, ascending, each with the heap it gets."""


STOP = Move("stop")
WAIT = Move("wait")
PASS = Move("pass")

NOTHING: Legal[Move] = Legal(())
STOP_OR_WAIT: Legal[Move] = Legal((STOP, WAIT))

SEATS = {str(seat): seat for seat in range(6)}
ALL_CARDS = 6 * 21
HOW = "write stop, wait, pass, 'bid 3 3 +1', 'raise 2 3 +1' (seat 2's bid) or 'share 0:2,2,+1 2:4'"


def parse(text: str) -> Move:
    """The move this text means, or `Unreadable`."""
    known = _MOVES.get(text)
    if known is not None:
        return known
    verb, *words = text.split() or [""]
    if verb in ("stop", "wait", "pass") and not words:
        return Move(verb)
    if verb == "bid" and words:
        return Move("bid", cards=_heap(words))
    if verb == "raise" and len(words) > 1:
        return Move("raise", _seat(words[0]), _heap(words[1:]))
    if verb == "share" and words:
        return Move("share", piles=_piles(words))
    raise Unreadable(f"cannot read {_short(text)}: {HOW}")


def format_move(move: Move) -> str:
    """The one way a move is printed."""
    return _TEXTS.get(move) or _write(move)


@cache
def openings(hand: int) -> Legal[Move]:
    """Every bid a caller can open with."""
    return Legal(bids(hand, 1))


@cache
def bids(hand: int, least: int) -> tuple[Move, ...]:
    """Every bid this hand can make that is worth at least so much: by value, then by number of cards, then of +1s."""
    found = []
    for card in VALUES.values():
        for count in range(1, (hand // card & 255) + 1):
            found += [Move("bid", cards=count * card + plus * PLUS) for plus in range((hand >> 24) + 1)]
    return tuple(move for move in found if worth(move.cards) >= least)


@cache
def raises(owner: int, value: int, cards: int, least: int) -> tuple[Move, ...]:
    """Every raise of that owner by some of these cards (of his bid's value, and +1s) that adds at least so much."""
    card = VALUES[value]
    found = []
    for count in range((cards // card & 255) + 1):
        found += [Move("raise", owner, count * card + plus * PLUS) for plus in range((cards >> 24) + 1)]
    return tuple(move for move in found if move.cards and worth(move.cards) >= least)


@lru_cache(maxsize=4096)
def splits(winner: int, piles: tuple[tuple[int, int], ...]) -> Legal[Move]:
    """What is suggested to the winner: to keep all cards, or to leave every bidder those before him."""
    keep, own = Move("share", piles=((winner, sum(heap for _, heap in piles)),)), Move("share", piles=piles)
    return Legal((keep,) if keep == own else (keep, own), complete=False)


def _heap(words: list[str]) -> int:
    if len(words) > ALL_CARDS:
        raise Unreadable(f"there are only {ALL_CARDS} cards in the game: {HOW}")
    heap = 0
    for word in words:
        if word not in BY_NAME:
            raise Unreadable(f"{_short(word)} is no card: cards are 2, 3, 4 and +1, and {HOW}")
        heap += BY_NAME[word]
    return heap


def _seat(word: str) -> int:
    if word not in SEATS:
        raise Unreadable(f"{_short(word)} is no seat: seats are 0 to 5, and {HOW}")
    return SEATS[word]


def _piles(words: list[str]) -> tuple[tuple[int, int], ...]:
    text = " ".join(words)
    for mark in (",", ":"):
        text = text.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    piles: dict[int, int] = {}
    for entry in text.split():
        seat, colon, dealt = entry.partition(":")
        if not colon or not dealt:
            raise Unreadable(
                f"cannot read {_short(entry)}: a split is written 'share 0:2,2,+1 2:4', "
                "and a seat that gets nothing is left out"
            )
        if _seat(seat) in piles:
            raise Unreadable(f"seat {seat} is named twice: name every seat once, with all its cards")
        piles[_seat(seat)] = _heap(dealt.split(","))
    if sum(size(heap) for heap in piles.values()) > ALL_CARDS:
        raise Unreadable(f"there are only {ALL_CARDS} cards in the game: {HOW}")
    return tuple(sorted(piles.items()))


def _write(move: Move) -> str:
    words = [move.verb]
    if move.verb == "raise":
        words.append(str(move.seat))
    words += names(move.cards)
    words += [f"{seat}:{','.join(names(heap))}" for seat, heap in move.piles]
    return " ".join(words)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def _all_moves() -> list[Move]:
    """Every move that some hand can make, splits aside: the texts a bot reads and sends are looked up, not built."""
    found = [STOP, WAIT, PASS]
    for value, card in VALUES.items():
        for count in range(1, HAND + 1):
            full = count * card + (HAND - count) * PLUS
            found += bids(full, 1)
            for owner in SEATS.values():
                found += raises(owner, value, full, 1)
    for owner in SEATS.values():
        found += raises(owner, 2, HAND * PLUS, 1)
    return found


_TEXTS = {move: _write(move) for move in _all_moves()}
_MOVES = {text: move for move, text in _TEXTS.items()}
