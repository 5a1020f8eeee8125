"""`--record FILE`: what a bot saw and answered, a JSON object per line."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from google.protobuf import json_format
from google.protobuf.message import Message

from arena.decision import Decision
from arena.errors import ArenaError
from arena.views import UnknownView


class Recording:
    """Writes as it happens, so that a crash loses nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: IO[str] = path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            raise ArenaError(f"cannot record to {path}: {error.strerror}") from None

    def decided(self, decision: Decision, move: str, seconds: float) -> None:
        try:
            view: Any = decision.view
        except UnknownView:
            view = decision.view_bytes.hex()
        if isinstance(view, Message):
            view = _plain(view)
        self._write(
            "decide",
            match=decision.match,
            game=decision.game,
            decision=decision.number,
            seat=decision.seat,
            legal=list(decision.legal),
            view=view,
            move=move,
            ms=round(seconds * 1000, 3),
        )

    def welcome(self, message: Any) -> None:
        """What the referee says first, without the secret that lets the bot resume."""
        kept = _plain(message)
        del kept["session"]
        self._write("welcome", **kept)

    def note(self, kind: str, message: Any) -> None:
        """Any other message of the referee."""
        self._write(kind, **_plain(message))

    def close(self) -> None:
        with suppress(OSError):  # what could not be written has been told
            self._file.close()

    def _write(self, kind: str, /, **fields: Any) -> None:
        try:
            self._file.write(json.dumps({"time": round(time.time(), 3), "type": kind, **fields}) + "\n")
        except OSError as error:
            raise ArenaError(f"cannot record to {self._path}: {error.strerror}") from None


def _plain(message: Message) -> dict[str, Any]:
    """A message in protobuf's JSON, with the names of the .proto and zero fields written out."""
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
