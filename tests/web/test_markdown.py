"""Rules as pages: what Markdown the games use, and no HTML but our own."""

from __future__ import annotations

import re

import pytest

from referee.rules import registry
from referee.web.markdown import render

from .conftest import HOSTILE


def test_headings_lists_tables_and_code() -> None:
    text = "# Title\n\nA *word* and **more** `code`.\n\n- one\n  goes on\n- two\n  1. deep\n"
    made = render(text + "\n| a | b |\n|---|---|\n| 1 | 2 |")
    assert '<h1 id="title">Title</h1>' in made
    assert "<em>word</em>" in made
    assert "<strong>more</strong>" in made
    assert "<ul><li>one goes on</li><li>two<ol><li>deep</li></ol></li></ul>" in made
    assert '<th scope="col">a</th>' in made
    assert "<td>1</td>" in made


def test_fenced_and_indented_code_stays_as_it_is() -> None:
    made = render("```sh\na *b*\n```\n\n    c <d>\n")
    assert '<pre tabindex="0"><code>a *b*\n</code></pre>' in made
    assert "c &lt;d&gt;" in made


def test_html_and_foreign_addresses_are_texts() -> None:
    made = render(f"{HOSTILE}\n\n[x](javascript:alert(1)) [y](https://example.org/)")
    assert "<img" not in made
    assert 'href="javascript' not in made
    assert 'href="https://example.org/"' in made


@pytest.mark.parametrize("name", registry.names())
def test_the_rules_of_every_game_become_a_page_without_leftovers(name: str) -> None:
    made = render(registry.find(name).rules())
    prose = re.sub(r"<pre.*?</pre>|<code>.*?</code>", "", made, flags=re.S)
    assert "**" not in prose
    assert "\n#" not in prose
    assert "|--" not in prose
