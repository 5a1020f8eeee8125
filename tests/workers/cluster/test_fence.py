"""What workers send to the host cannot run anything there: no pickle is read that names more than plain values."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from referee.workers.cluster.fence import NotPlain, fence, plain_loads

pytest.importorskip("distributed", reason="referee-arena[cluster] is not installed")


class Bomb:
    """Makes a folder when it is unpickled."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.place),)


@pytest.fixture
def fenced(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is fenced, and as it was afterwards."""
    import distributed.protocol.pickle as dasks
    from distributed.client import Client

    monkeypatch.setattr(dasks, "pickle", dasks.pickle)
    monkeypatch.setattr(Client, "_default_event_handlers", Client._default_event_handlers)
    fence()


@pytest.mark.usefixtures("fenced")
def test_no_way_into_the_host_reads_a_pickle_that_does_something(tmp_path: Path) -> None:
    from distributed.client import Client
    from distributed.core import clean_exception
    from distributed.protocol import deserialize, dumps, loads, serialize, to_serialize
    from distributed.protocol.pickle import loads as dasks_loads

    bomb = Bomb(tmp_path / "exploded")
    armed = pickle.dumps(bomb)
    with pytest.raises(NotPlain):
        dasks_loads(armed)
    with pytest.raises(NotPlain):
        deserialize(*serialize(bomb, serializers=["pickle"]))
    with pytest.raises(NotPlain):
        loads(list(map(bytes, dumps({"data": to_serialize(bomb)}))))
    _, error, _ = clean_exception(armed, armed)
    assert isinstance(error, Exception)
    assert Client._default_event_handlers == {}
    assert not (tmp_path / "exploded").exists()


@pytest.mark.usefixtures("fenced")
def test_bytes_and_plain_values_still_come_through() -> None:
    from distributed.protocol import deserialize, serialize

    assert deserialize(*serialize(b"records")) == b"records"
    assert plain_loads(pickle.dumps({"a": [1, (2.0, None), {"b"}]})) == {"a": [1, (2.0, None), {"b"}]}
