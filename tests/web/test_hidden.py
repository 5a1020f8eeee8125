"""Hidden stays hidden: the bytes sent for a running match are the same whatever the public may not know.

The state behind a stream is exchanged for one that differs only in that (`State.redealt`), at every few decisions.
"""

from __future__ import annotations

import json

import pytest

from referee.hall.competition import Competition
from referee.hall.hall_venue import HallVenue
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.tournament.plan import Plan
from referee.web.live_match import ShownMatch, ShownMatches

from .conftest import SlowMatch, serving


@pytest.mark.parametrize("game", registry.names())
async def test_the_bytes_of_a_stream_tell_nothing_the_public_may_not_know(competition: Competition, game: str) -> None:
    slow = SlowMatch(competition, "league/0", game)
    differed = False
    async with serving(competition) as page:
        site = page.server.site
        for decisions in (0, 7, 19):
            slow.move(decisions - slow.match.table.decisions)
            sent = []
            for salt in (None, b"one", b"two"):
                for channel in list(site.channels._open.values()):
                    channel.close()
                site.shown = ShownMatches(0)
                public = await site.shown.followed(slow.match)
                if salt is not None:
                    before = public.state
                    public.state = before.redealt(None, Seeded(salt))
                    seats = range(before.players)
                    differed |= any(before.view_bytes(seat) != public.state.view_bytes(seat) for seat in seats)
                streams = []
                for path in ("/live/matches/league/0", "/api/v1/events/matches/league/0"):
                    async with page.stream(path) as stream:
                        streams.append((await stream.next())[1])
                paths = ("/matches/league/0", "/pictures/league/0", "/api/v1/matches/league/0")
                streams += [(await page.get(path)).body for path in paths]
                sent.append(streams)
            assert sent[0] == sent[1] == sent[2]
            if slow.match.ending is not None:
                break
    if game == "stop":
        assert differed, "a game with hidden hands: the states did differ"


async def test_neither_seed_nor_legal_moves_nor_a_seats_view_is_sent(competition: Competition) -> None:
    slow = SlowMatch(competition, "league/0", "stop")
    slow.move(5)
    async with serving(competition) as page, page.stream("/api/v1/events/matches/league/0") as stream:
        _, event = await stream.next()
    match = slow.match
    assert match.seed.hex().encode() not in event
    value = json.loads(event.partition(b"data: ")[2])["match"]
    assert value["view"].get("seat") is None
    assert set(value) == {"decisions", "delay", "scores", "view", "events", "over", "ending"}


async def test_more_than_the_publics_view_of_a_running_match_is_refused(competition: Competition) -> None:
    slow = SlowMatch(competition, "league/0", "stop")
    slow.move(3)
    async with serving(competition) as page:
        for path in (
            "/pictures/league/0?seat=0",
            "/pictures/league/0?seat=revealed",
            "/pictures/league/0?step=1&seat=1",
        ):
            answer = await page.get(path)
            assert answer.status == 409, path
            assert "until it is over" in answer.text
        for path in ("/api/v1/replays/league/0?seat=0", "/api/v1/replays/league/0", "/api/v1/records/league/0"):
            assert (await page.get(path)).status in (404, 409), path


async def test_a_stored_match_that_is_being_played_has_no_replay_yet(competition: Competition) -> None:
    """Between its start and its stored end a match of a tournament is known to the store, and is refused there too."""
    plan = Plan(game="stop", players=3, rounds=2)
    tournament = await competition.director.create("league", plan, ["random"] * 3, None, False)
    store = competition.store
    store.tournaments.set_state(tournament.id, type(tournament.state).RUNNING)
    match = next(iter(store.matches.in_schedule_order(tournament.id)))
    assert store.matches.claim(match.id) is not None
    async with serving(competition) as page:
        for path in ("/api/v1/replays/league/0?seat=0", "/api/v1/records/league/0", "/pictures/league/0?seat=0"):
            answer = await page.get(path)
            assert answer.status == 409, path
            assert "being played" in answer.text
        assert "being played" in (await page.get("/matches/league/0")).text


async def test_a_match_is_shown_so_many_decisions_late_and_whole_at_its_end(competition: Competition) -> None:
    slow = SlowMatch(competition, "league/0", "flip7")
    late, live = ShownMatch(slow.match, 4), ShownMatch(slow.match, 0)
    slow.move(3)
    while late.step() or live.step():
        pass
    assert (late.decisions, live.decisions) == (0, 3)
    slow.move(5)
    while late.step():
        pass
    assert late.decisions == slow.match.table.decisions - 4
    assert not late.over
    slow.finish()
    while late.step() or live.step():
        pass
    assert late.over
    assert late.to_value() | {"delay": 0} == live.to_value()
    assert late.to_value()["ending"]["ranks"]


async def test_where_matches_are_shown_late_no_score_is_told_early(competition: Competition) -> None:
    SlowMatch(competition, "league/0", "flip7").move(9)
    venue = HallVenue(competition.hall, competition.presence, {})
    assert venue.scores("league/0") is not None
    competition.hall.delay = 5
    assert venue.scores("league/0") is None
    async with serving(competition) as page:
        assert (await page.get("/api/v1/matches/league/0")).json["live"]["decisions"] == 4
        assert "Shown 5 decisions late" in (await page.get("/matches/league/0")).text
