"""What the referee says besides questions: welcome, start and end of matches, refused moves, notices, closing time.

Knows what outlives a stream: the session, the wish for practice, how the matches ended, whether the bot is leaving.
"""

from __future__ import annotations

import traceback
from collections import deque

from arena import bots, results
from arena.addresses import Addresses
from arena.answers import Answers, Say
from arena.errors import Refused
from arena.nonces import Nonces
from arena.outbox import Outbox
from arena.recording import Recording
from arena.results import Result, Tally
from arena.settings import Practice, Settings
from arena.v1 import match_pb2 as pb

PROTOCOL_VERSION = 1


class Conversation:
    """One method for each kind of message of the referee, named like the message."""

    def __init__(
        self,
        settings: Settings,
        addresses: Addresses,
        outbox: Outbox,
        answers: Answers,
        say: Say,
        warn: Say,
        recording: Recording | None = None,
    ) -> None:
        self.session = ""
        """The latest session, which a new stream resumes."""
        self.welcomes = 0
        self.leaving = False
        self.results: deque[pb.MatchEnd] = deque(maxlen=1000)
        """How the matches ended, oldest first (the last thousand)."""
        self._settings = settings
        self._addresses = addresses
        self._outbox = outbox
        self._answers = answers
        self._say = say
        self._warn = warn
        self._recording = recording
        self._practised = 0
        """Practice matches that have ended, or were lost with a connection."""
        self._tally = Tally()
        self._nonces = Nonces()

    def leave(self) -> None:
        """Take no new matches and stop when the running ones have ended."""
        if not self.leaving:
            self.leaving = True
            if self._outbox.call is not None:
                self._outbox.put(leave=pb.Leave())
                self._outbox.flush_now()

    def sum_up(self) -> None:
        """Tell the author how it went, if there is nothing more to come."""
        if self._tally.matches and (self.leaving or self._settings.practice):
            self._say(self._tally.sentence(self._answers.errors))

    def welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol_version != PROTOCOL_VERSION:
            raise Refused(
                f"{welcome.server} speaks protocol {welcome.protocol_version}, this SDK {PROTOCOL_VERSION}: "
                "update the older of the two"
            )
        self.welcomes += 1
        fresh = not self.session
        self.session = welcome.session
        if welcome.addresses:
            self._addresses.learn(welcome.addresses)
        if self._recording and welcome.heads:
            self._recording.welcome(welcome)
        seats = self._answers.seats
        for match in [match for match in seats if match not in welcome.resumed]:
            self._warn(f"match {match} is no longer this bot's: it went on without it, or is played again later")
            self._practised += not seats.pop(match).player.match.tournament
        self._say(f"connected to {welcome.server} at {self._addresses.current} as {welcome.name}")
        if self.leaving:
            self._outbox.put(leave=pb.Leave())
        elif self._settings.practice:
            self._go_on_practising(self._settings.practice, welcome, fresh)
        elif fresh:
            self._say("waiting for matches (Ctrl-C to leave)")

    def _go_on_practising(self, practice: Practice, welcome: pb.Welcome, fresh: bool) -> None:
        """Ask for the matches that are missing, unless the server still knows that they are to come."""
        if welcome.practice_left and not fresh:
            return
        known = [self._answers.seats.get(match) for match in welcome.resumed]
        running = sum(seat is None or not seat.player.match.tournament for seat in known)
        missing = practice.matches - self._practised - running
        if missing > 0:
            self._outbox.put(practice=_wish(practice, missing))
        elif not running:
            self.leave()

    def match_start(self, start: pb.MatchStart) -> None:
        self._answers.start(start)
        if self._recording:
            self._recording.note("start", start)

    def rejected(self, rejected: pb.Rejected) -> None:
        if self._recording:
            self._recording.note("rejected", rejected)
        seat = self._answers.seats.get(rejected.match_id)
        decision = seat.decision if seat is not None else None
        if decision is not None and decision.number != rejected.decision:
            decision = None
        legal = ""
        if decision is not None and decision.legal:
            shown = " | ".join(decision.legal[:12]) + (" | …" if len(decision.legal) > 12 else "")
            legal = f" Legal {'were' if decision.complete else 'would have been, among others'}: {shown}."
        left = f" Strikes left: {rejected.strikes_left}." if rejected.HasField("strikes_left") else ""
        self._warn(
            f"match {rejected.match_id}, decision {rejected.decision}: {rejected.move_text!r} was refused: "
            f"{rejected.message}.{legal}{left}"
        )
        if rejected.open and seat is not None:
            self._answers.decide_again(seat, decision, rejected)

    def match_end(self, end: pb.MatchEnd) -> None:
        if self._recording:
            self._recording.note("end", end)
        self.results.append(end)
        seat = self._answers.seats.pop(end.match_id, None)
        if seat is not None:
            self._tally.add(end.result.ranks[seat.player.match.seat])
            self._tell_end(seat.player, end)
        practice = self._settings.practice
        if practice and (seat is None or not seat.player.match.tournament):
            self._practised += 1
            if self._practised >= practice.matches:
                self.leave()

    def _tell_end(self, player: bots.Player, end: pb.MatchEnd) -> None:
        match = player.match
        place = match.seat
        result = end.result
        how = results.word(result.terminations[place])
        why = result.texts[place]
        text = f" ({why if why.startswith(how) else f'{how}: {why}'})" if why else ""
        others = ", ".join(name for seat, name in enumerate(match.names) if seat != place)
        self._say(
            f"{match.game} {match.id}: rank {result.ranks[place]} of {len(result.ranks)}, score {result.scores[place]}"
            f"{f' against {others}' if others else ''}{text}"
        )
        if player.end is not None:
            try:
                player.end(Result.from_end(match, end))
            except Exception:  # noqa: BLE001 - the author's code may raise anything
                self._warn(f"{traceback.format_exc()}the bot's end() failed after match {end.match_id}")

    def notice(self, notice: pb.Notice) -> None:
        if self._recording:
            self._recording.note("notice", notice)
        if notice.code == pb.NOTICE_CODE_REFUSED:
            practice = self._settings.practice
            hint = " (name the others with --against BOT,BOT)" if practice and not practice.against else ""
            raise Refused(f"{notice.text}{hint}")
        self._say(notice.text)

    def nonces(self, call: pb.Nonces) -> None:
        if self._recording:
            self._recording.note("nonces", call)
        if (answer := self._nonces.answer(call)) is not None:
            self._outbox.put(nonce=answer)
        elif self._nonces.broken(call):
            name = call.tournament
            self._warn(f"tournament {name} is played with other nonces than were agreed on: ask the host why")

    def drain(self, drain: pb.Drain) -> None:
        self._say(drain.text)


def _wish(practice: Practice, matches: int) -> pb.Practice:
    return pb.Practice(
        game=practice.game, against=practice.against, matches=matches, options_json=practice.options_json
    )
