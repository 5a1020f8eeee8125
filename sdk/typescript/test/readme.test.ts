import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";

test("every code block of the README compiles", () => {
    const blocks = [...readFileSync("README.md", "utf8").matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
    assert.ok(blocks.length >= 5);
    const folder = "build/readme"; // inside the package, so that its own name leads to it
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    blocks.forEach((code, number) => writeFileSync(`${folder}/block${number + 1}.ts`, code));
    const tsconfig = {
        extends: "../../tsconfig.json",
        compilerOptions: { noEmit: true, rootDir: "../.." },
        include: ["*.ts"],
        exclude: [],
    };
    writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(tsconfig));
    const { status, stdout } = spawnSync("node_modules/.bin/tsc", ["-p", folder], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
});
