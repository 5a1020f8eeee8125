// One gRPC stream to a referee: opens it, gathers what is said into few messages, reads what comes.

import {
    type ChannelCredentials,
    type ClientDuplexStream,
    credentials,
    Metadata,
    type ServiceError,
} from "@grpc/grpc-js";
import { type BotBody, MatchServiceClient, type PlayRequest, type PlayResponse } from "./generated/arena/v1/match.js";
import { type Attempt, meaning } from "./meaning.js";
import { badAddress, readCertificate, type Settings } from "./settings.js";

const OPTIONS = {
    "grpc.keepalive_time_ms": 20_000,
    "grpc.keepalive_timeout_ms": 10_000,
    "grpc.max_receive_message_length": 64 << 20,
    "grpc.max_send_message_length": -1,
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_retries": 0,
};

export class Stream {
    /** What a failure of this stream is judged by. */
    readonly attempt: Attempt;
    readonly #client: MatchServiceClient;
    readonly #call: ClientDuplexStream<PlayRequest, PlayResponse>;
    readonly #sendAfter: number;
    #out: BotBody[] = [];
    #sending = false;
    #open = true;
    #timer: NodeJS.Timeout | undefined;
    #waiting: (() => void)[] = [];

    constructor(where: string, settings: Settings, first: boolean) {
        this.attempt = { where, token: settings.token !== "", tls: settings.tls, first };
        this.#sendAfter = settings.sendAfter;
        const trust = channelCredentials(settings);
        try {
            this.#client = new MatchServiceClient(where, trust, OPTIONS);
        } catch {
            throw badAddress(where);
        }
        const metadata = new Metadata();
        if (settings.token) metadata.set("authorization", `Bearer ${settings.token}`);
        this.#call = this.#client.play(metadata);
        this.#call.on("error", () => undefined); // told to whoever reads `frames`
        this.#call.on("status", () => this.#ended());
    }

    /** What the referee says, until the stream ends with OK; anything else is thrown as an ArenaError. */
    async *frames(): AsyncGenerator<PlayResponse> {
        try {
            for await (const frame of this.#call) yield frame as PlayResponse;
        } catch (error) {
            const { code, details } = error as Partial<ServiceError>;
            if (code === undefined) throw error;
            throw meaning(code, details ?? "", this.attempt);
        }
    }

    /** Into the next message. */
    put(body: NonNullable<BotBody["body"]>): void {
        if (this.#open) this.#out.push({ body });
    }

    get hasUnsent(): boolean {
        return this.#out.length > 0;
    }

    /** Send what is ready. What becomes ready before that has left the process goes along in the next message. */
    flush(): void {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        if (this.#sending || !this.#open || !this.#out.length) return;
        const bodies = this.#out;
        this.#out = [];
        this.#sending = true;
        this.#call.write({ bodies }, () => {
            this.#sending = false;
            if (this.#open && this.#out.length) this.flush();
            else this.#wake();
        });
    }

    /** Send what is ready in a moment: other answers are nearly ready too, and cost is per message. */
    flushSoon(): void {
        if (this.hasUnsent) this.#timer ??= setTimeout(() => this.flush(), this.#sendAfter);
    }

    /** Send what is ready; resolves once it has left, or the stream has ended. */
    async flushed(): Promise<void> {
        this.flush();
        if (this.#sending && this.#open) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }

    close(): void {
        this.#ended();
        this.#call.cancel();
        this.#client.close();
    }

    #ended(): void {
        this.#open = false;
        this.#out = [];
        clearTimeout(this.#timer);
        this.#wake();
    }

    #wake(): void {
        for (const resolve of this.#waiting.splice(0)) resolve();
    }
}

function channelCredentials(settings: Settings): ChannelCredentials {
    if (!settings.tls) return credentials.createInsecure();
    return credentials.createSsl(settings.ca ? readCertificate(settings.ca) : null);
}
