"""Logs of hosted bots in the store: kept with the result, within bounds, and never handed out damaged."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import Connection, select, update

from referee.store import MatchResult, NotADatabase, Store, StoredLog, Tournament
from referee.store import tables as t
from referee.store.bot_logs import LARGEST, BotLogs

from .claiming import claim_next

League = Callable[..., Tournament]
ResultOf = Callable[..., MatchResult]


def logged(store: Store, league: Tournament, result_of: ResultOf, *logs: StoredLog) -> int:
    [match] = claim_next(store, league.id)
    assert store.matches.report(replace(result_of(match.id), logs=logs))
    return match.id


def test_logs_are_kept_by_seat(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store)
    both = (StoredLog(0, b"thinking"), StoredLog(1, b"\xff\x00" * 99))
    first = logged(store, league, result_of, *both)
    second = logged(store, league, result_of)
    assert store.matches.logs(first) == list(both)
    assert store.matches.logs(second) == []


def test_a_log_that_is_too_large_is_left_out_and_the_result_stands(
    store: Store, new_league: League, result_of: ResultOf
) -> None:
    match = logged(store, new_league(store), result_of, StoredLog(0, bytes(LARGEST + 1)), StoredLog(1, b"x"))
    assert store.matches.logs(match) == [StoredLog(1, b"x")]
    assert store.matches.record(match) is not None


def test_the_logs_of_the_oldest_matches_make_room(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store)
    matches = [match.id for match in claim_next(store, league.id, 6)]
    keeper = BotLogs()

    def keep(connection: Connection) -> None:
        for match in matches:
            log = StoredLog(0, os.urandom(1000))
            keeper.keep(connection, [replace(result_of(match), logs=(log,))], most=3500)

    store.writer.submit(keep).result()
    assert [bool(store.matches.logs(match)) for match in matches] == [False, False, False, True, True, True]


def test_a_changed_log_is_found(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store)
    first = logged(store, league, result_of, StoredLog(0, b"mine"), StoredLog(1, b"yours"))

    def swap(connection: Connection) -> None:
        body, sha256 = connection.execute(
            select(t.bot_logs.c.body, t.bot_logs.c.sha256).where(t.bot_logs.c.seat == 1)
        ).one()
        values = {"body": body, "sha256": sha256, "size": 5}
        connection.execute(update(t.bot_logs).where(t.bot_logs.c.seat == 0).values(values))

    store.writer.submit(swap).result()
    with pytest.raises(NotADatabase, match="log of seat 0 in match 1 is damaged"):
        store.matches.logs(first)
