"""The laws about moves: who is asked, what is listed, what is accepted, and how it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from referee.rules.game import Rejection, Unreadable
from referee.rules.laws.cases import Trial, sight


def asked_seats_and_nobody_else_have_moves(trial: Trial) -> None:
    """`pending` names seats in ascending order, none exactly at the end; only they have legal moves."""
    for case in trial.cases:
        for state in trial.moments(case):
            asked = state.pending()
            if list(asked) != sorted(set(asked)) or not set(asked) <= set(range(case.players)):
                raise trial.broken(f"pending() is {asked!r}: not seats in ascending order")
            if bool(asked) == (state.result() is not None):
                raise trial.broken(f"pending() is {asked!r} while result() is {state.result()!r}")
            for seat in range(case.players):
                moves = state.legal(seat).moves
                if (seat in asked) != bool(moves):
                    role = "asked" if seat in asked else "not asked"
                    raise trial.broken(f"seat {seat} is {role} and has {len(moves)} legal moves")


def lists_are_canonical(trial: Trial) -> None:
    """A list has no doubles, is the same whenever asked for, and its moves print and read back to themselves."""
    for case in trial.cases:
        for state in trial.moments(case):
            for seat in state.pending():
                legal = state.legal(seat)
                texts = [state.format(move) for move in legal.moves]
                if len(set(texts)) < len(texts) or len(set(legal.moves)) < len(texts):
                    double = next(text for text in texts if texts.count(text) > 1)
                    raise trial.broken(f"the list of seat {seat} has {double!r} twice")
                if state.legal(seat) != legal or state.copy().legal(seat) != legal:
                    raise trial.broken(f"the list of seat {seat} is another one when asked for again")
                for move, text in zip(legal.moves, texts, strict=True):
                    if state.parse(text) != move or state.format(state.parse(text)) != text:
                        raise trial.broken(f"the listed move {text!r} reads back as {state.parse(text)!r}")


def listed_moves_are_the_legal_moves(trial: Trial) -> None:
    """Every listed move passes `check`; where a list is complete, `check` refuses everything else."""
    for case in trial.cases:
        pool: dict[str, None] = {}
        for state in trial.odd_moments(case):
            for seat in state.pending():
                legal = state.legal(seat)
                texts = [state.format(move) for move in legal.moves]
                for move, text in zip(legal.moves, texts, strict=True):
                    if rejection := state.check(seat, move):
                        raise trial.broken(f"{text!r} is listed for seat {seat} but refused: {rejection.message}")
                pool.update(dict.fromkeys(texts[:40]))
                listed = set(legal.moves)
                for text in _attempts(texts, list(pool), len(pool)):
                    _judge(trial, state, seat, text, listed, legal.complete)


def fallbacks_are_legal(trial: Trial) -> None:
    """The fallback of an asked seat is legal, and the same each time."""
    for case in trial.cases:
        for state in trial.odd_moments(case, dense=32):
            for seat in state.pending():
                move = state.fallback(seat)
                if rejection := state.check(seat, move):
                    raise trial.broken(f"the fallback {state.format(move)!r} of seat {seat}: {rejection.message}")
                legal = state.legal(seat)
                if legal.complete and move not in legal.moves:
                    raise trial.broken(f"the fallback {state.format(move)!r} of seat {seat} is not in its list")
                if state.fallback(seat) != move:
                    raise trial.broken(f"the fallback of seat {seat} is another one when asked for again")


def texts_are_read_generously(trial: Trial) -> None:
    """Extra spaces change nothing; what is no move is `Unreadable` and nothing else."""
    for case in trial.cases:
        for state in trial.moments(case):
            for seat in state.pending():
                for move in state.legal(seat).moves[:50]:
                    text = state.format(move)
                    for spaced in (f"  {text} ", text.replace(" ", "   "), re.sub(r"([:,])", r" \1 ", text)):
                        if state.parse(spaced) != move:
                            raise trial.broken(f"{spaced!r} is not read as {text!r}")
        state = case.start()
        for junk in ("", " ", "no such move", "?!", "0", "-1", "\x00", "é", "١", "move " * 300, "9" * 5000):
            try:
                move = state.parse(junk)
            except Unreadable as error:
                if not str(error):
                    raise trial.broken(f"{junk[:20]!r} is unreadable without a word why") from None
            else:
                if state.parse(state.format(move)) != move:
                    raise trial.broken(f"{junk[:20]!r} is read as a move that does not print")


def asking_changes_nothing(trial: Trial) -> None:
    """Lists, checks (refused moves above all), views, fallbacks and scores leave a match as it was."""
    for case in trial.cases:
        pool: dict[str, None] = {}
        for state in trial.moments(case, dense=4):
            before = sight(state)
            for seat in state.pending():
                texts = [state.format(move) for move in state.legal(seat).moves[:40]]
                pool.update(dict.fromkeys(texts))
                for text in (*texts, *_attempts(texts, list(pool), len(pool))):
                    try:
                        state.check(seat, state.parse(text))
                    except Unreadable:
                        continue
                state.fallback(seat)
            state.pieces()
            if sight(state) != before:
                raise trial.broken("the match is not as it was before it was only asked")


def _attempts(texts: list[str], pool: list[str], turn: int) -> Iterator[str]:
    """Texts near the legal ones and legal ones from elsewhere: most are moves, many are illegal here."""
    step = max(1, len(pool) // 12)
    yield from pool[turn % step :: step]
    words = sorted({word for text in pool[:60] for word in re.findall(r"[^\s:,]+", text)})
    for number, text in enumerate(texts[:: max(1, len(texts) // 6)]):
        parts = re.findall(r"[^\s:,]+|[\s:,]+", text)
        for place in range(0, len(parts), 2):
            other = words[(turn + 7 * number + 3 * place) % len(words)]
            yield "".join([*parts[:place], other, *parts[place + 1 :]])
            yield "".join([*parts[: place + 1], " ", other, *parts[place + 1 :]])
            yield "".join([*parts[:place], parts[place], " ", *parts[place:]])
            yield "".join([*parts[:place], *parts[place + 2 :]])
            if parts[place].isdecimal():
                yield "".join([*parts[:place], str(int(parts[place]) + 1), *parts[place + 1 :]])


def _judge(trial: Trial, state: Any, seat: int, text: str, listed: set[Any], complete: bool) -> None:
    try:
        move = state.parse(text)
    except Unreadable:
        return
    rejection = state.check(seat, move)
    if rejection is None:
        if complete and move not in listed:
            raise trial.broken(f"{text!r} of seat {seat} passes check but is not in the complete list")
        return
    if move in listed:
        raise trial.broken(f"{text!r} is listed for seat {seat} but refused: {rejection.message}")
    sound = isinstance(rejection, Rejection) and re.fullmatch(r"[a-z][a-z0-9_]*", rejection.code) and rejection.message
    if not sound:
        raise trial.broken(f"the refusal of {text!r} is {rejection!r}: it wants a lower_snake_case code and a sentence")
