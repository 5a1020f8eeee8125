// What counts as a bot: a function, a class of which every match gets an object, or one object for all matches.

import type { Decision, Match, Result } from "./decision.js";
import { Refused } from "./errors.js";

export type Answer = string | Promise<string>;
export type Decide<V = unknown> = (decision: Decision<V>) => Answer;

/** A bot with memory. `start` and `end` are there for those who want them. */
export interface Player<V = unknown> {
    decide(decision: Decision<V>): Answer;
    start?(match: Match): void | Promise<void>;
    end?(result: Result<V>): void | Promise<void>;
}

export type Bot<V = unknown> = Decide<V> | (new () => Player<V>) | Player<V>;

/** The bot as one match sees it. */
export function seatPlayer<V>(bot: Bot<V>): Player<V> {
    if (isClass(bot)) return new bot();
    return typeof bot === "function" ? { decide: bot } : bot;
}

/** Whether one object plays all matches, so that two at once could get in each other's way. */
export function sharesMemory<V>(bot: Bot<V>): boolean {
    return typeof bot !== "function";
}

export function checkBot<V>(bot: Bot<V>): Bot<V> {
    if (typeof bot !== "function" && typeof (bot as Partial<Player> | null)?.decide !== "function") {
        throw new Refused(
            `${String(bot)} is not a bot: give a function (decision) => move, or a class with a method decide`,
        );
    }
    return bot;
}

function isClass<V>(bot: Bot<V>): bot is new () => Player<V> {
    return (
        typeof bot === "function" &&
        (typeof bot.prototype?.decide === "function" || /^class\b/.test(Function.prototype.toString.call(bot)))
    );
}
