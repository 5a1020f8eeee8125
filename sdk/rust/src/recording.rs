//! `--record FILE`: what a bot saw and answered, a JSON object per line.

use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, SerializeOptions};
use serde_json::Value;

use crate::{decision::Decision, error::Error};

/// All messages of the protocol with the names of their fields, which the generated code does not keep.
static DESCRIPTORS: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(include_bytes!("generated/descriptors.binpb").as_slice())
        .expect("the generated descriptors are whole")
});

/// Writes as it happens, so that a crash loses nothing.
pub(crate) struct Recording {
    path: PathBuf,
    file: File,
}

impl Recording {
    pub(crate) fn open(path: &Path) -> Result<Recording, Error> {
        match File::options().append(true).create(true).open(path) {
            Ok(file) => Ok(Recording { path: path.to_owned(), file }),
            Err(error) => Err(failed(path, &error)),
        }
    }

    /// A message of the referee, by the name of its type such as `MatchStart`.
    pub(crate) fn note(&mut self, kind: &str, name: &str, message: &impl Message) -> Result<(), Error> {
        let json = to_json(&format!("arena.v1.{name}"), &message.encode_to_vec()).unwrap_or_default();
        self.write(kind, json)
    }

    /// A question and its answer.
    pub(crate) fn decided(&mut self, decision: &Decision, answer: &str, took: Duration) -> Result<(), Error> {
        let text = |text: &str| Value::from(text).to_string();
        let fields = format!(
            r#"{{"match":{},"game":{},"decision":{},"seat":{},"legal":{},"view":{},"move":{},"ms":{}}}"#,
            text(decision.match_id()),
            text(decision.game()),
            decision.number,
            decision.seat(),
            Value::from(decision.legal.as_slice()),
            view(decision),
            text(answer),
            (took.as_secs_f64() * 1e6).round() / 1e3,
        );
        self.write("decide", fields)
    }

    fn write(&mut self, kind: &str, fields: String) -> Result<(), Error> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let rest = fields.trim_start_matches('{');
        let comma = if rest.starts_with('}') || rest.is_empty() { "" } else { "," };
        let end = if rest.is_empty() { "}" } else { "" };
        let line = format!(r#"{{"time":{:.3},"type":"{kind}"{comma}{rest}{end}"#, now.as_secs_f64()) + "\n";
        self.file.write_all(line.as_bytes()).map_err(|error| failed(&self.path, &error))
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::Machine(format!("cannot record to {}: {}", path.display(), reason(error)))
}

/// The system's words without the number that Rust puts behind them.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// The view in JSON; in hexadecimal digits where it cannot be read.
fn view(decision: &Decision) -> String {
    match decision.view::<Value>() {
        Ok(value) => value.to_string(),
        Err(_) => to_json(&decision.info.view_type, &decision.view_bytes).unwrap_or_else(|| {
            let digits: String = decision.view_bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("\"{digits}\"")
        }),
    }
}

/// Protobuf's JSON, with the names of the .proto and zero fields written out.
fn to_json(name: &str, bytes: &[u8]) -> Option<String> {
    let message = DynamicMessage::decode(DESCRIPTORS.get_message_by_name(name)?, bytes).ok()?;
    let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
    let mut json = serde_json::Serializer::new(Vec::new());
    message.serialize_with_options(&mut json, &options).ok()?;
    String::from_utf8(json.into_inner()).ok()
}
