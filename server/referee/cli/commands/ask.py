"""`referee ask`: what would this bot have answered in that match?"""

from __future__ import annotations

import asyncio
import logging
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server, free_time, seconds
from referee.cli.building import BuildNetwork, build_bots
from referee.cli.errors import DID_NOT_HOLD, DONE, ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure, wrong_use
from referee.cli.local_venue import UseSandbox, wants_sandbox
from referee.cli.match_source import MatchName, MatchSource, find_match
from referee.cli.output import print_json, stderr_console, stdout_console
from referee.cli.terminal import board_width, wants_ascii
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.analysis.ask import Reply
    from referee.analysis.replay import RecordedMatch
    from referee.hosting.bot.spec import BotSpec
    from referee.match.clock import TimeControl
    from referee.workers.questioning import BotAnswers, Inquiry

INDENT = "  "
"""Before every line of a board."""
STDERR = 2
"""Where the output of a bot at the terminal goes if stdout is for the result."""


def ask(
    match: MatchName,
    bot: Annotated[
        list[str],
        typer.Argument(
            metavar="-- BOT",
            help="A bot, named as in 'run', or a command with its arguments.",
            show_default=False,
        ),
    ],
    seat: Annotated[int, typer.Option("--seat", "-s", min=0, help="Whose questions, counted from 0.")],
    at: Annotated[
        int | None,
        typer.Option(
            "--at",
            min=0,
            metavar="DECISION",
            help="Ask this one question only, without sandbox and time limits, and give the bot the terminal: "
            "for a debugger.",
        ),
    ] = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    limit: Annotated[
        str | None,
        typer.Option("--time", metavar="DURATION", help="The time per decision that the bot is told; no clock runs."),
    ] = None,
    bank: Annotated[
        str | None, typer.Option(metavar="DURATION", help="The time per match beyond it that the bot is told of.")
    ] = None,
    boards: Annotated[bool, typer.Option("--boards", help="Draw the board wherever the answers differ.")] = False,
    sandbox: UseSandbox = True,
    build_network: BuildNetwork = False,
    json: AsJson = False,
) -> int:
    """Put to a bot the very questions that a seat got in a match, and show where it would answer otherwise.

    The recorded moves are played whatever the bot answers, so that every question is the one the seat got. Where
    answers differ, all questions are put a second time, to see whether the bot answers alike each time.

    Example: referee ask league/12 --seat 0 --at 17 -- python -m pdb mybot.py
    """
    from referee.analysis.ask import questions_of
    from referee.hosting.bot.spec import parse

    source = find_match(match, db, server, admin_token, ca)
    recorded = source.read()
    asked = questions_of(recorded, seat)
    if not asked:
        wrong_use(f"seat {seat} was never asked in {source.name}")
    if at is not None and at not in asked:
        wrong_use(f"seat {seat} was not asked at decision {at}: {_nearest(asked, at)}")
    spec = parse(bot[0] if len(bot) == 1 else shlex.join(bot), Path.cwd())
    if not spec.plays(recorded.game.name):
        wrong_use(f"{spec.name} does not play {recorded.game.name}, only {', '.join(spec.games)}")
    shut_in = at is None and wants_sandbox([spec], sandbox)
    run = _Asking(source, recorded, seat, spec, _control(source, limit, bank), at, len(asked), boards=boards, json=json)
    return asyncio.run(run.run(shut_in, build_network))


def _nearest(asked: list[int], at: int) -> str:
    before = [str(number) for number in asked if number < at][-1:]
    after = [str(number) for number in asked if number > at][:1]
    return f"its questions nearby: {' and '.join(before + after)}"


def _control(source: MatchSource, limit: str | None, bank: str | None) -> TimeControl:
    """What the bot is told of its time: what was given, else what the tournament has, else what is usual."""
    from referee.match.clock import TimeControl

    settings: dict[str, Any] = {}
    if source.row is not None and source.backend is not None and (limit is None or bank is None):
        rows = source.backend.tournaments()
        settings = next((row["settings"] for row in rows if row["name"] == source.row["tournament"]), {})
    usual = TimeControl()
    return TimeControl(
        settings.get("limit", usual.limit) if limit is None else free_time(limit),
        settings.get("bank", usual.bank) if bank is None else seconds(bank),
    )


