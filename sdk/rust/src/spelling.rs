//! Which flag was meant by a misspelt one: the only one that begins so, or the nearest by edit distance.
//!
//! All SDKs measure alike: a letter changed, added, left out or swapped with the next one counts 1; at most two may be
//! wrong, and at most one in three of the letters typed.

/// The flag that was probably meant; flags without their dashes.
pub(crate) fn meant<'a>(word: &str, flags: &[&'a str]) -> Option<&'a str> {
    let typed = word.trim_start_matches('-').to_lowercase();
    let begin: Vec<&str> =
        flags.iter().copied().filter(|flag| !typed.is_empty() && flag.starts_with(&typed)).collect();
    if let [only] = begin[..] {
        return Some(only);
    }
    let most = typed.chars().count().div_ceil(3).min(2);
    let distances = flags.iter().map(|flag| (distance(&typed, flag), *flag));
    distances.min_by_key(|(wrong, _)| *wrong).filter(|(wrong, _)| *wrong <= most).map(|(_, flag)| flag)
}

/// How many letters are changed, added, left out or swapped with the next one.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let mut above: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = (0..=other.len()).collect();
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let changed = before[j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = changed.min(before[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                least = least.min(above[j - 2] + 1);
            }
            row.push(least);
        }
        above = std::mem::replace(&mut before, row);
    }
    before[other.len()]
}
