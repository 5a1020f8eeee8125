import assert from "node:assert/strict";
import { test } from "node:test";
import { flip7, readView, registerView, UnknownView } from "../src/index.js";
import { viewToJSON } from "../src/views.js";

const FLIP7 = "arena.games.flip7.v1.View";
const view = flip7.View.fromPartial({
    seat: 0,
    round: 3,
    question: flip7.Question.TURN,
    players: [{ status: flip7.Status.IN, points: 5, cards: [5] }, {}],
});
const bytes = flip7.View.encode(view).finish();

test("a view of one of the four games is its generated message", () => {
    assert.deepEqual(readView(FLIP7, bytes), view);
});

test("a JSON view is a value of the language's own", () => {
    assert.deepEqual(readView("json", Buffer.from('{"answer": "größe"}')), { answer: "größe" });
});

test("JSON of a typed view has the names of the .proto and zero fields, and no absent ones", () => {
    const json = viewToJSON(FLIP7, bytes) as Record<string, unknown>;
    assert.equal(json["question"], "QUESTION_TURN");
    assert.equal(json["pile_size"], 0);
    assert.deepEqual(json["unserved"], []);
    assert.deepEqual(json["players"], [
        { status: "STATUS_IN", points: 5, cards: [5] },
        { status: "STATUS_UNSPECIFIED", points: 0, cards: [] },
    ]);
    assert.equal(json["seat"], 0);
    assert.ok(!("turn" in json));
});

test("what cannot be read is an error that says what to do instead", () => {
    const advice = /play from decision\.legal or from decision\.viewBytes/;
    for (const [type, hex] of [
        ["somewhere.chess.v1.View", "0801"],
        [FLIP7, "ffffffff"],
        ["json", "7b"],
    ] as const) {
        assert.throws(
            () => readView(type, Buffer.from(hex, "hex")),
            (error: Error) => {
                return error instanceof UnknownView && advice.test(error.message);
            },
        );
    }
});

test("a view of another game can be registered", () => {
    registerView("somewhere.go.v1.View", flip7.View);
    assert.deepEqual(readView("somewhere.go.v1.View", bytes), view);
});
