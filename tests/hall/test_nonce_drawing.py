"""A draw of nonces among connected bots: commitments first, then nonces, and no bot holds it up for good."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from arena.nonces import Nonces, commitment
from referee.hall.competition import Competition
from referee.hall.nonce_call import NonceCall, NonceStep
from referee.hall.nonce_drawing import NonceDrawing
from referee.hall.tournament_nonces import TournamentNonces
from referee.net import messages
from referee.rules.game import WrongUse
from referee.store import DrawnNonce, NewEntrant, NonceDraw, NotAllowed, Store, Tournament
from referee.tournament import lifecycle
from referee.tournament.audit.database import from_database
from referee.tournament.audit.verify import verify
from referee.tournament.nonces import NonceDigests, digest, wrong
from referee.tournament.plan import Plan
from referee.tournament.seeds import match_seed

from ..waiting import PATIENCE, soon
from .conftest import LocalBot

SHORT = 0.2
"""Seconds to answer, where a bot does not."""


class NonceBot(LocalBot):
    """A connected bot that takes part with the nonces of the Python SDK, up to a step."""

    def __init__(self, competition: Competition, name: str, *, deaf_at: NonceStep | None = None) -> None:
        super().__init__(competition, name)
        self.gives_nonces = True
        self.sdk = Nonces()
        self.deaf_at = deaf_at
        competition.presence.arrived(self)

    def nonces(self, call: NonceCall, answered: Callable[[str], object] | None = None) -> None:
        super().nonces(call)
        answer = self.sdk.answer(messages.nonces(call).nonces)
        if answered is not None and answer is not None and call.step is not self.deaf_at:
            asyncio.get_running_loop().call_soon(answered, answer.commitment or answer.nonce)

    @property
    def steps(self) -> list[NonceStep]:
        return [call.step for call in self.nonce_calls]


@pytest.fixture
def league(store: Store) -> Tournament:
    """A tournament of three remote bots, created and not started."""
    entrants = [store.bots.add(name).bot for name in ("ada", "bob", "cy")]
    plan = Plan(game="stop_me_go", players=2, rounds=4, allow_join=True)
    return lifecycle.create(store, "league", plan, [NewEntrant(bot.id, bot.name) for bot in entrants])


def drawing(competition: Competition, store: Store, seconds: float = PATIENCE) -> TournamentNonces:
    return TournamentNonces(store, NonceDrawing(competition.presence, seconds))


REMOTE = {"ada": "ada", "bob": "bob", "cy": "cy"}


async def test_no_nonce_is_told_before_all_commitments_are_fixed(
    competition: Competition, store: Store, league: Tournament
) -> None:
    bots = [NonceBot(competition, name) for name in REMOTE]
    await drawing(competition, store).at_start(league, REMOTE)
    (draw,) = store.nonces.draws(league.id)
    assert [entrant.name for entrant in draw.entrants] == ["ada", "bob", "cy"]
    assert all(len(entrant.nonce) == 64 for entrant in draw.entrants)
    assert wrong("league", draw) is None
    for bot in bots:
        assert bot.steps == [NonceStep.COMMIT, NonceStep.REVEAL, NonceStep.FIXED]
        commit, reveal, fixed = bot.nonce_calls
        assert commit.root_commitment == reveal.root_commitment == league.commitment
        assert commit.entrants == ()
        assert reveal.entrants == tuple(replace(entrant, nonce="") for entrant in draw.entrants)
        assert fixed.entrants == draw.entrants
        told = [json.loads(entry.entry) for entry in store.journal.read(league.id)]
        assert commit.schedule_digest == next(each["sha256"] for each in told if each["kind"] == "scheduled")
        assert not bot.sdk.broken(messages.nonces(fixed).nonces)


async def test_a_bot_that_does_not_commit_itself_in_time_does_not_take_part(
    competition: Competition, store: Store, league: Tournament
) -> None:
    NonceBot(competition, "ada")
    NonceBot(competition, "bob", deaf_at=NonceStep.COMMIT)
    await drawing(competition, store, SHORT).at_start(league, REMOTE)
    (draw,) = store.nonces.draws(league.id)
    assert [entrant.name for entrant in draw.entrants] == ["ada"]


async def test_a_bot_that_does_not_tell_its_nonce_stays_listed_without_one(
    competition: Competition, store: Store, league: Tournament
) -> None:
    NonceBot(competition, "ada")
    NonceBot(competition, "bob", deaf_at=NonceStep.REVEAL)
    await drawing(competition, store, SHORT).at_start(league, REMOTE)
    (draw,) = store.nonces.draws(league.id)
    assert [(entrant.name, bool(entrant.nonce)) for entrant in draw.entrants] == [("ada", True), ("bob", False)]


async def test_a_nonce_other_than_the_promised_one_counts_as_none(
    competition: Competition, store: Store, league: Tournament
) -> None:
    class Cheat(NonceBot):
        def nonces(self, call: NonceCall, answered: Callable[[str], object] | None = None) -> None:
            if answered is not None:
                answered(commitment("league", 0, bytes(32)) if call.step is NonceStep.COMMIT else "11" * 32)

    Cheat(competition, "ada")
    await drawing(competition, store, SHORT).at_start(league, REMOTE)
    ((entrant,),) = [draw.entrants for draw in store.nonces.draws(league.id)]
    assert (entrant.commitment, entrant.nonce) == (commitment("league", 0, bytes(32)), "")


async def test_a_bot_that_comes_back_on_a_new_connection_is_asked_again(
    competition: Competition, store: Store, league: Tournament
) -> None:
    lost = NonceBot(competition, "ada", deaf_at=NonceStep.COMMIT)
    drawn = asyncio.ensure_future(drawing(competition, store).at_start(league, REMOTE))
    await soon(lambda: lost.nonce_calls)
    lost.connected = False
    competition.presence.gone(lost)
    NonceBot(competition, "ada")
    await asyncio.wait_for(drawn, PATIENCE)
    (draw,) = store.nonces.draws(league.id)
    assert draw.entrants[0].nonce


async def test_without_bots_that_give_nonces_the_seeds_are_those_of_before(
    competition: Competition, store: Store, league: Tournament
) -> None:
    competition.presence.arrived(LocalBot(competition, "ada"))
    await drawing(competition, store).at_start(league, REMOTE)
    assert store.nonces.draws(league.id) == ()
    assert NonceDigests.of("league", ()).at(3) is None


async def test_after_a_kill_between_the_steps_the_same_commitments_count_and_no_others(
    competition: Competition, store: Store, league: Tournament
) -> None:
    ada = NonceBot(competition, "ada")
    first = drawing(competition, store)
    call = NonceCall("league", 0, NonceStep.COMMIT, league.commitment)
    entrants = await first._drawing.commitments(call, {"ada": "ada"})
    store.nonces.commit(league.id, NonceDraw(0, 0, entrants))
    bob = NonceBot(competition, "bob")  # too late: the commitments are fixed
    await drawing(competition, store).at_start(league, REMOTE)
    (draw,) = store.nonces.draws(league.id)
    assert [(entrant.name, entrant.commitment) for entrant in draw.entrants] == [("ada", entrants[0].commitment)]
    assert draw.entrants[0].nonce
    assert ada.steps == [NonceStep.COMMIT, NonceStep.REVEAL, NonceStep.FIXED]
    assert bob.steps == []


async def test_the_seeds_of_a_played_tournament_follow_from_the_root_and_the_nonces(
    competition: Competition, store: Store, league: Tournament
) -> None:
    for name in REMOTE:
        NonceBot(competition, name)
    await competition.director.control("league", "start")
    await soon(lambda: "league" not in competition.director.runners, patience=60)
    (draw,) = store.nonces.draws(league.id)
    root, nonces = store.tournaments.root(league.id), digest("league", draw)
    played = list(store.matches.in_schedule_order(league.id))
    assert [match.seed for match in played] == [
        match_seed(root, "league", match.ordinal or 0, match.attempt, nonces).hex() for match in played
    ]
    # Once it has started, nothing can be changed any more.
    with pytest.raises(NotAllowed, match="its nonces are fixed"):
        store.nonces.tell(league.id, 0, {"ada": "00" * 32})


async def test_who_joins_later_takes_part_in_the_drawing_of_the_matches_that_are_added(
    competition: Competition, store: Store, league: Tournament
) -> None:
    bots = {name: NonceBot(competition, name) for name in REMOTE}
    bots["cy"].connected = False  # so that the tournament does not end before another bot has joined
    await competition.director.control("league", "start")
    before = store.tournaments.counts(league.id).total
    store.bots.add("dan")
    dan = NonceBot(competition, "dan")
    added = await competition.director.join("league", "dan")
    assert added > 0
    draws = store.nonces.draws(league.id)
    assert [(draw.draw, draw.first) for draw in draws] == [(0, 0), (1, before)]
    assert [entrant.name for entrant in draws[1].entrants] == ["ada", "bob", "dan"]
    assert draws[0].entrants[0].nonce != draws[1].entrants[0].nonce
    assert dan.steps == [NonceStep.COMMIT, NonceStep.REVEAL, NonceStep.FIXED]
    assert dan.nonce_calls[-1].first == before
    bots["cy"].connected = True
    competition.presence.changed()
    await soon(lambda: "league" not in competition.director.runners, patience=60)
    root, digests = store.tournaments.root(league.id), NonceDigests.of("league", draws)
    assert digests.at(before - 1) == digest("league", draws[0]) != digests.at(before) == digest("league", draws[1])
    played = list(store.matches.in_schedule_order(league.id))
    assert len(played) == before + added
    for match in played:
        assert match.ordinal is not None
        seed = match_seed(root, "league", match.ordinal, match.attempt, digests.at(match.ordinal))
        assert match.seed == seed.hex()


async def test_a_first_draw_that_comes_with_a_bot_that_joins_is_verified(
    competition: Competition, store: Store, league: Tournament
) -> None:
    bots = {name: LocalBot(competition, name) for name in REMOTE}  # which give no nonces: there is no draw 0
    for bot in bots.values():
        competition.presence.arrived(bot)
    bots["cy"].connected = False  # so that the tournament does not end before another bot has joined
    await competition.director.control("league", "start")
    before = store.tournaments.counts(league.id).total
    store.bots.add("dan")
    NonceBot(competition, "dan")
    await competition.director.join("league", "dan")
    assert [(draw.draw, draw.first) for draw in store.nonces.draws(league.id)] == [(1, before)]
    bots["cy"].connected = True
    competition.presence.changed()
    await soon(lambda: "league" not in competition.director.runners, patience=60)
    assert verify(from_database(store, "league")).replayed == store.tournaments.counts(league.id).total


async def test_a_bot_that_may_not_join_causes_no_draw(
    competition: Competition, store: Store, league: Tournament
) -> None:
    ada = NonceBot(competition, "ada")
    await competition.director.control("league", "start")
    calls = len(ada.nonce_calls)
    with pytest.raises(WrongUse, match="plays in league already"):
        await competition.director.join("league", "ada")
    assert len(ada.nonce_calls) == calls
    assert store.nonces.draws(league.id)[-1].draw == 0


def test_a_draw_names_only_entrants(store: Store, league: Tournament) -> None:
    draw = NonceDraw(0, 0, (DrawnNonce("eve", "00" * 32),))
    with pytest.raises(Exception, match="eve does not play in this tournament"):
        store.nonces.commit(league.id, draw)
    assert store.nonces.draws(league.id) == ()
