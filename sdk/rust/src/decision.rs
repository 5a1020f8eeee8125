//! What a bot is given: the match, one question of it, and how it ended.

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    v1::{self, Termination},
    views::{UnreadableView, View},
};

/// What stays the same through a match.
#[derive(Debug, Clone, Default)]
pub struct Match {
    /// The id of the match.
    pub id: String,
    /// The game, such as `flip7`.
    pub game: String,
    /// The version of its rules.
    pub game_version: u32,
    /// This bot's seat, from 0.
    pub seat: usize,
    /// Who sits where, this bot included.
    pub names: Vec<String>,
    /// Every option of the game with its value: a JSON object.
    pub options: serde_json::Value,
    /// Free time for every decision.
    pub limit: Duration,
    /// Time for the whole match that is used up beyond the limit.
    pub bank: Duration,
    /// The tournament this match belongs to; empty for practice.
    pub tournament: String,
    /// What the views hold: the full name of a message, or `json`.
    pub view_type: String,
    /// SHA-256 (hex) of the match seed, which the result reveals.
    pub seed_commitment: String,
    /// SHA-256 (hex) over the entrants' nonces that went into the seed; empty: there were none.
    pub nonces_digest: String,
}

impl From<v1::MatchStart> for Match {
    fn from(start: v1::MatchStart) -> Match {
        let time = start.time_control.unwrap_or_default();
        Match {
            id: start.match_id,
            game: start.game,
            game_version: start.game_version,
            seat: start.seat as usize,
            names: start.names,
            options: serde_json::from_str(&start.options_json).unwrap_or_default(),
            limit: milliseconds(time.limit_ms),
            bank: milliseconds(time.bank_ms),
            tournament: start.tournament,
            view_type: start.view_type,
            seed_commitment: start.seed_commitment,
            nonces_digest: start.nonces_digest,
        }
    }
}

/// One question to a bot: what it sees, what it may do, how long it has.
#[derive(Clone, Default)]
pub struct Decision {
    /// The match.
    pub info: Arc<Match>,
    /// The number of this question in its match.
    pub number: u32,
    /// Moves as text, in canonical order.
    pub legal: Vec<String>,
    /// False: there are legal moves beyond the list.
    pub complete: bool,
    /// Free time for this decision.
    pub budget: Duration,
    /// What the match still holds beyond it.
    pub bank: Duration,
    /// Asked again, after a broken connection or because the server was late.
    pub again: bool,
    /// The referee's sentence about the move this bot just tried: it had better answer otherwise.
    pub rejected: Option<String>,
    /// The view as it came over the wire: handy to hash, for a bot that wants repeatable dice of its own.
    pub view_bytes: Vec<u8>,
}

impl Decision {
    pub(crate) fn new(info: Arc<Match>, question: v1::Decide) -> Decision {
        Decision {
            info,
            number: question.decision,
            legal: question.legal,
            complete: question.complete,
            budget: milliseconds(question.budget_ms),
            bank: milliseconds(question.bank_ms),
            again: question.again,
            rejected: None,
            view_bytes: question.view,
        }
    }

    /// All that this seat may know now, so that a bot needs no memory: the typed message of one of the four games, such as
    /// [`games::flip7::View`](crate::games::flip7::View), or a [`serde_json::Value`] where the game shows JSON.
    ///
    /// Reads the bytes each time it is called; a bot that does not call it pays nothing.
    pub fn view<V: View>(&self) -> Result<V, UnreadableView> {
        V::read(&self.info.view_type, &self.view_bytes)
    }

    /// The id of the match.
    pub fn match_id(&self) -> &str {
        &self.info.id
    }

    /// The game, such as `flip7`.
    pub fn game(&self) -> &str {
        &self.info.game
    }

    /// This bot's seat, from 0.
    pub fn seat(&self) -> usize {
        self.info.seat
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Match { id, game, seat, .. } = &*self.info;
        write!(out, "<Decision {} of {game} match {id}, seat {seat}>", self.number)
    }
}

/// How a match ended. Lists are by seat.
#[derive(Debug, Clone, Default)]
pub struct MatchResult {
    /// The match.
    pub info: Arc<Match>,
    /// 1 + the number of seats strictly better.
    pub ranks: Vec<u32>,
    /// The points of the game.
    pub scores: Vec<i32>,
    /// How each seat came to the end.
    pub terminations: Vec<Termination>,
    /// A sentence where a seat did not finish, else empty.
    pub texts: Vec<String>,
    /// The game's word for how the match ended.
    pub reason: String,
    /// The match seed (hex), so that anybody can replay the match.
    pub seed: String,
    /// The final view as it came over the wire; empty if the match was broken off.
    pub view_bytes: Vec<u8>,
}

impl MatchResult {
    pub(crate) fn new(info: Arc<Match>, end: v1::MatchEnd) -> MatchResult {
        let result = end.result.unwrap_or_default();
        MatchResult {
            info,
            terminations: result.terminations().collect(),
            ranks: result.ranks,
            scores: result.scores,
            texts: result.texts,
            reason: result.reason,
            seed: end.seed,
            view_bytes: end.view,
        }
    }

    /// This bot's rank; 0 if the referee told none.
    pub fn rank(&self) -> u32 {
        self.ranks.get(self.info.seat).copied().unwrap_or_default()
    }

    /// This bot's points.
    pub fn score(&self) -> i32 {
        self.scores.get(self.info.seat).copied().unwrap_or_default()
    }

    /// How this bot came to the end.
    pub fn termination(&self) -> Termination {
        self.terminations.get(self.info.seat).copied().unwrap_or_default()
    }

    /// This seat's final view, with what happened since its last decision.
    pub fn view<V: View>(&self) -> Result<V, UnreadableView> {
        V::read(&self.info.view_type, &self.view_bytes)
    }
}

impl Termination {
    /// The lower-case word of texts and records, such as `timeout`.
    pub fn word(self) -> String {
        self.as_str_name().trim_start_matches("TERMINATION_").to_lowercase()
    }
}

fn milliseconds(count: u32) -> Duration {
    Duration::from_millis(count.into())
}
