"""Markdown to HTML, as much of it as the rules of games use: headings, lists, tables, code, emphasis, links.

Everything else stays the text it is. Links lead nowhere but to pages of the web; other addresses become text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from referee.web.markup import Html, join, tag

_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|(?<![\w*])\*(?P<em>[^*\s](?:[^*]*[^*\s])?)\*(?![\w*])"
    r"|\[(?P<text>[^\]]+)\]\((?P<href>[^)\s]+)\)"
)
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*]|\d+[.)])\s+(.*)")
_FENCE = re.compile(r"\s*```")


def render(text: str, top: int = 1) -> Html:
    """The page of a text; its highest heading becomes `<h{top}>`."""
    return join(_blocks(text.splitlines(), top))


def inline(text: str) -> Html:
    """One line or paragraph."""
    pieces: list[str | Html] = []
    end = 0
    for found in _INLINE.finditer(text):
        pieces.append(text[end : found.start()])
        end = found.end()
        if found["code"] is not None:
            pieces.append(tag("code", found["code"]))
        elif found["strong"] is not None:
            pieces.append(tag("strong", inline(found["strong"])))
        elif found["em"] is not None:
            pieces.append(tag("em", inline(found["em"])))
        elif found["href"].startswith("https://"):
            pieces.append(tag("a", inline(found["text"]), href=found["href"], rel="noreferrer"))
        else:
            pieces.append(inline(found["text"]))
    pieces.append(text[end:])
    return join(*pieces)


def _blocks(lines: Sequence[str], top: int) -> list[Html]:
    blocks: list[Html] = []
    here = 0
    while here < len(lines):
        line = lines[here]
        if not line.strip():
            here += 1
        elif _FENCE.match(line):
            end = next((n for n in range(here + 1, len(lines)) if _FENCE.match(lines[n])), len(lines))
            blocks.append(_code(lines[here + 1 : end]))
            here = end + 1
        elif heading := _HEADING.match(line):
            level = min(6, len(heading[1]) + top - 1)
            blocks.append(tag(f"h{level}", inline(heading[2].strip()), id=_anchor(heading[2])))
            here += 1
        elif line.startswith("    "):
            end = _while(lines, here, lambda one: one.startswith("    ") or not one.strip())
            blocks.append(_code([one[4:] for one in lines[here:end]]))
            here = end
        elif line.lstrip().startswith("|"):
            end = _while(lines, here, lambda one: one.lstrip().startswith("|"))
            blocks.append(_table(lines[here:end]))
            here = end
        elif _ITEM.match(line):
            end = _while(lines, here, lambda one: bool(_ITEM.match(one)) or one.startswith("  ") or not one.strip())
            blocks.append(_list(lines[here:end], top))
            here = end
        elif line.startswith(">"):
            end = _while(lines, here, lambda one: one.startswith(">"))
            blocks.append(tag("blockquote", *_blocks([one[1:].strip() for one in lines[here:end]], top)))
            here = end
        else:
            end = _while(lines, here, lambda one: bool(one.strip()) and not _begins_block(one))
            blocks.append(tag("p", inline(" ".join(one.strip() for one in lines[here:end]))))
            here = end
    return blocks


def _begins_block(line: str) -> bool:
    return bool(_FENCE.match(line) or _HEADING.match(line) or _ITEM.match(line) or line.lstrip().startswith("|"))


def _while(lines: Sequence[str], here: int, fits: Callable[[str], bool]) -> int:
    end = here + 1
    while end < len(lines) and fits(lines[end]):
        end += 1
    return end


def _code(lines: Sequence[str]) -> Html:
    return tag("pre", tag("code", "\n".join(lines).strip("\n") + "\n"), tabindex=0)


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _cells(row: str) -> list[str]:
    cut = row.strip().strip("|")
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", cut)]


def _table(rows: Sequence[str]) -> Html:
    body = [_cells(row) for row in rows]
    head: list[str] = []
    if len(body) > 1 and all(re.fullmatch(r":?-+:?", cell) for cell in body[1]):
        head, body = body[0], body[2:]
    titles = tag("thead", tag("tr", *[tag("th", inline(cell), scope="col") for cell in head])) if any(head) else None
    lines = [tag("tr", *[tag("td", inline(cell)) for cell in row]) for row in body]
    return tag("div", tag("table", titles, tag("tbody", *lines)), class_="scroll", tabindex=0)


def _list(lines: Sequence[str], top: int) -> Html:
    first = _ITEM.match(lines[0])
    assert first is not None
    indent = len(first[1])
    items: list[list[str]] = []
    for line in lines:
        item = _ITEM.match(line)
        if item is not None and len(item[1]) == indent:
            items.append([item[3]])
        else:
            items[-1].append(line[indent + 2 :] if line.strip() else "")
    return tag("ol" if first[2][0].isdigit() else "ul", *[_item(item, top) for item in items])


def _item(lines: Sequence[str], top: int) -> Html:
    text = _while(lines, 0, lambda one: bool(one.strip()) and not _begins_block(one))
    return tag("li", inline(" ".join(one.strip() for one in lines[:text])), *_blocks(lines[text:], top))
