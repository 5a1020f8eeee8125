"""How thin the SDKs are: the table in sdk/README.md says what is counted here.

`python -m tests.sdk.test_thin` prints the table as it should be.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

SDKS = Path(__file__).resolve().parents[2] / "sdk"
PARTS = {
    "what a bot meets: bot, decision, match, result, views, run": (
        "bot bots decision match result results views launch arena index lib version handle __init__ package-info "
        "unknownviewexception"
    ),
    "the stream: questions and answers of many matches, batching, reconnecting, practice": (
        "client client_impl stream seats seat answers conversation outbox addresses polling writing referee "
        "referee_bodies play channel connection practising thinking thinkers threads desk text"
    ),
    "flags and environment, and which flag was meant": "settings keywords flags spelling certificates",
    "sentences: what a status or a result means": "meaning errors error tally sentences console arenaexception",
    "`--record`, nonces": "recording nonces noncedrawing",
}
"""The files of each part, by the names that they have in one language or another: lower case, without their ending."""
SOURCES = {
    "Python": ("python/arena/*.py",),
    "TypeScript": ("typescript/src/*.ts",),
    "Go": ("go/*.go",),
    "Rust": ("rust/src/*.rs",),
    "Java": ("java/src/main/java/arena/*.java",),
    "C++": ("cpp/src/*.?pp", "cpp/include/arena/*.hpp"),
}


def sources(language: str) -> Iterator[Path]:
    for pattern in SOURCES[language]:
        yield from (file for file in sorted(SDKS.glob(pattern)) if not file.stem.endswith("_test"))


def lines_of(file: Path) -> int:
    """Lines that are neither blank nor comment."""
    text = file.read_text()
    return _python_lines(text) if file.suffix == ".py" else _lines(text)


def _python_lines(text: str) -> int:
    # Indents, ends of lines and comments are no code; a text that stands alone documents something.
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in silent:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            code.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(code)


def _lines(text: str) -> int:
    count, in_comment = 0, False
    for line in map(str.strip, text.splitlines()):
        if in_comment or line.startswith("/*"):
            in_comment = "*/" not in line
        else:
            count += bool(line) and not line.startswith("//")
    return count


def part_of(file: Path) -> str:
    found = [part for part, names in PARTS.items() if file.stem.lower() in names.split()]
    assert len(found) == 1, f"{file}: say in PARTS of which part it is"
    return found[0]


def table() -> str:
    counts = {language: dict.fromkeys(PARTS, 0) for language in SOURCES}
    for language, parts in counts.items():
        for file in sources(language):
            parts[part_of(file)] += lines_of(file)
    rows = [[part, *(f"{counts[language][part]:,}" for language in SOURCES)] for part in PARTS]
    rows.append(["all", *(f"{sum(parts.values()):,}" for parts in counts.values())])
    head, *body = (f"| {' | '.join(row)} |" for row in (["part", *SOURCES], *rows))
    return "\n".join([head, "|---|" + "--:|" * len(SOURCES), *body])


def test_the_table_of_lines_is_true() -> None:
    assert table() in (SDKS / "README.md").read_text(), f"put this table into sdk/README.md:\n{table()}"


if __name__ == "__main__":
    print(table())
