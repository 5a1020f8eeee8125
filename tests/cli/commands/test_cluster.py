"""`referee cluster`, `referee worker` and `run --cluster`: what a person can get wrong, in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Referee

pytest.importorskip("distributed", reason="referee-arena[cluster] is not installed")
RUN = ("run", "flip7", "cautious", "random", "random")


def test_certificates_are_made_once_and_told_as_json(referee: Referee, tmp_path: Path) -> None:
    made = referee("cluster", "certs", tmp_path / "certs", "--json")
    assert made.code == 0
    assert set(made.json["files"]) == {path.name for path in (tmp_path / "certs").iterdir()}
    again = referee("cluster", "certs", tmp_path / "certs")
    assert (again.code, "is there already" in again.err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        (*RUN, "--cluster", "tcp://10.0.0.5:8786"),
        ("worker", "--scheduler", "tcp://10.0.0.5:8786"),
        ("cluster", "scheduler", "--listen", "tcp://0.0.0.0:8786"),
    ],
)
def test_a_public_address_without_tls_is_refused_everywhere(referee: Referee, words: tuple[str, ...]) -> None:
    done = referee(*words)
    assert (done.code, "public and without TLS" in done.err) == (2, True)


def test_workers_of_this_machine_and_a_cluster_exclude_each_other(referee: Referee) -> None:
    done = referee(*RUN, "--cluster", "tcp://127.0.0.1:1", "--workers", "2")
    assert (done.code, "--workers is for this machine" in done.err) == (2, True)


def test_certificates_that_are_not_there_are_named(referee: Referee, tmp_path: Path) -> None:
    done = referee(*RUN, "--cluster", "tls://10.0.0.5:8786", "--certs", tmp_path / "nowhere")
    assert (done.code, "ca.pem: No such file" in done.err) == (2, True)


def test_without_dask_it_is_told_what_to_install(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.cluster_venue.find_spec", lambda name: None)
    for words in ((*RUN, "--cluster", "tcp://127.0.0.1:1"), ("worker", "--scheduler", "x"), ("cluster", "scheduler")):
        done = referee(*words)
        assert (done.code, "referee-arena[cluster]" in done.err) == (3, True)