class _Asking:
    """One run of the command: the bot is asked, once or twice, and the answers are told."""

    def __init__(
        self,
        source: MatchSource,
        recorded: RecordedMatch,
        seat: int,
        spec: BotSpec,
        control: TimeControl,
        at: int | None,
        questions: int,
        *,
        boards: bool,
        json: bool,
    ) -> None:
        self._source = source
        self._recorded = recorded
        self._seat = seat
        self._spec = spec
        self._control = control
        self._at = at
        self._questions = 1 if at is not None else questions
        self._boards = boards
        self._json = json
        self._heard: list[Reply] = []
        self._again: list[Reply] | None = None

    async def run(self, shut_in: bool, build_network: bool) -> int:
        from referee.hosting.admission.starting import Overloaded
        from referee.hosting.sandbox.bubblewrap import SandboxFailed
        from referee.logs import log_to_stderr
        from referee.workers.questioning import CannotAsk, NotTold

        log_to_stderr(logging.CRITICAL)
        await build_bots([self._spec], shut_in=shut_in, network=build_network)
        if not self._json:
            self._print_head()
        asking = asyncio.get_running_loop().create_task(self._ask(shut_in))
        self._listen_for_signals(asking)
        try:
            trouble = await asking
        except asyncio.CancelledError:
            self._report("")
            stderr_console().print("stopped before all was asked", markup=False)
            return INTERRUPTED
        except CannotAsk as error:
            sentence, _, lines = str(error).partition("\n")
            if lines:
                stderr_console().print(lines, markup=False)
            raise Failure(sentence.rstrip(":"), DID_NOT_HOLD) from None
        except SandboxFailed as error:
            raise Failure(str(error), ENVIRONMENT) from None
        except Overloaded as error:
            raise Failure(f"the machine is too busy to ask a bot now: {error}", ENVIRONMENT) from None
        except NotTold as error:
            raise error.why from None
        except OSError as error:
            raise Failure(f"{self._spec.argv[0]} cannot be started: {error.strerror}", WRONG_USE) from None
        self._report(trouble)
        return DID_NOT_HOLD if trouble else DONE

    def _listen_for_signals(self, asking: asyncio.Task[str]) -> None:
        """Ctrl-C at a terminal is the debugger's, who shares it; we end when the bot does."""
        loop = asyncio.get_running_loop()
        mine = self._at is None or not sys.stdin.isatty()
        loop.add_signal_handler(signal.SIGINT, asking.cancel if mine else lambda: None)
        loop.add_signal_handler(signal.SIGTERM, asking.cancel)

    async def _ask(self, shut_in: bool) -> str:
        """Ask everything, and once more if answers differ; why the bot stopped, if it did."""
        from referee.cli.progress_line import ProgressLine
        from referee.workers.questioning import Inquiry, ask_at_terminal

        if self._at is not None:
            inquiry = Inquiry(self._recorded, self._seat, self._control, self._at, self._heard.append)
            ours = not self._json and sys.stdout.isatty()
            answers = await ask_at_terminal(self._spec, inquiry, None if ours else STDERR)
            return answers.trouble
        async with ProgressLine() as line:

            def told(reply: Reply) -> None:
                self._heard.append(reply)
                line.tell(f"{len(self._heard)} of {plural(self._questions, 'question')} answered")
                if not reply.same and not self._json:
                    line.aside(lambda: self._print_reply(reply))

            line.tell("starting the bot")
            answers = await self._hosted(Inquiry(self._recorded, self._seat, self._control, told=told), shut_in)
            if answers.trouble:
                if answers.last_lines:
                    line.aside(lambda: stderr_console().print(answers.last_lines, markup=False))
                return answers.trouble
            if any(not reply.same for reply in self._heard):
                line.tell("asking once more, to see whether it answers alike")
                again = await self._hosted(Inquiry(self._recorded, self._seat, self._control), shut_in)
                self._again = again.replies
        return ""

    async def _hosted(self, inquiry: Inquiry, shut_in: bool) -> BotAnswers:
        from referee.hosting.sandbox.bubblewrap import Sandbox
        from referee.hosting.sandbox.launch import NoSandbox
        from referee.workers.questioning import ask_hosted

        return await ask_hosted(self._spec, Sandbox() if shut_in else NoSandbox(), inquiry)

    # What is told.

    def _print_head(self) -> None:
        name, game = self._recorded.names[self._seat], self._recorded.game.title
        what = f"decision {self._at}" if self._at is not None else plural(self._questions, "question")
        self._say(f"{self._source.name}, {game}: {what} of seat {self._seat} ({name}), put to {self._spec.name}")
        if self._at is not None:
            self._print_board(self._at)

    def _print_board(self, decision: int) -> None:
        from referee.analysis.replay import Replay
        from referee.analysis.replay.text import MOST_MOVES

        console = stdout_console()
        step = Replay(self._recorded)[decision]
        view, names = step.view(self._seat), self._recorded.names
        width = board_width(console.width, INDENT)
        for line in self._recorded.game.drawing(view, width, names=names, ascii=wants_ascii()):
            self._say(f"{INDENT}{line}")
        asked = next(one for one in step.asked if one.seat == self._seat)
        if asked.legal:
            shown = asked.legal[:MOST_MOVES]
            more = f" and {asked.legal_total - len(shown)} more" if asked.legal_total > len(shown) else ""
            self._say(f"{INDENT}legal: {', '.join(shown)}{more}")

    def _print_reply(self, reply: Reply) -> None:
        if self._boards:
            self._print_board(reply.decision)
        self._say(self._told(reply))

    def _told(self, reply: Reply) -> str:
        played = "no answer" if reply.played is None else reply.played
        wrong = f" (illegal: {reply.illegal})" if reply.illegal else ""
        if reply.same:
            return f"decision {reply.decision}: {played}, as it was played{wrong}"
        return f"decision {reply.decision}: played {played}; {self._spec.name} answers {reply.answer}{wrong}"

    def _report(self, trouble: str) -> None:
        from referee.analysis.ask import Findings

        complete = not trouble and self._at is None and len(self._heard) == self._questions
        findings = Findings.of(self._heard, self._again, complete)
        sentence = self._sentence(findings, trouble)
        if not self._json:
            if self._at is not None:
                for reply in self._heard:
                    self._say(self._told(reply))
            if sentence:
                stdout_console().print(sentence, style="bold", markup=False, soft_wrap=True)
            return
        print_json(
            {
                "match": self._recorded.match or self._source.name,
                "game": self._recorded.game.name,
                "seat": self._seat,
                "name": self._recorded.names[self._seat],
                "bot": self._spec.name,
                "questions": self._questions,
                "asked": findings.asked,
                "otherwise": findings.otherwise,
                "deterministic": findings.deterministic,
                "same_bot": findings.same_bot,
                "sentence": sentence,
                "trouble": trouble,
                "answers": [self._value(number, reply) for number, reply in enumerate(self._heard)],
            }
        )

    def _value(self, number: int, reply: Reply) -> dict[str, Any]:
        again = None if self._again is None or number >= len(self._again) else self._again[number].answer
        return {
            "decision": reply.decision,
            "legal": list(reply.legal),
            "played": reply.played,
            "answer": reply.answer,
            "same": reply.same,
            "illegal": reply.illegal,
            "again": again,
            "seconds": round(reply.seconds, 3),
        }

    def _sentence(self, findings: Any, trouble: str) -> str:
        bot, many = self._spec.name, f"{plural(findings.asked, 'question')}"
        if trouble:
            return f"{bot} stopped after {many} of {self._questions}: {trouble}"
        if self._at is not None:
            return ""
        if findings.asked < self._questions:
            return f"{bot} answered {many} of {self._questions}, {findings.otherwise} of them otherwise"
        if findings.otherwise == 0:
            return f"{bot} answers all {many} as seat {self._seat} did: as far as they tell, it is the bot that played"
        says = f"{bot} answers {findings.otherwise} of {many} otherwise than seat {self._seat} did"
        if findings.deterministic:
            return f"{says}, and alike when asked again: it is not the bot that played"
        if findings.deterministic is None:
            return f"{says}; it could not be asked again to see whether it answers alike"
        return f"{says}: asked again it answers otherwise itself, so whether it is the bot that played cannot be told"

    @staticmethod
    def _say(text: str) -> None:
        stdout_console().print(text, markup=False, soft_wrap=True)
