//! Flags and environment: how a bot connects and plays.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};

use crate::{error::Error, spelling::meant};

pub(crate) const USAGE: &str =
    "usage: BOT [--server HOST:PORT] [--token TOKEN] [--practice GAME --against BOT,…] [--help and more]";

pub(crate) const HELP: &str = "A bot for a Referee server.

  --server HOST:PORT  where the referee listens, or unix:PATH (default: localhost:7700)
  --token TOKEN       the bot's token, from the host
  --name NAME         the bot's name, to have it checked against the token
  --concurrency N     how many matches to play at once
  --tls               the server speaks TLS
  --ca FILE           certificate to trust, PEM (implies --tls)
  --practice GAME     play practice matches of this game, then stop
  --against BOT,…     who takes the other seats: house bots, or 'anyone'
  --matches N         how many practice matches (default: 1)
  --options JSON      options of the practised game
  --record FILE       keep what the bot saw and answered, a JSON object per line
  --strict            stop at the first error in decide
  --quiet             print nothing but errors and warnings
  --help, -h          this text

REFEREE_SERVER, REFEREE_TOKEN, REFEREE_NAME, REFEREE_CONCURRENCY, REFEREE_TLS and REFEREE_CA stand in for missing flags.";

/// How a bot connects and plays. `Settings::default()` is what a program without flags and environment uses.
#[derive(Debug, Clone)]
pub struct Settings {
    /// `HOST:PORT` or `unix:PATH`.
    pub server: String,
    /// From the host; empty: none.
    pub token: String,
    /// To have it checked against the token; empty: not checked.
    pub name: String,
    /// The games it plays; empty: all.
    pub games: Vec<String>,
    /// Matches at once; 0: 16, or 1 where one object plays all matches.
    pub concurrency: u32,
    /// Ask for no lists of legal moves.
    pub without_legal: bool,
    /// The server speaks TLS.
    pub tls: bool,
    /// Certificates to trust, PEM; without it those that the system trusts.
    pub ca: Option<PathBuf>,
    /// Play practice matches, then stop.
    pub practice: Option<Practice>,
    /// Where to keep what the bot saw and answered.
    pub record: Option<PathBuf>,
    /// Stop at the first error in `decide`.
    pub strict: bool,
    /// Print nothing but errors and warnings.
    pub quiet: bool,
    /// How long to try for the first connection.
    pub first_patience: Duration,
    /// How long to try after a stream that had worked.
    pub patience: Duration,
}

/// A wish for practice matches.
#[derive(Debug, Clone, Default)]
pub struct Practice {
    /// Which game.
    pub game: String,
    /// Who takes the other seats: house bots, or `anyone`.
    pub against: Vec<String>,
    /// How many matches.
    pub matches: u32,
    /// The game's options as a JSON object; empty: none.
    pub options_json: String,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            server: "localhost:7700".into(),
            token: String::new(),
            name: String::new(),
            games: Vec::new(),
            concurrency: 0,
            without_legal: false,
            tls: false,
            ca: None,
            practice: None,
            record: None,
            strict: false,
            quiet: false,
            first_patience: Duration::from_secs(15),
            patience: Duration::from_secs(600),
        }
    }
}

impl Settings {
    /// From the arguments and the environment of this program. `None`: `--help` or `-h` was asked for.
    pub fn read() -> Result<Option<Settings>, Error> {
        Settings::from(std::env::args_os().skip(1), |name| std::env::var_os(name))
    }

    /// From these arguments (without the name of the program) and this environment.
    pub fn from(
        arguments: impl IntoIterator<Item = OsString>,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<Settings>, Error> {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        if arguments.iter().any(|word| word == "--help" || word == "-h") {
            return Ok(None);
        }
        let mut settings = Settings::default();
        let mut practice = Practice::default();
        let mut matches = None;
        let mut about_practice = Vec::new();
        for name in ["server", "token", "name", "concurrency", "ca"] {
            let variable = format!("REFEREE_{}", name.to_uppercase());
            let value = environment(&variable).unwrap_or_default();
            if !value.is_empty() {
                settings.set(name, text(name, value)?, &variable)?;
            }
        }
        let tls = environment("REFEREE_TLS").unwrap_or_default().to_string_lossy().to_lowercase();
        settings.tls = !["", "0", "no", "off", "false"].contains(&tls.as_str());
        let patience = environment("REFEREE_PATIENCE").unwrap_or_default().to_string_lossy().into_owned();
        if !patience.is_empty() {
            let seconds = patience.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let Some(seconds) = seconds else {
                return wrong(format!("REFEREE_PATIENCE: '{patience}' is no number of seconds"));
            };
            (settings.first_patience, settings.patience) = (seconds, seconds);
        }

        let mut arguments = arguments.into_iter().peekable();
        while let Some(argument) = arguments.next() {
            let argument = text("flag", argument)?;
            let Some(flag) = argument.strip_prefix("--") else {
                return unknown(&argument);
            };
            let (flag, given) = match flag.split_once('=') {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (flag, None),
            };
            if SWITCHES.contains(&flag) {
                if given.is_some() {
                    return wrong(format!("--{flag}: it takes no value"));
                }
                match flag {
                    "tls" => settings.tls = true,
                    "strict" => settings.strict = true,
                    _ => settings.quiet = true,
                }
                continue;
            }
            let Some((_, called)) = FLAGS.iter().find(|(name, _)| *name == flag) else {
                return unknown(&argument);
            };
            let value = match given {
                Some(value) => value,
                None => match arguments.next_if(|next| !is_flag(next)) {
                    Some(next) => text(flag, next)?,
                    None => return wrong(format!("--{flag}: its value is missing; write --{flag} {called}")),
                },
            };
            if let Some(flag) = ["against", "matches", "options"].into_iter().find(|known| *known == flag) {
                about_practice.push(flag);
            }
            match flag {
                "practice" => practice.game = value,
                "against" => {
                    let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
                    practice.against = names.map(str::to_owned).collect();
                }
                "matches" => match whole("--matches", &value)? {
                    0 => return wrong("--matches: 1 is the least"),
                    count => matches = Some(count),
                },
                "options" => practice.options_json = value,
                _ => settings.set(flag, value, &format!("--{flag}"))?,
            }
        }
        practice.matches = matches.unwrap_or(1);
        if !practice.game.is_empty() {
            settings.practice = Some(practice);
        } else if let Some(flag) = about_practice.iter().min() {
            return wrong(format!("--{flag} goes with --practice GAME"));
        }
        settings.check()?;
        Ok(Some(settings))
    }

    /// `source` is what to name if the value is wrong: the flag, or the variable that stands in for it.
    fn set(&mut self, flag: &str, value: String, source: &str) -> Result<(), Error> {
        match flag {
            "server" => self.server = value,
            "token" => self.token = value.trim().to_owned(),
            "name" => self.name = value,
            "concurrency" => self.concurrency = whole(source, &value)?,
            "ca" => self.ca = Some(value.into()),
            _ => self.record = Some(value.into()),
        }
        Ok(())
    }

    /// What can be told before connecting.
    fn check(&mut self) -> Result<(), Error> {
        if Address::read(&self.server).is_none() {
            return wrong(format!(
                "--server: '{}' is not an address: write HOST:PORT or unix:PATH",
                self.server
            ));
        }
        if !self.token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return wrong("--token: it has characters that no token has; copy it again");
        }
        if let Some(ca) = &self.ca {
            certificates(ca)?;
            self.tls = true;
        }
        Ok(())
    }
}

