//! Nonces: this bot's part in the drawing of a tournament's deals, so that the host alone cannot choose them.

use std::collections::BTreeMap;

use ring::{
    digest::{Context, SHA256},
    rand::{SecureRandom, SystemRandom},
};

use crate::{
    error::Error,
    v1::{self, NonceStep},
};

const NONCE_BYTES: usize = 32;

/// What this bot has drawn, by tournament and draw. It outlives a lost connection.
#[derive(Default)]
pub(crate) struct Nonces(BTreeMap<(String, u32), Drawn>);

struct Drawn {
    nonce: [u8; NONCE_BYTES],
    /// Names and commitments as they were when the nonce was told.
    shown: Option<Vec<(String, String)>>,
}

impl Nonces {
    /// What to say to a call, if anything.
    pub(crate) fn answer(&mut self, call: &v1::Nonces) -> Result<Option<v1::Nonce>, Error> {
        let key = (call.tournament.clone(), call.draw);
        let mut said =
            v1::Nonce { tournament: call.tournament.clone(), draw: call.draw, ..Default::default() };
        if call.step() == NonceStep::Commit && !self.0.contains_key(&key) {
            let mut nonce = [0; NONCE_BYTES];
            let filled = SystemRandom::new().fill(&mut nonce);
            filled.map_err(|_| Error::Machine("this machine has no random numbers".to_owned()))?;
            self.0.insert(key.clone(), Drawn { nonce, shown: None });
        }
        let Some(mine) = self.0.get_mut(&key) else { return Ok(None) };
        let promise = commitment(call, &mine.nonce);
        match call.step() {
            NonceStep::Commit => said.commitment = promise,
            NonceStep::Reveal => {
                let listed = call.entrants.iter().any(|entrant| entrant.commitment == promise);
                let shown = shown(call);
                // Told once: to a second list of commitments, which might have been made for this nonce, nothing is said.
                if !listed || mine.shown.as_ref().is_some_and(|before| *before != shown) {
                    return Ok(None);
                }
                mine.shown = Some(shown);
                said.nonce = hex(&mine.nonce);
            }
            _ => return Ok(None),
        }
        Ok(Some(said))
    }

    /// Whether what was fixed lacks this bot's nonce, or has other commitments than those to which it was told.
    pub(crate) fn broken(&self, call: &v1::Nonces) -> bool {
        let Some(mine) = self.0.get(&(call.tournament.clone(), call.draw)) else { return false };
        let lacks = call.entrants.iter().all(|entrant| entrant.nonce != hex(&mine.nonce));
        call.step() == NonceStep::Fixed && (lacks || mine.shown.as_ref() != Some(&shown(call)))
    }
}

fn shown(call: &v1::Nonces) -> Vec<(String, String)> {
    call.entrants.iter().map(|entrant| (entrant.name.clone(), entrant.commitment.clone())).collect()
}

/// SHA-256 (hex) over a label, the tournament, the draw and the nonce, each behind its length in four bytes.
fn commitment(call: &v1::Nonces, nonce: &[u8]) -> String {
    let mut sum = Context::new(&SHA256);
    let draw = call.draw.to_string();
    for part in [b"referee nonce".as_slice(), call.tournament.as_bytes(), draw.as_bytes(), nonce] {
        sum.update(&(part.len() as u32).to_be_bytes());
        sum.update(part);
    }
    hex(sum.finish().as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
