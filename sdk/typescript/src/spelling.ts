// Which flag was meant by a misspelt one: the only one that begins so, or the nearest by edit distance.
//
// All SDKs measure alike: a letter changed, added, left out or swapped with the next one counts 1; at most two may be
// wrong, and at most one in three of the letters typed.

/** The flag that was probably meant. */
export function meant(word: string, flags: readonly string[]): string | undefined {
    const typed = word.replace(/^-+/, "").toLowerCase();
    const begin = flags.filter((flag) => typed && flag.slice(2).startsWith(typed));
    if (begin.length === 1) return begin[0];
    let nearest: string | undefined;
    let most = Math.min(2, Math.floor((typed.length + 2) / 3));
    for (const flag of flags) {
        const wrong = distance(typed, flag.slice(2));
        if (wrong <= most) [nearest, most] = [flag, wrong - 1];
    }
    return nearest;
}

/** How many letters are changed, added, left out or swapped with the next one. */
function distance(one: string, other: string): number {
    let above: number[] = [];
    let before: number[] = [];
    let row = Array.from({ length: other.length + 1 }, (_, j) => j);
    for (let i = 1; i <= one.length; i++) {
        [above, before, row] = [before, row, [i]];
        for (let j = 1; j <= other.length; j++) {
            const changed = before[j - 1]! + Number(one[i - 1] !== other[j - 1]);
            let least = Math.min(changed, before[j]! + 1, row[j - 1]! + 1);
            if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
                least = Math.min(least, above[j - 2]! + 1);
            }
            row.push(least);
        }
    }
    return row[other.length]!;
}
