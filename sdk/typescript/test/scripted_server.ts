// A referee in this process that says what a test tells it to.

import { once } from "node:events";
import { Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";
import {
    type BotBody,
    MatchServiceService,
    PlayRequest,
    PlayResponse,
    RefereeBody,
} from "../src/generated/arena/v1/match.js";
import { Client, type Bot, type Settings } from "../src/index.js";

type Call = ServerDuplexStream<PlayRequest, PlayResponse>;
type Partial1<T> = T extends object ? { [K in keyof T]?: Partial1<T[K]> } : T;
type Body = NonNullable<BotBody["body"]>;

/** One stream of a bot, as the referee sees it. */
export class Line {
    #heard: Body[][] = [];
    #wake: (() => void) | undefined;

    constructor(private readonly call: Call) {
        call.on("data", ({ bodies }: PlayRequest) => {
            this.#heard.push(bodies.map(({ body }) => body!));
            this.#wake?.();
        });
        call.on("error", () => undefined);
    }

    /** The bodies of the next message. */
    async hear(): Promise<Body[]> {
        while (!this.#heard.length) await new Promise<void>((resolve) => (this.#wake = resolve));
        return this.#heard.shift()!;
    }

    /** The next message in short: `act m/1 1 hit`. */
    async hearShort(): Promise<string[]> {
        return (await this.hear()).map(short);
    }

    say(...bodies: Partial1<NonNullable<RefereeBody["body"]>>[]): void {
        this.call.write(PlayResponse.fromPartial({ bodies: bodies.map((body) => ({ body })) as RefereeBody[] }));
    }

    async welcome(more: object = {}): Promise<Body[]> {
        const hello = await this.hear();
        this.say({
            $case: "welcome",
            value: { name: "bot", protocolVersion: 1, server: "test", session: "s", ...more },
        });
        return hello;
    }

    start(matchId: string, more: object = {}): void {
        this.say({
            $case: "matchStart",
            value: { matchId, game: "flip7", names: ["bot", "odds"], viewType: "json", ...more },
        });
    }

    ask(...questions: [matchId: string, decision: number, legal: string[], more?: object][]): void {
        this.say(
            ...questions.map(([matchId, decision, legal, more]) => ({
                $case: "decide" as const,
                value: { matchId, decision, legal, complete: true, view: Buffer.from("{}"), budgetMs: 60_000, ...more },
            })),
        );
    }

    end(matchId: string): void {
        const result = { ranks: [1, 2], scores: [10, 5], terminations: [1, 1], texts: ["", ""], reason: "finished" };
        this.say({ $case: "matchEnd", value: { matchId, result } });
    }

    close(code = status.OK, details = ""): void {
        if (code === status.OK) this.call.end();
        else this.call.emit("error", { code, details });
    }
}

export class ScriptedServer {
    readonly #server = new Server();
    readonly #lines: Line[] = [];
    #wake: (() => void) | undefined;
    address = "";

    static async open(): Promise<ScriptedServer> {
        const scripted = new ScriptedServer();
        scripted.#server.addService(MatchServiceService, {
            play: (call: Call) => {
                scripted.#lines.push(new Line(call));
                scripted.#wake?.();
            },
        });
        const port = await new Promise<number>((resolve, reject) => {
            scripted.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
                error ? reject(error) : resolve(bound),
            );
        });
        scripted.address = `127.0.0.1:${port}`;
        return scripted;
    }

    /** The next stream that a bot opens. */
    async line(): Promise<Line> {
        while (!this.#lines.length) await new Promise<void>((resolve) => (this.#wake = resolve));
        return this.#lines.shift()!;
    }

    close(): void {
        this.#server.forceShutdown();
    }
}

export interface Playing {
    server: ScriptedServer;
    client: Client;
    /** What the bot's author was told. */
    told: string[];
    /** Settles with the client's `play`. */
    over: Promise<void>;
}

/** A bot that plays at a scripted server while `script` runs; both are gone afterwards. */
export async function playing(
    bot: Bot,
    settings: Partial<Settings>,
    script: (playing: Playing) => Promise<void>,
): Promise<string[]> {
    const server = await ScriptedServer.open();
    const told: string[] = [];
    const client = new Client(bot, { server: server.address, ...settings }, (text) => told.push(text));
    const over = client.play();
    over.catch(() => undefined); // a script that expects an error waits for it
    try {
        await script({ server, client, told, over });
    } finally {
        client.stop();
        await over.catch(() => undefined);
        server.close();
    }
    return told;
}

function short(body: Body): string {
    if (body.$case === "act") return `act ${body.value.matchId} ${body.value.decision} ${body.value.moveText}`;
    if (body.$case === "resign") return `resign ${body.value.matchId} ${body.value.reason}`;
    if (body.$case === "practice") return `practice ${body.value.game} ${body.value.matches}`;
    return body.$case;
}

/** Some time in which something might go wrong. */
export async function aMoment(milliseconds: number): Promise<void> {
    await once(AbortSignal.timeout(milliseconds), "abort");
}
