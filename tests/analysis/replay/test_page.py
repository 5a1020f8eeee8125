"""The page of a replay: self-contained, small, escaped, and without what its perspective could not know."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from typing import Any

import pytest

from referee.analysis.replay import PUBLIC, REVEALED, LogLine, Perspective, Replay, read_match
from referee.analysis.replay import page as pages
from referee.analysis.replay.page import page

from .conftest import GAMES, Table


def data_of(text: str) -> Any:
    found = re.search('id="data">([^<]*)<', text)
    assert found is not None
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


@pytest.mark.parametrize("game", GAMES)
def test_every_picture_is_found_again_whole(played: Any, game: str) -> None:
    replay = Replay(played(game, 1 if game == "encore" else 3))
    text = page(replay)
    data = data_of(text)
    assert len(data["steps"]) == len(replay)
    for number in range(0, len(replay), 9):
        step = data["steps"][number]
        for viewer, (pieces, _) in step["pictures"].items():
            view = replay[number].view(None if viewer == "public" else int(viewer))
            picture = replay.match.game.picture(view, names=replay.match.names)
            assert "".join(data["pieces"][piece] for piece in pieces) == picture
        for _, boards in step["boards"].values():
            assert all(viewer in step["pictures"] for viewer, _ in boards)
    assert len(text) < 400_000


def test_the_policy_allows_the_pages_own_script_and_style_and_no_network(played: Any) -> None:
    text = page(Replay(played("stop_me_go")))
    found = re.search('Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    assert found[1].startswith("default-src 'none'; ")
    assert "unsafe" not in found[1]
    assert "http" not in found[1]
    assert "connect-src" not in found[1]
    for tag in ("script", "style"):
        [inner] = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert f"'sha256-{base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()}'" in found[1]
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", text)


def test_names_cannot_break_out_of_the_page() -> None:
    evil = "</script><script>alert(1)</script>"
    table = Table("flip7", [evil, "<img src=x onerror=alert(1)>", "cy"])
    record = table.play_on().replace(b"league/3", b"<b>/3")
    text = page(Replay(read_match(record), [LogLine(0, 0, evil)]))
    assert text.count("<script") == 2  # the data and the page's own
    assert "alert(1)" not in text
    assert data_of(text)["names"][0] == evil
    assert "<title>&lt;b&gt;/3: replay</title>" in text


def test_a_page_of_one_seat_holds_nothing_that_it_could_not_know(troubled: tuple[bytes, Table]) -> None:
    replay = Replay(read_match(troubled[0]), [LogLine(2, 2, "my own secret"), LogLine(3, 0, "ada's secret")])
    data = data_of(page(replay, Perspective(2), only=True))
    assert data["perspectives"] == ["seat 2"]
    assert {viewer for step in data["steps"] for viewer in step["pictures"]} == {"2"}
    assert {one["seat"] for step in data["steps"] for one in step.get("asked", [])} == {2}
    assert data["troubles"] == [2]
    written = json.dumps(data["steps"])
    assert "my own secret" in written
    assert "ada's secret" not in written
    assert "hidden" not in written
    assert data_of(page(replay, PUBLIC, only=True))["troubles"] == []
    assert data_of(page(replay))["troubles"] == replay.troubles


def test_where_all_seats_would_be_too_many_pictures_the_page_says_so(
    played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = Replay(played("stop"))
    assert data_of(page(replay))["perspectives"] == ["revealed", "public", "seat 0", "seat 1", "seat 2"]
    monkeypatch.setattr(pages, "MOST_PICTURES", 10)
    data = data_of(page(replay, REVEALED))
    assert (data["perspectives"], data["left_out"]) == (["revealed", "public"], True)
