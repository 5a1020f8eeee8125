// From the bytes of a view to what a bot looks at: the game's typed message, or a JSON value.

import * as encore from "./generated/arena/games/encore/v1/encore.js";
import * as flip7 from "./generated/arena/games/flip7/v1/flip7.js";
import * as stop from "./generated/arena/games/stop/v1/stop.js";
import * as stopMeGo from "./generated/arena/games/stop_me_go/v1/stop_me_go.js";

const JSON_VIEW = "json";

/** How a type of view is read, and written as JSON: the shape of the objects that ts-proto generates. */
export interface ViewCodec<V> {
    decode(bytes: Uint8Array): V;
    toJSON(view: V): unknown;
}

/** The view cannot be read; the text says what to do instead. */
export class UnknownView extends Error {
    override name = "UnknownView";
}

// `any`: every type of view has a codec of its own.
const codecs = new Map<string, ViewCodec<any>>([
    ["arena.games.encore.v1.View", encore.View],
    ["arena.games.flip7.v1.View", flip7.View],
    ["arena.games.stop.v1.View", stop.View],
    ["arena.games.stop_me_go.v1.View", stopMeGo.View],
]);

/** Teach the SDK the view of another game: `registerView("somewhere.chess.v1.View", View)`, with code by ts-proto. */
export function registerView<V>(viewType: string, codec: ViewCodec<V>): void {
    codecs.set(viewType, codec);
}

/** A view from its bytes; UnknownView if that cannot be. */
export function readView(viewType: string, bytes: Uint8Array): unknown {
    try {
        return viewType === JSON_VIEW ? JSON.parse(new TextDecoder().decode(bytes)) : codec(viewType).decode(bytes);
    } catch (error) {
        if (error instanceof UnknownView) throw error;
        throw new UnknownView(
            `these bytes are no view of the type '${viewType}' (${String(error)}): ` +
                "play from decision.legal or from decision.viewBytes",
        );
    }
}

/** The view as JSON, with the names of the .proto and zero fields written out. */
export function viewToJSON(viewType: string, bytes: Uint8Array): unknown {
    const view = readView(viewType, bytes);
    return viewType === JSON_VIEW ? view : messageToJSON(codec(viewType), view);
}

/** Any message as protobuf's JSON. The generated code leaves out empty lists, which are zero fields too. */
export function messageToJSON<M>(codec: Pick<ViewCodec<M>, "toJSON">, message: M): unknown {
    const json = codec.toJSON(message);
    writeEmptyLists(message, json);
    return json;
}

function writeEmptyLists(message: unknown, json: unknown): void {
    if (message === null || typeof message !== "object" || message instanceof Uint8Array) return;
    const from = message as Record<string, unknown>;
    const to = json as Record<string, unknown>;
    for (const [key, value] of Object.entries(from)) {
        const name = Array.isArray(from) ? key : key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        if (Array.isArray(value) && !value.length) to[name] = [];
        else writeEmptyLists(value, to[name]);
    }
}

function codec(viewType: string): ViewCodec<unknown> {
    const found = codecs.get(viewType);
    if (!found) {
        throw new UnknownView(
            `this SDK has no code for the view '${viewType}': call registerView, ` +
                "or play from decision.legal or from decision.viewBytes",
        );
    }
    return found;
}
