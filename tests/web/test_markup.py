"""A text is never markup, and a name survives its address."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from referee.web import links
from referee.web.markup import join, name_of, tag

from .conftest import HOSTILE


def test_texts_are_escaped_wherever_they_stand() -> None:
    made = tag("a", HOSTILE, name_of(HOSTILE), [HOSTILE, None, 3], href=HOSTILE, title='"')
    assert "<img" not in made
    assert made.count("&lt;img") == 4
    assert 'title="&quot;"' in made


@given(st.text())
def test_no_text_brings_an_element_along(text: str) -> None:
    made = join(text)
    assert "<" not in made
    assert ">" not in made
    quoted = tag("i", title=text)
    assert quoted.count('"') == 2


def test_attributes_are_left_out_or_stand_alone() -> None:
    assert tag("input", hidden=True, value=None, disabled=False, aria_label="x") == '<input hidden aria-label="x">'


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40))
def test_every_name_has_an_address_that_leads_back_to_it(name: str) -> None:
    parts = urlsplit(links.bot(name))
    asked = parse_qs(parts.query).get("name")
    found = asked[0] if asked else unquote(parts.path.removeprefix("/bots/"))
    assert found == name
    assert not any(part in (".", "..") for part in parts.path.split("/"))
