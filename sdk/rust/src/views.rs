//! From the bytes of a view to what a bot looks at: a typed message, or a JSON value.

use std::fmt;

use prost::Message;

use crate::games;

/// Something that a view can be read as. Implement it for the generated message of another game to read that too.
pub trait View: Sized {
    /// Read the bytes of a view of the type that the match names: the full name of a message, or `json`.
    fn read(view_type: &str, bytes: &[u8]) -> Result<Self, UnreadableView>;
}

/// The view cannot be read as what was asked for; the text says what would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableView(String);

impl UnreadableView {
    /// With a text for the bot's author.
    pub fn new(text: impl Into<String>) -> UnreadableView {
        UnreadableView(text.into())
    }

    fn other(view_type: &str, wanted: &str) -> UnreadableView {
        UnreadableView(format!(
            "the view is a {view_type:?} and cannot be read as a {wanted:?}: play from decision.legal or decision.view_bytes"
        ))
    }

    fn broken(view_type: &str, error: impl fmt::Display) -> UnreadableView {
        UnreadableView(format!(
            "the view is no {view_type:?} ({error}): play from decision.legal or decision.view_bytes"
        ))
    }
}

impl fmt::Display for UnreadableView {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for UnreadableView {}

impl View for serde_json::Value {
    fn read(view_type: &str, bytes: &[u8]) -> Result<Self, UnreadableView> {
        if view_type != "json" {
            return Err(UnreadableView::other(view_type, "json"));
        }
        serde_json::from_slice(bytes).map_err(|error| UnreadableView::broken(view_type, error))
    }
}

macro_rules! typed {
    ($message:ty, $name:literal) => {
        impl View for $message {
            fn read(view_type: &str, bytes: &[u8]) -> Result<Self, UnreadableView> {
                if view_type != $name {
                    return Err(UnreadableView::other(view_type, $name));
                }
                Self::decode(bytes).map_err(|error| UnreadableView::broken(view_type, error))
            }
        }
    };
}

typed!(games::encore::View, "arena.games.encore.v1.View");
typed!(games::flip7::View, "arena.games.flip7.v1.View");
typed!(games::stop::View, "arena.games.stop.v1.View");
typed!(games::stop_me_go::View, "arena.games.stop_me_go.v1.View");
