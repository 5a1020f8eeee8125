// Write a bot in a few lines and let it play on a Referee server:
//
//   import { run } from "referee-sdk";
//   await run((decision) => decision.legal[0]);

export type { Answer, Bot, Decide, Player } from "./bot.js";
export { Client, type Say } from "./client.js";
export { Decision, type Match, Result } from "./decision.js";
export { ArenaError, BadUsage, BotFailed, Gone, Refused } from "./errors.js";
export { run } from "./launch.js";
export { DEFAULTS, type Practice, readSettings, type Settings } from "./settings.js";
export { VERSION } from "./version.js";
export { readView, registerView, UnknownView, type ViewCodec } from "./views.js";

// The views of the games that come with Referee: `Decision<flip7.View>`, or by a name of their own.
export * as encore from "./generated/arena/games/encore/v1/encore.js";
export * as flip7 from "./generated/arena/games/flip7/v1/flip7.js";
export * as stop from "./generated/arena/games/stop/v1/stop.js";
export * as stopMeGo from "./generated/arena/games/stop_me_go/v1/stop_me_go.js";
export type { View as EncoreView } from "./generated/arena/games/encore/v1/encore.js";
export type { View as Flip7View } from "./generated/arena/games/flip7/v1/flip7.js";
export type { View as StopView } from "./generated/arena/games/stop/v1/stop.js";
export type { View as StopMeGoView } from "./generated/arena/games/stop_me_go/v1/stop_me_go.js";
