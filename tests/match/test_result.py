"""An ending as a JSON value: it comes back as it was, and both spellings of a termination stay as they are."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import results
from arena.v1 import result_pb2
from referee.match.result import Ending, Termination
from referee.match.transcript import Transcript
from referee.rules.game import Result
from referee.rules.record import Record

SEATS = st.tuples(st.integers(1, 9), st.integers(), st.sampled_from(Termination), st.text())


@settings(deadline=None)
@given(st.lists(SEATS, min_size=1, max_size=6), st.text())
def test_an_ending_comes_back_as_it_was(seats: list[tuple[int, int, Termination, str]], reason: str) -> None:
    ranks, scores, terminations, texts = zip(*seats, strict=True)
    ending = Ending(ranks, scores, terminations, texts, reason)
    assert Ending.from_value(json.loads(json.dumps(ending.to_value()))) == ending


def test_the_words_for_how_a_seat_ended() -> None:
    words = ["finished", "illegal", "timeout", "disconnect", "crash", "flood", "resigned", "void"]
    assert [termination.word for termination in Termination] == words
    assert [Termination.of_word(word).word for word in words] == words


def test_the_protocol_has_the_same_words() -> None:
    assert results.NUMBERS.keys() == {termination.word for termination in Termination}
    for word, number in results.NUMBERS.items():
        assert (results.word(number), f"TERMINATION_{word.upper()}") == (word, result_pb2.Termination.Name(number))
    assert results.word(99) == "unspecified"


@pytest.mark.parametrize("spelling", ["TIMEOUT", "gone", "", "word", "of_word"])
def test_a_word_that_is_none_is_refused(spelling: str) -> None:
    with pytest.raises(ValueError, match="is not a way to end a match"):
        Termination.of_word(spelling)


def test_a_match_on_paper_is_the_same_to_the_byte() -> None:
    record = Record("race", 1, 2, {"track": 3}, "00ff", ("a", "b"), Result((1, 2), (3, 1), "finished"))
    ending = Ending((1, 2), (3, 1), (Termination.FINISHED, Termination.TIMEOUT), ("", "zu spät"), "finished")
    assert (
        Transcript(2).to_bytes("cup/0", ["ada", "bob"], record, ending)
        == (
            '{"events":[],"match":"cup/0","names":["ada","bob"],"ranks":[1,2],"reason":"finished","record":'
            + json.dumps(record.to_value(), separators=(",", ":"), sort_keys=True)
            + ',"scores":[3,1],"terminations":["finished","timeout"],"texts":["","zu spät"],"times_ms":[[],[]]}\n'
        ).encode()
    )
