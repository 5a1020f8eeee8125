// Flags and environment: how a bot connects and what it plays.

import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { BadUsage, systemReason } from "./errors.js";
import { meant } from "./spelling.js";

export interface Practice {
    game: string;
    against: string[];
    matches: number;
    optionsJson: string;
}

export interface Settings {
    /** HOST:PORT or unix:PATH. */
    server: string;
    token: string;
    name: string;
    /** Games it can play; empty means all. */
    games: string[];
    /** Matches at once; 0: the SDK chooses (16, or 1 where one object plays all matches). */
    concurrency: number;
    /** Do not send legal lists. */
    withoutLegal: boolean;
    tls: boolean;
    /** A file with the certificate to trust, PEM. */
    ca: string;
    practice: Practice | undefined;
    record: string;
    strict: boolean;
    quiet: boolean;
    /** Seconds to keep trying for the first connection. */
    firstPatience: number;
    /** Seconds to keep trying after a stream that had worked. */
    patience: number;
    /** Milliseconds that an answer waits for the others of its message. */
    sendAfter: number;
}

export const DEFAULTS: Readonly<Settings> = {
    server: "localhost:7700",
    token: "",
    name: "",
    games: [],
    concurrency: 0,
    withoutLegal: false,
    tls: false,
    ca: "",
    practice: undefined,
    record: "",
    strict: false,
    quiet: false,
    firstPatience: 15,
    patience: 600,
    sendAfter: 20,
};

// Flag, its value (none: a switch), the variable that stands in for it, and what it means.
const FLAGS: readonly (readonly [flag: string, value: string, variable: string, about: string])[] = [
    ["--server", "HOST:PORT", "REFEREE_SERVER", `where the referee listens, or unix:PATH (${DEFAULTS.server})`],
    ["--token", "TOKEN", "REFEREE_TOKEN", "the bot's token, from the host"],
    ["--name", "NAME", "REFEREE_NAME", "the bot's name, to have it checked against the token"],
    ["--concurrency", "N", "REFEREE_CONCURRENCY", "matches at once (16, or 1 where one object plays all)"],
    ["--tls", "", "REFEREE_TLS", "the server speaks TLS"],
    ["--ca", "FILE", "REFEREE_CA", "certificate to trust, PEM; implies --tls"],
    ["--practice", "GAME", "", "play practice matches of this game, then stop"],
    ["--against", "BOT,…", "", "who takes the other seats: house bots, or 'anyone'"],
    ["--matches", "N", "", "how many practice matches (1)"],
    ["--options", "JSON", "", "options of the practised game"],
    ["--record", "FILE", "", "keep what the bot saw and answered, a JSON object per line"],
    ["--strict", "", "", "stop at the first error in decide"],
    ["--quiet", "", "", "print nothing but errors and warnings"],
    ["--help", "", "", "or -h: show this"],
];
const OFF = ["", "0", "no", "off", "false"];

