"""Frames stay below what gRPC clients read by default, however much there is to say."""

from __future__ import annotations

from arena.v1 import match_pb2 as pb
from referee.net.play import notice
from referee.net.session import FRAME_BYTES, Session

SMALLEST_CLIENT_LIMIT = 4 << 20


def frames(session: Session) -> list[pb.PlayResponse]:
    found = []
    while ready := session.take():
        found.append(ready[0])
    return found


async def test_much_to_say_is_said_in_several_frames_in_order() -> None:
    session = Session("ada", pb.Hello(protocol_version=1))
    session.connect(pb.Down(welcome=pb.Welcome(name="ada")))
    for number in range(12):
        session.send(notice(str(number), "x" * (FRAME_BYTES // 2)))
    sent = frames(session)
    assert [body.notice.code for frame in sent for body in frame.bodies][1:] == [str(number) for number in range(12)]
    assert len(sent) > 6
    assert all(frame.ByteSize() < SMALLEST_CLIENT_LIMIT for frame in sent)


async def test_a_body_larger_than_a_frame_travels_alone() -> None:
    session = Session("ada", pb.Hello(protocol_version=1))
    session.connect(pb.Down(welcome=pb.Welcome(name="ada")))
    session.send(notice("long", "x" * (2 * FRAME_BYTES)))
    session.send(notice("short", "x"))
    assert [len(frame.bodies) for frame in frames(session)] == [1, 1, 1]
