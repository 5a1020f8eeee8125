// A bot's side of the stream: says hello, plays, and comes back after a lost connection.

import { setTimeout as sleep } from "node:timers/promises";
import { type Bot, checkBot, sharesMemory } from "./bot.js";
import type { Result } from "./decision.js";
import { type ArenaError, Gone, Refused } from "./errors.js";
import {
    MatchEnd,
    MatchStart,
    Nonces as NoncesCall,
    Notice,
    NoticeCode,
    type RefereeBody,
    Rejected,
    type Welcome,
} from "./generated/arena/v1/match.js";
import { Nonces } from "./nonces.js";
import { Recording } from "./recording.js";
import { type Batch, Seats } from "./seats.js";
import { DEFAULTS, type Settings } from "./settings.js";
import { Stream } from "./stream.js";
import { CLIENT, PROTOCOL_VERSION } from "./version.js";

const FIRST_PAUSE = 0.1;
const LONGEST_PAUSE = 5;

export type Say = (text: string) => void;

/** One bot on one server. `await new Client(bot, settings).play()` returns when there is nothing more to play. */
export class Client<V = unknown> {
    readonly #bot: Bot<V>;
    readonly #settings: Settings;
    readonly #say: Say;
    readonly #warn: Say;
    readonly #recording: Recording | undefined;
    readonly #seats: Seats<V>;
    readonly #nonces = new Nonces();
    readonly #stopping = new AbortController();
    readonly #tally = { matches: 0, ranks: 0, first: 0 };
    #stream: Stream | undefined;
    #failure: ArenaError | undefined;
    #leaving = false;
    #welcomes = 0;
    #session = "";
    #addresses: string[] = [];
    #where: string;
    #practised = 0;
    /** Called with every result of a match. */
    onResult: ((result: Result<V>) => void) | undefined;

