// The matches of a bot: asks it in order, sends its answers, resigns where its code fails.

import { type Bot, type Player, seatPlayer } from "./bot.js";
import { Decision, type Match, matchFrom, Result } from "./decision.js";
import { type ArenaError, BotFailed } from "./errors.js";
import type { Decide, MatchEnd, MatchStart, Rejected } from "./generated/arena/v1/match.js";
import type { Recording } from "./recording.js";
import type { Stream } from "./stream.js";

/** The questions of one message, which are answered in one message if the bot is quick. */
export interface Batch {
    readonly stream: Stream;
    /** When it came: the referee's clock runs from there, whatever the bot is asked first. */
    readonly came: number;
    thinking: number;
}

type Reply = { move: string } | { resign: string };

interface Seat<V> {
    readonly match: Match;
    /** None if the bot could not start. */
    player: Player<V> | undefined;
    /** Resolves once an asynchronous `start` is over. */
    ready: Promise<void> | undefined;
    /** `start` failed: why the match is resigned. */
    resigned: string | undefined;
    /** The question before the bot, as it came and as the bot sees it. */
    question: Decide | undefined;
    decision: Decision<V> | undefined;
    /** What was said to that question; none while the bot thinks. */
    reply: Reply | undefined;
    /** Where that question came, last. */
    stream: Stream | undefined;
}

export interface Reactions {
    warn(text: string): void;
    /** The program has to end. */
    fail(error: ArenaError): void;
}

export class Seats<V> {
    /** Matches that were resigned because of an error in the bot. */
    errors = 0;
    readonly #seats = new Map<string, Seat<V>>();

    constructor(
        private readonly bot: Bot<V>,
        private readonly strict: boolean,
        private readonly recording: Recording | undefined,
        private readonly reactions: Reactions,
    ) {}

    get size(): number {
        return this.#seats.size;
    }

    get matches(): Match[] {
        return [...this.#seats.values()].map((seat) => seat.match);
    }

    match(id: string): Match | undefined {
        return this.#seats.get(id)?.match;
    }

    forget(id: string): void {
        this.#seats.delete(id);
    }

    start(start: MatchStart, stream: Stream): void {
        if (this.#seats.has(start.matchId)) return; // goes on after a reconnect
        const seat: Seat<V> = {
            match: matchFrom(start),
            player: undefined,
            ready: undefined,
            resigned: undefined,
            question: undefined,
            decision: undefined,
            reply: undefined,
            stream,
        };
        this.#seats.set(start.matchId, seat);
        try {
            const player = seatPlayer(this.bot);
            const started = player.start?.(seat.match);
            seat.player = player;
            if (started instanceof Promise) {
                seat.ready = started.then(
                    () => void (seat.ready = undefined),
                    (error: unknown) => this.#notStarted(seat, error),
                );
            }
        } catch (error) {
            this.#notStarted(seat, error);
        }
    }

    ask(question: Decide, batch: Batch): void {
        const seat = this.#seats.get(question.matchId);
        if (!seat) return;
        seat.stream = batch.stream;
        if (seat.resigned !== undefined) {
            if (question.again) this.#send(seat, 0, { resign: seat.resigned });
        } else if (seat.decision?.number === question.decision) {
            // Asked again: the answer was lost on the way, or is still being thought about.
            if (seat.reply) this.#send(seat, question.decision, seat.reply);
        } else {
            this.#answer(seat, question, "", batch);
        }
    }

    /** Tell the author; and put the question to the bot again, if it is still open. */
    rejected(rejected: Rejected, batch: Batch): void {
        const seat = this.#seats.get(rejected.matchId);
        const decision = seat?.decision?.number === rejected.decision ? seat.decision : undefined;
        this.reactions.warn(rejectedSentence(rejected, decision));
        const question = rejected.question ?? (decision && seat?.question);
        if (!rejected.open || !seat || !question || seat.resigned !== undefined) return;
        seat.stream = batch.stream;
        this.#answer(seat, question, rejected.message, batch);
    }

    end(end: MatchEnd): Result<V> | undefined {
        const seat = this.#seats.get(end.matchId);
        if (!seat) return undefined;
        this.#seats.delete(end.matchId);
        const result = new Result<V>(seat.match, end);
        const failed = (error: unknown) =>
            this.reactions.warn(`${trace(error)}\nthe bot's end() failed after match ${end.matchId}`);
        try {
            const ended = seat.player?.end?.(result);
            if (ended instanceof Promise) ended.catch(failed);
        } catch (error) {
            failed(error);
        }
        return result;
    }

    #answer(seat: Seat<V>, question: Decide, rejected: string, batch: Batch): void {
        const decision = new Decision<V>(seat.match, question, rejected);
        seat.question = question;
        seat.decision = decision;
        seat.reply = undefined;
        const began = performance.now();
        let answer: unknown;
        try {
            answer = seat.ready ? seat.ready.then(() => seat.player!.decide(decision)) : seat.player!.decide(decision);
        } catch (error) {
            this.#resign(seat, decision, error);
            return;
        }
        if (!isPromise(answer)) {
            this.#act(seat, decision, answer, began, batch.came);
            return;
        }
        batch.thinking++;
        answer
            .then(
                (move) => this.#act(seat, decision, move, began, batch.came),
                (error: unknown) => this.#resign(seat, decision, error),
            )
            .catch((error: unknown) => this.reactions.fail(error as ArenaError))
            .finally(() => {
                batch.thinking--;
                if (batch.thinking) seat.stream?.flushSoon();
                else seat.stream?.flush();
            });
    }

    #act(seat: Seat<V>, decision: Decision<V>, move: unknown, began: number, came: number): void {
        if (typeof move !== "string") {
            const example = decision.legal[0] ?? "pass";
            const error = new TypeError(`decide returned ${String(move)}; a move is a text such as '${example}'`);
            this.#resign(seat, decision, error);
            return;
        }
        const now = performance.now();
        if (decision.budget && now - came > decision.budget * 1000) {
            this.reactions.warn(
                `decision ${decision.number} of match ${decision.match} took ${((now - came) / 1000).toFixed(1)} s, ` +
                    `its budget was ${decision.budget.toFixed(1)} s; the rest came from the bank`,
            );
        }
        this.recording?.decided(decision, move, now - began);
        this.#reply(seat, decision, { move });
    }

