"""Message builders: the bodies of `PlayResponse` (protobuf) from the values of a match. Pure functions, no state."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from arena import results
from arena.v1 import match_pb2 as pb
from arena.v1.result_pb2 import ChainHead as ChainHeadMessage
from arena.v1.result_pb2 import MatchResult
from referee import __version__
from referee.chain_head import ChainHead
from referee.hall.nonce_call import NonceCall, NonceStep
from referee.hall.notices import NoticeCode
from referee.match.match import Match
from referee.match.player import Question, Rejected, RejectionKind
from referee.match.result import Ending
from referee.rules.game import Seat

if TYPE_CHECKING:  # a worker loads this module, and never the database
    from referee.store import DrawnNonce

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 1 << 20
"""What a bot may send in one message."""

KINDS = {kind: getattr(pb, f"REJECTION_KIND_{kind.name}") for kind in RejectionKind}
NOTICES = {code: getattr(pb, f"NOTICE_CODE_{code.name}") for code in NoticeCode}
STEPS = {step: getattr(pb, f"NONCE_STEP_{step.name}") for step in NonceStep}


NO_HEADS: Mapping[str, ChainHead] = {}


def welcome(
    name: str,
    secret: str,
    resumed: Iterable[str],
    grace: float,
    practice_left: int = 0,
    addresses: Iterable[str] = (),
    heads: Mapping[str, ChainHead] = NO_HEADS,
) -> pb.RefereeBody:
    """The greeting: `secret` is what the bot shows when it comes back, `resumed` are the matches that wait for it.

    `practice_left` matches of its wish for practice are still to come; `addresses` are further ones of this server;
    `heads` are those of the hash chains of its tournaments.
    """
    return pb.RefereeBody(
        welcome=pb.Welcome(
            name=name,
            protocol_version=PROTOCOL_VERSION,
            server=f"referee {__version__}",
            session=secret,
            resumed=list(resumed),
            grace_ms=round(grace * 1000),
            max_message_bytes=MAX_MESSAGE_BYTES,
            practice_left=practice_left,
            addresses=addresses,
            heads=[chain_head(tournament, head) for tournament, head in heads.items()],
        )
    )


def match_start(match: Match, seat: Seat) -> pb.RefereeBody:
    control = match.control
    return pb.RefereeBody(
        match_start=pb.MatchStart(
            match_id=match.id,
            game=match.game.name,
            game_version=match.game.version,
            options_json=json.dumps(match.options),
            seat=seat,
            names=match.names,
            time_control=pb.TimeControl(
                limit_ms=round(control.limit * 1000),
                bank_ms=round(control.bank * 1000),
                strikes=control.strikes,
                total_ms=round(control.total * 1000),
            ),
            seed_commitment=hashlib.sha256(match.seed).hexdigest(),
            view_type=match.view_type,
            view_descriptor=match.view_descriptor,
            tournament=match.tournament,
            nonces_digest=match.nonces.hex(),
            attempt=match.attempt,
        )
    )


def write_decide(decide: pb.Decide, question: Question) -> None:
    """Fill in a question; in place, for this is done more often than anything else."""
    decide.match_id = question.match.id
    decide.decision = question.number
    decide.view = question.view
    if question.legal:
        decide.legal.extend(question.legal)
    if question.complete:
        decide.complete = True
    decide.budget_ms = int(1000 * question.budget + 0.5)
    if question.bank > 0:
        decide.bank_ms = int(1000 * question.bank + 0.5)
    if question.again:
        decide.again = True
    if question.seat:
        decide.seat = question.seat


def rejected(match: str, refused: Rejected) -> pb.RefereeBody:
    body = pb.RefereeBody(
        rejected=pb.Rejected(
            match_id=match,
            decision=refused.number,
            kind=KINDS[refused.kind],
            code=refused.code,
            message=refused.message,
            move_text=refused.move,
            strikes_left=refused.strikes_left,
            open=refused.open,
            strays_left=refused.strays_left,
        )
    )
    if refused.question is not None:
        write_decide(body.rejected.question, refused.question)
    return body


def match_end(match: Match, ending: Ending, seat: Seat) -> pb.RefereeBody:
    return pb.RefereeBody(
        match_end=pb.MatchEnd(
            match_id=match.id,
            result=match_result(ending),
            seed=match.seed.hex(),
            view=match.final_view(seat),
            seat=seat,
            head=None if match.head is None else chain_head(match.tournament, match.head),
        )
    )


def chain_head(tournament: str, head: ChainHead) -> ChainHeadMessage:
    """The head of the hash chain of a tournament, wherever it is told."""
    return ChainHeadMessage(tournament=tournament, entries=head.entries, hash=head.hash)


def match_result(ending: Ending) -> MatchResult:
    """How a match ended, wherever it is told."""
    return results.message(ending.ranks, ending.scores, ending.words, ending.texts, ending.reason)


def notice(code: NoticeCode, text: str) -> pb.RefereeBody:
    """Something else the bot is told: a code for programs, a sentence for its author."""
    return pb.RefereeBody(notice=pb.Notice(code=NOTICES[code], text=text))


def nonces(call: NonceCall) -> pb.RefereeBody:
    """A step of a draw of nonces."""
    return pb.RefereeBody(
        nonces=pb.Nonces(
            tournament=call.tournament,
            draw=call.draw,
            step=STEPS[call.step],
            root_commitment=call.root_commitment,
            schedule_digest=call.schedule_digest,
            entrants=entrant_nonces(call.entrants),
            first_match=call.first,
        )
    )


def entrant_nonces(entrants: Iterable[DrawnNonce]) -> list[pb.EntrantNonce]:
    """The parts of a draw, wherever they are told."""
    return [pb.EntrantNonce(name=each.name, commitment=each.commitment, nonce=each.nonce) for each in entrants]


def drain(text: str) -> pb.RefereeBody:
    return pb.RefereeBody(drain=pb.Drain(text=text))
