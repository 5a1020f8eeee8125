//! Counting results, and the sentences about a refused move, one match, and all of them.

use std::fmt;

use crate::{
    decision::{Decision, MatchResult},
    v1::Rejected,
};

const LEGAL_SHOWN: usize = 12;

/// How the matches of one client went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Matches that have ended.
    pub matches: u64,
    /// The sum of this bot's ranks.
    pub ranks: u64,
    /// Matches in which nobody was better.
    pub first: u64,
    /// Matches resigned because of an error in the bot.
    pub errors: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, result: &MatchResult) {
        self.matches += 1;
        self.ranks += u64::from(result.rank());
        self.first += u64::from(result.rank() == 1);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = self.ranks as f64 / self.matches.max(1) as f64;
        let Tally { matches, first, errors, .. } = self;
        write!(out, "{matches} matches: mean rank {mean:.2}, {first} first, {errors} resigned by errors")
    }
}

/// "flip7 practice/1: rank 2 of 3, score 11 against random, cautious (timeout: …)".
pub(crate) fn sentence(result: &MatchResult) -> String {
    let info = &result.info;
    let others: Vec<&str> = info
        .names
        .iter()
        .enumerate()
        .filter(|(seat, _)| *seat != info.seat)
        .map(|(_, name)| name.as_str())
        .collect();
    let against = if others.is_empty() { String::new() } else { format!(" against {}", others.join(", ")) };
    let how = result.termination().word();
    let why = match result.texts.get(info.seat).map_or("", String::as_str) {
        "" => String::new(),
        text if text.starts_with(&how) => format!(" ({text})"),
        text => format!(" ({how}: {text})"),
    };
    format!(
        "{} {}: rank {} of {}, score {}{against}{why}",
        info.game,
        info.id,
        result.rank(),
        result.ranks.len(),
        result.score()
    )
}

/// What the author is told of a move that was not accepted.
pub(crate) fn refusal(rejected: &Rejected, decision: Option<&Decision>) -> String {
    let mut text = format!(
        "match {}, decision {}: '{}' was refused: {}.",
        rejected.match_id,
        rejected.decision,
        rejected.move_text,
        rejected.message.trim_end_matches('.')
    );
    if let Some(decision) = decision.filter(|decision| !decision.legal.is_empty()) {
        let shown = decision.legal[..decision.legal.len().min(LEGAL_SHOWN)].join(" | ");
        let more = if decision.legal.len() > LEGAL_SHOWN { " | …" } else { "" };
        let were = if decision.complete { "were" } else { "would have been, among others" };
        text += &format!(" Legal {were}: {shown}{more}.");
    }
    if let Some(left) = rejected.strikes_left {
        text += &format!(" Strikes left: {left}.");
    }
    text
}