    constructor(bot: Bot<V>, settings: Partial<Settings> = {}, say: Say = (text) => console.error(text)) {
        this.#bot = checkBot(bot);
        this.#settings = { ...DEFAULTS, ...settings };
        this.#where = this.#settings.server;
        this.#say = this.#settings.quiet ? () => undefined : say;
        this.#warn = say;
        this.#recording = this.#settings.record ? new Recording(this.#settings.record) : undefined;
        this.#seats = new Seats(this.#bot, this.#settings.strict, this.#recording, {
            warn: say,
            fail: (error) => this.#fail(error),
        });
    }

    /** How many matches are running. */
    get playing(): number {
        return this.#seats.size;
    }

    get leaving(): boolean {
        return this.#leaving;
    }

    /** Matches that were resigned because of an error in the bot. */
    get errors(): number {
        return this.#seats.errors;
    }

    /** Play until there is nothing more to play; comes back by itself. Throws an ArenaError if waiting cannot mend it. */
    async play(): Promise<void> {
        try {
            await this.#streams();
        } finally {
            this.#recording?.close();
            const { matches, ranks, first } = this.#tally;
            if (matches && (this.#leaving || this.#settings.practice)) {
                const mean = (ranks / matches).toFixed(2);
                this.#say(`${matches} matches: mean rank ${mean}, ${first} first, ${this.errors} resigned by errors`);
            }
        }
    }

    /** Take no new matches, and return from `play` when the running ones have ended. */
    leave(): void {
        if (this.#leaving) return;
        this.#leaving = true;
        if (this.#session) this.#stream?.put({ $case: "leave", value: {} });
        this.#stream?.flushSoon();
    }

    /** Return from `play` at once. */
    stop(): void {
        this.#leaving = true;
        this.#stopping.abort();
        this.#stream?.close();
    }

    async #streams(): Promise<void> {
        let patience = this.#settings.firstPatience;
        let pause = FIRST_PAUSE;
        let lostAt = performance.now();
        for (let attempt = 0; ; attempt++) {
            const before = this.#welcomes;
            const addresses = [this.#settings.server, ...this.#addresses];
            this.#where = addresses[attempt % addresses.length]!;
            let reason: string;
            try {
                await this.#oneStream();
                if (this.#leaving) return;
                reason = `${this.#where} ended the stream`;
            } catch (error) {
                if (this.#stopping.signal.aborted) return;
                const worked = this.#welcomes !== before;
                // One of the further addresses may be wrong, while the one that was given will be there again.
                const elsewhere = error instanceof Refused && !worked && this.#where !== this.#settings.server;
                if (!(error instanceof Gone) && !elsewhere) throw error;
                reason = (error as Error).message;
            }
            if (this.#leaving && !this.playing) return;
            if (this.#welcomes !== before) {
                patience = this.#settings.patience;
                pause = FIRST_PAUSE;
                lostAt = performance.now();
                attempt = -1; // the address that was given comes first
            }
            const left = patience - (performance.now() - lostAt) / 1000;
            if (left < FIRST_PAUSE) throw new Gone(`${reason}; gave up after ${patience} seconds`);
            pause = Math.min(pause, left);
            this.#warn(`${reason}; trying again in ${pause.toFixed(1)} s`);
            // Not all bots at once, after a server came back.
            const shortened = pause * (1 - 0.3 * Math.random());
            await sleep(shortened * 1000, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
            if (this.#stopping.signal.aborted) return;
            pause = Math.min(pause * 2, LONGEST_PAUSE);
        }
    }

    async #oneStream(): Promise<void> {
        const stream = new Stream(this.#where, this.#settings, !this.#session);
        this.#stream = stream;
        try {
            stream.put({ $case: "hello", value: this.#hello() });
            stream.flush();
            for await (const frame of stream.frames()) {
                await this.#handle(frame.bodies, stream);
                if (this.#failure) await this.#giveUp(stream, this.#failure);
            }
        } catch (error) {
            throw this.#failure ?? error;
        } finally {
            this.#stream = undefined;
            stream.close();
        }
    }

    /** The bodies of one message, in order; answers that are ready do not wait for a bot that computes for long. */
    async #handle(bodies: readonly RefereeBody[], stream: Stream): Promise<void> {
        const batch: Batch = { stream, came: performance.now(), thinking: 0 };
        let since = batch.came;
        for (const { body } of bodies) {
            if (stream.hasUnsent && performance.now() - since > this.#settings.sendAfter) {
                await stream.flushed();
                since = performance.now();
            }
            this.#hear(body, batch);
        }
        if (batch.thinking) stream.flushSoon();
        else stream.flush();
    }

    #hear(body: RefereeBody["body"], batch: Batch): void {
        switch (body?.$case) {
            case "decide":
                return this.#seats.ask(body.value, batch);
            case "welcome":
                return this.#welcomed(body.value, batch.stream);
            case "matchStart":
                this.#recording?.note("start", MatchStart, body.value);
                return this.#seats.start(body.value, batch.stream);
            case "rejected":
                this.#recording?.note("rejected", Rejected, body.value);
                return this.#seats.rejected(body.value, batch);
            case "matchEnd":
                this.#recording?.note("end", MatchEnd, body.value);
                return this.#ended(body.value);
            case "notice":
                this.#recording?.note("notice", Notice, body.value);
                return this.#noticed(body.value);
            case "nonces":
                this.#recording?.note("nonces", NoncesCall, body.value);
                return this.#draw(body.value, batch.stream);
            case "drain":
                return this.#say(body.value.text);
            default: // a body of a later version
        }
    }

    #hello() {
        const settings = this.#settings;
        return {
            protocolVersion: PROTOCOL_VERSION,
            name: settings.name,
            games: settings.games,
            concurrency: settings.concurrency || (sharesMemory(this.#bot) ? 1 : 16),
            withoutLegal: settings.withoutLegal,
            client: CLIENT,
            resume: this.#session,
            givesNonces: true,
        };
    }

    #welcomed(welcome: Welcome, stream: Stream): void {
        if (welcome.protocolVersion !== PROTOCOL_VERSION) {
            throw new Refused(
                `${welcome.server} speaks protocol ${welcome.protocolVersion}, this SDK ${PROTOCOL_VERSION}: ` +
                    "update the older of the two",
            );
        }
        const fresh = !this.#welcomes++;
        this.#session = welcome.session;
        stream.attempt.first = false;
        this.#addresses = welcome.addresses;
        for (const match of this.#seats.matches.filter(({ id }) => !welcome.resumed.includes(id))) {
            this.#warn(`match ${match.id} is no longer this bot's: it went on without it, or is played again later`);
            this.#seats.forget(match.id);
            if (!match.tournament) this.#practised++;
        }
        this.#say(`connected to ${welcome.server} at ${this.#where} as ${welcome.name}`);
        if (this.#leaving) stream.put({ $case: "leave", value: {} });
        else if (this.#settings.practice) this.#wish(welcome, stream);
        else if (fresh) this.#say("waiting for matches (Ctrl-C to leave)");
    }

    /** Ask for the practice matches that neither were played nor go on, unless the server remembers the wish. */
    #wish(welcome: Welcome, stream: Stream): void {
        const practice = this.#settings.practice!;
        const running = welcome.resumed.filter((id) => !this.#seats.match(id)?.tournament).length;
        const missing = practice.matches - this.#practised - running;
        if (welcome.practiceLeft) return;
        if (missing > 0) stream.put({ $case: "practice", value: { ...practice, matches: missing } });
        else if (!running) this.leave();
    }

    #ended(end: MatchEnd): void {
        const result = this.#seats.end(end);
        if (result) {
            const rank = result.ranks[result.match.seat] ?? 0;
            this.#tally.matches++;
            this.#tally.ranks += rank;
            this.#tally.first += Number(rank === 1);
            this.#say(result.sentence());
            this.onResult?.(result);
        }
        if (this.#settings.practice && !result?.match.tournament) {
            this.#practised++;
            if (this.#practised >= this.#settings.practice.matches) this.leave();
        }
    }

    #draw(call: NoncesCall, stream: Stream): void {
        const answer = this.#nonces.answer(call);
        if (answer) stream.put({ $case: "nonce", value: answer });
        else if (this.#nonces.broken(call)) {
            this.#warn(
                `tournament ${call.tournament} is played with other nonces than were agreed on: ask the host why`,
            );
        }
    }

    #noticed(notice: Notice): void {
        if (notice.code === NoticeCode.REFUSED) {
            const alone = this.#settings.practice && !this.#settings.practice.against.length;
            throw new Refused(notice.text + (alone ? " (name the others with --against BOT,BOT)" : ""));
        }
        this.#say(notice.text);
    }

    #fail(error: ArenaError): void {
        this.#failure ??= error;
        if (this.#stream) this.#giveUp(this.#stream, this.#failure).catch(() => undefined);
    }

    /** Say what is ready, then end the stream; whoever reads it throws the failure. */
    async #giveUp(stream: Stream, failure: ArenaError): Promise<never> {
        await stream.flushed();
        stream.close();
        throw failure;
    }
}
