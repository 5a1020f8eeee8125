//! What counts as a bot: a function, or an object with `decide`, one per match or one for all matches.

use std::sync::{Arc, Mutex, PoisonError};

use crate::decision::{Decision, Match, MatchResult};

/// Any error of the author's own code; `?` makes one of nearly everything.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// One bot in one match.
///
/// Its methods are called one after the other, on a thread where they may think as long as they like. An error or a panic
/// in `start` or `decide` resigns this match; the others go on.
pub trait Bot: Send + 'static {
    /// Before the first question of a match.
    fn start(&mut self, _info: &Match) -> Result<(), Failure> {
        Ok(())
    }

    /// The move to make, as text: one of `decision.legal`, or another legal move where `decision.complete` is false.
    fn decide(&mut self, decision: &Decision) -> Result<String, Failure>;

    /// After the match.
    fn end(&mut self, _result: &MatchResult) {}
}

/// What a function may return for a move: a text, or a `Result` of one.
pub trait Answer {
    /// The move, or what went wrong.
    fn into_move(self) -> Result<String, Failure>;
}

impl Answer for String {
    fn into_move(self) -> Result<String, Failure> {
        Ok(self)
    }
}

impl Answer for &'static str {
    fn into_move(self) -> Result<String, Failure> {
        Ok(self.to_owned())
    }
}

impl<S: Into<String>, E: Into<Failure>> Answer for Result<S, E> {
    fn into_move(self) -> Result<String, Failure> {
        self.map(Into::into).map_err(Into::into)
    }
}

/// Who plays: gives every match its bot. Implemented by functions, [`each_match`] and [`one_for_all`].
pub trait Players: Send + Sync + 'static {
    /// The bot for one more match.
    fn player(&self) -> Box<dyn Bot>;

    /// How many matches are played at once unless the settings say otherwise.
    fn at_once(&self) -> u32 {
        16
    }
}

impl<F, A> Players for F
where
    F: Fn(&Decision) -> A + Clone + Send + Sync + 'static,
    A: Answer,
{
    fn player(&self) -> Box<dyn Bot> {
        Box::new(Function(self.clone()))
    }
}

struct Function<F>(F);

impl<F, A> Bot for Function<F>
where
    F: Fn(&Decision) -> A + Send + 'static,
    A: Answer,
{
    fn decide(&mut self, decision: &Decision) -> Result<String, Failure> {
        (self.0)(decision).into_move()
    }
}

/// A bot of its own for each match, made by a function such as `MyBot::default`.
pub fn each_match<B: Bot, F: Fn() -> B + Send + Sync + 'static>(make: F) -> EachMatch<F> {
    EachMatch(make)
}

/// See [`each_match`].
pub struct EachMatch<F>(F);

impl<B: Bot, F: Fn() -> B + Send + Sync + 'static> Players for EachMatch<F> {
    fn player(&self) -> Box<dyn Bot> {
        Box::new((self.0)())
    }
}

/// One bot that plays all matches, by default one after the other.
pub fn one_for_all(bot: impl Bot) -> OneForAll {
    OneForAll(Arc::new(Mutex::new(bot)))
}

/// See [`one_for_all`].
#[derive(Clone)]
pub struct OneForAll(Arc<Mutex<dyn Bot>>);

impl Players for OneForAll {
    fn player(&self) -> Box<dyn Bot> {
        Box::new(self.clone())
    }

    fn at_once(&self) -> u32 {
        1
    }
}

// A bot that panicked in one match still plays the others: poison is ignored.
impl Bot for OneForAll {
    fn start(&mut self, info: &Match) -> Result<(), Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).start(info)
    }

    fn decide(&mut self, decision: &Decision) -> Result<String, Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).decide(decision)
    }

    fn end(&mut self, result: &MatchResult) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).end(result);
    }
}
