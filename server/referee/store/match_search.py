"""Finding matches: by tournament, bot, how they ended; and the names that matches have outside the store.

A match is named `TOURNAMENT/NUMBER` after its place in the schedule, from 0, or `practice/NUMBER` after its own number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, func, or_, select

from referee.store import tables as t
from referee.store.match_rows import read_matches
from referee.store.plain import plain
from referee.store.values import MatchState, StoredMatch

PRACTICE = "practice"
LONGEST_NUMBER = 12
"""Digits in the number of a match; longer ones fit no database."""
OVER = (MatchState.FINISHED, MatchState.ABSENT, MatchState.VOID)


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """Which matches are looked for; everything that is given has to hold."""

    tournament: str = ""
    """Empty: of all tournaments and practice; `practice`: outside any tournament."""
    game: str = ""
    bot: str = ""
    """The name it has in the match; `won`, `lost`, `faulted` and `fault` are about this bot then."""
    won: bool = False
    """The bot has rank 1, alone or shared, as standings count wins."""
    lost: bool = False
    """The bot has a rank below 1."""
    faulted: bool = False
    """A seat did not finish by itself."""
    fault: str = ""
    """The word for how a seat ended: `timeout`."""
    reason: str = ""
    """The word for how the match ended, as the game calls it."""
    states: tuple[MatchState, ...] = OVER

    def plain(self) -> MatchQuery:
        """The same with texts that every database can compare: a stranger may send any."""
        return replace(
            self,
            tournament=plain(self.tournament),
            game=plain(self.game),
            bot=plain(self.bot),
            fault=plain(self.fault),
            reason=plain(self.reason),
        )


@dataclass(frozen=True, slots=True)
class NamedMatch:
    """A match that was found, with its name and that of its tournament (empty in practice)."""

    name: str
    tournament: str
    match: StoredMatch


def match_name(match: StoredMatch, tournament: str) -> str:
    """How a match is called outside the store; `tournament` is the name of its tournament, empty in practice."""
    return f"{tournament}/{match.ordinal}" if match.tournament is not None else f"{PRACTICE}/{match.id}"


def read_name(name: str) -> tuple[str, int] | None:
    """The tournament (or `practice`) and the number in a match's name; None if it is no such name."""
    where, slash, number = name.rpartition("/")
    if not slash or not number.isascii() or not number.isdecimal() or len(number) > LONGEST_NUMBER:
        return None
    return plain(where), int(number)


def search(connection: Connection, query: MatchQuery, offset: int, limit: int) -> list[NamedMatch]:
    """The matches that are meant, those scheduled last first."""
    statement = select(t.matches).where(*_conditions(query)).order_by(t.matches.c.id.desc())
    found = read_matches(connection, statement.offset(offset).limit(limit))
    numbers = {match.tournament for match in found if match.tournament is not None}
    these = select(t.tournaments.c.id, t.tournaments.c.name).where(t.tournaments.c.id.in_(numbers))
    names = {row.id: row.name for row in connection.execute(these)}
    named = [(match, "" if match.tournament is None else names[match.tournament]) for match in found]
    return [NamedMatch(match_name(match, tournament), tournament, match) for match, tournament in named]


def count(connection: Connection, query: MatchQuery) -> int:
    """How many there are."""
    statement = select(func.count()).select_from(t.matches).where(*_conditions(query))
    return int(connection.execute(statement).scalar_one())


def has_played(connection: Connection, bot: str, tournament: str = "") -> bool:
    """Whether a bot of that name sits in any match at all (of that tournament, or of practice)."""
    query = MatchQuery(tournament=tournament, bot=bot, states=tuple(MatchState))
    statement = select(t.matches.c.id).where(*_conditions(query)).limit(1)
    return connection.execute(statement).first() is not None


def _conditions(query: MatchQuery) -> list[ColumnElement[bool]]:
    c = t.matches.c
    conditions: list[ColumnElement[bool]] = [c.state.in_([state.value for state in query.states])]
    if query.tournament == PRACTICE:
        conditions.append(c.tournament_id.is_(None))
    elif query.tournament:
        named = select(t.tournaments.c.id).where(t.tournaments.c.name == query.tournament).scalar_subquery()
        conditions.append(c.tournament_id == named)
    if query.game:
        conditions.append(c.game == query.game)
    if query.reason:
        conditions.append(c.reason == query.reason)
    if seat := _seat_conditions(query):
        conditions.append(exists().where(and_(t.seats.c.match_id == c.id, *seat)))
    return conditions


def _seat_conditions(query: MatchQuery) -> list[ColumnElement[bool]]:
    """What has to hold of one and the same seat."""
    s: Any = t.seats.c
    conditions: list[ColumnElement[bool]] = []
    if query.bot:
        entered = select(t.entrants.c.id).where(t.entrants.c.name == query.bot)
        conditions.append(or_(s.entrant_id.in_(entered), and_(s.entrant_id.is_(None), s.name == query.bot)))
    if query.won:
        conditions.append(s.rank == 1)
    if query.lost:
        conditions.append(s.rank > 1)
    # Databases of before hold these words in capitals.
    if query.faulted:
        conditions.append(func.lower(s.fault) != "finished")
    if query.fault:
        conditions.append(func.lower(s.fault) == query.fault)
    return conditions
