"""A short match as both sides saw it, for proto/README.md: `python tests/net/transcript.py` prints it.

Played on a real server over a real socket, with a fixed seed and house bots that play the same every time.
"""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from google.protobuf import json_format
from google.protobuf.message import Message

from arena import views
from arena.v1 import admin_pb2
from arena.v1 import match_pb2 as pb
from referee.hall.competition import Competition
from referee.hall.roster import new_admin_token
from referee.match.clock import TimeControl
from referee.net.server import RefereeServer, ServerSettings
from referee.store import Store

SEED = "05" * 32
GAME, OPTIONS, BOTS = "flip7", '{"target_score": 20}', ["mybot", "cautious", "cautious"]
MOVES = ["hit", "fold", "stay", "hit", "stay", "hit", "stay", "stay", "stay", "stay", "stay"]
"""What the bot says, one after the other; the second is no move of the game."""


async def transcript() -> str:
    """The lines of the transcript."""
    with tempfile.TemporaryDirectory() as folder, Store.open(str(Path(folder) / "t.db"), owner="server") as store:
        competition = Competition(store, control=TimeControl(60.0, 600.0))
        server = RefereeServer(competition, ServerSettings("127.0.0.1:0"))
        await server.start()
        token = store.bots.add("mybot").token
        lines = await _played(server.address, token or "", new_admin_token(store))
        await server.stop()
        return "\n".join(lines)


async def _played(address: str, token: str, admin_token: str) -> list[str]:
    lines: list[str] = []
    async with grpc.aio.insecure_channel(address) as channel:
        play: Any = channel.stream_stream(
            "/arena.v1.MatchService/Play",
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=pb.PlayResponse.FromString,
        )
        call = play(metadata=(("authorization", f"Bearer {token}"),))

        async def say(**body: Any) -> None:
            lines.append(f"bot      {_shown(pb.BotBody(**body))}")
            await call.write(pb.PlayRequest(bodies=[pb.BotBody(**body)]))

        moves = iter(MOVES)
        await say(hello=pb.Hello(protocol_version=1, games=[GAME], concurrency=4, client="mylang 1.0"))
        arranged: Any = None
        while (frame := await call.read()) is not grpc.aio.EOF:
            for body in frame.bodies:
                lines.append(f"referee  {_shown(body)}")
                kind = body.WhichOneof("body")
                if kind == "match_start":
                    view_type = body.match_start.view_type
                elif kind == "decide":
                    question = body.decide
                    if not any("view = " in line for line in lines):
                        lines.append(f"         view = {_view(view_type, question.view)}")
                if kind == "decide" or (kind == "rejected" and body.rejected.open):
                    wanted = next(moves)
                    move = wanted if wanted in (*question.legal, "fold") else question.legal[0]
                    await say(act=pb.Act(match_id=question.match_id, decision=question.decision, move_text=move))
                elif kind == "welcome":
                    arranged = asyncio.ensure_future(_arrange(channel, admin_token))
                elif kind == "match_end":
                    await say(leave=pb.Leave())
        await arranged
        code = await call.code()
        lines.append(f"referee  ends the stream with status {code.name}")
    return lines


async def _arrange(channel: Any, admin_token: str) -> None:
    """The host has the match played."""
    method: Any = channel.unary_stream(
        "/arena.v1.AdminService/PlayMatch",
        request_serializer=admin_pb2.PlayMatchRequest.SerializeToString,
        response_deserializer=admin_pb2.PlayMatchResponse.FromString,
    )
    request = admin_pb2.PlayMatchRequest(
        game=GAME, bots=BOTS, options_json=OPTIONS, seed=SEED, limit_ms=60_000, bank_ms=600_000
    )
    async for _ in method(request, metadata=(("authorization", f"Bearer {admin_token}"),)):
        pass


def _shown(body: Message) -> str:
    """One body on a line; what differs from run to run is replaced by a word."""
    value = json_format.MessageToDict(body, preserving_proto_field_name=True)
    [(kind, fields)] = value.items()
    if kind == "welcome":
        fields |= {"session": "SESSION", "server": "referee VERSION"}
    elif kind == "decide":
        assert isinstance(body, pb.RefereeBody)
        fields["view"] = f"<{len(body.decide.view)} bytes>"
    elif kind == "rejected":
        fields["question"] |= {"view": "<the same>", "budget_ms": "TIME LEFT"}
    elif kind == "match_start":
        fields["seed_commitment"] = fields["seed_commitment"][:8] + "…"
    elif kind == "match_end":
        assert isinstance(body, pb.RefereeBody)
        fields |= {"seed": fields["seed"][:8] + "…", "view": f"<{len(body.match_end.view)} bytes>"}
    return f"{kind} {json.dumps(fields, ensure_ascii=False)}"


def _view(view_type: str, data: bytes) -> str:
    return json.dumps(json_format.MessageToDict(views.read(view_type, data), preserving_proto_field_name=True))


if __name__ == "__main__":
    print(asyncio.run(transcript()))
