//! Batching of answers: all questions of a message are answered in one message, and what is ready waits 20 ms at most.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use tokio::sync::mpsc::UnboundedSender;

use crate::v1::{BotBody, PlayRequest, bot_body::Body};

const LONGEST_WAIT: Duration = Duration::from_millis(20);

/// A message of the referee and how many of its questions the bot still thinks about.
struct Incoming {
    came: Instant,
    open: usize,
}

/// What is ready to be sent on the current stream.
#[derive(Default)]
pub(crate) struct Outbox {
    wire: Option<UnboundedSender<PlayRequest>>,
    ready: Vec<BotBody>,
    incoming: BTreeMap<u64, Incoming>,
    latest: u64,
    send_by: Option<Instant>,
}

impl Outbox {
    /// For a new stream; what was meant for the old one is dropped.
    pub(crate) fn connect(&mut self, wire: UnboundedSender<PlayRequest>) {
        *self = Outbox { wire: Some(wire), latest: self.latest, ..Outbox::default() };
    }

    /// The stream is gone, or no more is to be said on it.
    pub(crate) fn disconnect(&mut self) {
        *self = Outbox { latest: self.latest, ..Outbox::default() };
    }

    pub(crate) fn connected(&self) -> bool {
        self.wire.is_some()
    }

    /// A message has come; its questions are counted under the number returned.
    pub(crate) fn message_came(&mut self) -> u64 {
        self.latest += 1;
        self.incoming.insert(self.latest, Incoming { came: Instant::now(), open: 1 });
        self.latest
    }

    /// All of the message has been read.
    pub(crate) fn message_read(&mut self, message: u64) {
        self.close(message);
    }

    /// One more question of this message is being thought about.
    pub(crate) fn open(&mut self, message: u64) {
        if let Some(incoming) = self.incoming.get_mut(&message) {
            incoming.open += 1;
        }
    }

    /// One question of this message needs no more thought. The last one sends all that is ready.
    pub(crate) fn close(&mut self, message: u64) {
        let Some(incoming) = self.incoming.get_mut(&message) else { return };
        incoming.open -= 1;
        if incoming.open == 0 {
            self.incoming.remove(&message);
            self.flush();
        } else if !self.ready.is_empty() {
            let by = incoming.came + LONGEST_WAIT;
            self.send_by = Some(self.send_by.map_or(by, |other| other.min(by)));
        }
    }

    /// Into the next message.
    pub(crate) fn put(&mut self, body: Body) {
        if self.connected() {
            self.ready.push(BotBody { body: Some(body) });
        }
    }

    /// When `flush` has to be called at the latest.
    pub(crate) fn send_by(&self) -> Option<Instant> {
        self.send_by
    }

    /// Send what is ready.
    pub(crate) fn flush(&mut self) {
        self.send_by = None;
        if let Some(wire) = &self.wire
            && !self.ready.is_empty()
        {
            // A stream that has just ended takes no more; the reader tells why it ended.
            let _ = wire.send(PlayRequest { bodies: std::mem::take(&mut self.ready) });
        }
    }
}
