// Plays 100,000 decisions over one stream and shows memory and latency: node --expose-gc build/bench/memory.js [DECISIONS]
//
// The server is a process of its own, so that only the bot's memory is seen.

import { fork } from "node:child_process";
import { once } from "node:events";
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import {
    MatchServiceService,
    type PlayRequest,
    PlayResponse,
    type RefereeBody,
} from "../src/generated/arena/v1/match.js";
import { Client, flip7 } from "../src/index.js";

const DECISIONS = Number(process.argv[2] ?? 100_000);
const STEPS = 10;
const WARM_UP = DECISIONS / 100;
const PLAYERS = 4;

if (process.send) referee();
else await bot();

async function bot(): Promise<void> {
    const server = fork(process.argv[1]!, [String(DECISIONS)], { execArgv: [] });
    const [port] = (await once(server, "message")) as [number];
    const told = once(server, "message");
    let answered = 0;
    const began = performance.now();
    const client = new Client<flip7.View>(
        ({ view, legal }) => {
            if (answered === WARM_UP || (answered % (DECISIONS / STEPS) === 0 && answered)) show(answered);
            answered++;
            return view.players[0]!.points > 1000 ? "none" : legal[0]!;
        },
        {
            server: `127.0.0.1:${port}`,
            quiet: true,
            practice: { game: "flip7", against: [], matches: 1, optionsJson: "" },
        },
    );
    await client.play();
    show(answered);
    console.log(`${Math.round((answered / (performance.now() - began)) * 1000)} decisions/s, one at a time`);
    const [{ p50, p99 }] = (await told) as [{ p50: number; p99: number }];
    console.log(`from question to answer, seen by the server: p50 ${p50.toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`);
    server.disconnect();
}

function show(answered: number): void {
    globalThis.gc?.();
    const { heapUsed, rss, external } = process.memoryUsage();
    const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    console.log(
        `${String(answered).padStart(7)} decisions: heap ${mib(heapUsed)}, external ${mib(external)}, rss ${mib(rss)}`,
    );
}

function referee(): void {
    const view = flip7.View.encode(
        flip7.View.fromPartial({
            seat: 0,
            question: flip7.Question.TURN,
            scores: Array<number>(PLAYERS).fill(100),
            players: Array.from({ length: PLAYERS }, () => ({ points: 20, cards: [3, 7, 10] })),
            pileCounts: Array<number>(22).fill(3),
        }),
    ).finish();
    const server = new Server();
    server.addService(MatchServiceService, {
        play(call: ServerDuplexStream<PlayRequest, PlayResponse>) {
            const took: number[] = [];
            let asked = 0;
            let at = 0;
            const say = (...bodies: NonNullable<RefereeBody["body"]>[]) =>
                call.write(PlayResponse.fromPartial({ bodies: bodies.map((body) => ({ body })) as RefereeBody[] }));
            const ask = () => {
                at = performance.now();
                const decide = { matchId: "m", decision: ++asked, legal: ["hit", "stay"], view };
                say({ $case: "decide", value: decide as never });
            };
            call.on("data", ({ bodies }: PlayRequest) => {
                for (const { body } of bodies) {
                    if (body?.$case === "hello") {
                        say({ $case: "welcome", value: { protocolVersion: 1, session: "s" } as never });
                    } else if (body?.$case === "practice") {
                        const viewType = "arena.games.flip7.v1.View";
                        say({ $case: "matchStart", value: { matchId: "m", game: "flip7", viewType } as never });
                        ask();
                    } else if (body?.$case === "act") {
                        took.push(performance.now() - at);
                        if (asked < DECISIONS) ask();
                        else say({ $case: "matchEnd", value: { matchId: "m", result: { ranks: [1] } } as never });
                    } else if (body?.$case === "leave") {
                        took.sort((a, b) => a - b);
                        const share = (part: number) => took[Math.floor(took.length * part)]!;
                        process.send!({ p50: share(0.5), p99: share(0.99) });
                        call.end();
                    }
                }
            });
        },
    });
    process.on("disconnect", () => process.exit());
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
        if (error) throw error;
        process.send!(port);
    });
}
