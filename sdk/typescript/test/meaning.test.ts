import assert from "node:assert/strict";
import { test } from "node:test";
import { status } from "@grpc/grpc-js";
import { type Attempt, meaning } from "../src/meaning.js";

const ATTEMPT: Attempt = { where: "host:1", token: true, tls: false, first: false };
const TLS = { tls: true, first: true };
const LAST = "No connection established. Last error: ";

const SENTENCES: [code: status, details: string, attempt: Partial<Attempt>, exit: number, sentence: string][] = [
    [
        status.UNAUTHENTICATED,
        "",
        {},
        2,
        "host:1 did not accept the token: check REFEREE_TOKEN or --token; the host makes one with 'referee bot add NAME'",
    ],
    [
        status.UNAUTHENTICATED,
        "",
        { token: false },
        2,
        "host:1 did not accept the token: give it with --token or REFEREE_TOKEN; the host makes one with 'referee bot add NAME'",
    ],
    [status.UNIMPLEMENTED, "no", {}, 2, "host:1 is a gRPC server, but no Referee server of this version: no"],
    [status.ALREADY_EXISTS, "twice", {}, 2, "host:1 refused: twice"],
    [status.RESOURCE_EXHAUSTED, "full", { first: true }, 2, "host:1 refused: full"],
    [
        status.UNAVAILABLE,
        `${LAST}Error: self-signed certificate in certificate chain`,
        TLS,
        2,
        "the certificate of host:1 is not trusted: give the one to trust with --ca FILE",
    ],
    [
        status.UNAVAILABLE,
        `${LAST}Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames`,
        TLS,
        2,
        "the certificate of host:1 is made out to another name: ask for the server by that name",
    ],
    [
        status.UNAVAILABLE,
        `${LAST}Error: SSL routines:ssl3_get_record:wrong version number`,
        TLS,
        2,
        "host:1 does not speak TLS: leave out --tls and --ca",
    ],
    [status.UNAVAILABLE, `${LAST}connect ECONNREFUSED`, { first: true }, 3, "no Referee server listens at host:1"],
    [status.UNAVAILABLE, `${LAST}connect ENOENT /s`, {}, 3, "no Referee server listens at host:1"],
    [
        status.UNAVAILABLE,
        `${LAST}Error: connect ETIMEDOUT. Resolution note: `,
        { first: true },
        3,
        "cannot reach a Referee server at host:1 (connect ETIMEDOUT; if it speaks TLS, give --tls or --ca FILE)",
    ],
    [status.UNAVAILABLE, "the server is stopping", {}, 3, "host:1: the server is stopping"],
    [status.UNAVAILABLE, "Connection dropped", {}, 3, "lost the connection to host:1"],
    [status.INTERNAL, "Received RST_STREAM with code 2", {}, 3, "lost the connection to host:1"],
    [status.INTERNAL, "in the log as 4711", {}, 3, "lost the connection to host:1 (in the log as 4711)"],
];

for (const [code, details, attempt, exit, sentence] of SENTENCES) {
    test(`${status[code]} '${details}' means: ${sentence}`, () => {
        const error = meaning(code, details, { ...ATTEMPT, ...attempt });
        assert.equal(error.message, sentence);
        assert.equal(error.code, exit);
        assert.equal(error.name === "Gone", exit === 3);
    });
}
