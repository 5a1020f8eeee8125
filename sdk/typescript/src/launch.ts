// `run(bot)`: from a file with a `decide` to a program that plays.

import type { Bot } from "./bot.js";
import { Client } from "./client.js";
import { ArenaError, BadUsage } from "./errors.js";
import { help, readSettings, type Settings, usage } from "./settings.js";

const BOT_FAILED = 1;
const INTERRUPTED = 130;

/**
 * Connect and play until there is nothing more to play. If it cannot, says why in a sentence and ends the program.
 *
 * Reads `--server`, `--token`, `--name` and more (`--help`), or REFEREE_SERVER, REFEREE_TOKEN, …; `changes` override,
 * such as `{ games: ["flip7"], concurrency: 4 }`.
 */
export async function run(bot: Bot<any>, changes: Partial<Settings> = {}): Promise<void> {
    try {
        const settings = readSettings(process.argv.slice(2));
        if (settings === "help") {
            process.stdout.write(help());
            return;
        }
        const client = new Client(bot, { ...settings, ...changes });
        const release = leaveOnSignals(client);
        try {
            await client.play();
        } finally {
            release();
        }
        if (client.errors) process.exit(BOT_FAILED);
    } catch (error) {
        if (!(error instanceof ArenaError)) throw error;
        if (error instanceof BadUsage) console.error(usage());
        console.error(`error: ${error.message}`);
        process.exit(error.code);
    }
}

/** First signal: finish the running matches, if there are any. Second: go. */
function leaveOnSignals(client: Client): () => void {
    const leave = () => {
        if (client.leaving) process.exit(INTERRUPTED);
        if (!client.playing) return client.stop();
        console.error("leaving after the running matches; once more to leave at once");
        client.leave();
    };
    const signals = ["SIGINT", "SIGTERM"] as const;
    for (const signal of signals) process.on(signal, leave);
    return () => signals.forEach((signal) => process.off(signal, leave));
}
