"""Every command that talks to a server can be told how to trust it, and where its token is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from referee.cli.connection import PUBLIC
from referee.cli.errors import Failure
from referee.cli.main import build
from referee.cli.server_options import with_server_options


def commands(app: typer.Typer, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for one in app.registered_commands:
        assert one.callback is not None
        yield f"{prefix}{one.name or one.callback.__name__}", one.callback
    for group in app.registered_groups:
        assert group.typer_instance is not None
        callback = group.typer_instance.registered_callback
        if callback is not None and callback.callback is not None:
            yield f"{prefix}{group.name}", callback.callback
        yield from commands(group.typer_instance, f"{group.name} ")


def test_every_command_that_talks_to_a_server_takes_both_ways_to_trust_it_and_files_with_tokens() -> None:
    asking = {name: set(inspect.signature(one).parameters) for name, one in commands(build())}
    asking = {name: found for name, found in asking.items() if "server" in found}
    assert len(asking) > 30
    for name, found in asking.items():
        assert {"ca", "tls"} <= found, name
        if "admin_token" in found:
            assert "admin_token_file" in found, name
        if "token" in found:
            assert "token_file" in found, name


def ask(server: str = "", token: str | None = None, admin_token: str | None = None, ca: str | None = None) -> Any:
    return server, token, admin_token, ca


def test_what_the_added_options_say_reaches_the_command(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("export REFEREE_ADMIN_TOKEN='abc'\n")
    command = with_server_options(ask)
    assert command(server="x", tls=True, admin_token_file=file) == ("x", None, "abc", PUBLIC)
    assert command(server="x", ca="cert.pem", tls=False, token="t") == ("x", "t", None, "cert.pem")
    assert with_server_options(command) is command
    with pytest.raises(Failure, match="give --tls or --ca, not both"):
        command(tls=True, ca="cert.pem")


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "holds no token"), (b"a\nb\n", "holds no token"), (b"\xff", "text")]
)
def test_a_file_without_a_token_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(Failure, match=said):
        with_server_options(ask)(token_file=file)
