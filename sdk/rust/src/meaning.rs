//! Error messages: from a gRPC status or a failed connection to a sentence, and whether waiting can mend it.

use tonic::{Code, Status};

use crate::{error::Error, settings::Settings};

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    NotTrusted,
    OtherName,
    NoTls,
    NothingListens,
    Unreachable(String),
    Settings(Error),
}

/// `Refused` is final, after `Gone` it is worth trying again.
pub(crate) fn of_trouble(trouble: Trouble, place: &str, settings: &Settings) -> Error {
    match trouble {
        Trouble::NotTrusted => Error::Refused(format!(
            "the certificate of {place} is not trusted: give the one to trust with --ca FILE"
        )),
        Trouble::OtherName => Error::Refused(format!(
            "the certificate of {place} is made out to another name: ask for the server by that name"
        )),
        Trouble::NoTls => Error::Refused(format!("{place} does not speak TLS: leave out --tls and --ca")),
        Trouble::NothingListens => Error::Gone(format!("no Referee server listens at {place}")),
        Trouble::Unreachable(why) => unreachable(&why, place, settings),
        Trouble::Settings(error) => error,
    }
}

/// The same for a stream that ended. `first`: never connected yet.
pub(crate) fn of_status(status: &Status, place: &str, settings: &Settings, first: bool) -> Error {
    let details = status.message();
    match status.code() {
        // Made up here and not sent by the server: the connection itself failed.
        _ if std::error::Error::source(status).is_some() => lost(&innermost(status), place, settings, first),
        Code::Unauthenticated => {
            let hint = if settings.token.is_empty() {
                "give it with --token or REFEREE_TOKEN"
            } else {
                "check REFEREE_TOKEN or --token"
            };
            Error::Refused(format!(
                "{place} did not accept the token: {hint}; the host makes one with 'referee bot add NAME'"
            ))
        }
        Code::Unimplemented => Error::Refused(format!(
            "{place} is a gRPC server, but no Referee server of this version: {details}"
        )),
        Code::AlreadyExists
        | Code::FailedPrecondition
        | Code::InvalidArgument
        | Code::PermissionDenied
        | Code::ResourceExhausted => Error::Refused(format!("{place} refused: {details}")),
        Code::Unavailable if details.contains("stopping") => Error::Gone(format!("{place}: {details}")),
        Code::Unavailable => lost(details, place, settings, first),
        _ if details.is_empty() => Error::Gone(format!("lost the connection to {place}")),
        _ => Error::Gone(format!("lost the connection to {place} ({details})")),
    }
}

fn lost(why: &str, place: &str, settings: &Settings, first: bool) -> Error {
    if first {
        unreachable(why, place, settings)
    } else {
        Error::Gone(format!("lost the connection to {place}"))
    }
}

fn unreachable(why: &str, place: &str, settings: &Settings) -> Error {
    let why = if why.is_empty() { "no answer" } else { why };
    let hint = if settings.tls { "" } else { "; if it speaks TLS, give --tls or --ca FILE" };
    Error::Gone(format!("cannot reach a Referee server at {place} ({why}{hint})"))
}

/// The text of the error that caused all the others.
pub(crate) fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => innermost(source),
        None => error.to_string(),
    }
}
