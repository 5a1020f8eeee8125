"""Statistics of a simulation, as JSON and as tables for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from referee.cli.output import stdout_console
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.hosting.simulation import PooledTally, SimulationTally, WinShare
    from referee_leaderboard.seats import Seats

BARS = " ▁▂▃▄▅▆▇█"


def tally_value(tally: SimulationTally, bots: Sequence[str]) -> dict[str, Any]:
    """The sums as plain JSON; `bots` by seat."""
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
                "mean_rank": round(tally.ranks[seat] / tally.matches, 4),
                "mean_score": round(tally.points[seat] / tally.matches, 3),
            }
            for seat, share in enumerate(tally.shares())
        ],
        "pooled": [
            {
                "bot": bot,
                "seats": seats,
                "wins": round(pooled.share.wins, 3),
                "win_rate": round(pooled.share.rate, 4),
                "low": round(pooled.share.low, 4),
                "high": round(pooled.share.high, 4),
                "mean_rank": round(pooled.rank, 4),
                "mean_score": round(pooled.score, 3),
            }
            for bot, seats, pooled in pooled_bots(tally, bots)
        ],
        "reasons": dict(sorted(tally.reasons.items())),
        "seats_p_value": seats_test(tally, bots).p_value,
    }


def seats_test(tally: SimulationTally, bots: Sequence[str]) -> Seats:
    """Whether any seat is better than another: only known if the same bot sat in all of them."""
    from referee.tournament.statistics.seats_alike import SeatsAlike
    from referee_leaderboard.seats import Seats

    if len(set(bots)) != 1:
        return Seats()
    test = SeatsAlike(len(bots))
    for ranks, times in tally.ranked.items():
        test.add_alone(ranks, times)
    return Seats(p_value=test.p_value)


def pooled_bots(tally: SimulationTally, bots: Sequence[str]) -> list[tuple[str, list[int], PooledTally]]:
    """Every bot that sits in several seats, with these seats and what they have together."""
    seats: dict[str, list[int]] = {}
    for seat, bot in enumerate(bots):
        seats.setdefault(bot, []).append(seat)
    return [(bot, own, tally.pooled(own)) for bot, own in seats.items() if len(own) > 1]


def print_tally(title: str, summary: dict[str, Any], tally: SimulationTally) -> None:
    """The sums for people."""
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    value = tally_value(tally, summary["bots"])
    length, scores = value["length"], value["scores"]
    console.print(
        f"[bold]{title}[/bold], {plural(summary['players'], 'player')}, "
        f"{plural(tally.matches, 'match', 'matches')}, seed {summary['seed']}"
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
    wins.add_column("rank", justify="right")
    wins.add_column("score", justify="right")
    for seat, share in enumerate(tally.shares()):
        rank, score = tally.ranks[seat] / tally.matches, tally.points[seat] / tally.matches
        wins.add_row(str(seat), Text(summary["bots"][seat]), *_figures(share, rank, score))
    pooled = pooled_bots(tally, summary["bots"])
    if len(pooled) > 1 or (pooled and len(pooled[0][1]) < summary["players"]):
        wins.add_row()
        for bot, seats, together in pooled:
            taken = "+".join(str(seat) for seat in seats)
            wins.add_row(taken, Text(bot), *_figures(together.share, together.rank, together.score))
    console.print()
    console.print(wins)
    if verdict := seats_test(tally, summary["bots"]).verdict:
        console.print(verdict[0].upper() + verdict[1:] + ".")
    console.print("A shared first place counts as its share of a win. Rank and score are means.", style="dim")


def _figures(share: WinShare, rank: float, score: float) -> tuple[str, str, str, str]:
    marked = f"{share.low:.1%} to {share.high:.1%}  {_marked(share.low, share.high)}"
    return f"{share.rate:.1%}", marked, f"{rank:.2f}", f"{score:.1f}"


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
