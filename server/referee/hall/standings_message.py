"""Standings as the protocol's typed message, for leaderboards of any language."""

from __future__ import annotations

from arena import results
from arena.v1 import standings_pb2 as pb
from arena.v1.result_pb2 import ChainHead
from referee.match.result import Termination
from referee_leaderboard.standings import Order, Outcome, Playing, Standing, Standings, State

ORDERS = {order: pb.TableOrder.Value(f"TABLE_ORDER_{order.name}") for order in Order}
STATES = {state: pb.TournamentState.Value(f"TOURNAMENT_STATE_{state.name}") for state in State}


def standings_message(standings: Standings) -> pb.Standings:
    """The same standings; what is not known is absent."""
    return pb.Standings(
        tournament=standings.tournament,
        game=standings.game,
        players=standings.players,
        state=STATES[standings.state],
        provisional=standings.provisional,
        rounds=standings.rounds,
        matches_done=standings.matches_done,
        matches_total=standings.matches_total,
        matches_set_aside=standings.matches_set_aside,
        matches_playing=standings.matches_playing,
        started=standings.started,
        elapsed=standings.elapsed,
        matches_per_second=standings.matches_per_second,
        eta=standings.eta,
        digest=standings.digest,
        rows=[_row(row) for row in standings.rows],
        playing=[_playing(match) for match in standings.playing],
        latest=[_outcome(outcome) for outcome in standings.latest],
        notices=standings.notices,
        head=_head(standings),
        order=ORDERS[standings.order],
    )


def _head(standings: Standings) -> ChainHead | None:
    head = standings.head
    if not head.hash:
        return None
    return ChainHead(tournament=standings.tournament, entries=head.entries, hash=head.hash)


def _row(row: Standing) -> pb.Standing:
    return pb.Standing(
        rank=row.rank,
        bot=row.bot,
        mu=row.mu,
        sigma=row.sigma,
        score=row.score,
        matches=row.matches,
        wins=row.wins,
        mean_rank=row.mean_rank,
        mean_score=row.mean_score,
        faults=row.faults,
        previous_rank=row.previous_rank,
        absent=row.absent,
        absent_seconds=row.absent_seconds,
        wins_split=row.wins_split,
        strength=row.strength,
        strength_error=row.strength_error,
        draws=row.draws,
        fault_kinds=[pb.FaultKind(kind=results.NUMBERS[one.kind], count=one.count) for one in row.fault_kinds],
        versions=[
            pb.VersionRating(version=one.version, matches=one.matches, mu=one.mu, sigma=one.sigma)
            for one in row.versions
        ],
    )


def _playing(match: Playing) -> pb.MatchPlaying:
    return pb.MatchPlaying(
        match_id=match.match, round=match.round, bots=match.bots, elapsed=match.elapsed, scores=match.scores or ()
    )


def _outcome(outcome: Outcome) -> pb.MatchOutcome:
    faults = outcome.faults or ("",) * len(outcome.bots)
    terminations = [fault or Termination.FINISHED.word for fault in faults]
    # Standings hold no sentences: those are in the records.
    texts = [""] * len(faults)
    return pb.MatchOutcome(
        match_id=outcome.match,
        round=outcome.round,
        bots=outcome.bots,
        result=results.message(outcome.ranks, outcome.scores or (), terminations, texts, outcome.reason),
    )
