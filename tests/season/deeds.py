"""What happens in a season: each deed looks at how things stand, does one thing as a host, an author or fate would.

A deed that finds nothing to do it to returns False, and counts for nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tests.hosting.submission.zips import bot_zip, entry

from arena.v1 import access_pb2, admin_pb2, invitation_pb2, submission_pb2
from referee.store import BotVersion, DiskFull, MatchState, TournamentState, VersionState
from referee.tournament.moderation import told

from . import hosted
from .checks import Broken
from .server import Server

if TYPE_CHECKING:
    from .season import Season

LEAGUE, CUP = "league", "cup"
LEAST_BOTS = 4
"""Bots that are always in the league and there: the others could not play without them."""
FULL_SECONDS = 120.0
"""Seconds within which a full disk is noticed: somebody always stores something."""
Deed = Callable[["Evening"], Awaitable[bool]]


class Evening:
    """One process of the server, and what is done to it."""

    def __init__(self, season: Season, server: Server) -> None:
        self.season, self.server, self.store = season, server, server.store
        self.chance = season.chance

    # How an admin does something.

    async def host(self, method: str, request: Any, words: str, *, service: str = "AdminService") -> Any:
        """The host does it, and the events have to tell so."""
        answer = await self.server.call(service, method, request, self.season.admin_token)
        self.season.memory.actions[f"host {words}"] += 1
        return answer

    async def control(self, action: str, words: str, name: str = LEAGUE, **more: Any) -> Any:
        number = getattr(admin_pb2, f"TOURNAMENT_ACTION_{action}")
        request = admin_pb2.ControlTournamentRequest(name=name, action=number, **more)
        return await self.host("ControlTournament", request, words)

    async def rule(self, action: str, words: str, subject: str) -> None:
        reason = f"reason {self.chance.randrange(10**6)}"
        answer = await self.control(action, f"{words} {subject} in {LEAGUE}: {reason}", subject=subject, reason=reason)
        self.season.memory.rulings.append((LEAGUE, answer.told))
        assert answer.told == told(self.store.rulings.all(self.store.tournaments.get(LEAGUE).id)[-1])

    # Bots.

    def in_league(self) -> list[str]:
        """The bots of the league that are not out."""
        league = self.store.tournaments.get(LEAGUE).id
        out = self.store.rulings.out(league)
        return [one.name for one in self.store.tournaments.entrants(league) if one.name not in out]

    async def register_and_join(self) -> bool:
        name = f"late{len(self.season.bots)}"
        made = await self.host("AddBot", admin_pb2.AddBotRequest(name=name), f"registered the bot {name}")
        self.season.add_bot(name, made.token).server_is(self.server.connect)
        await self._join(name)
        return True

    async def _join(self, name: str) -> None:
        before = await self.server.call(
            "AdminService",
            "JoinTournament",
            admin_pb2.JoinTournamentRequest(name=LEAGUE, bot=name, dry_run=True),
            self.season.admin_token,
        )
        request = admin_pb2.JoinTournamentRequest(name=LEAGUE, bot=name)
        added = await self.host("JoinTournament", request, f"entered {name} in {LEAGUE}")
        if added.matches_added != before.matches_added:
            raise Broken(f"a dry run promised {before.matches_added} matches, not {added.matches_added}")

    async def new_token(self) -> bool:
        name = self.chance.choice(sorted(self.season.bots))
        request = admin_pb2.RotateBotRequest(name=name)
        made = await self.host("RotateBot", request, f"gave a new token to the bot {name}")
        self.season.bots[name].token = made.token
        return True

    async def holiday(self) -> bool:
        """A bot goes away; matches wait for it, and are then set aside."""
        there = [name for name in self.in_league() if self.season.plays(name)]
        if len(there) <= LEAST_BOTS:
            return False
        self.season.bots[self.chance.choice(there)].leave()
        return True

    async def come_back(self) -> bool:
        away = [name for name, bot in sorted(self.season.bots.items()) if bot.away]
        for name in away:
            self.season.bots[name].come_back()
        return bool(away)

    # Moderation and the schedule.

    async def annul(self) -> bool:
        return await self._match("ANNUL", "annulled match", helper=True)

    async def replay(self) -> bool:
        return await self._match("REPLAY", "let play again match")

    async def _match(self, action: str, words: str, *, helper: bool = False) -> bool:
        league = self.store.tournaments.get(LEAGUE)
        out = self.store.rulings.out(league.id) if action == "REPLAY" else ()  # who is out cannot play again
        finished = [
            one.ordinal
            for one in self.store.matches.in_schedule_order(league.id, [MatchState.FINISHED])
            if not any(seat.name in out for seat in one.seats)
        ]
        if not finished:
            return False
        subject = str(self.chance.choice(finished))
        if helper and self.season.helper_token:
            number = getattr(admin_pb2, f"TOURNAMENT_ACTION_{action}")
            request = admin_pb2.ControlTournamentRequest(name=LEAGUE, action=number, subject=subject, reason="seen")
            answer = await self.server.call("AdminService", "ControlTournament", request, self.season.helper_token)
            self.season.memory.actions[f"ada (helper) {words} {subject} in {LEAGUE}: seen"] += 1
            self.season.memory.rulings.append((LEAGUE, answer.told))
        else:
            await self.rule(action, words, subject)
        return True

    async def disqualify(self) -> bool:
        there = self.in_league()
        if len(there) <= LEAST_BOTS + 1 or self.season.done["disqualify"]:
            return False
        await self.rule("DISQUALIFY", "disqualified", self.chance.choice(there))
        return True

    async def extend(self, rounds: int = 3) -> bool:
        await self.control("EXTEND", f"extended the tournament {LEAGUE} by {rounds} rounds", rounds=rounds)
        return True

    async def pause_and_resume(self) -> bool:
        if self.store.tournaments.get(LEAGUE).state is not TournamentState.RUNNING:
            return False
        await self.control("PAUSE", f"paused the tournament {LEAGUE}")
        await asyncio.sleep(self.chance.uniform(0.0, 5.0))
        await self.control("RESUME", f"resumed the tournament {LEAGUE}")
        return True

    async def cup(self) -> bool:
        """Another tournament beside the league, whose rounds are drawn while it is played."""
        if self.season.done["cup"]:
            return False
        request = admin_pb2.CreateTournamentRequest(
            name=CUP,
            game=self.season.game,
            players=2,
            bots=self.in_league(),
            limit_ms=1000,
            bank_ms=2000,
            absence_ms=20_000,
            format_json='{"name": "swiss", "rounds": 3}',
            start=True,
        )
        await self.host("CreateTournament", request, f"created the tournament {CUP}")
        return True

    # Submissions.

    async def submit(self) -> bool:
        return await self._submit(self.chance.choice((hosted.FIRST, hosted.ANY)))

    async def submit_unfit(self) -> bool:
        return await self._submit(hosted.UNFIT)

    async def submit_hung(self) -> bool:
        return await self._submit(hosted.HUNG)

    async def _submit(self, manner: str) -> bool:
        name = self.chance.choice(self.in_league())
        bot = self.season.bots[name]
        package = self.season.folder / "upload.zip"
        bot_zip(package, (entry(hosted.MANNER), manner.encode()), (entry("note"), self.chance.randbytes(8)))
        data = package.read_bytes()
        pieces = [submission_pb2.SubmitRequest(chunk=data[:100]), submission_pb2.SubmitRequest(chunk=data[100:])]
        taken, settled = await self.server.upload(bot.token, *pieces)
        fit = manner != hosted.UNFIT
        wanted = submission_pb2.VERSION_STATE_ACTIVE if fit else submission_pb2.VERSION_STATE_REFUSED
        if (settled.number, settled.state) != (taken.number, wanted):
            raise Broken(f"version {taken.number} of {name} is {settled.state}: {settled.reason}")
        return True

    async def rollback(self) -> bool:
        for version in self._shuffled(VersionState.REPLACED, VersionState.RETIRED):
            if self.server.submissions.content.is_built(version.id):
                request = submission_pb2.ActivateVersionRequest(bot=version.bot_name, number=version.number)
                answer = await self._about_version(version, "ActivateVersion", request, "made active")
                return bool(answer.version.state == submission_pb2.VERSION_STATE_ACTIVE)
        return False

    async def retire(self) -> bool:
        for version in self._shuffled(VersionState.ACTIVE):
            request = submission_pb2.RetireVersionRequest(bot=version.bot_name, reason="holiday")
            await self._about_version(version, "RetireVersion", request, "retired")
            return True
        return False

    async def _about_version(self, version: BotVersion, method: str, request: Any, words: str) -> Any:
        """The author does it, or the host, of whom that is told."""
        if self.chance.random() < 0.5:
            told = f"{words} version {version.number} of {version.bot_name}"
            return await self.host(method, request, told, service="SubmissionService")
        token = self.season.bots[version.bot_name].token
        return await self.server.call("SubmissionService", method, request, token)

    def _shuffled(self, *states: VersionState) -> list[BotVersion]:
        found = [one for state in states for one in self.store.versions.in_state(state)]
        self.chance.shuffle(found)
        return found

    # Admins and invitations.

    async def helper(self) -> bool:
        if self.season.helper_token:
            return False
        request = access_pb2.AddAdminRequest(name="ada", role=access_pb2.ADMIN_ROLE_HELPER)
        made = await self.host("AddAdmin", request, "added the admin ada", service="AccessService")
        self.season.helper_token = made.token
        return True

    async def invite(self) -> bool:
        request = access_pb2.CreateInvitationsRequest(count=2, notes=["a", "b"])
        made = await self.host("CreateInvitations", request, "made invitations: 2", service="AccessService")
        name = f"guest{len(self.season.bots)}"
        redeem = invitation_pb2.RedeemInvitationRequest(code=made.codes[0], name=name)
        joined = await self.server.call("InvitationService", "RedeemInvitation", redeem, "")
        self.season.add_bot(name, joined.token).server_is(self.server.connect)
        await self._join(name)
        return True

    # Fate.

    async def kill(self) -> bool:
        """SIGKILL, at any moment."""
        self.season.done["kill"] += 1  # the dead cannot say so
        await asyncio.sleep(self.chance.uniform(0.0, 3.0))
        asyncio.get_running_loop().stop()
        await asyncio.Event().wait()
        return True

    async def rough(self) -> bool:
        """From now on the process may die around any commit."""
        self.season.deadly = 0.05
        return True

    async def full_disk(self) -> bool:
        """No page more: SQLite says so itself, and the server stops with a sentence."""
        with self.store._writing.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        try:
            async with asyncio.timeout(FULL_SECONDS):
                while not self.server.failed.done():
                    await asyncio.sleep(0.5)
                    # Whoever writes now: a free page or two may have been left.
                    await self.server.call(
                        "AdminService",
                        "AddBot",
                        admin_pb2.AddBotRequest(name=f"full{self.chance.randrange(10**9)}"),
                        self.season.admin_token,
                    )
        except TimeoutError:
            raise Broken("the disk is full, and no one has noticed") from None
        except Exception as error:
            if "RESOURCE_EXHAUSTED" not in str(error) or "no room left to write" not in str(error):
                raise
        self.season.done["full_disk"] += 1
        raise DiskFull("as the server says when it stops")
