"""What `referee run` prints when its tournament is over: one JSON value, or the table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cli.output import paper, print_json, print_table

if TYPE_CHECKING:
    from referee.store import Tournament
    from referee.tournament.mirrored_deals import Difference
    from referee_leaderboard import Standings


def print_result(
    standings: Standings, tournament: Tournament, as_json: bool, notices: list[str], mirrored: list[Difference]
) -> None:
    """The final standings, and what mirrored deals tell about the differences between bots."""
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
                        "blocks": one.blocks,
                    }
                    for one in mirrored
                ],
            }
        )
        return
    print_table(standings)
    console = paper()
    if mirrored:
        console.print("score differences over mirrored deals, 95 % intervals:", markup=False)
    for one in mirrored:
        console.print(
            f"  {one.bot} − {one.other}: {one.points:+.1f} ± {one.mirrored:.1f} "
            f"(independent deals: ± {one.independent:.1f}; {abs(one.narrower):.0%} "
            f"{'narrower' if one.narrower >= 0 else 'wider'})",
            markup=False,
        )
