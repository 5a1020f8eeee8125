//! Write a bot in a few lines and let it play on a Referee server.
//!
//! ```no_run
//! fn decide(decision: &arena::Decision) -> String {
//!     decision.legal[0].clone()
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     arena::run(decide)
//! }
//! ```
//!
//! [`run`] is all that most programs need. A bot with a memory of its own implements [`Bot`] and is handed over with
//! [`each_match`]. A program with a loop of its own uses [`Client`].

mod bot;
mod channel;
mod client;
mod decision;
mod error;
mod handle;
mod launch;
mod meaning;
mod nonces;
mod outbox;
mod play;
mod recording;
mod seat;
mod settings;
mod spelling;
mod tally;
mod views;

pub use bot::{Answer, Bot, EachMatch, Failure, OneForAll, Players, each_match, one_for_all};
pub use client::Client;
pub use decision::{Decision, Match, MatchResult};
pub use error::Error;
pub use handle::Handle;
pub use launch::{run, run_with};
pub use settings::{Practice, Settings};
pub use tally::Tally;
pub use v1::Termination;
pub use views::{UnreadableView, View};

/// The messages of the protocol and the stub of its service, generated from `arena/v1/match.proto`.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod v1 {
    include!("generated/arena.v1.rs");
}

/// What bots are shown: the messages of the four games, generated from `arena/games/…/v1/….proto`.
#[allow(missing_docs, clippy::all, clippy::pedantic)]
pub mod games {
    /// Encore et Encore!
    pub mod encore {
        include!("generated/arena.games.encore.v1.rs");
    }
    /// Flip 7.
    pub mod flip7 {
        include!("generated/arena.games.flip7.v1.rs");
    }
    /// STOP!
    pub mod stop {
        include!("generated/arena.games.stop.v1.rs");
    }
    /// STOP me GO.
    pub mod stop_me_go {
        include!("generated/arena.games.stop_me_go.v1.rs");
    }
}

/// Builds the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
