"""What `referee run` prints when its tournament is over: one JSON value, or the table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cli.output import print_json, print_table, stdout_console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.store import Tournament
    from referee.tournament.fault_reasons import FaultReason
    from referee.tournament.mirrored_deals import Difference
    from referee_leaderboard import Standings


def print_result(
    standings: Standings,
    tournament: Tournament,
    as_json: bool,
    notices: list[str],
    mirrored: list[Difference],
    faults: Sequence[FaultReason],
    kept: bool,
) -> None:
    """The final standings, why bots forfeited, and what mirrored deals tell.

    `kept` tells whether the records of the matches can be looked at afterwards.
    """
    if as_json:
        value = standings.to_json_value()
        print_json(
            {
                "tournament": tournament.name,
                "game": standings.game,
                "players": standings.players,
                "matches": standings.matches_done,
                "digest": standings.digest,
                "standings": value["rows"],
                "pooled": value["pooled"],
                "commitment": tournament.commitment,
                "root": tournament.root.hex() if tournament.root else "",
                "seconds": standings.elapsed,
                "notices": notices,
                "mirror": [
                    {
                        "bot": one.bot,
                        "other": one.other,
                        "difference": one.points,
                        "half_width": one.mirrored,
                        "half_width_independent": one.independent,
                        "narrower": one.narrower,
                        "narrower_low": one.narrower_low,
                        "narrower_high": one.narrower_high,
                        "blocks": one.blocks,
                    }
                    for one in mirrored
                ],
                "faults": [
                    {
                        "bot": one.bot,
                        "termination": one.termination,
                        "matches": one.matches,
                        "match": one.match,
                        "text": one.text,
                    }
                    for one in faults
                ],
            }
        )
        return
    print_table(standings)
    print_faults(faults, kept)
    console = stdout_console()
    if mirrored:
        console.print("score differences over mirrored deals, 95 % intervals:", markup=False)
    for one in mirrored:
        console.print(
            f"  {one.bot} − {one.other}: {one.points:+.1f} ± {one.mirrored:.1f} "
            f"(independent deals: ± {one.independent:.1f}; {_narrower(one)})",
            markup=False,
            soft_wrap=True,
        )


def _narrower(one: Difference) -> str:
    """What mirrored deals do to the interval in the long run, and how sure that is."""
    words = f"{abs(one.narrower):.0%} {'narrower' if one.narrower >= 0 else 'wider'} in the long run"
    if one.narrower_low is None or one.narrower_high is None:
        return words
    if one.narrower_low <= 0 <= one.narrower_high:
        return f"{words}, which may be chance: {-one.narrower_low:.0%} wider to {one.narrower_high:.0%} narrower"
    low, high = sorted((abs(one.narrower_low), abs(one.narrower_high)))
    return f"{words}, 95 % sure: {low:.0%} to {high:.0%}"


def print_faults(faults: Sequence[FaultReason], kept: bool) -> None:
    """Why bots forfeited matches: one line for each bot and kind of fault."""
    if not faults:
        return
    console = stdout_console()
    console.print("matches forfeited:", markup=False)
    for one in faults:
        # The lines that a program wrote last are not part of this one.
        what = one.text.removeprefix(f"{one.termination}: ").removesuffix(" Its last words:")
        where = f"match {one.match}" if one.matches == 1 else f"{one.matches} matches, the first {one.match}"
        console.print(f"  {one.bot}: {one.termination} in {where}: {what}", markup=False, soft_wrap=True)
    if not kept:
        console.print("  --db FILE keeps the records of such matches", markup=False)
