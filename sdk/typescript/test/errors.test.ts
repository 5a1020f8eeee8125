import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bot, Client, type Decision } from "../src/index.js";
import { playing } from "./scripted_server.js";

const WRONG: [what: string, bot: Bot][] = [
    [
        "thrown",
        () => {
            throw new Error("told to fail");
        },
    ],
    ["rejected", () => Promise.reject(new Error("told to fail"))],
    ["no text", () => 42 as unknown as string],
    ["a promise of no text", async () => undefined as unknown as string],
];

for (const [what, fails] of WRONG) {
    test(`an error in decide (${what}) resigns its match and no other`, async () => {
        const bot = (decision: Decision) => (decision.match === "m/1" ? (fails as typeof first)(decision) : "fine");
        const told = await playing(bot, { sendAfter: 60_000 }, async ({ server, client }) => {
            const line = await server.line();
            await line.welcome();
            line.start("m/1");
            line.start("m/2");
            line.ask(["m/1", 1, ["hit"]], ["m/2", 1, ["hit"]]);
            const heard = await line.hearShort();
            assert.match(
                heard.find((text) => text.startsWith("resign"))!,
                /^resign m\/1 error in decide: /,
            );
            assert.ok(heard.includes("act m/2 1 fine"));
            assert.equal(client.errors, 1);
        });
        const sentence = "decision 1 of flip7 match m/1 went wrong in decide; resigning this match.";
        assert.ok(told.some((text) => text.endsWith(`\n${sentence}`) && /told to fail|decide returned/.test(text)));
    });
}

test("with strict the first error ends it all", async () => {
    const bot = () => {
        throw new Error("told to fail");
    };
    await playing(bot, { strict: true }, async ({ server, over }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.ask(["m/1", 1, []]);
        const message = "stopped at the first error in decide, as --strict asks: Error: told to fail";
        await assert.rejects(over, { name: "BotFailed", message, code: 1 });
    });
});

for (const what of ["thrown", "rejected"]) {
    test(`an error in start (${what}) resigns the match, and its questions are not put to the bot`, async () => {
        class Unwilling {
            start(): void | Promise<void> {
                if (what === "rejected") return Promise.reject(new Error("not today"));
                throw new Error("not today");
            }
            decide(): string {
                return "asked all the same";
            }
        }
        const told = await playing(Unwilling, {}, async ({ server }) => {
            const line = await server.line();
            await line.welcome();
            line.start("m/1");
            assert.deepEqual(await line.hearShort(), ["resign m/1 error in start: Error: not today"]);
            line.ask(["m/1", 1, []]);
            line.ask(["m/1", 1, [], { again: true }]);
            assert.deepEqual(await line.hearShort(), ["resign m/1 error in start: Error: not today"]);
        });
        assert.ok(told.some((text) => text.endsWith("the bot could not start match m/1; resigning it.")));
    });
}

test("an asynchronous start is over before the first question is put", async () => {
    class Preparing {
        ready = false;
        async start(): Promise<void> {
            await new Promise((resolve) => setTimeout(resolve, 30));
            this.ready = true;
        }
        decide(): string {
            return String(this.ready);
        }
    }
    await playing(Preparing, {}, async ({ server }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.ask(["m/1", 1, []]);
        assert.deepEqual(await line.hearShort(), ["act m/1 1 true"]);
    });
});

test("what is no bot is refused with a sentence", () => {
    const message = "odds is not a bot: give a function (decision) => move, or a class with a method decide";
    assert.throws(() => new Client("odds" as unknown as Bot), { name: "Refused", message, code: 2 });
});

function first(decision: Decision): string | Promise<string> {
    return decision.legal[0]!;
}
