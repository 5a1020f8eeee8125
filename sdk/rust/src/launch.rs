//! `run(bot)`: reads flags and environment, connects, plays, and says how the program ends.

use std::process::ExitCode;

use tokio::runtime::Builder;

use crate::{
    bot::Players,
    client::Client,
    error::Error,
    handle::Handle,
    settings::{HELP, Settings, USAGE},
};

const INTERRUPTED: u8 = 130;
const BOT_FAILED: u8 = 1;
const WRONG_USE: u8 = 2;

/// Connect and play until there is nothing more to play. To be returned from `main`.
///
/// `players` is a function `decide(&Decision)` that returns a move, or made by [`each_match`](crate::each_match) or
/// [`one_for_all`](crate::one_for_all). Reads `--server`, `--token`, `--name` and more (`--help`), or `REFEREE_SERVER`,
/// `REFEREE_TOKEN`, ….
pub fn run(players: impl Players) -> ExitCode {
    match Settings::read() {
        Ok(Some(settings)) => run_with(players, settings),
        Ok(None) => {
            println!("{USAGE}\n\n{HELP}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{USAGE}\nerror: {error}");
            ExitCode::from(WRONG_USE)
        }
    }
}

/// The same with settings that were made otherwise.
pub fn run_with(players: impl Players, settings: Settings) -> ExitCode {
    // Bots think on blocking threads, at most one per match; a few more resolve names and tell bots of the end.
    let at_once = if settings.concurrency > 0 { settings.concurrency } else { players.at_once() };
    let threads = 2 * at_once.min(1000) as usize + 8;
    let runtime =
        Builder::new_current_thread().enable_all().thread_name("bot").max_blocking_threads(threads).build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::from(3);
        }
    };
    let told = settings.practice.is_some();
    let mut client = Client::new(players, settings);
    let handle = client.handle();
    let end = runtime.block_on(async {
        tokio::select! {
            end = client.play() => end.map(|()| 0),
            code = interrupted(&handle) => Ok(code),
        }
    });
    // A bot that is still thinking does not keep the program.
    runtime.shutdown_background();
    let tally = client.tally();
    if tally.matches > 0 && (told || handle.leaving()) {
        client.tell(&tally.to_string());
    }
    match end {
        Ok(0) if tally.errors > 0 => ExitCode::from(BOT_FAILED),
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(Error::exit_code(&error))
        }
    }
}

/// Returns with the exit code when the program shall end at once: at the second signal, or at the first without a
/// running match, which is how a bot leaves.
async fn interrupted(handle: &Handle) -> u8 {
    let mut signals = Signals::new();
    loop {
        signals.next().await;
        if handle.leaving() {
            return INTERRUPTED;
        }
        if handle.playing() == 0 {
            handle.leave();
            return 0;
        }
        eprintln!("leaving after the running matches; once more to leave at once");
        handle.leave();
    }
}

#[cfg(unix)]
struct Signals(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Signals {
    fn new() -> Signals {
        use tokio::signal::unix::{SignalKind, signal};
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        Signals(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let came = self.0.iter_mut().any(|signal| signal.poll_recv(context).is_ready());
            if came { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Signals {
        Signals
    }

    async fn next(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