/// Flags with a value, and what it is called.
const FLAGS: [(&str, &str); 10] = [
    ("server", "HOST:PORT"),
    ("token", "TOKEN"),
    ("name", "NAME"),
    ("concurrency", "N"),
    ("ca", "FILE"),
    ("practice", "GAME"),
    ("against", "BOT,…"),
    ("matches", "N"),
    ("options", "JSON"),
    ("record", "FILE"),
];

/// Flags without one.
const SWITCHES: [&str; 4] = ["tls", "strict", "quiet", "help"];

fn all_flags() -> Vec<&'static str> {
    FLAGS.iter().map(|(name, _)| *name).chain(SWITCHES).collect()
}

fn is_flag(word: &OsString) -> bool {
    word.as_encoded_bytes().starts_with(b"--")
}

fn unknown<T>(word: &str) -> Result<T, Error> {
    if !word.starts_with('-') {
        return wrong(format!("'{word}' belongs to no flag; --help shows all of them"));
    }
    let flag = word.split_once('=').map_or(word, |(flag, _)| flag);
    match meant(flag, &all_flags()) {
        Some(near) => wrong(format!("{flag}: there is no such flag; did you mean --{near}?")),
        None => wrong(format!("{flag}: there is no such flag; --help shows all of them")),
    }
}

/// Where a server listens.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Address<'a> {
    Tcp(&'a str, u16),
    Unix(&'a str),
}

impl Address<'_> {
    pub(crate) fn read(address: &str) -> Option<Address<'_>> {
        if let Some(path) = address.strip_prefix("unix:") {
            let path = path.strip_prefix("//").filter(|rest| rest.starts_with('/')).unwrap_or(path);
            return (!path.is_empty()).then_some(Address::Unix(path));
        }
        let (host, port) = address.rsplit_once(':')?;
        let host = match host.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']')?,
            None if host.contains([':', '/']) => return None,
            None => host,
        };
        let port = port.parse().ok().filter(|port| *port > 0)?;
        let blank =
            host.is_empty() || host.chars().any(|letter| letter.is_whitespace() || letter.is_control());
        (!blank).then_some(Address::Tcp(host, port))
    }
}

/// The certificates in a file.
pub(crate) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    if !file.is_file() {
        return wrong(format!("--ca: there is no file {}", file.display()));
    }
    let pem = std::fs::read(file)
        .or_else(|error| wrong(format!("--ca: cannot read {}: {error}", file.display())))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    match found {
        Ok(found) if found.iter().any(is_certificate) => Ok(found),
        _ => wrong(format!("--ca: {} holds no certificate (PEM)", file.display())),
    }
}

/// Whether a certificate can be trusted by anybody: a frame of PEM around something else cannot.
fn is_certificate(certificate: &CertificateDer<'static>) -> bool {
    tokio_rustls::rustls::RootCertStore::empty().add(certificate.clone()).is_ok()
}

fn text(flag: &str, value: OsString) -> Result<String, Error> {
    value.into_string().or_else(|value| wrong(format!("--{flag}: {value:?} is no text")))
}

fn whole(source: &str, value: &str) -> Result<u32, Error> {
    let digits = !value.is_empty() && value.len() <= 9 && value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse() {
        Ok(number) if digits => Ok(number),
        _ => wrong(format!("{source}: '{value}' is not a whole number")),
    }
}

fn wrong<T>(text: impl Into<String>) -> Result<T, Error> {
    Err(Error::Refused(text.into()))
}
