//! A bot's side of the stream: says hello, answers questions, comes back after a lost connection.

use std::{
    collections::{BTreeMap, VecDeque},
    future::{Future, pending},
    hash::{BuildHasher, RandomState},
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{sleep, sleep_until, timeout},
};
use tokio_stream::StreamExt;

use crate::{
    bot::Players,
    channel,
    decision::MatchResult,
    error::Error,
    handle::Handle,
    meaning::of_status,
    nonces::Nonces,
    outbox::Outbox,
    recording::Recording,
    seat::{Done, Seat},
    settings::Settings,
    tally::Tally,
    v1::{BotBody, Hello, Leave, PlayRequest, bot_body::Body},
};

pub(crate) const PROTOCOL_VERSION: u32 = 1;
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const LAST_WORDS: Duration = Duration::from_secs(1);
const KEPT_RESULTS: usize = 1000;

/// One bot on one server. `client.play().await` returns when there is nothing more to play.
///
/// Bots think on the blocking threads of the tokio runtime that `play` runs in.
pub struct Client {
    pub(crate) players: Arc<dyn Players>,
    pub(crate) settings: Settings,
    pub(crate) say: Box<dyn Fn(&str) + Send + Sync>,
    pub(crate) handle: Handle,
    pub(crate) seats: BTreeMap<String, Seat>,
    /// Matches that are over while the bot still thinks: how they ended, by the serial of their seat.
    pub(crate) ended: BTreeMap<u64, MatchResult>,
    /// How many bots are being told of the end of their match.
    pub(crate) telling: usize,
    pub(crate) outbox: Outbox,
    pub(crate) recording: Option<Recording>,
    pub(crate) done: UnboundedSender<Done>,
    finished: UnboundedReceiver<Done>,
    pub(crate) serial: u64,
    pub(crate) stream: u64,
    /// The stream on which Leave was said last.
    left: u64,
    pub(crate) place: String,
    pub(crate) addresses: Vec<String>,
    pub(crate) session: String,
    pub(crate) welcomed: bool,
    pub(crate) practised: u32,
    pub(crate) results: VecDeque<MatchResult>,
    pub(crate) tally: Tally,
    pub(crate) nonces: Nonces,
    /// Why the program has to stop, once the bot's last words are sent.
    pub(crate) stopped: Option<Error>,
}

impl Client {
    /// A client that prints to standard error.
    pub fn new(players: impl Players, settings: Settings) -> Client {
        Client::saying(players, settings, |text| eprintln!("{text}"))
    }

    /// A client whose sentences to the author go elsewhere.
    pub fn saying(
        players: impl Players,
        settings: Settings,
        say: impl Fn(&str) + Send + Sync + 'static,
    ) -> Client {
        let (done, finished) = unbounded_channel();
        Client {
            players: Arc::new(players),
            settings,
            say: Box::new(say),
            handle: Handle::default(),
            seats: BTreeMap::new(),
            ended: BTreeMap::new(),
            telling: 0,
            outbox: Outbox::default(),
            recording: None,
            done,
            finished,
            serial: 0,
            stream: 0,
            left: 0,
            place: String::new(),
            addresses: Vec::new(),
            session: String::new(),
            welcomed: false,
            practised: 0,
            results: VecDeque::new(),
            tally: Tally::default(),
            nonces: Nonces::default(),
            stopped: None,
        }
    }

    /// To be used while `play` runs.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// How the matches ended, oldest first (the last thousand).
    pub fn results(&self) -> impl Iterator<Item = &MatchResult> {
        self.results.iter()
    }

    /// All matches in figures.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Play until told to leave; reconnects by itself. The error says what cannot be mended by waiting.
    pub async fn play(&mut self) -> Result<(), Error> {
        if let Some(file) = &self.settings.record {
            self.recording = Some(Recording::open(file)?);
        }
        let end = self.stream_after_stream().await;
        // The bots hear of the end of their matches before the program ends.
        let _ = timeout(LAST_WORDS, self.all_told()).await;
        end
    }

