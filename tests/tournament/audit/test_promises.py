"""What a bot was told is compared with what is published: every promise counts, and a broken one is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.rules.game import WrongUse
from referee.tournament.audit import folder
from referee.tournament.audit.audited import AuditedTournament
from referee.tournament.audit.promises import Kept, check_promises
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.nonces import digest

LEAGUE = Path(__file__).resolve().parents[3] / "sdk" / "go" / "cmd" / "verify" / "testdata" / "league"
"""An export of a tournament in which ada and bob gave nonces; the Go verifier is tested with it too."""
Line = dict[str, Any]


@pytest.fixture
def league() -> AuditedTournament:
    return folder.read(LEAGUE)


@pytest.fixture
def record(league: AuditedTournament) -> list[Line]:
    """What ada would have recorded."""
    (draw,) = league.draws
    schedule = hashlib.sha256((LEAGUE / "schedule.jsonl").read_bytes()).hexdigest()
    step: Line = {
        "type": "nonces",
        "tournament": "league",
        "draw": 0,
        "root_commitment": league.commitment,
        "schedule_digest": schedule,
        "first_match": 0,
    }
    promised = [{"name": each.name, "commitment": each.commitment, "nonce": ""} for each in draw.entrants]
    given = [{"name": each.name, "commitment": each.commitment, "nonce": each.nonce} for each in draw.entrants]
    lines: list[Line] = [
        step | {"step": "NONCE_STEP_COMMIT", "entrants": []},
        step | {"step": "NONCE_STEP_REVEAL", "entrants": promised},
        step | {"step": "NONCE_STEP_FIXED", "entrants": given},
        {"type": "notice", "code": "NOTICE_CODE_WAITING", "text": "of no interest here"},
        {"type": "start", "match_id": "practice/7", "names": ["ada"]},
    ]
    for line, _ in league.lines():
        if "ada" in line.seats:
            seed = hashlib.sha256(bytes.fromhex(line.seed)).hexdigest()
            result = {
                "ranks": list(line.ranks),
                "scores": list(line.scores),
                "terminations": [f"TERMINATION_{word.upper()}" for word in line.faults],
                "reason": line.reason,
            }
            lines += [
                {
                    "type": "start",
                    "match_id": f"league/{line.ordinal}",
                    "names": list(line.seats),
                    "nonces_digest": digest("league", draw).hex(),
                    "seed_commitment": seed,
                },
                {"type": "end", "match_id": f"league/{line.ordinal}", "seed": line.seed, "result": result},
            ]
    return lines


def check(league: AuditedTournament, lines: list[Line]) -> Kept:
    return check_promises(league, [json.dumps(line) for line in lines])


def test_what_was_told_is_what_is_published(league: AuditedTournament, record: list[Line]) -> None:
    assert check(league, record) == Kept(draws=1, starts=6, ends=6)


def change(kind: str, **fields: Any) -> Callable[[list[Line]], None]:
    def work(lines: list[Line]) -> None:
        next(line for line in lines if str(line.get("step", line["type"])).endswith(kind)).update(fields)

    return work


def other_nonce(lines: list[Line]) -> None:
    lines[2]["entrants"][1]["nonce"] = "00" * 32


def other_commitment(lines: list[Line]) -> None:
    lines[1]["entrants"][1]["commitment"] = "00" * 32


def other_rank(lines: list[Line]) -> None:
    lines[-1]["result"]["ranks"][0] += 1


def other_start(field: str, value: Any) -> Callable[[list[Line]], None]:
    def work(lines: list[Line]) -> None:
        next(line for line in lines if line["type"] == "start" and line["match_id"] != "practice/7")[field] = value

    return work


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (change("COMMIT", root_commitment="00"), "another commitment to the root"),
        (change("COMMIT", schedule_digest="00"), "another schedule"),
        (other_commitment, "other commitments of draw 0"),
        (other_nonce, "other nonces of draw 0"),
        (change("FIXED", draw=1), "other nonces of draw 1"),
        (change("FIXED", first_match=3), "should count from match 3 on, not 0"),
        (other_start("nonces_digest", ""), "dealt from other nonces"),
        (other_start("seed_commitment", "00"), "a seed that does not follow from the root"),
        (other_start("names", ["ada", "eve"]), "was to be played by ada, eve"),
        (other_start("match_id", "league/99"), "there is no match league/99"),
        (change("end", seed="00"), "ended otherwise"),
        (other_rank, "ended otherwise"),
    ],
)
def test_a_broken_promise_is_named(
    league: AuditedTournament, record: list[Line], broken: Callable[[list[Line]], None], said: str
) -> None:
    broken(record)
    with pytest.raises(DoesNotHold, match=said):
        check(league, record)


def test_a_file_that_is_no_record_of_this_tournament_is_wrong_use(league: AuditedTournament) -> None:
    with pytest.raises(WrongUse, match="says nothing of league: give the file that the bot wrote with --record"):
        check_promises(league, ['{"type": "start", "match_id": "cup/1"}'])
    for text in ("not json", "[]", '{"no": "type"}', "[" * 100_000):
        with pytest.raises(WrongUse, match="line 1 of the record is not what an SDK records"):
            check_promises(league, [text])
    with pytest.raises(WrongUse, match="line 1 of the record is not what an SDK records"):
        check_promises(league, ['{"type": "end", "match_id": "league/1"}'])
