"""The CSV file of a simulation: one row per seat and match, for pandas, R or a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.errors import ENVIRONMENT, Failure

if TYPE_CHECKING:
    from referee.hosting.simulation import SimulationTally

COLUMNS = ("match", "seat", "bot", "rank", "score", "win_share", "players", "decisions", "reason", "game", "seed")


class SimulationRows:
    """`with SimulationRows(path, labels) as rows: rows.add(tally)` after every match."""

    def __init__(self, path: Path, labels: Sequence[str]) -> None:
        self._labels = labels
        try:
            self._file = path.open("w", encoding="utf-8", newline="")
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror}", ENVIRONMENT) from None
        self._writer = csv.writer(self._file, lineterminator="\n")

    def __enter__(self) -> SimulationRows:
        self._writer.writerow(COLUMNS)
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def add(self, tally: SimulationTally) -> None:
        """The rows of the latest match."""
        from referee.hosting.simulation import win_shares

        assert tally.latest is not None
        record, decisions = tally.latest
        result = record.result
        assert result is not None
        shares = win_shares(result.ranks)
        for seat, bot in enumerate(self._labels):
            self._writer.writerow(
                (
                    tally.matches - 1,
                    seat,
                    bot,
                    result.ranks[seat],
                    result.scores[seat],
                    f"{shares[seat]:.6g}",
                    record.players,
                    decisions,
                    result.reason,
                    record.game,
                    record.seed,
                )
            )
