"""Journal entries as sentences: what a host reads in the log and in `referee events`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.store import DamagedRow
from referee.store.journal_entry import JournalEntry
from referee.tournament.events import Event, Teller


def tell(*entries: dict[str, Any]) -> list[Event]:
    teller = Teller("league", lambda match: ("ada", "bob", "cy"))
    return [
        event
        for number, entry in enumerate(entries)
        for event in teller.tell(JournalEntry(number, json.dumps(entry | {"number": number}), ""))
    ]


def state(word: str) -> dict[str, Any]:
    return {"kind": "state", "at": 5, "state": word}


def result(*terminations: str | None) -> dict[str, Any]:
    return {"kind": "result", "at": 7, "match": 12, "terminations": list(terminations)}


def bot(kind: str = "remote", at: int = 9, **columns: int | None) -> dict[str, Any]:
    row = {"name": "mybot", "kind": kind, "created": 1, "rotated": None, "revoked": None} | columns
    return {"kind": "bot", "at": at, "bot": row}


def test_the_first_start_is_told_apart_from_going_on_after_a_pause() -> None:
    told = tell(state("running"), state("paused"), state("running"), state("finished"))
    assert [event.text for event in told] == ["started", "paused", "goes on", "finished"]


def test_a_match_that_ended_as_it_should_is_no_event() -> None:
    assert tell(result("finished", "finished", None)) == []


def test_each_seat_that_forfeited_is_told_with_its_bot_and_its_reason() -> None:
    told = tell(result("timeout", "finished", "illegal"))
    assert [event.text for event in told] == ["ada forfeited match 12: timeout", "cy forfeited match 12: illegal"]
    assert told[1].about == {"match": 12, "seat": 2, "bot": "cy", "termination": "illegal"}
    assert {event.kind for event in told} == {"forfeit"}


def test_a_match_set_aside_and_a_second_deal_are_alarms() -> None:
    aside = {"kind": "aside", "at": 3, "match": 4, "state": "absent", "reason": "bob not there"}
    dealt_anew = {"kind": "again", "at": 4, "match": 4, "attempt": 2}
    same_deal = {"kind": "again", "at": 4, "match": 5, "attempt": 1}
    told = tell(aside, dealt_anew, same_deal)
    assert [(event.text, event.alarm) for event in told] == [
        ("match 4 is set aside (absent): bob not there", True),
        ("match 4 goes back into the schedule and is dealt anew (attempt 2)", True),
        ("match 5 goes back into the schedule", False),
    ]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (bot(), "bot mybot was registered"),
        (bot(rotated=9), "bot mybot has a new token"),
        (bot(rotated=4, revoked=9), "bot mybot was revoked"),
        ({"kind": "fact", "at": 1, "key": "admin_token_hash", "value": "ab"}, "there is a new admin token"),
    ],
)
def test_what_becomes_of_bots_and_tokens_is_told(entry: dict[str, Any], text: str) -> None:
    assert [event.text for event in tell(entry)] == [text]


def test_house_bots_and_practice_matches_are_no_events() -> None:
    assert tell(bot("house"), {"kind": "practice", "at": 1, "match": 3}) == []


def test_rounds_that_a_format_drew_and_rulings_of_the_host_are_told() -> None:
    drawn = {"kind": "round", "at": 1, "round": 2, "first": 4, "stage": "round 2 of 7", "byes": ["cy"], "active": []}
    ruling = {"kind": "ruling", "at": 2, "ruling": "disqualified", "bot": "bob", "match": None, "reason": "colluded"}
    told = tell(drawn | {"tables": [{"why": "", "deal": 0}]}, ruling | {"annulled": [1, 2], "aside": [7]})
    assert [event.text for event in told] == [
        "drawn: round 2 of 7, 1 table, bye: cy",
        "bob was disqualified, 2 results annulled, 1 match not played: colluded",
    ]


def test_a_kind_that_is_not_known_here_is_told_all_the_same() -> None:
    (event,) = tell({"kind": "strange_thing", "at": 1, "why": "because"})
    assert (event.text, event.about) == ("strange thing", {"why": "because"})


@pytest.mark.parametrize(
    "entry", ["", "{}", "[]", "7", '{"kind": "result", "at": 1}', '{"kind": "bot", "at": 1, "bot": 5}']
)
def test_a_damaged_entry_is_named(entry: str) -> None:
    with pytest.raises(DamagedRow, match="entry 12 in the journal of league cannot be read; restore it"):
        Teller("league", lambda match: ()).tell(JournalEntry(12, entry, ""))