    async fn stream_after_stream(&mut self) -> Result<(), Error> {
        let mut patience = self.settings.first_patience;
        let mut lost = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut attempt = 0;
        loop {
            self.place = self.address(attempt);
            self.welcomed = false;
            let end = self.one_stream().await;
            self.outbox.disconnect();
            let reason = match end {
                Ok(()) if self.handle.leaving() => return Ok(()),
                Ok(()) => format!("{} ended the stream", self.place),
                Err(Error::Gone(reason)) => reason,
                // A further address may be wrong, while the one that was given will be there again.
                Err(Error::Refused(reason)) if !self.welcomed && self.place != self.settings.server => reason,
                Err(error) => return Err(error),
            };
            if self.nothing_left() {
                return Ok(());
            }
            attempt += 1;
            if self.welcomed {
                (patience, lost, pause, attempt) = (self.settings.patience, Instant::now(), FIRST_PAUSE, 0);
            }
            let left = patience.saturating_sub(lost.elapsed());
            if left < FIRST_PAUSE {
                return Err(Error::Gone(format!(
                    "{reason}; gave up after {} seconds",
                    patience.as_secs_f64()
                )));
            }
            pause = pause.min(left);
            self.warn(&format!("{reason}; trying again in {:.1} s", pause.as_secs_f64()));
            if self.meanwhile(sleep(shortened(pause))).await?.is_none() {
                return Ok(());
            }
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// The address given comes first, then those that the server has named.
    fn address(&self, attempt: usize) -> String {
        match attempt % (self.addresses.len() + 1) {
            0 => self.settings.server.clone(),
            further => self.addresses[further - 1].clone(),
        }
    }

    /// From Hello to the end of the stream: `Ok` if the server ended it with OK.
    async fn one_stream(&mut self) -> Result<(), Error> {
        self.stream += 1;
        let (wire, requests) = unbounded_channel();
        let _ = wire.send(PlayRequest { bodies: vec![BotBody { body: Some(Body::Hello(self.hello())) }] });
        let first = self.session.is_empty();
        let opening = channel::play(self.place.clone(), self.settings.clone(), requests, first);
        let Some(opened) = self.meanwhile(opening).await? else { return Ok(()) };
        let mut incoming = opened?;
        self.outbox.connect(wire);
        loop {
            let send_by = self.outbox.send_by();
            tokio::select! {
                message = incoming.message() => match message {
                    Ok(Some(message)) => self.on_message(message)?,
                    Ok(None) => return Ok(()),
                    Err(status) => {
                        let first = self.session.is_empty();
                        return Err(of_status(&status, &self.place, &self.settings, first));
                    }
                },
                Some(done) = self.finished.recv() => self.on_done(done)?,
                () = at(send_by) => self.outbox.flush(),
                () = self.handle.changed() => {
                    self.say_leave();
                    self.outbox.flush();
                }
            }
            self.handle.set_playing(self.seats.len());
            if let Some(error) = self.stopped.take() {
                // With the sending side closed, the server has read all of it once it ends the stream.
                self.outbox.flush();
                self.outbox.disconnect();
                let _ = timeout(LAST_WORDS, async { while let Some(Ok(_)) = incoming.next().await {} }).await;
                return Err(error);
            }
        }
    }

    /// Once on each stream, after its Welcome.
    pub(crate) fn say_leave(&mut self) {
        if self.handle.leaving() && self.welcomed && self.left != self.stream {
            self.left = self.stream;
            self.outbox.put(Body::Leave(Leave {}));
        }
    }

    /// Without a stream: wait for something while bots think on. None: there is nothing to wait for any more.
    async fn meanwhile<F: Future>(&mut self, awaited: F) -> Result<Option<F::Output>, Error> {
        let mut awaited = pin!(awaited);
        while !self.nothing_left() {
            tokio::select! {
                output = &mut awaited => return Ok(Some(output)),
                Some(done) = self.finished.recv() => self.on_done(done)?,
                () = self.handle.changed() => {}
            }
            if let Some(error) = self.stopped.take() {
                return Err(error);
            }
        }
        Ok(None)
    }

    fn nothing_left(&self) -> bool {
        self.handle.leaving() && self.seats.is_empty()
    }

    async fn all_told(&mut self) -> Result<(), Error> {
        while self.telling > 0 || !self.ended.is_empty() {
            if let Some(done) = self.finished.recv().await {
                self.on_done(done)?;
            }
        }
        Ok(())
    }

    fn hello(&self) -> Hello {
        let settings = &self.settings;
        Hello {
            protocol_version: PROTOCOL_VERSION,
            name: settings.name.clone(),
            games: settings.games.clone(),
            concurrency: if settings.concurrency > 0 { settings.concurrency } else { self.players.at_once() },
            without_legal: settings.without_legal,
            client: concat!("arena-rust ", env!("CARGO_PKG_VERSION")).into(),
            resume: self.session.clone(),
            gives_nonces: true,
        }
    }

    /// For the author, unless he wants quiet.
    pub(crate) fn tell(&self, text: &str) {
        if !self.settings.quiet {
            (self.say)(text);
        }
    }

    /// For the author in any case.
    pub(crate) fn warn(&self, text: &str) {
        (self.say)(text);
    }

    pub(crate) fn keep(&mut self, result: MatchResult) {
        if self.results.len() == KEPT_RESULTS {
            self.results.pop_front();
        }
        self.results.push_back(result);
    }
}

/// A pause that is shortened at random by up to 30 %: not all bots come at once after a server came back.
fn shortened(pause: Duration) -> Duration {
    let dice = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    pause.mul_f64(1.0 - 0.3 * dice)
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time.into()).await,
        None => pending().await,
    }
}
