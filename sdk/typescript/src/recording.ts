// `--record FILE`: what a bot saw and answered, a JSON object per line.

import { closeSync, openSync, writeSync } from "node:fs";
import type { Decision } from "./decision.js";
import { ArenaError, systemReason } from "./errors.js";
import { messageToJSON, UnknownView, type ViewCodec, viewToJSON } from "./views.js";

/** Writes as it happens, so that a crash loses nothing. */
export class Recording {
    readonly #path: string;
    readonly #file: number;

    constructor(path: string) {
        this.#path = path;
        this.#file = this.#or(() => openSync(path, "a"));
    }

    decided(decision: Decision, move: string, milliseconds: number): void {
        this.#write("decide", {
            match: decision.match,
            game: decision.game,
            decision: decision.number,
            seat: decision.seat,
            legal: decision.legal,
            view: seen(decision),
            move,
            ms: Math.round(milliseconds * 1000) / 1000,
        });
    }

    /** Any other message of the referee. */
    note<M>(
        type: "start" | "rejected" | "end" | "notice" | "nonces",
        codec: Pick<ViewCodec<M>, "toJSON">,
        message: M,
    ): void {
        this.#write(type, messageToJSON(codec, message) as object);
    }

    close(): void {
        this.#or(() => closeSync(this.#file));
    }

    #write(type: string, fields: object): void {
        const line = JSON.stringify({ time: Date.now() / 1000, type, ...fields });
        this.#or(() => writeSync(this.#file, `${line}\n`));
    }

    #or<T>(work: () => T): T {
        try {
            return work();
        } catch (error) {
            throw new ArenaError(`cannot record to ${this.#path}: ${systemReason(error)}`);
        }
    }
}

/** A view that cannot be read is kept as hexadecimal digits. */
function seen(decision: Decision): unknown {
    try {
        return viewToJSON(decision.info.viewType, decision.viewBytes);
    } catch (error) {
        if (!(error instanceof UnknownView)) throw error;
        return Buffer.from(decision.viewBytes).toString("hex");
    }
}
