// A player of Flip 7 who runs the rest of the round a hundred times in his head.
//
// 1. The plans. Stay now, or hit on with more or less courage: a timid plan stops while the next card still promises a
//    little more than it risks, a bold one goes on beyond that.
// 2. The runs. The view says how many of each card the pile holds, not in which order. So every plan is played to the end
//    of the round against the same shuffled piles, with the others doing what the odds tell them.
// 3. The race. At the end of a run not the points count, but what they do for the race to the target score: who lags
//    behind a rival at the line finds that only the bold plans ever win, who leads finds that there is nothing to prove.
//
// A special is given away in the same manner: every target is tried, and the best one named. The dice are a hash of the
// view, so that the same question always gets the same answer.

import { createHash } from "node:crypto";
import { type Decision, flip7, run } from "referee-sdk";

const { SpecialCard, Status, Question } = flip7;

/** Nobody stays with fewer points than this, unless they win the match. */
const LITTLE = 10;
const RUNS = 80;
const COURAGE = [0.6, 1, 2];
const USUAL_COURAGE = 1;
const FLIP_7 = 7;
const FLIP_7_POINTS = 15;
const DECK = [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 1, 1, 1, 1, 1, 3, 3, 3];

export function decide(decision: Decision<flip7.View>): string {
    const { view } = decision;
    const me = view.seat ?? decision.seat;
    const turn = view.question !== Question.TARGET;
    const { points } = view.players[me]!;
    const little = points < LITTLE && view.scores[me]! + points < view.targetScore;
    if (turn && (little || !decision.legal.includes("stay"))) return "hit";
    const piles = shuffledPiles(view, dice(decision.viewBytes));
    const worth = (plan: (round: Round) => Standing) => mean(piles, (pile) => worthOf(plan(new Round(view, me, pile))));
    if (!turn) return `target ${best(view.targets, (seat) => worth((round) => round.target(seat)))}`;
    const hit = COURAGE.map((courage) => worth((round) => round.hit(courage)));
    return Math.max(...hit) > worth((round) => round.stay()) ? "hit" : "stay";
}

// The race

/** What winning is worth; the rest of 1 is for being ahead of each of the others. */
const FIRST = 0.7;
/** What a usual round brings, and how far apart two players usually are after it. */
const ROUND_POINTS = 18;
const ROUND_SPREAD = 13;

/** What the standing at the end of a round is worth, from 0 (certainly last) to 1 (certainly first). */
function worthOf({ totals, me, line }: Standing): number {
    const mine = totals[me]!;
    const highest = Math.max(...totals);
    const over = highest >= line && totals.indexOf(highest) === totals.lastIndexOf(highest);
    const spread = ROUND_SPREAD * Math.sqrt(Math.max(1, (line - highest) / ROUND_POINTS));
    let first = 1;
    let ahead = 0;
    totals.forEach((total, seat) => {
        if (seat === me) return;
        const odds = over ? (Math.sign(mine - total) + 1) / 2 : 1 / (1 + Math.exp((total - mine) / spread));
        first *= odds;
        ahead += odds;
    });
    return FIRST * first + ((1 - FIRST) * ahead) / Math.max(1, totals.length - 1);
}

interface Standing {
    totals: number[];
    me: number;
    line: number;
}

// The runs

/** The cards before a player, as far as they matter. */
class Hand {
    numbers = 0; // a bit for each
    count = 0;
    sum = 0;
    times = 1;
    bonus = 0;
    secondChance = false;
    busted = false;

    constructor(public playing: boolean) {}

    get points(): number {
        if (this.busted) return 0;
        return this.sum * this.times + this.bonus + (this.count >= FLIP_7 ? FLIP_7_POINTS : 0);
    }

    /** Lay down a card that is no Stop and no Three. */
    take(card: number): void {
        if (card === SpecialCard.SECOND_CHANCE) this.secondChance = true;
        else if (card === SpecialCard.X2) this.times *= 2;
        else if (card >= SpecialCard.PLUS_2) this.bonus += 2 * (card - 12);
        else if (!(this.numbers & (1 << card))) {
            this.numbers |= 1 << card;
            this.count++;
            this.sum += card;
        } else if (this.secondChance) this.secondChance = false;
        else {
            this.busted = true;
            this.playing = false;
        }
    }

    /** Whether the next card promises more than it risks, for a player of this courage. */
    hits(pile: readonly number[], courage: number): boolean {
        if (this.secondChance || !this.points) return true;
        let gain = 0;
        let danger = 0;
        for (let number = 0; number < 13; number++) {
            if (this.numbers & (1 << number)) danger += pile[number]!;
            else gain += number * pile[number]!;
        }
        return gain * this.times * courage > danger * this.points;
    }
}

/** The rest of the round, with one order of the pile. */
class Round {
    private readonly hands: Hand[];
    private next = 0;
    private over = false;
    private courage = USUAL_COURAGE;

