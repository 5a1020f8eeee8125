"""Mistakes that somebody could make, each as a patch: the simulation has to notice every one of them."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from referee.chain_head import ChainHead
from referee.games.stop_me_go.state import StopMeGoState
from referee.hall.hall_venue import HallVenue
from referee.match import match as match_module
from referee.match.allowance import Allowance
from referee.match.chair import Chair
from referee.match.clock import Lag
from referee.match.match import Match
from referee.net.outbox import Outbox
from referee.net.session import Session
from referee.store import journal
from referee.store.matches import Matches
from referee.tournament.running import runner as runner_module
from referee.tournament.running.played import Played
from referee.tournament.running.runner import Runner
from referee.tournament.running.schedule_window import ScheduleWindow
from referee.tournament.seeds import match_seed

from .two_cards import TwoCardsState

Mutant = Callable[[ExitStack], None]
MUTANTS: dict[str, Mutant] = {}


def mutant(make: Mutant) -> Mutant:
    MUTANTS[make.__name__] = make
    return make


def _set(stack: ExitStack, where: Any, name: str, value: Any) -> None:
    stack.enter_context(patch.object(where, name, value, create=where is match_module))


@mutant
def announce_before_store(stack: ExitStack) -> None:
    real = Runner._played

    def played(self: Runner, match: Any, attempt: int, fixture: Any, played: Played | None) -> None:
        if played is not None:
            played.announce()
            played = replace(played, announce=lambda: None)
        real(self, match, attempt, fixture, played)

    _set(stack, Runner, "_played", played)


@mutant
def announce_twice(stack: ExitStack) -> None:
    real = Match.announce

    def announce(self: Match) -> None:
        real(self)
        real(self)

    _set(stack, Match, "announce", announce)


@mutant
def forget_to_announce(stack: ExitStack) -> None:
    _set(stack, Match, "announce", lambda self: None)


@mutant
def forget_a_put_back(stack: ExitStack) -> None:
    _set(stack, Matches, "put_back", lambda self, matches, void=True: 0)


@mutant
def forget_what_was_interrupted(stack: ExitStack) -> None:
    _set(stack, Matches, "interrupted", lambda self, tournament: [])


@mutant
def deal_the_same_again(stack: ExitStack) -> None:
    _set(stack, HallVenue, "same_deal", lambda self, bots, interrupted: True)


@mutant
def seed_of_the_first_attempt(stack: ExitStack) -> None:
    _set(
        stack,
        runner_module,
        "match_seed",
        lambda root, name, number, attempt, nonces=None: match_seed(root, name, number, 1, nonces),
    )


@mutant
def charge_lag(stack: ExitStack) -> None:
    _set(stack, Lag, "between", lambda self, since, until: 0.0)


@mutant
def lose_a_resume(stack: ExitStack) -> None:
    _set(stack, Match, "back", lambda self, seat, now, waited=0.0: None)


@mutant
def repeat_no_question(stack: ExitStack) -> None:
    real = Match.back

    def back(self: Match, seat: int, now: float, waited: float = 0.0) -> None:
        player = self._chairs[seat].player
        with patch.object(player, "ask", lambda question: None):
            real(self, seat, now, waited)

    _set(stack, Match, "back", back)


@mutant
def clock_runs_twice_as_fast(stack: ExitStack) -> None:
    real = Chair.thought

    def thought(self: Chair, now: float) -> tuple[float, float]:
        used, lag = real(self, now)
        return 6 * used, lag

    _set(stack, Chair, "thought", thought)


@mutant
def no_clock_is_looked_at(stack: ExitStack) -> None:
    _set(stack, Match, "tick", lambda self, now: None)


@mutant
def overdraw_the_bank(stack: ExitStack) -> None:
    _set(stack, match_module, "max", lambda one, other: other if one == 0.0 else builtins.max(one, other))
    real = Chair.thought

    def thought(self: Chair, now: float) -> tuple[float, float]:
        used, lag = real(self, now)
        return (used + 3.5 if 0.0 < used < 0.04 and self.bank > 0 else used), lag

    _set(stack, Chair, "thought", thought)
    _set(stack, Match, "forfeit", lambda self, seat, termination, text: None)


@mutant
def show_what_is_hidden(stack: ExitStack) -> None:
    for kind in (StopMeGoState, TwoCardsState):
        real = kind.view_bytes
        _set(stack, kind, "view_bytes", lambda self, seat, real=real: real(self, seat) + repr(self.hidden()).encode())


@mutant
def ranks_the_wrong_way_round(stack: ExitStack) -> None:
    real = Played.of

    def of(match: Match, ending: Any) -> Played:
        return real(match, replace(ending, ranks=tuple(reversed(ending.ranks))))

    _set(stack, Played, "of", of)


@mutant
def journal_without_results(stack: ExitStack) -> None:
    real = journal.append

    def append(connection: Any, chain: int, entries: Any) -> None:
        real(connection, chain, [told for told in entries if told["kind"] != "result"])

    _set(stack, journal, "append", append)


@mutant
def everything_is_a_flood(stack: ExitStack) -> None:
    _set(stack, Allowance, "spend", lambda self, amount, now: False)


@mutant
def blame_the_other_seat(stack: ExitStack) -> None:
    real = Match.forfeit
    _set(
        stack,
        Match,
        "forfeit",
        lambda self, seat, termination, text: real(self, (seat + 1) % len(self._chairs), termination, text),
    )


@mutant
def no_patience_with_who_is_away(stack: ExitStack) -> None:
    real = Match.away

    def away(self: Match, seat: int, now: float) -> None:
        self._chairs[seat].grace = 0.0
        real(self, seat, now)

    _set(stack, Match, "away", away)


@mutant
def set_aside_at_once(stack: ExitStack) -> None:
    real = ScheduleWindow.__init__
    _set(stack, ScheduleWindow, "__init__", lambda self, absence: real(self, 0.0))


@mutant
def charge_a_stall_as_absence(stack: ExitStack) -> None:
    _set(stack, ScheduleWindow, "stood_still", lambda self, seconds: None)


@mutant
def lose_a_question_now_and_then(stack: ExitStack) -> None:
    real, count = Outbox.ask, iter(range(10**9))

    def ask(self: Outbox, question: Any) -> None:
        if next(count) % 40 != 39:
            real(self, question)
        else:
            question.left(0.0)

    _set(stack, Outbox, "ask", ask)


@mutant
def lose_an_answer_now_and_then(stack: ExitStack) -> None:
    real, count = Session.answer, iter(range(10**9))

    def answer(self: Session, match: Match, seat: int, number: int, move: str, now: float) -> bool:
        return next(count) % 40 == 39 or real(self, match, seat, number, move, now)

    _set(stack, Session, "answer", answer)


@mutant
def finish_before_the_end(stack: ExitStack) -> None:
    _set(stack, ScheduleWindow, "empty", property(lambda self: True))
    _set(stack, Runner, "_finish", lambda self: True)


@mutant
def ignore_store_errors(stack: ExitStack) -> None:
    real = Matches.report_later

    def report_later(self: Matches, result: Any) -> Any:
        kept: Future[Any] = Future()

        def ignored(done: Future[Any]) -> None:
            # As a writer does that goes on after an error as if all had been written.
            kept.set_result(ChainHead(0, "") if done.exception() is not None else done.result())

        real(self, result).add_done_callback(ignored)
        return kept

    _set(stack, Matches, "report_later", report_later)


@mutant
def forget_what_was_lost(stack: ExitStack) -> None:
    real = Runner._played

    def played(self: Runner, match: Any, attempt: int, fixture: Any, played: Played | None) -> None:
        if played is None:
            self._running.pop(fixture.id, None)
        else:
            real(self, match, attempt, fixture, played)

    _set(stack, Runner, "_played", played)


@mutant
def tell_the_head_of_before(stack: ExitStack) -> None:
    real = Match.stored
    _set(stack, Match, "stored", lambda self, head: real(self, ChainHead(head.entries - 1, head.hash)))
