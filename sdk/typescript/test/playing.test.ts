import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Decision, Match } from "../src/index.js";
import { aMoment, playing } from "./scripted_server.js";

const first = (decision: Decision) => decision.legal[0]!;
const TWO: [string, number, string[]][] = [
    ["m/1", 1, ["a"]],
    ["m/2", 1, ["b"]],
];

test("all questions of a message are answered in one message", async () => {
    for (const bot of [first, async (decision: Decision) => first(decision)]) {
        // However slow the machine is, an answer waits for the others.
        await playing(bot, { sendAfter: 60_000 }, async ({ server }) => {
            const line = await server.line();
            await line.welcome();
            line.start("m/1");
            line.start("m/2");
            line.ask(...TWO);
            assert.deepEqual(await line.hearShort(), ["act m/1 1 a", "act m/2 1 b"]);
        });
    }
});

test("what is ready does not wait for a bot that thinks long about another match", async () => {
    let finish = (_move: string): void => undefined;
    const slow = new Promise<string>((resolve) => (finish = resolve));
    const bot = (decision: Decision) => (decision.match === "m/1" ? slow : first(decision));
    await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.start("m/2");
        line.ask(...TWO);
        assert.deepEqual(await line.hearShort(), ["act m/2 1 b"]);
        finish("late");
        assert.deepEqual(await line.hearShort(), ["act m/1 1 late"]);
    });
});

test("a bot that computes without a pause has its answers sent on the way", async () => {
    const bot = (decision: Decision) => {
        const until = performance.now() + 40;
        while (performance.now() < until);
        return first(decision);
    };
    await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.start("m/2");
        line.ask(...TWO);
        assert.deepEqual(await line.hearShort(), ["act m/1 1 a"]);
        assert.deepEqual(await line.hearShort(), ["act m/2 1 b"]);
    });
});

test("a class gives every match an object of its own, and hears start and end", async () => {
    const heard: string[] = [];
    class Counting {
        asked = 0;
        start = (match: Match) => void heard.push(`start ${match.id}`);
        decide = () => String(++this.asked);
        end = () => void heard.push(`end after ${this.asked}`);
    }
    const told = await playing(Counting, { sendAfter: 60_000 }, async ({ server }) => {
        const line = await server.line();
        const [hello] = await line.welcome();
        assert.equal(hello?.$case === "hello" && hello.value.concurrency, 16);
        line.start("m/1");
        line.start("m/2");
        line.ask(["m/1", 1, []]);
        assert.deepEqual(await line.hearShort(), ["act m/1 1 1"]);
        line.ask(["m/1", 2, []], ["m/2", 1, []]);
        assert.deepEqual(await line.hearShort(), ["act m/1 2 2", "act m/2 1 1"]);
        line.end("m/1");
        line.ask(["m/1", 3, []], ["m/2", 2, []]);
        assert.deepEqual(await line.hearShort(), ["act m/2 2 2"]);
    });
    assert.deepEqual(heard, ["start m/1", "start m/2", "end after 2"]);
    assert.ok(told.includes("flip7 m/1: rank 1 of 2, score 10 against odds"));
});

test("one object for all matches takes one at a time", async () => {
    await playing({ decide: first }, {}, async ({ server }) => {
        const [hello] = await (await server.line()).welcome();
        assert.equal(hello?.$case === "hello" && hello.value.concurrency, 1);
    });
});

test("a rejected move that is still open is asked again, with the referee's sentence", async () => {
    const bot = ({ rejected, legal }: Decision) => (rejected ? `${legal.at(-1)} for ${rejected}` : legal[0]!);
    const told = await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.ask(["m/1", 1, ["a", "b"]]);
        await line.hear();
        const value = { matchId: "m/1", decision: 1, message: "no", moveText: "a", strikesLeft: 2 };
        line.say({ $case: "rejected", value });
        line.say({
            $case: "rejected",
            value: {
                ...value,
                open: true,
                question: { matchId: "m/1", decision: 1, legal: ["a", "b"], complete: true },
            },
        });
        assert.deepEqual(await line.hearShort(), ["act m/1 1 b for no"]);
        line.say({ $case: "rejected", value: { ...value, open: true } }); // without the question
        assert.deepEqual(await line.hearShort(), ["act m/1 1 b for no"]);
    });
    const sentence = "match m/1, decision 1: 'a' was refused: no. Legal were: a | b. Strikes left: 2.";
    assert.equal(told.filter((text) => text === sentence).length, 3);
});

test("a late answer is told", async () => {
    const bot = async (decision: Decision) => {
        await aMoment(120);
        return first(decision);
    };
    const told = await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.ask(["m/1", 4, ["a"], { budgetMs: 50 }]);
        await line.hear();
    });
    assert.match(
        told.at(-1)!,
        /^decision 4 of match m\/1 took \d+\.\d s, its budget was 0\.1 s; the rest came from the bank$/,
    );
});

test("an answer that had to wait for another is late too", async () => {
    const bot = (decision: Decision) => {
        const until = performance.now() + 150;
        while (decision.match === "m/1" && performance.now() < until); // computes, and lets nothing else happen
        return first(decision);
    };
    const told = await playing(bot, {}, async ({ server }) => {
        const line = await server.line();
        await line.welcome();
        line.start("m/1");
        line.start("m/2");
        line.ask(["m/1", 1, ["a"], { budgetMs: 60_000 }], ["m/2", 4, ["a"], { budgetMs: 50 }]);
        await line.hear();
    });
    assert.match(told.at(-1)!, /^decision 4 of match m\/2 took \d+\.\d s, its budget was 0\.1 s; /);
});

test("practice: the wish, the end, the sum", async () => {
    const practice = { game: "flip7", against: ["odds"], matches: 2, optionsJson: "" };
    const told = await playing(first, { practice }, async ({ server, over }) => {
        const line = await server.line();
        await line.welcome();
        assert.deepEqual(await line.hearShort(), ["practice flip7 2"]);
        for (const match of ["p/1", "p/2"]) {
            line.start(match);
            line.end(match);
        }
        assert.deepEqual(await line.hearShort(), ["leave"]);
        line.close();
        await over;
    });
    assert.equal(told.at(-1), "2 matches: mean rank 1.00, 2 first, 0 resigned by errors");
});

test("a record holds what was seen and answered", async () => {
    const folder = await mkdtemp(join(tmpdir(), "referee-sdk-"));
    const record = join(folder, "record.jsonl");
    try {
        await playing(first, { record }, async ({ server }) => {
            const line = await server.line();
            await line.welcome();
            line.start("m/1");
            line.ask(["m/1", 1, ["a"]]);
            await line.hear();
        });
        const [start, decide] = readFileSync(record, "utf8")
            .trim()
            .split("\n")
            .map((text) => JSON.parse(text));
        assert.deepEqual([start.type, start.match_id, start.seat, start.tournament], ["start", "m/1", 0, ""]);
        const { time, ms, ...rest } = decide;
        assert.ok(time > 1e9 && ms >= 0);
        assert.deepEqual(rest, {
            type: "decide",
            match: "m/1",
            game: "flip7",
            decision: 1,
            seat: 0,
            legal: ["a"],
            view: {},
            move: "a",
        });
    } finally {
        await rm(folder, { recursive: true });
    }
});
