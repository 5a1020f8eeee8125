// The conformbot of the TypeScript SDK: does what the first legal move says, so that the conformance kit can test it.

import { type Decision, type Flip7View, type Match, type Result, run, UnknownView } from "referee-sdk";

type View = Flip7View | { answer: string };

class Conformbot {
    #asked = 0;

    start(match: Match): void {
        console.error(`conformbot: start ${match.id} seat ${match.seat} of ${match.names.join(",")}`);
        if (match.id === "no-start") throw new Error("told to fail");
    }

    async decide(decision: Decision<View>): Promise<string> {
        this.#asked++;
        const { legal } = decision;
        const first = legal[0] ?? "pass";
        if (first === "fail") throw new Error("told to fail");
        if (first.startsWith("think:")) {
            await new Promise((resolve) => setTimeout(resolve, Number(first.slice("think:".length))));
            return legal[1]!;
        }
        if (first === "count") return String(this.#asked);
        if (first === "view") return fromView(decision);
        if (first === "not-text") return 42 as unknown as string;
        return decision.rejected ? (legal.at(-1) ?? first) : first;
    }

    end({ match, ranks, terminations }: Result): void {
        console.error(`conformbot: end ${match.id} rank ${ranks[match.seat]} ${terminations[match.seat]}`);
        if (match.id === "no-end") throw new Error("told to fail");
    }
}

function fromView(decision: Decision<View>): string {
    try {
        const { view } = decision;
        return "answer" in view ? view.answer : `round ${view.round}`;
    } catch (error) {
        if (error instanceof UnknownView) return "unreadable";
        throw error;
    }
}

await run(Conformbot);
