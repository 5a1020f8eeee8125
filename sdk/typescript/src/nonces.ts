// Nonces: this bot's part in the drawing of a tournament's deals, so that the host alone cannot choose them.

import { createHash, randomBytes } from "node:crypto";
import { type Nonce, type Nonces as NoncesCall, NonceStep } from "./generated/arena/v1/match.js";

const NONCE_BYTES = 32;

interface Drawn {
    readonly nonce: Buffer;
    /** Names and commitments as they were when the nonce was told. */
    shown?: string;
}

/** What this bot has drawn, by tournament and draw. It outlives a lost connection. */
export class Nonces {
    readonly #drawn = new Map<string, Drawn>();

    /** What to say to a call; undefined if there is nothing to say. */
    answer(call: NoncesCall): Nonce | undefined {
        const said = { tournament: call.tournament, draw: call.draw, commitment: "", nonce: "" };
        if (call.step === NonceStep.COMMIT) {
            const mine = this.#of(call) ?? { nonce: randomBytes(NONCE_BYTES) };
            this.#drawn.set(key(call), mine);
            return { ...said, commitment: commitment(call, mine.nonce) };
        }
        const mine = this.#of(call);
        if (call.step !== NonceStep.REVEAL || !mine) return undefined;
        const shown = shownIn(call);
        const listed = call.entrants.some((entrant) => entrant.commitment === commitment(call, mine.nonce));
        // Told once: to a second list of commitments, which might have been made for this nonce, nothing is said.
        if (!listed || (mine.shown ?? shown) !== shown) return undefined;
        mine.shown = shown;
        return { ...said, nonce: mine.nonce.toString("hex") };
    }

    /** Whether what was fixed lacks this bot's nonce, or has other commitments than those to which it was told. */
    broken(call: NoncesCall): boolean {
        const mine = this.#of(call);
        if (call.step !== NonceStep.FIXED || !mine) return false;
        return (
            mine.shown !== shownIn(call) ||
            !call.entrants.some((entrant) => entrant.nonce === mine.nonce.toString("hex"))
        );
    }

    #of(call: NoncesCall): Drawn | undefined {
        return this.#drawn.get(key(call));
    }
}

function shownIn(call: NoncesCall): string {
    return JSON.stringify(call.entrants.map((entrant) => [entrant.name, entrant.commitment]));
}

function key(call: NoncesCall): string {
    return `${call.draw} ${call.tournament}`;
}

/** SHA-256 (hex) over a label, the tournament, the draw and the nonce, each behind its length in four bytes. */
function commitment(call: NoncesCall, nonce: Buffer): string {
    const sum = createHash("sha256");
    for (const part of ["referee nonce", call.tournament, String(call.draw), nonce]) {
        const bytes = typeof part === "string" ? Buffer.from(part) : part;
        const length = Buffer.alloc(4);
        length.writeUInt32BE(bytes.length);
        sum.update(length).update(bytes);
    }
    return sum.digest("hex");
}
