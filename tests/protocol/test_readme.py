"""proto/README.md is enough to write a client from: it names everything, and its transcript is real."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.v1 import admin_pb2, match_pb2, tournament_pb2
from referee.net import play, session
from referee.net.admin import NOT_ADMIN
from referee.net.serving import NOT_DECODED, Refusal
from referee.rules import registry, views

from .transcript import transcript

README = (Path(__file__).resolve().parents[2] / "proto" / "README.md").read_text(encoding="utf-8")


async def test_the_transcript_is_what_happens() -> None:
    block = re.search(r"```text\n(.*?)\n```", README, re.DOTALL)
    assert block
    assert block[1] == await transcript(), (
        "run tests/protocol/transcript.py and put what it prints into proto/README.md"
    )


@pytest.mark.parametrize("oneof", ["Up", "Down"])
def test_every_body_and_every_field_of_it_is_explained(oneof: str) -> None:
    for body in match_pb2.DESCRIPTOR.message_types_by_name[oneof].fields:
        assert body.message_type is not None
        assert f"| `{body.message_type.name}` |" in README
        for field in body.message_type.fields:
            assert f"`{field.name}`" in README, f"{body.message_type.name}.{field.name}"


def test_every_kind_of_rejection_and_termination_is_explained() -> None:
    for kind in match_pb2.RejectionKind.keys()[1:]:
        assert f"`{kind.removeprefix('REJECTION_KIND_')}`" in README
    for how in match_pb2.Termination.keys()[1:]:
        assert f"`{how.removeprefix('TERMINATION_')}`" in README


def test_every_fixed_refusal_is_listed_with_its_status() -> None:
    refusals = [value for value in vars(play).values() if isinstance(value, Refusal)]
    assert len(refusals) >= 7
    for refusal in (*refusals, NOT_ADMIN, NOT_DECODED):
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
    assert f"{play.TRESPASSES} × `NOT_YOUR_MATCH`" in README
    assert f"{play.FLOOD_ALLOWANCE:g} bodies at once and {play.FLOOD_PER_SECOND:g} per second" in README
    assert f"For {play.WRITE_SECONDS:g} seconds" in README
    assert f"hold the next frame back for {session.STRAGGLERS_AFTER * 1000:g} ms only" in README
    assert play.MAX_MESSAGE_BYTES == 1 << 20
