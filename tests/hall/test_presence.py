"""Who is connected: asked by the venue, the lobby and practice, whatever the bots are connected with."""

from __future__ import annotations

import pytest

from referee.hall.competition import Competition
from referee.hall.hall_venue import HallVenue, HouseEntrant, RemoteEntrant
from referee.hall.practice_request import NoLobby, PracticeRequest
from referee.hall.presence import Presence
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import Counts, MatchState, NewEntrant, Store
from referee.tournament.plan import Plan

from ..waiting import soon
from .conftest import LocalBot


def test_a_lost_bot_is_not_found_but_stays_registered_until_it_has_gone(competition: Competition) -> None:
    presence = Presence()
    told: list[list[str]] = []
    presence.on_change(lambda: told.append(list(presence.bots)))
    ada = LocalBot(competition, "ada")
    presence.arrived(ada)
    assert presence.find("ada") is ada
    ada.connected = False
    presence.changed()
    assert presence.find("ada") is None
    presence.gone(ada)
    assert told == [["ada"], ["ada"], []]


def test_the_departure_of_an_earlier_bot_does_not_send_away_its_successor(competition: Competition) -> None:
    presence = Presence()
    first, second = LocalBot(competition, "ada"), LocalBot(competition, "ada")
    presence.arrived(first)
    presence.arrived(second)
    presence.gone(first)
    assert presence.find("ada") is second


def test_who_wants_to_hear_no_more_is_told_no_more(competition: Competition) -> None:
    presence = Presence()
    told: list[str] = []
    one, other = (lambda: told.append("one")), (lambda: told.append("other"))
    presence.on_change(one)
    presence.on_change(other)
    presence.forget(one)
    presence.arrived(LocalBot(competition, "ada"))
    assert told == ["other"]


def test_the_venue_counts_only_bots_that_are_there_and_play_the_game(competition: Competition) -> None:
    entrants = {name: RemoteEntrant(name, competition.presence) for name in ("ada", "bob", "cy", "dee")}
    venue = HallVenue(competition.hall, competition.presence, entrants, "stop_me_go")
    ada, bob, cy = (LocalBot(competition, name) for name in ("ada", "bob", "cy"))
    cy.games = ("flip7",)
    bob.leaving = True
    for bot in (ada, bob, cy):
        competition.presence.arrived(bot)
    assert [venue.present(name) for name in (*entrants, "unknown")] == [True, False, False, False, False]
    assert [venue.free(name) for name in entrants] == [1, 0, 1, 0]
    ada.connected = False
    assert not venue.present("ada")
    assert venue.free("ada") == 0


def test_only_house_bots_are_dealt_the_same_again(competition: Competition) -> None:
    house = competition.roster.house_player("random", "random")
    venue = HallVenue(
        competition.hall,
        competition.presence,
        {"random": HouseEntrant(house), "ada": RemoteEntrant("ada", competition.presence)},
    )
    for interrupted in (True, False):
        assert venue.same_deal(["random", "random"], interrupted)
        assert not venue.same_deal(["random", "ada"], interrupted)
        assert not venue.same_deal(["random", "unknown"], interrupted)


async def test_a_tournament_waits_for_a_bot_and_goes_on_when_it_comes(competition: Competition, store: Store) -> None:
    store.bots.add("ada")
    plan = Plan(game="stop_me_go", players=2, rounds=4)
    league = await competition.director.create("league", plan, ["ada", "random"], "s", True)
    assert competition.director.wants("ada") is False  # it is not there
    ada = LocalBot(competition, "ada", concurrency=2)
    competition.presence.arrived(ada)
    await soon(lambda: "league" not in competition.director.runners)
    assert store.tournaments.counts(league.id) == Counts(finished=4)
    assert len(ada.endings) == 4


async def test_practice_is_arranged_and_told_through_the_port(competition: Competition, store: Store) -> None:
    store.bots.add("ada")
    ada = LocalBot(competition, "ada")
    competition.presence.arrived(ada)
    assert not competition.lobby.wish(ada, PracticeRequest("no such game", ("random",)))
    assert [code for code, _ in ada.notices] == ["refused"]
    assert competition.lobby.wish(ada, PracticeRequest("stop_me_go", ("random",), 3))
    await soon(lambda: len(ada.endings) == 3)
    await competition.practice.settle()
    assert [store.matches.get(number).state for number in (1, 2, 3)] == [MatchState.FINISHED] * 3
    assert competition.idle


async def test_practice_with_a_bot_that_has_gone_is_refused_and_set_aside(
    competition: Competition, store: Store
) -> None:
    made = store.bots.add("ada")
    ada = LocalBot(competition, "ada")
    ada.connected = False
    game = registry.find("stop_me_go")
    house = competition.roster.house_player("random", "random")
    entrants = [NewEntrant(made.bot.id, "ada"), *competition.roster.entrants(["random"], game.name)]
    with pytest.raises(WrongUse, match="ada is not connected"):
        await competition.practice.play(game, entrants, [ada, house], game.resolve_options(), competition.control)
    assert store.matches.get(1).state is MatchState.VOID
    assert competition.idle


def test_without_a_lobby_a_wish_is_refused_in_one_sentence(competition: Competition) -> None:
    ada = LocalBot(competition, "ada")
    NoLobby().wish(ada, PracticeRequest("stop_me_go", ("random",)))
    assert ada.notices == [("refused", "this server offers no practice matches")]
