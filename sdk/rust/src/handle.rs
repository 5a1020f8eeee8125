//! A handle on a client that plays in another task: how many matches are running, and the wish to leave.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// For other tasks: to look at a client that plays, and to make it leave.
#[derive(Clone, Default)]
pub struct Handle(Arc<Shared>);

#[derive(Default)]
struct Shared {
    leaving: AtomicBool,
    playing: AtomicUsize,
    changed: Notify,
}

impl Handle {
    /// Take no new matches and stop when the running ones have ended.
    pub fn leave(&self) {
        self.0.leaving.store(true, Ordering::Relaxed);
        self.0.changed.notify_one();
    }

    /// Whether the client was told to leave, or has played all its practice matches.
    pub fn leaving(&self) -> bool {
        self.0.leaving.load(Ordering::Relaxed)
    }

    /// How many matches are running.
    pub fn playing(&self) -> usize {
        self.0.playing.load(Ordering::Relaxed)
    }

    pub(crate) fn set_playing(&self, matches: usize) {
        self.0.playing.store(matches, Ordering::Relaxed);
    }

    /// Waits until `leave` is called.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}
