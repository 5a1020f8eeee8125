"""What `referee why` prints for people: the result and the luck, the decisions that cost most, each with its board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cli.output import stdout_console
from referee.cli.terminal import board_width, wants_ascii, wants_colour
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from rich.console import Console

    from referee.analysis.why import Explained, Habits

INDENT = "   "
"""Before every line of a board."""


def print_explained(why: Explained) -> None:
    """A match, for one seat."""
    out = stdout_console()
    match, seat, luck = why.match, why.seat, why.luck
    solo = match.players == 1
    ending = match.ending
    where = f"{match.match}, " if match.match else ""
    _line(out, f"{where}{match.game.title}: {match.label(seat)} in seat {seat} of {match.players}")
    score = ending.scores[seat]
    _line(
        out, f"result        rank {ending.ranks[seat]}, score {score}" if not solo else f"result        score {score}"
    )
    if why.forfeited:
        _line(out, f"              it forfeited at decision {why.forfeited.decision}: {why.forfeited.text}")
    low, high = luck.score_interval
    points = f"score {luck.adjusted.score.value:.1f} ({low:.1f} to {high:.1f})"
    low, high = luck.rank_interval
    ranks = f"rank {luck.adjusted.rank.value:.2f} ({low:.2f} to {high:.2f})"
    _line(out, f"without luck  {points if solo else f'{ranks}, {points}'}, each with its 95 % interval")
    gained = f"{luck.score:+.1f} points" if solo else f"{luck.rank:+.2f} ranks, {luck.score:+.1f} points"
    _line(out, f"luck          {gained}")
    _line(
        out,
        f"yardstick     {why.setting.yardstick.name}, {why.setting.rollouts} rollouts of a move, seed "
        f"{why.setting.seed}; {why.rollouts:,} rollouts in all",
    )
    costly = why.costliest()
    decisions = len(why.decisions())
    if not costly:
        _line(
            out,
            f"\nof {plural(decisions, 'decision')} none was surely worse than another move, as the yardstick plays on",
        )
    for place, one in enumerate(costly, 1):
        _line(out, f"\n{place}. decision {one.number} ({one.kind}): {one.sentence()}")
        width = board_width(out.width, INDENT)
        for line in why.board(one.number, width, colour=wants_colour(), ascii=wants_ascii()):
            out.out(f"{INDENT}{line}", highlight=False)
    swings = why.luckiest()
    if swings:
        _line(out, "\nluck that changed most:")
        unit = "points" if solo else "ranks"
        for number, value in swings:
            told = "; ".join(why.happened(number)) or "unseen"
            reach = 1.96 * value.error
            _line(out, f"   after decision {number}: {value.value:+.2f} ± {reach:.2f} {unit}: {told[:200]}")


def print_habits(habits: Habits) -> None:
    """A bot over many matches."""
    from rich.table import Table

    out = stdout_console()
    first = habits.matches[0]
    count = len(habits.matches)
    _line(out, f"{habits.bot} in {plural(count, 'match', 'matches')} of {first.match.game.title}")
    reach = 1.96 * habits.rank_error
    _line(
        out,
        f"mean rank {habits.mean_rank:.2f}; without luck {habits.rank_without_luck:.2f} ± {reach:.2f}; "
        f"luck in all {habits.luck_rank:+.2f} ranks, {habits.luck_score:+.1f} points",
    )
    _line(
        out,
        f"yardstick {first.setting.yardstick.name}, {first.setting.rollouts} rollouts of a move, "
        f"seed {first.setting.seed}",
    )
    table = Table(box=None, pad_edge=False)
    for heading in ("decision", "made", "costly", "ranks lost", "points lost", "what was done, what was better"):
        table.add_column(heading, justify="left" if heading.startswith(("decision", "what")) else "right")
    for habit in habits.kinds:
        typical = ", ".join(f"{played} → {better} ({times}×)" for played, better, times in habit.typical)
        lost = f"{habit.ranks:.2f}", f"{habit.points:.1f}"
        table.add_row(habit.kind, str(habit.decisions), str(habit.costly), *lost, typical)
    out.print(table)


def _line(out: Console, text: str) -> None:
    out.print(text, markup=False, soft_wrap=True)
