// What ends a bot's program: a sentence for its author, and an exit code.

export class ArenaError extends Error {
    override name = "ArenaError";
    /** The exit code that goes with it: here, the environment failed. */
    readonly code: number = 3;
}

/** Wrong use, or the server will not have this bot: waiting cannot mend it. */
export class Refused extends ArenaError {
    override name = "Refused";
    override readonly code = 2;
}

/** A flag or a variable that cannot be used; the text begins with its name. */
export class BadUsage extends Refused {
    override name = "BadUsage";
}

/** The server is away: worth another attempt. */
export class Gone extends ArenaError {
    override name = "Gone";
}

/** An error in the bot's own code, with --strict. */
export class BotFailed extends ArenaError {
    override name = "BotFailed";
    override readonly code = 1;
}

/** The operating system's own words for what it refused, without the path, which the sentence around them has. */
export function systemReason(error: unknown): string {
    const text = error instanceof Error ? error.message : String(error);
    return /^E[A-Z0-9]+: (.*?)(?:, \w+(?: '.*')?)?$/.exec(text)?.[1] ?? text;
}
