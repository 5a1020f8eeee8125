"""What `referee compare` says: one JSON value, or a table and one plain sentence for people."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.cli.output import stdout_console
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.analysis.compare import Comparison, Design, Measured, SideAccount

MEASURES = ("rank", "win_share", "score")


def value_of(comparison: Comparison, design: Design, game: str, seed: str, budget: int) -> dict[str, Any]:
    """Everything as plain JSON."""
    return {
        "game": game,
        "players": comparison.players,
        "new": design.new[0],
        "old": design.old[0],
        "against": list(design.opponents),
        "verdict": comparison.verdict.value,
        "sentence": sentence(comparison, design),
        "confidence": comparison.confidence,
        "matches": comparison.matches,
        "blocks": comparison.blocks,
        "matches_per_block": design.matches_per_block,
        "budget": budget,
        "seed": seed,
        **{name: _measure(getattr(comparison, name)) for name in MEASURES},
        "faults": {name: dict(account.faults) for name, account in _faulty(comparison, design)},
    }


def print_comparison(comparison: Comparison, design: Design, title: str, seed: str, *, interrupted: bool) -> None:
    """The table, the faults, and the sentence last."""
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    against = f" against {', '.join(design.opponents)}" if design.opponents else ""
    console.print(
        f"{title}, {plural(comparison.players, 'player')}, {plural(comparison.matches, 'match', 'matches')}{against}, "
        f"seed {seed}",
        markup=False,
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for name in (design.new[0], design.old[0], "difference"):
        table.add_column(Text(name), justify="right")
    table.add_column(f"{comparison.confidence * 100:.4g} % interval")
    for name, label, form in (
        ("rank", "mean rank (less is better)", "{:.3f}"),
        ("win_share", "win share", "{:.1%}"),
        ("score", "mean score", "{:.1f}"),
    ):
        one: Measured = getattr(comparison, name)
        signed = form.replace(":", ":+")
        low, high = one.interval
        sure = f"{signed.format(low)} to {signed.format(high)}" if isfinite(low) else "too few matches"
        figures = (form.format(one.new), form.format(one.old), signed.format(one.difference))
        table.add_row(label, *(figures if comparison.matches else ("", "", "")), sure)
    console.print(table)
    for name, account in _faulty(comparison, design):
        how = ", ".join(f"{word} {count}" for word, count in sorted(account.faults.items()))
        console.print(
            f"{name} forfeited {account.faults.total()} of {account.seats} matches ({how}); "
            f"the last: {account.last_fault}",
            markup=False,
            soft_wrap=True,
        )
    console.print(sentence(comparison, design, interrupted=interrupted), style="bold", markup=False, soft_wrap=True)


def sentence(comparison: Comparison, design: Design, *, interrupted: bool = False) -> str:
    """What is known, in one plain sentence."""
    from referee.analysis.compare import ComparisonVerdict

    new, old = design.new[0], design.old[0]
    rank, matches = comparison.rank, plural(comparison.matches, "match", "matches")
    sure = f"{comparison.confidence * 100:.4g} % sure"
    low, high = sorted(abs(end) for end in rank.interval)
    places = f"{abs(rank.difference):.2f} places"
    if comparison.verdict is ComparisonVerdict.BETTER:
        return f"{new} is better than {old}: it comes in {places} earlier ({sure}: {low:.2f} to {high:.2f}), {matches}"
    if comparison.verdict is ComparisonVerdict.WORSE:
        return f"{new} is worse than {old}: it comes in {places} later ({sure}: {low:.2f} to {high:.2f}), {matches}"
    if not comparison.matches:
        return f"nothing is known yet about {new} and {old}: no block of matches was finished"
    how = "so far it cannot be told" if interrupted else "it cannot be told within the budget"
    earlier, later = max(0.0, -rank.interval.low), max(0.0, rank.interval.high)
    return (
        f"{how} whether {new} is better than {old}: it comes in between {earlier:.2f} places earlier and "
        f"{later:.2f} places later ({sure}), {matches}"
    )


def progress(comparison: Comparison, most: int) -> str:
    """How it stands, on a short line."""
    rank = comparison.rank
    low, high = rank.interval
    return (
        f"{comparison.matches:,} of at most {most:,} matches: rank {rank.difference:+.2f} ({low:+.2f} to {high:+.2f})"
    )


def _measure(one: Measured) -> dict[str, Any]:
    low, high = one.interval
    return {
        "new": one.new,
        "old": one.old,
        "difference": one.difference,
        "low": low if isfinite(low) else None,
        "high": high if isfinite(high) else None,
    }


def _faulty(comparison: Comparison, design: Design) -> Iterator[tuple[str, SideAccount]]:
    """Bots that forfeited a match."""
    from referee.analysis.compare import Side

    names = {Side.NEW: design.new[0], Side.OLD: design.old[0]}
    both = [(names[side], account) for side, account in comparison.accounts.items()]
    return ((name, account) for name, account in [*both, *comparison.others.items()] if account.faults)