/** Settings from flags, then from REFEREE_… variables; "help" if that is what was asked for. Throws BadUsage. */
export function readSettings(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Settings | "help" {
    if (args.includes("--help") || args.includes("-h")) return "help";
    const flags = readFlags(args);
    const text = (flag: string): string => {
        const variable = FLAGS.find(([name]) => name === flag)?.[2];
        return flags.get(flag) ?? (variable ? (env[variable] ?? "") : "");
    };
    const server = flags.get("--server") ?? (text("--server") || DEFAULTS.server);
    if (!isAddress(server)) throw badAddress(server);
    const token = text("--token").trim();
    if (!/^[!-~]*$/.test(token)) throw new BadUsage("--token: it has characters that no token has; copy it again");
    for (const flag of ["--against", "--matches", "--options"]) {
        if (flags.has(flag) && !flags.get("--practice")) throw new BadUsage(`${flag} goes with --practice GAME`);
    }
    const ca = text("--ca");
    if (ca) readCertificate(ca);
    const practice = text("--practice");
    const patience = env["REFEREE_PATIENCE"] ? seconds("REFEREE_PATIENCE", env["REFEREE_PATIENCE"]) : undefined;
    return {
        ...DEFAULTS,
        server,
        token,
        name: text("--name"),
        concurrency: flags.has("--concurrency")
            ? whole("--concurrency", text("--concurrency"), 0)
            : whole("REFEREE_CONCURRENCY", text("--concurrency") || "0", 0),
        tls: flags.has("--tls") || !OFF.includes((env["REFEREE_TLS"] ?? "").toLowerCase()) || ca !== "",
        ca,
        practice: practice
            ? {
                  game: practice,
                  against: text("--against")
                      .split(",")
                      .map((name) => name.trim())
                      .filter(Boolean),
                  matches: whole("--matches", text("--matches") || "1", 1),
                  optionsJson: text("--options"),
              }
            : undefined,
        record: text("--record"),
        strict: flags.has("--strict"),
        quiet: flags.has("--quiet"),
        firstPatience: patience ?? DEFAULTS.firstPatience,
        patience: patience ?? DEFAULTS.patience,
        sendAfter: DEFAULTS.sendAfter,
    };
}

export function usage(): string {
    const flags = FLAGS.map(([flag, value]) => `[${flag}${value && ` ${value}`}]`);
    return `usage: ${basename(process.argv[1] ?? "bot")} ${flags.join(" ")}`;
}

export function help(): string {
    const rows = FLAGS.map(([flag, value, variable, about]) => {
        return `  ${`${flag} ${value}`.padEnd(20)}${about}${variable && `; or ${variable}`}`;
    });
    return `${usage()}\n\nA bot for a Referee server.\n\n${rows.join("\n")}\n`;
}

/** The certificate to trust; BadUsage if there is none in that file. */
export function readCertificate(file: string): Buffer {
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new BadUsage(`--ca: there is no file ${file}`);
    let pem: Buffer;
    try {
        pem = readFileSync(file);
    } catch (error) {
        throw new BadUsage(`--ca: cannot read ${file}: ${systemReason(error)}`);
    }
    try {
        new X509Certificate(pem);
    } catch {
        throw new BadUsage(`--ca: ${file} holds no certificate (PEM)`);
    }
    return pem;
}

export function badAddress(server: string): BadUsage {
    return new BadUsage(`--server: '${server}' is not an address: write HOST:PORT or unix:PATH`);
}

function readFlags(args: readonly string[]): Map<string, string> {
    const given = new Map<string, string>();
    for (let at = 0; at < args.length; at++) {
        const [, flag = "", inline] = /^(--[^=]*)(?:=(.*))?$/s.exec(args[at]!) ?? [];
        const known = FLAGS.find(([name]) => name === flag);
        if (!known) throw new BadUsage(unknown(args[at]!));
        if (!known[1]) {
            if (inline !== undefined) throw new BadUsage(`${flag}: it takes no value`);
            given.set(flag, "");
            continue;
        }
        const value = inline ?? args[++at];
        if (value === undefined || (inline === undefined && value.startsWith("--"))) {
            throw new BadUsage(`${flag}: its value is missing; write ${flag} ${known[1]}`);
        }
        given.set(flag, value);
    }
    return given;
}

function unknown(word: string): string {
    if (!word.startsWith("-")) return `'${word}' belongs to no flag; --help shows all of them`;
    const flag = word.split("=", 1)[0]!;
    const near = meant(
        flag,
        FLAGS.map(([name]) => name),
    );
    return `${flag}: there is no such flag; ${near ? `did you mean ${near}?` : "--help shows all of them"}`;
}

function isAddress(server: string): boolean {
    if (server.startsWith("unix:")) return server !== "unix:";
    const port = Number(/^(?:\[[^\][/\s]+\]|[^\][:/\s]+):(\d{1,5})$/.exec(server)?.[1] ?? 0);
    return port > 0 && port < 65536;
}

function whole(flag: string, text: string, least: number): number {
    if (!/^\d{1,9}$/.test(text)) throw new BadUsage(`${flag}: '${text}' is not a whole number`);
    if (Number(text) < least) throw new BadUsage(`${flag}: ${least} is the least`);
    return Number(text);
}

function seconds(name: string, text: string): number {
    const value = Number(text);
    if (!Number.isFinite(value) || value < 0) throw new BadUsage(`${name}: '${text}' is no number of seconds`);
    return value;
}
