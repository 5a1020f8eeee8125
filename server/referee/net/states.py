"""Words of the store and of plans as enums of the protocol: states, schedules, orders of tables, missed matches."""

from __future__ import annotations

from arena.v1 import admin_pb2, standings_pb2, tournament_pb2
from referee.store import MatchState, TournamentState
from referee.tournament.plan import ASIDE, LOST

RATING_ORDERS = {
    standings_pb2.TABLE_ORDER_UNSPECIFIED: "",
    standings_pb2.TABLE_ORDER_TRUESKILL: "trueskill",
    standings_pb2.TABLE_ORDER_STRENGTH: "strength",
}
"""Which rating orders the table of a tournament, as its plan says it."""
TOURNAMENT_STATES = {
    state: standings_pb2.TournamentState.Value(f"TOURNAMENT_STATE_{state.name}") for state in TournamentState
}
MATCH_STATES = {state: tournament_pb2.MatchState.Value(f"MATCH_STATE_{state.name}") for state in MatchState}
SCHEDULES = {
    admin_pb2.SCHEDULE_KIND_UNSPECIFIED: "balanced",
    admin_pb2.SCHEDULE_KIND_BALANCED: "balanced",
    admin_pb2.SCHEDULE_KIND_FULL: "full",
}
MISSED_MATCHES = {
    admin_pb2.MISSED_MATCHES_UNSPECIFIED: ASIDE,
    admin_pb2.MISSED_MATCHES_ASIDE: ASIDE,
    admin_pb2.MISSED_MATCHES_LOST: LOST,
}
