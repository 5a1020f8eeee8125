"""What a simulation adds up to, as JSON and on paper."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import TYPE_CHECKING, Any

from referee.cli.output import paper

if TYPE_CHECKING:
    from referee.hosting.simulation import Tally

BARS = " ▁▂▃▄▅▆▇█"


def tally_value(tally: Tally) -> dict[str, Any]:
    """The sums as plain JSON."""
    lengths, scores = tally.lengths, tally.scores
    return {
        "length": {"min": min(lengths), "mean": round(_mean(lengths), 3), "max": max(lengths)},
        "scores": {
            "mean": round(_mean(scores), 3),
            "sd": round(_deviation(scores), 3),
            "min": min(scores),
            "max": max(scores),
            "histogram": [{"from": low, "to": high, "count": count} for low, high, count in histogram(scores)],
        },
        "seats": [
            {
                "seat": seat,
                "wins": round(share.wins, 3),
                "win_rate": round(share.rate, 4),
                "low": round(share.low, 4),
                "high": round(share.high, 4),
            }
            for seat, share in enumerate(tally.shares())
        ],
        "reasons": dict(sorted(tally.reasons.items())),
    }


def print_tally(title: str, summary: dict[str, Any], tally: Tally) -> None:
    """The sums for people."""
    from rich.table import Table

    console = paper()
    value = tally_value(tally)
    length, scores = value["length"], value["scores"]
    console.print(
        f"[bold]{title}[/bold], {summary['players']} players, {tally.matches:,} matches, seed {summary['seed']}"
    )
    facts = Table(box=None, show_header=False, pad_edge=False)
    facts.add_column(style="dim")
    facts.add_column()
    speed = f"{summary['matches_per_second']:,.0f} matches/s, {summary['decisions_per_second']:,.0f} decisions/s"
    facts.add_row("speed", speed)
    facts.add_row("length", f"{length['min']} to {length['max']} decisions, mean {length['mean']:.1f}")
    facts.add_row("scores", f"{scores['min']} to {scores['max']}, mean {scores['mean']:.1f}, sd {scores['sd']:.1f}")
    facts.add_row("", _drawn(scores["histogram"]))
    facts.add_row("ended by", ", ".join(f"{reason} {count:,}" for reason, count in value["reasons"].items()))
    facts.add_row("digest", summary["digest"])
    console.print(facts, soft_wrap=True)
    wins = Table(box=None, pad_edge=False, header_style="bold")
    wins.add_column("seat", justify="right")
    wins.add_column("bot")
    wins.add_column("wins", justify="right")
    wins.add_column("95 % interval")
    for seat, share in enumerate(tally.shares()):
        rate, low, high = f"{share.rate:.1%}", f"{share.low:.1%}", f"{share.high:.1%}"
        wins.add_row(str(seat), summary["bots"][seat], rate, f"{low} to {high}  {_marked(share.low, share.high)}")
    console.print()
    console.print(wins)
    console.print("A shared first place counts as its share of a win.", style="dim")


def histogram(values: Counter[int], bins: int = 12) -> list[tuple[int, int, int]]:
    """At most so many even bins over whole numbers: lowest, highest and count of each."""
    low, high = min(values), max(values)
    width = -(-(high - low + 1) // bins)
    counts: Counter[int] = Counter()
    for value, count in values.items():
        counts[(value - low) // width] += count
    last = (high - low) // width
    return [(low + at * width, low + (at + 1) * width - 1, counts[at]) for at in range(last + 1)]


def _drawn(bins: list[dict[str, int]]) -> str:
    most = max(bin["count"] for bin in bins)
    # A bin that is not empty is never drawn empty.
    bars = "".join(BARS[-(-bin["count"] * (len(BARS) - 1) // most)] * 2 for bin in bins)
    return f"{bins[0]['from']} {bars} {bins[-1]['to']}"


def _marked(low: float, high: float, width: int = 24) -> str:
    """The interval on a line from 0 to 1."""
    first, last = int(low * (width - 1)), int(high * (width - 1) + 0.999)
    return "·" * first + "━" * (last - first + 1) + "·" * (width - 1 - last)


def _mean(values: Counter[int]) -> float:
    return sum(value * count for value, count in values.items()) / values.total()


def _deviation(values: Counter[int]) -> float:
    mean = _mean(values)
    return sqrt(sum(count * (value - mean) ** 2 for value, count in values.items()) / values.total())
