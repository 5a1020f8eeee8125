"""InvitationService: a code becomes a bot and its token. It needs no token, so few may ask at once."""

from __future__ import annotations

from typing import Any

import grpc

from arena.v1 import invitation_pb2 as pb
from referee.hall.places import PlacesTaken
from referee.hall.redeeming import Redeeming
from referee.net.guard import Refusal
from referee.rules.game import WrongUse
from referee.store import NameTaken, NotAllowed, Refused, Unknown


class InvitationService:
    """What an invited author may call."""

    def __init__(self, redeeming: Redeeming) -> None:
        self._redeeming = redeeming

    async def RedeemInvitation(  # noqa: N802
        self, request: pb.RedeemInvitationRequest, context: Any
    ) -> pb.RedeemInvitationResponse:
        try:
            made = await self._redeeming.redeem(request.code, request.name, context.peer())
        except PlacesTaken as error:
            raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, str(error), retry_ms=1000) from None
        except Unknown as error:
            raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
        except NameTaken as error:
            raise Refusal(grpc.StatusCode.ALREADY_EXISTS, str(error)) from None
        except NotAllowed as error:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, str(error)) from None
        except (Refused, WrongUse) as error:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, str(error)) from None
        return pb.RedeemInvitationResponse(name=made.bot.name, token=made.token or "")
