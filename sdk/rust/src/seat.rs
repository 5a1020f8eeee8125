//! The bot in one match: its thread of thought, the question before it, and what it said.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{sync::mpsc::UnboundedSender, task::spawn_blocking};

use crate::{
    bot::{Bot, Failure, Players},
    decision::{Decision, Match, MatchResult},
    v1::{Act, bot_body::Body},
};

/// The latest question of a match.
pub(crate) struct Question {
    pub(crate) decision: Arc<Decision>,
    pub(crate) came: Instant,
    /// None while the bot thinks, or has not been asked yet.
    pub(crate) reply: Option<String>,
    /// The stream and the message with which it came (last).
    pub(crate) stream: u64,
    pub(crate) message: u64,
}

impl Question {
    /// The answer as it is sent, once there is one.
    pub(crate) fn act(&self) -> Option<Body> {
        let (match_id, decision) = (self.decision.info.id.clone(), self.decision.number);
        self.reply.clone().map(|move_text| Body::Act(Act { match_id, decision, move_text }))
    }
}

/// The bot in one match. At most one of its methods runs at a time.
pub(crate) struct Seat {
    pub(crate) serial: u64,
    pub(crate) info: Arc<Match>,
    pub(crate) question: Option<Question>,
    /// The bot could not go on; said again if the stream broke meanwhile. With the stream on which it was said last.
    pub(crate) resigned: Option<(String, u64)>,
    /// The bot could not start: it hears of nothing more.
    pub(crate) unstarted: bool,
    bot: Option<Box<dyn Bot>>,
    /// The question is still to be put to the bot, once that has done with something else.
    waiting: bool,
}

/// What the bot has done on its thread. It comes back with the bot, ready for the next thing.
pub(crate) struct Done {
    pub(crate) serial: u64,
    pub(crate) info: Arc<Match>,
    pub(crate) bot: Option<Box<dyn Bot>>,
    pub(crate) work: Work,
}

pub(crate) enum Work {
    Started(Result<(), Trace>),
    Decided { decision: Arc<Decision>, answer: Result<String, Trace>, took: Duration },
    Ended(Result<(), Trace>),
}

/// What went wrong in the author's code.
pub(crate) struct Trace {
    /// Lines to print; empty after a panic, which has printed its own.
    pub(crate) lines: String,
    pub(crate) error: String,
}

impl Seat {
    /// A bot takes its seat: it is made and told of the match on a thread of its own.
    pub(crate) fn new(
        serial: u64,
        info: Arc<Match>,
        players: Arc<dyn Players>,
        done: &UnboundedSender<Done>,
    ) -> Seat {
        let (told, done) = (info.clone(), done.clone());
        spawn_blocking(move || {
            let mut bot = None;
            let result = guarded(|| {
                let mut player = players.player();
                player.start(&told)?;
                bot = Some(player);
                Ok(())
            });
            let _ = done.send(Done { serial, info: told, bot, work: Work::Started(result) });
        });
        Seat { serial, info, question: None, resigned: None, unstarted: false, bot: None, waiting: false }
    }

    /// Put the question to the bot, now or as soon as it is free.
    pub(crate) fn ask(&mut self, done: &UnboundedSender<Done>) {
        let Some(question) = &self.question else { return };
        let Some(mut bot) = self.bot.take() else {
            self.waiting = true;
            return;
        };
        self.waiting = false;
        let (serial, info, decision, done) =
            (self.serial, self.info.clone(), question.decision.clone(), done.clone());
        spawn_blocking(move || {
            let began = Instant::now();
            let answer = guarded(|| bot.decide(&decision));
            let work = Work::Decided { answer, took: began.elapsed(), decision };
            let _ = done.send(Done { serial, info, bot: Some(bot), work });
        });
    }

    /// The bot is free again: it is asked what has come meanwhile.
    pub(crate) fn free(&mut self, bot: Option<Box<dyn Bot>>, done: &UnboundedSender<Done>) {
        self.bot = bot;
        if self.waiting && self.resigned.is_none() {
            self.ask(done);
        }
    }

    /// The bot, if it is doing nothing.
    pub(crate) fn into_bot(self) -> Option<Box<dyn Bot>> {
        self.bot
    }
}

/// Tell a bot how its match ended.
pub(crate) fn tell_end(
    mut bot: Box<dyn Bot>,
    serial: u64,
    result: MatchResult,
    done: &UnboundedSender<Done>,
) {
    let done = done.clone();
    spawn_blocking(move || {
        let told = guarded(|| {
            bot.end(&result);
            Ok(())
        });
        let _ = done.send(Done { serial, info: result.info, bot: None, work: Work::Ended(told) });
    });
}

/// Run the author's code, which may fail in any way.
fn guarded<T>(code: impl FnOnce() -> Result<T, Failure>) -> Result<T, Trace> {
    match catch_unwind(AssertUnwindSafe(code)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(failure)) => {
            let mut lines = format!("error in the bot: {failure}\n");
            let mut cause = failure.source();
            while let Some(error) = cause {
                lines += &format!("  because: {error}\n");
                cause = error.source();
            }
            Err(Trace { lines, error: failure.to_string() })
        }
        Err(payload) => Err(Trace { lines: String::new(), error: panic_text(payload.as_ref()) }),
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}
