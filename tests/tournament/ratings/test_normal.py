"""The normal distribution: right, and made of what every machine computes alike."""

from __future__ import annotations

import ast
import math
import random
from hashlib import sha256
from pathlib import Path

import mpmath
import pytest

from referee.tournament import ratings
from referee.tournament.formats import ladder_past
from referee.tournament.ratings import normal, trueskill_chain, trueskill_update
from referee.tournament.ratings.normal import below, density, quantile

ALIKE_EVERYWHERE = {"sqrt", "fsum", "isqrt", "ldexp", "isfinite", "inf"}
"""What of `math` is prescribed to the last bit, or exact."""


def exact() -> mpmath.ctx_mp.MPContext:
    context = mpmath.mp.clone()
    context.dps = 40
    return context


@pytest.mark.parametrize(
    ("least", "most", "error"), [(-0.7, 0.7, 1e-15), (-5.7, 5.7, 3e-15), (-37.0, -5.6, 1e-13), (5.6, 37.0, 1e-13)]
)
def test_it_is_right_to_the_last_few_digits(least: float, most: float, error: float) -> None:
    context, dice = exact(), random.Random(5)
    for x in (dice.uniform(least, most) for _ in range(500)):
        assert abs(below(x) / context.ncdf(x) - 1) < error
        assert abs(density(x) / context.npdf(x) - 1) < error


def test_where_its_parts_meet_there_is_no_step() -> None:
    for x in (0.46875 * math.sqrt(2), 4 * math.sqrt(2)):
        for side in (x, -x):
            under, above = math.nextafter(side, -math.inf), math.nextafter(side, math.inf)
            assert below(above) - below(under) == pytest.approx(0, abs=2e-14 * below(side))


@pytest.mark.parametrize("probability", [1e-9, 0.001, 0.5, 0.5005, 0.6, 0.95, 0.99999])
def test_the_quantile_is_the_inverse(probability: float) -> None:
    assert below(quantile(probability)) == pytest.approx(probability, rel=1e-15)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, math.nan])
def test_nothing_is_below_with_certainty(probability: float) -> None:
    with pytest.raises(ValueError, match="a probability between 0 and 1 is needed"):
        quantile(probability)


def test_far_out_it_gives_up_or_is_nothing() -> None:
    with pytest.raises(FloatingPointError):
        below(-37.5)
    assert below(40.0) == 1.0
    assert density(40.0) == density(-math.inf) == 0.0


def test_every_machine_has_these_digits() -> None:
    # If this fails on one machine only, tables of results have another digest there.
    xs = [step / 256 for step in range(-37 * 256, 37 * 256 + 1)]
    digits = "".join(f"{below(x).hex()} {density(x).hex()}\n" for x in xs)
    assert sha256(digits.encode()).hexdigest() == "aaf1ac0c6ad5ffa083f810a485e3161851175de661616dccb866c56d1ea988cb"


@pytest.mark.parametrize("module", [normal, trueskill_chain, trueskill_update, ratings, ladder_past])
def test_ratings_use_only_what_every_machine_computes_alike(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))  # type: ignore[attr-defined]
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is(node.value, "math")}
    assert names <= ALIKE_EVERYWHERE
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("math", "cmath", "statistics", "numpy")
        for alias in node.names
    }
    assert imported <= ALIKE_EVERYWHERE
    # A power of floats is the C library's `pow`; one of a whole number is Python's.
    powers = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    of_floats = [node for node in powers if not (isinstance(node.left, ast.Constant) and type(node.left.value) is int)]
    assert not [ast.unparse(node) for node in of_floats]


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