    constructor(
        private readonly view: flip7.View,
        private readonly me: number,
        private readonly pile: readonly number[],
    ) {
        this.hands = view.players.map(({ status, cards }) => {
            const hand = new Hand(status === Status.IN);
            if (status === Status.BUSTED) hand.busted = true;
            else
                for (const card of cards)
                    if (card < SpecialCard.STOP || card === SpecialCard.SECOND_CHANCE) hand.take(card);
            return hand;
        });
    }

    stay(): Standing {
        this.hands[this.me]!.playing = false;
        return this.finish();
    }

    hit(courage: number): Standing {
        this.courage = courage;
        this.deal(this.me);
        return this.finish();
    }

    /** Use the special that is asked about, then deal what the Threes under way still owe. */
    target(seat: number): Standing {
        this.apply(this.view.card!, seat);
        for (const { seat: owed, left } of [...this.view.threes].reverse()) this.dealSeveral(owed, left);
        return this.finish();
    }

    /** Everybody in turn, from the left of the player whose turn it is, until nobody is in. */
    private finish(): Standing {
        const { scores, targetScore, turn } = this.view;
        const seats = this.hands.length;
        for (let seat = (turn ?? this.me) + 1; !this.over && this.hands.some(({ playing }) => playing); seat++) {
            const at = seat % seats;
            const hand = this.hands[at]!;
            if (!hand.playing) continue;
            if (hand.hits(this.view.pileCounts, at === this.me ? this.courage : USUAL_COURAGE)) this.deal(at);
            else hand.playing = false;
        }
        const totals = this.hands.map((hand, seat) => scores[seat]! + hand.points);
        return { totals, me: this.me, line: targetScore };
    }

    private deal(seat: number): void {
        const card = this.pile[this.next++];
        const hand = this.hands[seat]!;
        if (card === undefined) this.over = true;
        else if (card === SpecialCard.STOP || card === SpecialCard.THREE) this.apply(card, this.strongest(seat));
        else if (card !== SpecialCard.SECOND_CHANCE || !hand.secondChance) hand.take(card);
        if (hand.count >= FLIP_7) this.over = true;
    }

    private dealSeveral(seat: number, cards: number): void {
        for (let card = 0; card < cards && !this.over && this.hands[seat]!.playing; card++) this.deal(seat);
    }

    private apply(card: number, seat: number): void {
        if (card === SpecialCard.STOP) this.hands[seat]!.playing = false;
        else if (card === SpecialCard.THREE) this.dealSeveral(seat, 3);
        else this.hands[seat]!.take(card);
    }

    /** Whom a player names for a Stop or a Three: the others' best, or himself if nobody else is in. */
    private strongest(giver: number): number {
        const others = [...this.hands.keys()].filter((seat) => seat !== giver && this.hands[seat]!.playing);
        return others.length ? best(others, (seat) => this.view.scores[seat]! + this.hands[seat]!.points) : giver;
    }
}

/** Orders in which the cards may come: the pile, and after it the discards; no longer than a round can be expected to be. */
function shuffledPiles(view: flip7.View, random: () => number): number[][] {
    const length = 10 * view.players.length;
    const pile = asCards(view.pileCounts);
    const more = pile.length < length ? asCards(discards(view)) : [];
    return Array.from({ length: RUNS }, () => {
        shuffle(pile, length, random);
        shuffle(more, length, random);
        return [...pile.slice(0, length), ...more.slice(0, Math.max(0, length - pile.length))];
    });
}

/** How many of each card were discarded: those that neither are in the pile nor lie on the table. */
function discards(view: flip7.View): number[] {
    const decks = view.players.length <= 18 ? 1 : 2;
    const counts = DECK.map((copies, card) => decks * copies - view.pileCounts[card]!);
    for (const { cards } of view.players) for (const card of cards) counts[card]!--;
    return counts;
}

function asCards(counts: readonly number[]): number[] {
    return counts.flatMap((copies, card) => Array<number>(Math.max(0, copies)).fill(card));
}

/** Shuffle the first few of these cards: a round does not need them all. */
function shuffle(cards: number[], few: number, random: () => number): void {
    for (let first = 0; first < Math.min(few, cards.length); first++) {
        const other = first + Math.floor(random() * (cards.length - first));
        [cards[first], cards[other]] = [cards[other]!, cards[first]!];
    }
}

/** Repeatable dice: a small generator (xorshift), seeded with a hash. */
function dice(seed: Uint8Array): () => number {
    let state = createHash("sha256").update(seed).digest().readUInt32LE() || 1;
    return () => {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        return (state >>> 0) / 2 ** 32;
    };
}

function mean<T>(values: readonly T[], worth: (value: T) => number): number {
    return values.reduce((sum, value) => sum + worth(value), 0) / values.length;
}

function best(seats: readonly number[], worth: (seat: number) => number): number {
    const worths = seats.map(worth);
    return seats[worths.indexOf(Math.max(...worths))]!;
}

await run(decide, { games: ["flip7"] });
