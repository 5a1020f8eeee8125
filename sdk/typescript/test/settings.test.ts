import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DEFAULTS, readSettings, type Settings, VERSION } from "../src/index.js";
import { help } from "../src/settings.js";

const read = (args: string[], env: Record<string, string> = {}) => readSettings(args, env) as Settings;

test("the version told to servers is that of the package", () => {
    assert.equal(JSON.parse(readFileSync("package.json", "utf8")).version, VERSION);
});

test("without flags and environment the defaults stand", () => {
    assert.deepEqual(read([]), DEFAULTS);
});

test("a flag wins over the environment, in both ways of writing", () => {
    const env = { REFEREE_SERVER: "a:1", REFEREE_TOKEN: "t", REFEREE_NAME: "n", REFEREE_CONCURRENCY: "3" };
    const { server, token, name, concurrency } = read(["--server", "b:2", "--name=x=y"], env);
    assert.deepEqual([server, token, name, concurrency], ["b:2", "t", "x=y", 3]);
});

test("an empty variable counts as none", () => {
    assert.deepEqual(read([], { REFEREE_SERVER: "", REFEREE_CONCURRENCY: "", REFEREE_CA: "" }), DEFAULTS);
});

test("REFEREE_TLS is off when it says so", () => {
    for (const off of ["", "0", "no", "off", "False"]) assert.equal(read([], { REFEREE_TLS: off }).tls, false);
    for (const on of ["1", "yes"]) assert.equal(read([], { REFEREE_TLS: on }).tls, true);
});

test("a wish for practice", () => {
    const args = ["--practice", "flip7", "--against", "odds, random,", "--matches", "3", "--options", "{}"];
    assert.deepEqual(read(args).practice, {
        game: "flip7",
        against: ["odds", "random"],
        matches: 3,
        optionsJson: "{}",
    });
});

test("spaces around a token are taken off, and a token may begin with a dash", () => {
    assert.equal(read(["--token", " abc\n"]).token, "abc");
    assert.equal(read(["--token", "-abc"]).token, "-abc");
});

test("--help names every flag", () => {
    assert.equal(readSettings(["--name", "x", "--help"], {}), "help");
    for (const flag of ["--server", "--ca", "--practice", "--record", "--strict", "--quiet"]) {
        assert.ok(help().includes(flag));
    }
});

const MISTAKES: [args: string[], sentence: string, env?: Record<string, string>][] = [
    [["--frobnicate"], "--frobnicate: there is no such flag; --help shows all of them"],
    [["--conc", "3"], "--conc: there is no such flag; did you mean --concurrency?"],
    [["--serve=a:1"], "--serve: there is no such flag; did you mean --server?"],
    [["-tsl"], "-tsl: there is no such flag; did you mean --tls?"],
    [["--xx"], "--xx: there is no such flag; --help shows all of them"],
    [["odds"], "'odds' belongs to no flag; --help shows all of them"],
    [["--name"], "--name: its value is missing; write --name NAME"],
    [["--name", "--quiet"], "--name: its value is missing; write --name NAME"],
    [["--quiet=1"], "--quiet: it takes no value"],
    [["--concurrency", "many"], "--concurrency: 'many' is not a whole number"],
    [[], "REFEREE_CONCURRENCY: 'many' is not a whole number", { REFEREE_CONCURRENCY: "many" }],
    [["--practice", "flip7", "--matches", "0"], "--matches: 1 is the least"],
    [["--server", "nonsense"], "--server: 'nonsense' is not an address: write HOST:PORT or unix:PATH"],
    [["--server", "http://a:1"], "--server: 'http://a:1' is not an address: write HOST:PORT or unix:PATH"],
    ...[":1", "a:", "a:0", "a:65536", "a:b", "::1:1", "a b:1", "unix:"].map((bad): [string[], string] => [
        ["--server", bad],
        `--server: '${bad}' is not an address: write HOST:PORT or unix:PATH`,
    ]),
    [["--token", "tökén"], "--token: it has characters that no token has; copy it again"],
    [["--against", "odds"], "--against goes with --practice GAME"],
    [["--matches", "2"], "--matches goes with --practice GAME"],
    [["--options", "{}"], "--options goes with --practice GAME"],
    [["--ca", "/none.pem"], "--ca: there is no file /none.pem"],
    [["--ca", "package.json"], "--ca: package.json holds no certificate (PEM)"],
    [[], "REFEREE_PATIENCE: 'soon' is no number of seconds", { REFEREE_PATIENCE: "soon" }],
];

for (const [args, message, env] of MISTAKES) {
    test(`the mistake in '${args.join(" ") || JSON.stringify(env)}' gets its sentence`, () => {
        assert.throws(() => read(args, env), { name: "BadUsage", message, code: 2 });
    });
}
