"""Test vectors of seeds, nonces, schedule, journal and ratings, which the Go verifier reads too: both come to the same.

`python tests/tournament/test_vectors.py` writes the file anew, after a change of the derivation that is meant.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from referee.chain_head import BEGINNING
from referee.store import DrawnNonce, NonceDraw
from referee.store.journal_entry import canonical, link, schedule_line
from referee.tournament import nonces, seeds
from referee.tournament.ratings import RatingSettings
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard

FILE = Path(__file__).resolve().parents[2] / "sdk" / "go" / "cmd" / "verify" / "testdata" / "vectors.json"
ROOT = bytes(range(32))
BOTS = ["ada", "bob", "cy", "Zoë ♠", 'q"uote\\', "𝔉raktur"]


def _roots() -> list[dict[str, str]]:
    given: list[tuple[str, bytes | None]] = [("7", None), ("é 1", bytes(32)), ("", b"\1" * 32)]
    found = [(text, salt, seeds.root_of(text, salt)) for text, salt in given]
    return [
        {"text": text, "salt": (salt or b"").hex(), "root": root.hex(), "commitment": seeds.commitment(root)}
        for text, salt, root in found
    ]


def _draws() -> list[dict[str, Any]]:
    given: list[tuple[str, int, int, list[tuple[str, bytes | None]]]] = [
        ("cup", 0, 0, [("ada", b"\2" * 32), ("bob", None)]),
        ("Köln ♠ 7", 12, 340, [("Zoë ♠", bytes(range(32))), ("ada", b"\xff" * 32), ("cy", b"\0" * 32)]),
    ]
    found = []
    for tournament, number, first, entrants in given:
        drawn = tuple(
            DrawnNonce(name, nonces.commitment(tournament, number, nonce or b"\7" * 32), (nonce or b"").hex())
            for name, nonce in entrants
        )
        draw = NonceDraw(number, first, drawn)
        listed = [{"name": each.name, "commitment": each.commitment, "nonce": each.nonce} for each in drawn]
        value = {"draw": number, "first": first, "entrants": listed}
        found.append({"tournament": tournament, "draw": value, "digest": nonces.digest(tournament, draw).hex()})
    return found


def _seeds() -> list[dict[str, Any]]:
    given = [("cup", 0, 1, None), ("cup", 17, 2, None), ("cup", 17, 2, bytes(32)), ("Köln ♠ 7", 123456, 1, b"\5" * 32)]
    return [
        {
            "root": ROOT.hex(),
            "tournament": tournament,
            "deal": deal,
            "attempt": attempt,
            "nonces": (digest or b"").hex(),
            "seed": seeds.match_seed(ROOT, tournament, deal, attempt, digest).hex(),
        }
        for tournament, deal, attempt, digest in given
    ]


def _results(players: int, count: int, levels: int) -> list[tuple[list[int], list[int]]]:
    """Matches with ties, upsets and a bot that is far ahead, from a simple sequence of numbers."""
    state, found = 12345, []
    for number in range(count):
        seats = [(number + seat * (1 + number // len(BOTS) % 2)) % len(BOTS) for seat in range(players)]
        if len(set(seats)) < players:
            seats = [(number + seat) % len(BOTS) for seat in range(players)]
        points = []
        for bot in seats:
            state = (1103515245 * state + 12345) % 2**31
            points.append(bot + state // 65536 % levels)
        found.append((seats, [1 + sum(other > mine for other in points) for mine in points]))
    return found


def _ratings() -> list[dict[str, Any]]:
    found = []
    for players, count, levels, draws in ((2, 60, 4, 0.0044), (3, 80, 3, 0.12), (4, 60, 9, 0.0), (6, 40, 2, 0.5)):
        board = Scoreboard(RatingSettings(draw_probability=draws), BOTS, players)
        results = _results(players, count, levels)
        for ordinal, (seats, ranks) in enumerate(results):
            names = tuple(BOTS[bot] for bot in seats)
            scores = tuple(100 - 10 * rank for rank in ranks)
            words = ["timeout" if rank == players else "finished" for rank in ranks]
            board.add(Score.of("cup", ordinal, 1, names, tuple(ranks), scores, words, "finished"))
        rows = [[row.bot, row.mu, row.sigma] for row in board.rows()]
        found.append(
            {
                "draw_probability": draws,
                "bots": BOTS,
                "results": [{"seats": [BOTS[bot] for bot in seats], "ranks": ranks} for seats, ranks in results],
                "ratings": {bot: {"mu": mu, "sigma": sigma} for bot, mu, sigma in rows},
                "digest": board.digest(),
            }
        )
    return found


def _versions() -> dict[str, Any]:
    """A match after the other in which submitted versions play, as `matches.jsonl` and `standings.json` tell it."""
    sigma, players = 5.5, 3
    board = Scoreboard(RatingSettings(draw_probability=0.1, version_sigma=sigma), BOTS, players)
    schedule, matches = [], []
    for number, (seats, ranks) in enumerate(_results(players, 60, 5)):
        names = tuple(BOTS[bot] for bot in seats)
        played = tuple(None if bot % 2 else 1 + number // (12 + bot) for bot in seats)
        versions = played if number % 7 and any(played) else ()
        words = ("finished",) * players
        scores = tuple(100 - 10 * rank for rank in ranks)
        board.add(Score.of("cup", number, 1, names, tuple(ranks), scores, words, "finished", versions))
        schedule.append({"match": number, "seats": names})
        line = {"match": number, "state": "finished", "ranks": ranks, "scores": scores, "terminations": words}
        matches.append(line | ({"versions": versions} if versions else {}))
    rows = [{"bot": row.bot, "mu": row.mu, "sigma": row.sigma, **board.totals(row.bot)} for row in board.rows()]
    standings = {"draw_probability": 0.1, "version_sigma": sigma, "rows": rows}
    told = {"players": players, "version_sigma": sigma, "bots": BOTS, "digest": board.digest()}
    return told | {"schedule": schedule, "matches": matches, "standings": standings}


def _journal() -> dict[str, Any]:
    entries = [
        canonical({"number": 0, "kind": "created", "name": "é ♠"}),
        canonical({"number": 1, "at": 5, "kind": "x"}),
    ]
    head = BEGINNING
    for entry in entries:
        head = link(head, entry)
    return {"entries": entries, "head": head}


def _schedule() -> dict[str, Any]:
    """A schedule to which bots were added once: its text, its digest, and what the journal tells of its two parts."""
    lines = [
        schedule_line(number, 1 + number // 2, 1 + number % 2, [BOTS[(number + seat) % len(BOTS)] for seat in range(3)])
        for number in range(5)
    ]
    parts = [(0, lines[:4]), (4, lines[4:])]
    return {
        "players": 3,
        "text": "".join(lines),
        "digest": sha256("".join(lines).encode()).hexdigest(),
        "parts": [
            {"first": first, "matches": len(part), "sha256": sha256("".join(part).encode()).hexdigest()}
            for first, part in parts
        ],
    }


def vectors() -> dict[str, Any]:
    """All of them, computed by this program."""
    return {
        "roots": _roots(),
        "draws": _draws(),
        "seeds": _seeds(),
        "schedule": _schedule(),
        "journal": _journal(),
        "ratings": _ratings(),
        "versions": _versions(),
    }


def test_the_server_comes_to_the_vectors_that_the_second_verifier_is_tested_with() -> None:
    assert json.loads(FILE.read_text("utf-8")) == json.loads(json.dumps(vectors()))


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n", "utf-8")
