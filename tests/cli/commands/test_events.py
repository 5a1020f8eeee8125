"""`referee events` lists what happened."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Referee


def test_forfeits_and_matches_set_aside_are_listed_in_the_order_in_which_they_were_stored(
    referee: Referee, league: Path
) -> None:
    told = referee("events", "league", "--db", league, "--json").json["events"]
    texts = [event["text"] for event in told]
    assert texts[:2] == ["created: flip7, 3 players a match", "entered: ada, bob, cy"]
    assert texts.index("bob forfeited match 1: resigned") < texts.index(
        "match 2 is set aside (absent): cy was not there"
    )
    assert [event["at"] for event in told] == sorted(event["at"] for event in told)


def test_events_are_found_by_bot_kind_and_alarm(referee: Referee, league: Path) -> None:
    def found(*words: str) -> list[str]:
        done = referee("events", *words, "--db", league, "--json")
        assert done.code == 0, done.err
        return [event["text"] for event in done.json["events"]]

    assert found("--kind", "forfeit") == ["bob forfeited match 1: resigned"]
    assert found("--kind", "forfeit", "--bot", "ada") == []
    assert found("--alarms") == ["match 2 is set aside (absent): cy was not there"]


def test_people_read_a_line_for_each_and_hear_of_those_left_out(referee: Referee, league: Path) -> None:
    done = referee("events", "league", "--limit", 1, "--db", league)
    assert len(done.out.splitlines()) == 1
    assert "earlier: --limit" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cup"], "there is no tournament named cup: 'referee tournament list' shows all"),
        (["--kind", "forfiet"], "there is no kind of event 'forfiet': choose created, "),
    ],
)
def test_names_that_do_not_exist_are_wrong_use(referee: Referee, league: Path, words: list[str], said: str) -> None:
    done = referee("events", *words, "--db", league)
    assert done.code == 2
    assert said in done.err
