// From a gRPC status to a sentence, and whether waiting can mend it.

import { status } from "@grpc/grpc-js";
import { type ArenaError, Gone, Refused } from "./errors.js";

const REFUSALS = [
    status.ALREADY_EXISTS,
    status.FAILED_PRECONDITION,
    status.INVALID_ARGUMENT,
    status.PERMISSION_DENIED,
    status.RESOURCE_EXHAUSTED,
];
const NOT_TRUSTED = /self.signed certificate|unable to (get|verify)|certificate (has expired|is not yet valid)|CERT_/i;
// What grpc-js itself says where the connection broke: no words of the server.
const OF_THE_LIBRARY = /RST_STREAM|Call cancelled|Connection dropped|Protocol error|Failed to write|aborted|socket/i;

export interface Attempt {
    where: string;
    token: boolean;
    tls: boolean;
    /** Never connected yet. */
    first: boolean;
}

/** The error to throw: `Refused` is final, after `Gone` it is worth trying again. */
export function meaning(code: status, details: string, attempt: Attempt): ArenaError {
    const { where } = attempt;
    if (code === status.UNAUTHENTICATED) {
        const hint = attempt.token ? "check REFEREE_TOKEN or --token" : "give it with --token or REFEREE_TOKEN";
        return new Refused(
            `${where} did not accept the token: ${hint}; the host makes one with 'referee bot add NAME'`,
        );
    }
    if (code === status.UNIMPLEMENTED) {
        return new Refused(`${where} is a gRPC server, but no Referee server of this version: ${details}`);
    }
    if (REFUSALS.includes(code)) return new Refused(`${where} refused: ${details}`);
    if (code === status.UNAVAILABLE || attempt.first) return unreachable(details, attempt);
    const words = details && !OF_THE_LIBRARY.test(details) ? ` (${details})` : "";
    return new Gone(`lost the connection to ${where}${words}`);
}

function unreachable(details: string, { where, tls, first }: Attempt): ArenaError {
    if (tls && /does not match certificate|ERR_TLS_CERT_ALTNAME/i.test(details)) {
        return new Refused(`the certificate of ${where} is made out to another name: ask for the server by that name`);
    }
    if (tls && /wrong version number|packet length too long|EPROTO/i.test(details)) {
        return new Refused(`${where} does not speak TLS: leave out --tls and --ca`);
    }
    if (tls && NOT_TRUSTED.test(details)) {
        return new Refused(`the certificate of ${where} is not trusted: give the one to trust with --ca FILE`);
    }
    if (/ECONNREFUSED|ENOENT/.test(details)) return new Gone(`no Referee server listens at ${where}`);
    if (/stopping/.test(details)) return new Gone(`${where}: ${details}`);
    if (!first) return new Gone(`lost the connection to ${where}`);
    const hint = tls ? "" : "; if it speaks TLS, give --tls or --ca FILE";
    return new Gone(`cannot reach a Referee server at ${where} (${why(details)}${hint})`);
}

/** The heart of what grpc-js says: its sentences name several errors, the last one is the nearest. */
function why(details: string): string {
    const last = /Last error: (?:Error: )?(.*?)(?:\. Resolution note:.*)?$/s.exec(details)?.[1] ?? details;
    return last.trim().replace(/\.$/, "") || "no answer";
}
