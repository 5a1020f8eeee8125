"""Rolls: what there can be, and how they are written."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.games.encore import GAME
from referee.games.encore.dice import Rolls, read_roll
from referee.rules.chance import Impossible, Scripted, Seeded

COLOURS = ("pink", "orange", "yellow", "green", "blue")


def test_every_roll_is_there_once_and_hearts_twice() -> None:
    rolls = Rolls(COLOURS, 1)
    counts = Counter(rolls)
    assert len(rolls) == 6**3 == sum(counts.values())
    assert len(counts) == 6 * 6 * 5
    assert {count for roll, count in counts.items() if roll[-1] == "heart"} == {2}
    assert {count for roll, count in counts.items() if roll[-1] != "heart"} == {1}
    assert all(roll in rolls for roll in counts)


def test_rolls_behave_like_a_list() -> None:
    rolls = Rolls(COLOURS, 2)
    assert rolls[-1] == rolls[len(rolls) - 1] == ("joker", "joker", "?", "?", "block")
    assert rolls[:2] == [rolls[0], rolls[1]]
    with pytest.raises(IndexError):
        rolls[len(rolls)]


def test_a_roll_of_another_table_is_not_among_them() -> None:
    alone, together = Rolls(COLOURS, 2), Rolls(COLOURS, 3)
    assert ("green", "pink", "1", "2", "heart") in alone
    assert ("green", "pink", "1", "2", "heart") not in together
    assert ("green", "mauve", "1", "2", "heart") not in alone


def test_faces_are_even() -> None:
    rolls, chance = Rolls(COLOURS, 3), Seeded(b"even")
    faces = Counter(chance.pick("rolls", rolls)[0] for _ in range(3000))
    assert len(faces) == 6
    assert all(400 < count < 600 for count in faces.values())


@pytest.mark.parametrize(
    "written", ["", "orange 5 bomb", "orange yellow joker 5 2 6 bomb", "1 2 3 4 5 ? bomb pass", 7, ["orange"]]
)
def test_what_is_no_roll_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="a roll is written as"):
        read_roll(written)


def test_a_scripted_roll_with_a_foreign_colour_is_impossible() -> None:
    chance = Scripted({"rolls": ["orange yellow mauve 5 2 ? bomb"]}, GAME.labels)
    with pytest.raises(Impossible, match="mauve"):
        GAME.start(2, chance=chance)


@pytest.mark.parametrize("written", ["0", 1.0, True])
def test_the_first_seat_is_written_as_a_number(written: object) -> None:
    with pytest.raises(Impossible, match="a seat is written as a number"):
        GAME.start(2, chance=Scripted({"first": [written]}, GAME.labels))


def test_the_same_seed_gives_the_same_dice_whatever_is_played() -> None:
    one, two = (GAME.start(2, seed=b"same") for _ in range(2))
    for _ in range(20):
        one.play({seat: one.legal(seat).moves[0] for seat in one.pending()})
        two.play({seat: two.legal(seat).moves[1 % len(two.legal(seat).moves)] for seat in two.pending()})
        assert one.view(None).rolled == two.view(None).rolled  # type: ignore[union-attr]
