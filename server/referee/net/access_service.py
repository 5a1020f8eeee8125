"""AccessService: admins and their roles, invitations, and what happened to both."""

from __future__ import annotations

import json
from typing import Any

import grpc

from arena.v1 import access_pb2 as pb
from referee.hall.competition import Competition
from referee.net.admin_gate import AdminGate, Need
from referee.net.admin_service import answer
from referee.net.caller import CALLER
from referee.net.guard import Refusal
from referee.store import Invitation, Role
from referee.store.connections import wall_clock
from referee.tournament.events import latest_of_installation

ROLES = {
    pb.ADMIN_ROLE_HOST: Role.HOST,
    pb.ADMIN_ROLE_HELPER: Role.HELPER,
    pb.ADMIN_ROLE_SPECTATOR: Role.SPECTATOR,
}
NUMBERS = {role: number for number, role in ROLES.items()}
NO_ROLE = Refusal(grpc.StatusCode.INVALID_ARGUMENT, "the role must be HOST, HELPER or SPECTATOR")
MOST_EVENTS = 1000
_LOOK = Need(Role.SPECTATOR)


def _role_words(request: pb.SetAdminRoleRequest) -> tuple[str, str]:
    role = ROLES.get(request.role)
    return "gave the role", f"{role or 'of before'} to {request.name}"


NEEDS = {
    "AddAdmin": Need(words=lambda it: ("added the admin", it.name)),
    "ListAdmins": _LOOK,
    "RotateAdmin": Need(words=lambda it: ("gave a new token to the admin", it.name)),
    "SetAdminRole": Need(words=_role_words),
    "RemoveAdmin": Need(words=lambda it: ("removed the admin", it.name)),
    "CreateInvitations": Need(words=lambda it: ("made invitations:", str(it.count))),
    "ListInvitations": _LOOK,
    "RevokeInvitations": Need(words=lambda it: ("revoked invitations:", ", ".join(map(str, it.numbers)))),
    "ListEvents": _LOOK,
}


class AccessService:
    """Every call needs the token of an admin: `gate` sees to that."""

    def __init__(self, competition: Competition) -> None:
        self.gate = AdminGate(competition.store, competition.roster.tokens, NEEDS)
        self._store = competition.store
        self._tokens = competition.roster.tokens

    async def AddAdmin(self, request: pb.AddAdminRequest, context: Any) -> pb.AddAdminResponse:  # noqa: N802
        made = await answer(self._store.admins.add, request.name, _role(request.role))
        return pb.AddAdminResponse(token=made.token)

    async def ListAdmins(self, request: pb.ListAdminsRequest, context: Any) -> pb.ListAdminsResponse:  # noqa: N802
        admins = await answer(self._store.admins.all)
        told = [pb.AdminInfo(name=one.name, role=NUMBERS[one.role], added_ms=one.created or 0) for one in admins]
        return pb.ListAdminsResponse(admins=told)

    async def RotateAdmin(self, request: pb.RotateAdminRequest, context: Any) -> pb.RotateAdminResponse:  # noqa: N802
        made = await answer(self._store.admins.rotate, request.name)
        await self._tokens.refresh()
        return pb.RotateAdminResponse(token=made.token)

    async def SetAdminRole(self, request: pb.SetAdminRoleRequest, context: Any) -> pb.SetAdminRoleResponse:  # noqa: N802
        await answer(self._store.admins.set_role, request.name, _role(request.role))
        await self._tokens.refresh()
        return pb.SetAdminRoleResponse()

    async def RemoveAdmin(self, request: pb.RemoveAdminRequest, context: Any) -> pb.RemoveAdminResponse:  # noqa: N802
        await answer(self._store.admins.remove, request.name)
        await self._tokens.refresh()
        return pb.RemoveAdminResponse()

    async def CreateInvitations(  # noqa: N802
        self, request: pb.CreateInvitationsRequest, context: Any
    ) -> pb.CreateInvitationsResponse:
        made = await answer(
            self._store.invitations.create,
            request.count,
            CALLER.get().name,
            request.expires_seconds or None,
            list(request.notes),
        )
        now = wall_clock()
        return pb.CreateInvitationsResponse(
            codes=[one.code for one in made], invitations=[_info(one.invitation, now) for one in made]
        )

    async def ListInvitations(  # noqa: N802
        self, request: pb.ListInvitationsRequest, context: Any
    ) -> pb.ListInvitationsResponse:
        now = wall_clock()
        return pb.ListInvitationsResponse(
            invitations=[_info(one, now) for one in await answer(self._store.invitations.all)]
        )

    async def RevokeInvitations(  # noqa: N802
        self, request: pb.RevokeInvitationsRequest, context: Any
    ) -> pb.RevokeInvitationsResponse:
        await answer(self._store.invitations.revoke, list(request.numbers))
        return pb.RevokeInvitationsResponse()

    async def ListEvents(self, request: pb.ListEventsRequest, context: Any) -> pb.ListEventsResponse:  # noqa: N802
        limit = min(request.limit or MOST_EVENTS, MOST_EVENTS)
        events = await answer(latest_of_installation, self._store, limit)
        return pb.ListEventsResponse(
            events=[
                pb.EventInfo(
                    at_ms=one.at,
                    kind=one.kind,
                    text=one.text,
                    about_json=json.dumps(dict(one.about), ensure_ascii=False),
                    alarm=one.alarm,
                )
                for one in events
            ]
        )


def _role(number: pb.AdminRole.ValueType) -> Role:
    if number not in ROLES:
        raise NO_ROLE
    return ROLES[number]


def _info(one: Invitation, now: int) -> pb.InvitationInfo:
    return pb.InvitationInfo(
        number=one.number,
        note=one.note,
        made_by=one.made_by,
        state=pb.InvitationState.Value(f"INVITATION_STATE_{one.state(now).upper()}"),
        created_ms=one.created,
        expires_ms=one.expires or 0,
        bot=one.bot,
    )
