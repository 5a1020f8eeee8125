// What a bot is told: a match, one question in it, and how it ended.

import type { Decide, MatchEnd, MatchStart } from "./generated/arena/v1/match.js";
import { Termination } from "./generated/arena/v1/result.js";
import { readView } from "./views.js";

/** What stays the same through a match. Times are seconds. */
export interface Match {
    readonly id: string;
    readonly game: string;
    readonly seat: number;
    /** Who sits where, this bot included. */
    readonly names: readonly string[];
    readonly options: Readonly<Record<string, unknown>>;
    /** Free time for every decision. */
    readonly limit: number;
    /** Time for the whole match that is used up beyond the limit. */
    readonly bank: number;
    /** Empty for practice. */
    readonly tournament: string;
    readonly gameVersion: number;
    readonly viewType: string;
    readonly seedCommitment: string;
    /** SHA-256 (hex) over the entrants' nonces that went into the seed; empty: there were none. */
    readonly noncesDigest: string;
}

export function matchFrom(start: MatchStart): Match {
    return {
        id: start.matchId,
        game: start.game,
        seat: start.seat,
        names: start.names,
        options: readOptions(start.optionsJson),
        limit: (start.timeControl?.limitMs ?? 0) / 1000,
        bank: (start.timeControl?.bankMs ?? 0) / 1000,
        tournament: start.tournament,
        gameVersion: start.gameVersion,
        viewType: start.viewType,
        seedCommitment: start.seedCommitment,
        noncesDigest: start.noncesDigest,
    };
}

/** None that can be read are none: a bot that needs them finds that out by itself. */
function readOptions(json: string): Record<string, unknown> {
    try {
        return JSON.parse(json || "{}") as Record<string, unknown>;
    } catch {
        return {};
    }
}

/** Bytes that are read when first looked at: a bot that does not look pays nothing. */
class LazyView<V> {
    #view: V | undefined;

    constructor(
        readonly viewType: string,
        readonly bytes: Uint8Array,
    ) {}

    get(): V {
        return (this.#view ??= readView(this.viewType, this.bytes) as V);
    }
}

/** One question. `V` is the type of the game's view: `Decision<flip7.View>`. */
export class Decision<V = unknown> {
    /** What stays the same through the match. */
    readonly info: Match;
    readonly number: number;
    /** Moves in canonical order; return one of them, or any other legal move where `complete` is false. */
    readonly legal: readonly string[];
    readonly complete: boolean;
    /** Free time in seconds. */
    readonly budget: number;
    /** What the match still holds beyond it, in seconds. */
    readonly bank: number;
    /** Asked again, after a reconnect or a rejection. */
    readonly again: boolean;
    /** Empty, or the referee's sentence about the move this bot just tried: it had better answer otherwise. */
    readonly rejected: string;
    readonly #view: LazyView<V>;

    constructor(info: Match, question: Decide, rejected = "") {
        this.info = info;
        this.number = question.decision;
        this.legal = question.legal;
        this.complete = question.complete;
        this.budget = question.budgetMs / 1000;
        this.bank = question.bankMs / 1000;
        this.again = question.again;
        this.rejected = rejected;
        this.#view = new LazyView(info.viewType, question.view);
    }

    /** All that this seat may know: the game's message, or a JSON value. Throws UnknownView if it cannot be read. */
    get view(): V {
        return this.#view.get();
    }

    /** The view as it came: handy to hash, for a bot that wants repeatable dice of its own. */
    get viewBytes(): Uint8Array {
        return this.#view.bytes;
    }

    /** The id of the match. */
    get match(): string {
        return this.info.id;
    }

    get game(): string {
        return this.info.game;
    }

    get seat(): number {
        return this.info.seat;
    }
}

/** How a match ended; by seat where there are several values. */
export class Result<V = unknown> {
    readonly match: Match;
    readonly ranks: readonly number[];
    readonly scores: readonly number[];
    /** How each seat came to the end, in words such as `finished` and `timeout`. */
    readonly terminations: readonly string[];
    readonly texts: readonly string[];
    readonly reason: string;
    /** With it anybody can replay the match. */
    readonly seed: string;
    readonly #view: LazyView<V>;

    constructor(match: Match, end: MatchEnd) {
        this.match = match;
        this.ranks = end.result?.ranks ?? [];
        this.scores = end.result?.scores ?? [];
        this.terminations = (end.result?.terminations ?? []).map(terminationWord);
        this.texts = end.result?.texts ?? [];
        this.reason = end.result?.reason ?? "";
        this.seed = end.seed;
        this.#view = new LazyView(match.viewType, end.view);
    }

    /** This seat's final view; undefined if the match was broken off. */
    get view(): V | undefined {
        return this.viewBytes.length ? this.#view.get() : undefined;
    }

    get viewBytes(): Uint8Array {
        return this.#view.bytes;
    }

    /** `flip7 m/1: rank 1 of 2, score 10 against odds`. */
    sentence(): string {
        const { id, game, seat, names } = this.match;
        const others = names.filter((_, other) => other !== seat).join(", ");
        const how = this.terminations[seat] ?? terminationWord(0);
        const why = this.texts[seat] ?? "";
        return (
            `${game} ${id}: rank ${this.ranks[seat]} of ${this.ranks.length}, score ${this.scores[seat]}` +
            (others ? ` against ${others}` : "") +
            (why ? ` (${why.startsWith(how) ? why : `${how}: ${why}`})` : "")
        );
    }
}

/** The lower-case word; `unspecified` for one that this version does not know. */
function terminationWord(termination: Termination): string {
    return (Termination[termination] ?? "UNSPECIFIED").toLowerCase();
}
