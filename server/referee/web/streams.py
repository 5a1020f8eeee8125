"""Server-sent events as an answer: who may watch, and for how long a slow reader is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sse_starlette.sse import EventSourceResponse
from starlette.requests import Request
from starlette.responses import Response

from referee.web.answers import peer_of
from referee.web.connections import TRANSPORT
from referee.web.lines import SLOW_READER_SECONDS
from referee.web.live import Channel

if TYPE_CHECKING:
    from referee.web.site import Site


def stream(site: Site, request: Request, channel: Channel) -> Response:
    """The messages of a channel; PlacesTaken where too many watch."""
    peer = peer_of(request)
    with site.channels.places.one(peer):
        pass  # refused now, with a status, rather than in the midst of the answer
    if request.method == "HEAD":  # the page asks whether there is still something to watch
        return Response(media_type="text/event-stream", headers={"cache-control": "no-store"})
    transport = request.scope["extensions"][TRANSPORT]
    # Signs of life are given by `Lines`, once for all.
    return EventSourceResponse(
        site.channels.stream(channel, peer, transport), ping=0, send_timeout=SLOW_READER_SECONDS, sep="\n"
    )