    #resign(seat: Seat<V>, decision: Decision<V>, error: unknown): void {
        if (seat.resigned !== undefined) return;
        this.reactions.warn(
            `${trace(error)}\ndecision ${decision.number} of ${decision.game} match ${decision.match} ` +
                "went wrong in decide; resigning this match.",
        );
        this.errors++;
        this.#reply(seat, decision, { resign: `error in decide: ${errorLine(error)}`.slice(0, 200) });
        this.#stopIfStrict("decide", error);
    }

    #notStarted(seat: Seat<V>, error: unknown): void {
        this.reactions.warn(`${trace(error)}\nthe bot could not start match ${seat.match.id}; resigning it.`);
        this.errors++;
        seat.player = undefined; // it does not hear of the end
        seat.resigned = `error in start: ${errorLine(error)}`.slice(0, 200);
        this.#send(seat, 0, { resign: seat.resigned });
        seat.stream?.flushSoon();
        this.#stopIfStrict("start", error);
    }

    #stopIfStrict(where: string, error: unknown): void {
        if (!this.strict) return;
        this.reactions.fail(
            new BotFailed(`stopped at the first error in ${where}, as --strict asks: ${errorLine(error)}`),
        );
    }

    /** Keep it, and say it, unless the referee has moved on. A stream that has ended takes nothing. */
    #reply(seat: Seat<V>, decision: Decision<V>, reply: Reply): void {
        if (seat.decision !== decision || this.#seats.get(decision.match) !== seat) return;
        seat.reply = reply;
        this.#send(seat, decision.number, reply);
    }

    #send(seat: Seat<V>, decision: number, reply: Reply): void {
        const matchId = seat.match.id;
        if ("move" in reply) seat.stream?.put({ $case: "act", value: { matchId, decision, moveText: reply.move } });
        else seat.stream?.put({ $case: "resign", value: { matchId, reason: reply.resign } });
    }
}

function rejectedSentence(rejected: Rejected, decision: Decision | undefined): string {
    let legal = "";
    if (decision?.legal.length) {
        const shown = decision.legal.slice(0, 12).join(" | ") + (decision.legal.length > 12 ? " | …" : "");
        legal = ` Legal ${decision.complete ? "were" : "would have been, among others"}: ${shown}.`;
    }
    const left = rejected.strikesLeft === undefined ? "" : ` Strikes left: ${rejected.strikesLeft}.`;
    return (
        `match ${rejected.matchId}, decision ${rejected.decision}: '${rejected.moveText}' was refused: ` +
        `${rejected.message}.${legal}${left}`
    );
}

function isPromise(answer: unknown): answer is Promise<unknown> {
    return typeof (answer as Promise<unknown> | null | undefined)?.then === "function";
}

function trace(error: unknown): string {
    return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}

/** One line, without a half of a character at its end. */
function errorLine(error: unknown): string {
    return String(error).split("\n", 1)[0]!;
}
