"""proto/README.md is enough to write a client from: it names everything, and its transcript is real."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.v1 import admin_pb2, match_pb2, result_pb2, tournament_pb2
from referee.cli.serve_settings import DEFAULTS
from referee.hall import tokens
from referee.hall.notices import NoticeCode
from referee.match import allowance, asking
from referee.net import (
    anonymous_reads,
    bearer,
    connection_limits,
    health_and_reflection,
    listener,
    messages,
    play_service,
    play_stream,
)
from referee.net.admin_gate import NOT_ADMIN
from referee.net.guard import NOT_DECODED, Refusal
from referee.net.limits import Limits
from referee.rules import registry, views

from .transcript import transcript

README = (Path(__file__).resolve().parents[2] / "proto" / "README.md").read_text(encoding="utf-8")


async def test_the_transcript_is_what_happens() -> None:
    block = re.search(r"```text\n(.*?)\n```", README, re.DOTALL)
    assert block
    assert block[1] == await transcript(), "run tests/net/transcript.py and put what it prints into proto/README.md"


@pytest.mark.parametrize("oneof", ["BotBody", "RefereeBody"])
def test_every_body_and_every_field_of_it_is_explained(oneof: str) -> None:
    for body in match_pb2.DESCRIPTOR.message_types_by_name[oneof].fields:
        assert body.message_type is not None
        assert f"| `{body.message_type.name}` |" in README
        for field in body.message_type.fields:
            assert f"`{field.name}`" in README, f"{body.message_type.name}.{field.name}"


def test_every_kind_of_rejection_and_termination_is_explained() -> None:
    for kind in match_pb2.RejectionKind.keys()[1:]:
        assert f"`{kind.removeprefix('REJECTION_KIND_')}`" in README
    for how in result_pb2.Termination.keys()[1:]:
        assert f"`{how.removeprefix('TERMINATION_')}`" in README


def test_the_table_of_notices_is_that_of_the_protocol() -> None:
    table = README.partition("| notice (`NOTICE_CODE_…`) |")[2].partition("\n\n")[0]
    codes = [code.removeprefix("NOTICE_CODE_") for code in match_pb2.NoticeCode.keys()[1:]]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == codes
    assert [code.name for code in NoticeCode] == codes


def test_the_fields_of_a_result_are_explained() -> None:
    for field in result_pb2.MatchResult.DESCRIPTOR.fields:
        assert f"`{field.name}`" in README


def test_every_fixed_refusal_is_listed_with_its_status() -> None:
    refusals = [value for value in (vars(play_service) | vars(play_stream)).values() if isinstance(value, Refusal)]
    assert len(refusals) >= 7
    for refusal in (*refusals, NOT_ADMIN, NOT_DECODED, bearer.BUSY, health_and_reflection.LONG_ENOUGH):
        assert f"| `{refusal.code.name}` | {refusal.text} |" in README


def test_every_method_of_the_other_services_is_named() -> None:
    for module, service in ((admin_pb2, "AdminService"), (tournament_pb2, "TournamentService")):
        for method in module.DESCRIPTOR.services_by_name[service].methods:
            assert f"`{method.name}`" in README


@pytest.mark.parametrize("game", ["flip7", "encore", "stop_me_go", "stop"])
def test_the_view_of_every_game_is_named(game: str) -> None:
    state = registry.find(game).start(3, seed=b"")
    name = views.describe(state.view(None)).type
    assert f"| `{name}` | `arena/games/{game}/v1/{game}.proto` |" in README


def test_the_limits_are_the_ones_in_force() -> None:
    assert f"{play_stream.TRESPASSES} × `NOT_YOUR_MATCH`" in README
    assert f"{allowance.UNASKED_AT_ONCE:g} bodies at once and {allowance.UNASKED_PER_SECOND:g} per second" in README
    assert f"For {play_stream.WRITE_SECONDS:g} seconds" in README
    assert f"hold the next frame back for {asking.STRAGGLERS_AFTER * 1000:g} ms only" in README
    assert messages.MAX_MESSAGE_BYTES == 1 << 20
    limits = Limits()
    assert f"| bots | {DEFAULTS['max_bots']:,} | | `max_bots` |" in README
    assert (
        f"| connections | {limits.connections:,}, and {connection_limits.RESERVE} fewer than open files allowed"
        in README
    )
    assert f"| {limits.connections_per_address}, and a quarter of all at most | `max_per_address` |" in README
    at_once, per_second = connection_limits.CALLS_AT_ONCE, connection_limits.CALLS_PER_SECOND
    often = f"{at_once:,.0f} at once, {per_second:g} per second in the long run"
    assert f"| | {often} | |" in README
    assert f"closed after {connection_limits.SILENT_SECONDS:g} seconds" in README
    assert f"closed after {dict(listener.OPTIONS)['grpc.max_connection_idle_ms'] // 1000} seconds" in README
    assert f"| {limits.watchers:,} | {limits.watchers_per_address} | `max_watchers`" in README
    assert f"`TournamentService` that wait | {anonymous_reads.MOST} | {anonymous_reads.MOST_PER_ADDRESS} |" in README
    assert f"looked up | {tokens.MOST_UNKNOWN} | {tokens.MOST_UNKNOWN_PER_ADDRESS} |" in README
    assert (
        f"| {health_and_reflection.MOST_STREAMS} each | {health_and_reflection.MOST_STREAMS_PER_ADDRESS} each |"
        in README
    )
    assert (health_and_reflection.WATCH_SECONDS, health_and_reflection.REFLECTION_SECONDS) == (600, 60)
    for key in ("max_connections", "max_per_address", "max_watchers", "max_watchers_per_address"):
        assert f"`{key}`" in README
    given = [DEFAULTS[key] for key in DEFAULTS if key.startswith("max_") and key not in ("max_bots", "max_hosted")]
    assert Limits(*given) == limits
