"""Figures for Prometheus: decisions, how long they took, lag of the loop, faults, the store's queue, watchers.

Nothing is labelled by match or by bot, so that the number of series does not grow. Times of decisions are counted when
their match ends, from its transcript: nothing is done for them while it is played. Of matches in worker processes
(`referee run`) all is counted then, from the record that the worker sends; their loops are in other processes, so that
there is no lag to tell.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from referee import __version__
from referee.match.match import Match
from referee.match.result import Ending, Termination

if TYPE_CHECKING:
    from referee.tournament.running.played import Played
    from referee.tournament.running.venue import Fixture
    from referee.web.live import Channels
    from referee.web.source import Source

BUCKETS_MS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000)


class Metrics(Collector):
    """Collected when they are asked for."""

    def __init__(self, source: Source, channels: Channels) -> None:
        self._source = source
        self._channels = channels
        self._times = [0] * (len(BUCKETS_MS) + 1)
        self._time_ms = 0
        self._decisions = 0
        """Of matches in other processes that have ended."""
        self._faults: Counter[str] = Counter()
        self._matches: Counter[str] = Counter()
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)

    def open(self) -> None:
        """Count from now on."""
        if self._source.hall is not None:
            self._source.hall.on_end.append(self._ended)
        if self._source.runner is not None:
            self._source.runner.on_played.append(self._played)

    def close(self) -> None:
        if self._source.hall is not None and self._ended in self._source.hall.on_end:
            self._source.hall.on_end.remove(self._ended)
        if self._source.runner is not None and self._played in self._source.runner.on_played:
            self._source.runner.on_played.remove(self._played)

    def text(self) -> bytes:
        """All figures in the format that Prometheus reads."""
        return generate_latest(self._registry)

    def _ended(self, match: Match, ending: Ending) -> None:
        self._count(match.game.name, ending, [seat.times_ms for seat in match.transcript.seats])

    def _played(self, fixture: Fixture, played: Played) -> None:
        record = json.loads(played.record)
        self._decisions += len(record["record"]["moves"])
        self._count(fixture.game, played.ending, record["times_ms"])

    def _count(self, game: str, ending: Ending, times_ms: Iterable[Iterable[int]]) -> None:
        self._matches[game] += 1
        for termination in ending.terminations:
            if termination is not Termination.FINISHED:
                self._faults[termination.word] += 1
        for seat in times_ms:
            for time_ms in seat:
                self._times[bisect_left(BUCKETS_MS, time_ms)] += 1
                self._time_ms += time_ms

    def collect(self) -> Iterator[Metric]:
        yield InfoMetricFamily("referee", "The program.", {"version": __version__})
        hall, runner, competition = self._source.hall, self._source.runner, self._source.competition
        if hall is not None:
            yield _counter("referee_decisions", "Decisions played in this process.", hall.decisions)
            yield _gauge("referee_matches_playing", "Matches being played in this process.", len(hall.matches))
            yield _gauge("referee_loop_lag_worst_seconds", "The longest the event loop was ever late.", hall.lag.worst)
            yield from self._of_ended()
        elif runner is not None:
            yield _counter("referee_decisions", "Decisions of matches that have ended.", self._decisions)
            yield _gauge("referee_matches_playing", "Matches being played by worker processes.", runner.playing)
            yield from self._of_ended()
        if competition is not None:
            yield _gauge("referee_bots_connected", "Bots that are connected.", len(competition.presence.bots))
            running = len(competition.director.runners)
            yield _gauge("referee_tournaments_running", "Tournaments being played.", running)
        writer = self._source.store.writer
        yield _gauge("referee_store_queue", "Units of work that wait to be written.", writer.waiting)
        yield _counter("referee_store_transactions", "Transactions of the store.", writer.transactions)
        yield _counter("referee_store_seconds", "Seconds spent in them.", writer.seconds)
        yield _gauge("referee_watchers", "Pages that are kept up to date.", self._channels.places.taken)

    def _of_ended(self) -> Iterator[Metric]:
        yield self._seconds()
        ended = CounterMetricFamily("referee_matches_ended", "Matches that have ended.", labels=["game"])
        for game, number in sorted(self._matches.items()):
            ended.add_metric([game], number)
        yield ended
        faults = CounterMetricFamily("referee_faults", "Seats that did not finish a match.", labels=["kind"])
        for word in [one.word for one in Termination if one is not Termination.FINISHED]:
            faults.add_metric([word], self._faults[word])
        yield faults

    def _seconds(self) -> Metric:
        buckets, total = [], 0
        for edge, number in zip(BUCKETS_MS, self._times, strict=False):
            total += number
            buckets.append((str(edge / 1000), total))
        buckets.append(("+Inf", total + self._times[-1]))
        seconds = HistogramMetricFamily("referee_decision_seconds", "How long bots took to decide, of ended matches.")
        seconds.add_metric([], buckets, self._time_ms / 1000)
        return seconds


def _counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(name, about, value=value)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)
