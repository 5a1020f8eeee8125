import assert from "node:assert/strict";
import { test } from "node:test";
import { status } from "@grpc/grpc-js";
import type { Decision } from "../src/index.js";
import { aMoment, type Line, playing } from "./scripted_server.js";

const LOST = [status.UNAVAILABLE, "gone"] as const;

function counting() {
    let asked = 0;
    return () => `${++asked}`;
}

/** A bot whose stream broke after the first question of its match. */
async function cutAfter(line: Line, legal: string[] = []): Promise<void> {
    await line.welcome({ session: "first" });
    line.start("m/1");
    line.ask(["m/1", 1, legal]);
}

test("an answer that was lost is repeated when the question is, without asking the bot again", async () => {
    await playing(counting(), {}, async ({ server }) => {
        const line = await server.line();
        await cutAfter(line);
        assert.deepEqual(await line.hearShort(), ["act m/1 1 1"]);
        line.close(...LOST);
        const next = await server.line();
        const [hello] = await next.welcome({ resumed: ["m/1"] });
        assert.equal(hello?.$case === "hello" && hello.value.resume, "first");
        next.start("m/1");
        next.ask(["m/1", 1, [], { again: true }]);
        assert.deepEqual(await next.hearShort(), ["act m/1 1 1"]);
        next.ask(["m/1", 2, []]);
        assert.deepEqual(await next.hearShort(), ["act m/1 2 2"]);
    });
});

test("an answer is not repeated unasked", async () => {
    await playing(counting(), {}, async ({ server }) => {
        const line = await server.line();
        await cutAfter(line);
        await line.hear();
        line.close(...LOST);
        const next = await server.line();
        await next.welcome({ resumed: ["m/1"] });
        next.start("m/1");
        next.ask(["m/1", 2, []]);
        assert.deepEqual(await next.hearShort(), ["act m/1 2 2"]);
    });
});

test("a question that is repeated while the bot thinks is not put to it twice", async () => {
    const asked: Decision[] = [];
    let finish = (_move: string): void => undefined;
    const bot = (decision: Decision) => {
        asked.push(decision);
        return new Promise<string>((resolve) => (finish = resolve));
    };
    await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await cutAfter(line);
        while (!asked.length) await aMoment(5);
        line.close(...LOST);
        const next = await server.line();
        await next.welcome({ resumed: ["m/1"] });
        next.start("m/1");
        next.ask(["m/1", 1, [], { again: true }]);
        next.start("m/2"); // heard after the question
        next.ask(["m/2", 1, []]);
        while (asked.length < 2) await aMoment(5);
        assert.deepEqual(
            asked.map(({ match }) => match),
            ["m/1", "m/2"],
        );
        finish("other");
        assert.deepEqual(await next.hearShort(), ["act m/2 1 other"]);
    });
});

test("a thought for a question that is not repeated stays unsaid", async () => {
    const finish = new Map<number, (move: string) => void>();
    const bot = ({ number }: Decision) => new Promise<string>((resolve) => finish.set(number, resolve));
    await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await cutAfter(line);
        while (!finish.has(1)) await aMoment(5);
        line.close(...LOST);
        const next = await server.line();
        await next.welcome({ resumed: ["m/1"] });
        finish.get(1)!("old");
        next.ask(["m/1", 2, []]);
        while (!finish.has(2)) await aMoment(5);
        finish.get(2)!("new");
        assert.deepEqual(await next.hearShort(), ["act m/1 2 new"]);
    });
});

test("a match that is not resumed is forgotten, with a warning", async () => {
    const told = await playing(counting(), {}, async ({ server, client }) => {
        const line = await server.line();
        await cutAfter(line);
        await line.hear();
        line.close(...LOST);
        const next = await server.line();
        await next.welcome();
        next.start("m/2");
        next.ask(["m/1", 1, [], { again: true }], ["m/2", 1, []]);
        assert.deepEqual(await next.hearShort(), ["act m/2 1 2"]);
        assert.equal(client.playing, 1);
    });
    assert.ok(told.includes("match m/1 is no longer this bot's: it went on without it, or is played again later"));
    assert.ok(told.some((text) => /^lost the connection to .*; trying again in 0\.1 s$/.test(text)));
});

test("a refusal is final", async () => {
    await playing(counting(), {}, async ({ server, over }) => {
        const line = await server.line();
        line.close(status.PERMISSION_DENIED, "this token belongs to another");
        await assert.rejects(over, { name: "Refused", message: /refused: this token belongs to another$/ });
    });
});

test("patience ends with a sentence", async () => {
    await playing(counting(), { firstPatience: 0.2, server: "127.0.0.1:1" }, async ({ over }) => {
        const message = "no Referee server listens at 127.0.0.1:1; gave up after 0.2 seconds";
        await assert.rejects(over, { name: "Gone", message, code: 3 });
    });
});

test("a leaving bot says so again after a reconnect", async () => {
    await playing(counting(), {}, async ({ server, client, over }) => {
        const line = await server.line();
        await cutAfter(line);
        await line.hear();
        client.leave();
        assert.deepEqual(await line.hearShort(), ["leave"]);
        line.close(...LOST);
        const next = await server.line();
        await next.welcome({ resumed: ["m/1"] });
        assert.deepEqual(await next.hearShort(), ["leave"]);
        next.end("m/1");
        next.close();
        await over;
    });
});
