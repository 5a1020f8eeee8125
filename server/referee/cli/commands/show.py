"""`referee show`: how a match ended for every seat and why, in a few lines."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server
from referee.cli.match_source import MatchName, MatchSource, Token, find_match, why_unplayed
from referee.cli.output import print_json, stdout_console
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.analysis.replay import RecordedMatch

LAST_WORDS = 3
"""Lines of a bot's stderr that are shown of a seat that did not finish."""


def show(
    match: MatchName,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    token: Token = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Say in a few lines how each seat of a match ended, and why.

    Example: referee show league/12
    """
    source = find_match(match, db, server, admin_token or token, ca)
    if source.data is None:
        assert source.row is not None
        if json:
            print_json(source.row)
        else:
            bots = ", ".join(source.row["bots"])
            _say(f"{source.name}: {source.row['game']}, {why_unplayed(source.row)} ({bots})")
        return
    recorded = source.read()
    value = _value(source, recorded)
    if json:
        print_json(value)
        return
    _say(_head(value))
    if value["why"]:
        _say(f"  they meet because: {value['why']}")
    for seat in sorted(value["seats"], key=lambda seat: (seat["rank"], seat["seat"])):
        for line in _seat(seat):
            _say(line)
    _say(f"'referee replay {source.name}{'' if source.backend is None else source.backend.where}' steps through it")


def _value(source: MatchSource, match: RecordedMatch) -> dict[str, Any]:
    from referee.analysis.replay.recorded import Forfeited, RejectedAnswer

    row = source.row or {}
    words: dict[int, list[str]] = {log.seat: [line.text for line in log.lines] for log in source.logs()}
    seats = []
    for seat in range(match.players):
        mine = [one for one in match.incidents if one.seat == seat]
        times = () if match.times_ms is None else match.times_ms[seat]
        seats.append(
            {
                "seat": seat,
                "bot": match.names[seat],
                "rank": match.ending.ranks[seat],
                "score": match.ending.scores[seat],
                "termination": match.ending.words[seat],
                "text": match.ending.texts[seat],
                "at": next((one.decision for one in mine if isinstance(one, Forfeited)), None),
                "rejected": [
                    {"decision": one.decision, "kind": one.kind, "code": one.code, "move": one.move}
                    for one in mine
                    if isinstance(one, RejectedAnswer)
                ],
                "decisions": len(times) if match.times_ms is not None else None,
                "time_ms": sum(times) if match.times_ms is not None else None,
                "slowest_ms": max(times, default=0) if match.times_ms is not None else None,
                "last_words": words.get(seat, [])[-LAST_WORDS:],
            }
        )
    return {
        "match": match.match or source.name,
        "game": match.record.game,
        "version": match.record.version,
        "state": row.get("state", "finished"),
        "round": row.get("round"),
        "table": row.get("table"),
        "attempt": row.get("attempt"),
        "why": row.get("why", ""),
        "reason": match.ending.reason,
        "decisions": match.decisions,
        "started": row.get("started"),
        "finished": row.get("finished"),
        "seats": seats,
    }


def _head(value: dict[str, Any]) -> str:
    parts = [f"{value['match']}: {value['game']}, {plural(len(value['seats']), 'player')}"]
    if value["round"] is not None:
        parts.append(f"round {value['round']} table {value['table']}")
    if value["finished"]:
        parts.append(time.strftime("%Y-%m-%d %H:%M", time.localtime(value["finished"])))
    if (value["attempt"] or 1) > 1:
        parts.append(f"dealt anew, attempt {value['attempt']}")
    return f"{', '.join(parts)}; {value['reason'].replace('_', ' ')} after {plural(value['decisions'], 'decision')}"


def _seat(seat: dict[str, Any]) -> list[str]:
    from referee.analysis.replay.text import milliseconds

    how = "finished"
    if seat["termination"] != "finished":
        where = "" if seat["at"] is None else f" at decision {seat['at']}"
        how = f"{seat['termination']}{where}: {seat['text'].removeprefix(seat['termination'] + ': ')}"
    spent = ""
    if seat["decisions"]:
        mean = round(seat["time_ms"] / seat["decisions"])
        spent = (
            f"; {plural(seat['decisions'], 'decision')}, {milliseconds(mean)} on average, "
            f"{milliseconds(seat['slowest_ms'])} at most"
        )
    lines = [f"  {seat['rank']}. {seat['bot']} (seat {seat['seat']}), {plural(seat['score'], 'point')}: {how}{spent}"]
    if seat["rejected"]:
        tried = ", ".join(f"{one['move']!r} at decision {one['decision']}" for one in seat["rejected"][:LAST_WORDS])
        more = f" and {len(seat['rejected']) - LAST_WORDS} more" if len(seat["rejected"]) > LAST_WORDS else ""
        lines.append(f"     rejected: {tried}{more}")
    if seat["termination"] != "finished":
        lines += [f"     stderr | {line}" for line in seat["last_words"]]
    return lines


def _say(text: str) -> None:
    stdout_console().print(text, markup=False, soft_wrap=True)
