"""The list of legal moves and the check, against the rules spelled out box by box."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.encore import GAME
from referee.games.encore.choices import BOMBS
from referee.games.encore.moves import BOMB, LINE, Move
from referee.games.encore.sheet import Sheet, sheet_for
from referee.games.encore.state import EncoreState
from referee.rules.chance import Scripted

Moments = Callable[..., Iterator[EncoreState]]

Box = tuple[int, int]
"""Column and row."""

EVERY: list[Box] = [(column, row) for column in range(15) for row in range(7)]
SHEET = sheet_for("standard")


def around(box: Box) -> set[Box]:
    column, row = box
    return {(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)} & set(EVERY)


def spelled_out(state: EncoreState, seat: int) -> set[str]:
    """All legal moves, from the text of the rules: sets of boxes, no masks, no tables."""
    sheet, paper = state.sheet, state.papers[seat]
    grid = sheet.content["grid"]
    start = sheet.column_letters.index(sheet.content["start_column"])
    marked = {box for box in EVERY if paper.marked >> (7 * box[0] + box[1]) & 1}
    free = set(EVERY) - marked
    beside_marked = {box for box in free if around(box) & marked}
    reach = beside_marked | {box for box in free if box[0] == start}

    def colour(box: Box) -> str:
        name: str = sheet.content["colours"][grid[box[1]][box[0]]]
        return name

    def text(head: str, boxes: set[Box] | frozenset[Box]) -> str:
        names = [sheet.column_letters[column] + sheet.row_letters[row] for column, row in sorted(boxes)]
        return " ".join([head, *names])

    def grown(most: int) -> set[frozenset[Box]]:
        shapes = {frozenset([box]) for box in free}
        layer = shapes
        for _ in range(most - 1):
            layer = {
                shape | {new}
                for shape in layer
                for box in shape
                for new in around(box) & free - shape
                if colour(new) == colour(box)
            }
            shapes = shapes | layer
        return shapes

    def bombs() -> set[str]:
        squares = [{(c, r), (c + 1, r), (c, r + 1), (c + 1, r + 1)} & free for c in range(14) for r in range(6)]
        return {text("bomb", set(some)) for square in squares for n in range(1, 5) for some in combinations(square, n)}

    if state.phase == BOMBS:
        return {"pass"} | bombs()
    moves = {"pass"}
    colours = {sheet.colour_words[face] for face in state.colour_dice}
    counts = {"12345?"[face] for face in state.number_dice}
    for shape in grown(5):
        if not shape & reach:
            continue
        for head in colours & {colour(next(iter(shape))), "joker"}:
            for count in counts & {str(len(shape)), "?"}:
                if (head == "joker") + (count == "?") <= paper.marks:
                    moves.add(text(f"{head} {count}", shape))
    special = state.rolled[-1] if state.special_die else ""
    if paper.circled == paper.used:
        special = ""
    if special == "heart" and paper.hearts < sheet.hearts:
        moves.add("heart")
    if special == "bomb":
        moves |= bombs()
    if special == "stars":
        stars = [box for box in reach if sheet.stars >> (7 * box[0] + box[1]) & 1]
        moves |= {text("stars", set(some)) for n in (1, 2) for some in combinations(stars, n)}
    if special == "line":
        for row in range(7):
            boxes = [box for box in beside_marked if box[1] == row]
            moves |= {text("line", set(some)) for n in (1, 2, 3) for some in combinations(boxes, n)}
    if special == "block":
        for start_box in EVERY:
            block = {start_box}
            while more := {b for a in block for b in around(a) if colour(b) == colour(start_box)} - block:
                block |= more
            if block & free and (block & marked or block & beside_marked):
                moves.add(text("block", block & free))
    return moves


@pytest.mark.parametrize(("players", "matches", "every"), [(1, 40, 7), (3, 3, 5)])
def test_the_list_is_what_the_rules_spell_out(players: int, matches: int, every: int, moments: Moments) -> None:
    seen = set()
    for seed in range(matches):
        for number, state in enumerate(moments(players, seed)):
            if (number + seed) % every:
                continue
            for seat in state.pending():
                listed = [state.format(move) for move in state.legal(seat).moves]
                assert len(set(listed)) == len(listed)
                assert set(listed) == spelled_out(state, seat)
                seen |= {text.split()[0] for text in listed}
    assert seen >= {"pass", "heart", "bomb", "stars", "line", "block", "joker", "blue"}


@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000), players=st.integers(1, 6))
def test_the_list_is_complete_on_another_sheet(
    seed: int, players: int, moments: Moments, harlequin: dict[str, object]
) -> None:
    for number, state in enumerate(moments(players, seed, {"sheet": harlequin})):
        if number % 9 == 0:
            for seat in state.pending():
                assert {state.format(move) for move in state.legal(seat).moves} == spelled_out(state, seat)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), data=st.data())
def test_the_judge_accepts_what_is_listed_and_nothing_else(seed: int, data: st.DataObject, moments: Moments) -> None:
    ways = st.integers(0, 41)
    some_boxes = st.sets(st.integers(0, 104), min_size=1, max_size=7)
    for number, state in enumerate(moments(2, seed)):
        if number % 20:
            continue
        for seat in state.pending():
            legal = set(state.legal(seat).moves)
            assert all(state.check(seat, move) is None for move in legal)
            strange = Move(data.draw(ways), sum(1 << box for box in data.draw(some_boxes)))
            if strange.way not in (0, 37):
                assert (state.check(seat, strange) is None) == (strange in legal)
            # The boxes of a legal move taken with other dice: near misses.
            for move in list(legal)[:5]:
                if move.boxes:
                    other = Move(data.draw(st.sampled_from([way for way in range(1, 42) if way != 37])), move.boxes)
                    assert (state.check(seat, other) is None) == (other in legal)


def test_the_order_is_pass_then_pairs_then_the_special_die() -> None:
    state = started(["blue joker pink 2 ? 1 bomb"])
    heads = list(dict.fromkeys(" ".join(state.format(move).split()[:2]) for move in state.legal(0).moves[:60]))
    pairs = [f"{colour} {number}" for colour in ("pink", "blue", "joker") for number in ("1", "2", "?")]
    assert heads[0] == "pass"
    assert heads[1 : 1 + len(pairs)] == pairs
    assert heads[1 + len(pairs)] == "bomb AP"


def test_moves_with_the_same_dice_go_by_count_and_then_by_boxes(moments: Moments) -> None:
    for state in moments(2, 5):
        for seat in state.pending():
            moves = state.legal(seat).moves
            for one, two in pairwise(moves):
                if one.way == two.way < LINE:
                    assert sort_key(SHEET, one) < sort_key(SHEET, two)


def test_an_empty_sheet_offers_every_bomb() -> None:
    state = started(["pink pink pink 5 5 5 bomb"])
    bombs = [move for move in state.legal(0).moves if move.way == BOMB]
    # 105 single boxes, 188 + 168 pairs side by side and diagonal, 84 squares with 4 triples and themselves.
    assert len(bombs) == 105 + 188 + 168 + 84 * 5


def test_a_seat_that_is_not_asked_has_no_moves_and_is_refused() -> None:
    state = started(["pink pink pink 5 5 5 bomb"] * 4)
    for _ in range(3):
        state.play({seat: Move(0, 0) for seat in state.pending()})
    [active] = state.pending()
    other = 1 - active
    assert state.legal(other).moves == ()
    rejection = state.check(other, Move(0, 0))
    assert rejection is not None
    assert rejection.code == "not_asked"


def test_a_full_sheet_still_answers_for_its_bomb() -> None:
    state = started(["pink pink pink 5 5 5 heart"])
    state.papers[0].mark((1 << 105) - 1)
    state.play({0: Move(0, 0), 1: Move(0, 0)})
    assert state.pending() == (0,)
    assert [state.format(move) for move in state.legal(0).moves] == ["pass"]


def sort_key(sheet: Sheet, move: Move) -> tuple[int, list[int]]:
    return move.boxes.bit_count(), [box for box in range(105) if move.boxes >> box & 1]


def started(rolls: list[str]) -> EncoreState:
    state = GAME.start(2, chance=Scripted({"rolls": rolls, "first": [0]}, GAME.labels))
    assert isinstance(state, EncoreState)
    return state
