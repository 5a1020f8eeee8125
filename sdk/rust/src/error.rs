//! Errors that end the program, each with the sentence its author needs and an exit code.

use std::fmt;

/// Why a bot cannot go on. Its text is a sentence for the bot's author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The server will not have this bot as it is, or a setting is wrong: trying again would not help.
    Refused(String),
    /// The server cannot be reached, or went away.
    Gone(String),
    /// This machine failed, such as a disk that is full.
    Machine(String),
    /// The bot itself failed, and `--strict` was asked for.
    BotFailed(String),
}

impl Error {
    /// What the program ends with: 1 the bot failed, 2 wrong use or refused, 3 the server or the machine failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::BotFailed(_) => 1,
            Error::Refused(_) => 2,
            Error::Gone(_) | Error::Machine(_) => 3,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Error::Refused(text) | Error::Gone(text) | Error::Machine(text) | Error::BotFailed(text)) = self;
        out.write_str(text)
    }
}

impl std::error::Error for Error {}
