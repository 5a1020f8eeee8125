"""`referee match`: practice matches between connected bots and house bots, arranged by the host."""

from __future__ import annotations

import json as jsonlib
from typing import Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, AdminToken, AsJson, Ca, free_time, options_to_send, seconds
from referee.cli.connection import channel, failure, metadata, stub
from referee.cli.defaults import DEFAULT_SERVER
from referee.cli.output import print_json, stdout_console
from referee.cli.tokens import admin_token as needed_token
from referee.rules.boards.text import plural

MOST_MATCHES = 1_000_000


def match(
    game: Annotated[str, typer.Argument(help="The game.")],
    bots: Annotated[list[str], typer.Argument(help="Who plays, by seat: connected bots or house bots.")],
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="The server.")] = DEFAULT_SERVER,
    admin_token: AdminToken = None,
    ca: Ca = None,
    matches: Annotated[
        int, typer.Option("--matches", "-m", min=1, max=MOST_MATCHES, help="How many; the seats move on by one.")
    ] = 1,
    time: Annotated[str, typer.Option(metavar="DURATION", help="Free time per decision.")] = "1s",
    bank: Annotated[str, typer.Option(metavar="DURATION", help="Time per match beyond it.")] = "30s",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP),
    ] = None,
    json: AsJson = False,
) -> None:
    """Play practice matches on a running server and show how they end.

    Example: referee match flip7 mybot random cautious --matches 3
    """
    import grpc

    from arena.v1 import admin_pb2 as pb

    request = pb.PlayMatchRequest(
        game=game,
        bots=bots,
        options_json=jsonlib.dumps(options_to_send(game, option or [])),
        matches=matches,
        limit_ms=round(free_time(time) * 1000),
        bank_ms=round(seconds(bank) * 1000),
    )
    token = needed_token(admin_token)
    given = metadata(token)
    results: list[dict[str, Any]] = []
    out = stdout_console()
    with channel(server, ca) as connection:
        try:
            for ended in stub(connection, "AdminService").PlayMatch(request, metadata=given):
                results.append(_result(ended))
                if not json:
                    out.print(_line(results[-1]), markup=False, soft_wrap=True)
        except grpc.RpcError as error:
            raise failure(error, server, token) from None
    if json:
        print_json(results)


def _result(ended: Any) -> dict[str, Any]:
    from arena import results

    return {
        "match": ended.match_id,
        "bots": list(ended.bots),
        "ranks": list(ended.result.ranks),
        "scores": list(ended.result.scores),
        "terminations": results.words(ended.result),
        "texts": list(ended.result.texts),
        "reason": ended.result.reason,
        "decisions": ended.decisions,
    }


def _line(result: dict[str, Any]) -> str:
    seats = sorted(range(len(result["bots"])), key=lambda seat: result["ranks"][seat])
    parts = []
    for seat in seats:
        how, why = result["terminations"][seat], result["texts"][seat]
        fault = f" [{why if why.startswith(how) else f'{how}: {why}'}]" if why else ""
        parts.append(f"{result['ranks'][seat]}. {result['bots'][seat]} ({result['scores'][seat]}){fault}")
    return f"{result['match']}: {', '.join(parts)}; {result['reason']} after {plural(result['decisions'], 'decision')}"
