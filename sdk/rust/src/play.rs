//! Questions and answers: what the client does with each thing the referee says, and with what the bot says to it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    client::{Client, PROTOCOL_VERSION},
    decision::{Decision, Match, MatchResult},
    error::Error,
    seat::{Done, Question, Seat, Trace, Work, tell_end},
    tally::{refusal, sentence},
    v1::{
        Decide, MatchEnd, MatchStart, Nonces, Notice, NoticeCode, PlayResponse, Practice, Rejected, Resign,
        Welcome, bot_body, referee_body::Body,
    },
};

const LONGEST_REASON: usize = 200;

impl Client {
    pub(crate) fn on_message(&mut self, message: PlayResponse) -> Result<(), Error> {
        let number = self.outbox.message_came();
        for body in message.bodies {
            match body.body {
                Some(Body::Decide(question)) => self.on_decide(question, number),
                Some(Body::Welcome(welcome)) => self.on_welcome(welcome)?,
                Some(Body::MatchStart(start)) => self.on_start(start)?,
                Some(Body::Rejected(rejected)) => self.on_rejected(rejected, number)?,
                Some(Body::MatchEnd(end)) => self.on_end(end)?,
                Some(Body::Notice(notice)) => self.on_notice(notice)?,
                Some(Body::Nonces(call)) => self.on_nonces(call)?,
                Some(Body::Drain(drain)) => self.tell(&drain.text),
                None => {} // of a later version of the protocol
            }
        }
        self.outbox.message_read(number);
        Ok(())
    }

    fn on_welcome(&mut self, welcome: Welcome) -> Result<(), Error> {
        if welcome.protocol_version != PROTOCOL_VERSION {
            return Err(Error::Refused(format!(
                "{} speaks protocol {}, this SDK {PROTOCOL_VERSION}: update the older of the two",
                welcome.server, welcome.protocol_version
            )));
        }
        let fresh = self.session.is_empty();
        self.welcomed = true;
        self.session = welcome.session;
        self.addresses = welcome.addresses;
        self.addresses.retain(|address| *address != self.settings.server);
        let gone: Vec<String> =
            self.seats.keys().filter(|id| !welcome.resumed.contains(id)).cloned().collect();
        for id in gone {
            self.warn(&format!(
                "match {id} is no longer this bot's: it went on without it, or is played again later"
            ));
            let practice = self.seats.remove(&id).is_some_and(|seat| seat.info.tournament.is_empty());
            self.practised += u32::from(practice);
        }
        self.tell(&format!("connected to {} at {} as {}", welcome.server, self.place, welcome.name));
        if self.handle.leaving() {
            self.say_leave();
        } else if let Some(practice) = &self.settings.practice {
            let of_tournaments = self.seats.values().filter(|seat| !seat.info.tournament.is_empty()).count();
            let running = (welcome.resumed.len() - of_tournaments) as u32;
            let missing = practice.matches.saturating_sub(self.practised + running);
            if missing > 0 && welcome.practice_left == 0 {
                self.outbox.put(bot_body::Body::Practice(Practice {
                    game: practice.game.clone(),
                    against: practice.against.clone(),
                    matches: missing,
                    options_json: practice.options_json.clone(),
                }));
            }
            self.leave_after_practice();
        } else if fresh {
            self.tell("waiting for matches (Ctrl-C to leave)");
        }
        Ok(())
    }

    fn leave_after_practice(&self) {
        if self.settings.practice.as_ref().is_some_and(|practice| self.practised >= practice.matches) {
            self.handle.leave();
        }
    }

    fn on_start(&mut self, start: MatchStart) -> Result<(), Error> {
        if let Some(recording) = &mut self.recording {
            recording.note("start", "MatchStart", &start)?;
        }
        if !self.seats.contains_key(&start.match_id) {
            self.serial += 1;
            let info = Arc::new(Match::from(start));
            let seat = Seat::new(self.serial, info.clone(), self.players.clone(), &self.done);
            self.seats.insert(info.id.clone(), seat);
        }
        Ok(())
    }

    fn on_decide(&mut self, asked: Decide, message: u64) {
        let Some(seat) = self.seats.get_mut(&asked.match_id) else { return };
        if let Some((reason, stream)) = &mut seat.resigned {
            if *stream != self.stream {
                *stream = self.stream; // it was lost with the stream before
                let resign = Resign { match_id: asked.match_id, reason: reason.clone() };
                self.outbox.put(bot_body::Body::Resign(resign));
            }
            return;
        }
        if let Some(question) = &mut seat.question {
            if question.decision.number == asked.decision {
                // Asked again: the answer was lost on the way, or is still being thought about.
                let before = (question.stream, question.message);
                (question.stream, question.message) = (self.stream, message);
                match question.act() {
                    Some(act) if asked.again || before.0 != self.stream => self.outbox.put(act),
                    Some(_) => {}
                    None => {
                        self.outbox.open(message);
                        self.outbox.close(before.1);
                    }
                }
                return;
            }
            if question.reply.is_none() {
                self.outbox.close(question.message);
            }
        }
        let decision = Decision::new(seat.info.clone(), asked);
        self.ask(decision, message);
    }

    fn ask(&mut self, decision: Decision, message: u64) {
        let Some(seat) = self.seats.get_mut(&decision.info.id) else { return };
        self.outbox.open(message);
        let decision = Arc::new(decision);
        seat.question =
            Some(Question { decision, came: Instant::now(), reply: None, stream: self.stream, message });
        seat.ask(&self.done);
    }

    fn on_rejected(&mut self, rejected: Rejected, message: u64) -> Result<(), Error> {
        if let Some(recording) = &mut self.recording {
            recording.note("rejected", "Rejected", &rejected)?;
        }
        let seat = self.seats.get(&rejected.match_id);
        let question = seat.and_then(|seat| seat.question.as_ref());
        let question = question.filter(|question| question.decision.number == rejected.decision);
        self.warn(&refusal(&rejected, question.map(|question| &*question.decision)));
        let Some(seat) = seat.filter(|seat| rejected.open && seat.resigned.is_none()) else { return Ok(()) };
        // A bot that is thinking about it already is not asked twice.
        let mut decision = match (question, rejected.question) {
            (Some(question), _) if question.reply.is_none() => return Ok(()),
            (None, _) if seat.question.is_some() => return Ok(()),
            (_, Some(again)) => Decision::new(seat.info.clone(), again),
            (Some(question), None) => (*question.decision).clone(),
            (None, None) => return Ok(()),
        };
        decision.rejected = Some(rejected.message);
        self.ask(decision, message);
        Ok(())
    }

    fn on_end(&mut self, end: MatchEnd) -> Result<(), Error> {
        if let Some(recording) = &mut self.recording {
            recording.note("end", "MatchEnd", &end)?;
        }
        let Some(seat) = self.seats.remove(&end.match_id) else { return Ok(()) };
        let (serial, info, unstarted) = (seat.serial, seat.info.clone(), seat.unstarted);
        if let Some(question) = &seat.question
            && question.reply.is_none()
        {
            self.outbox.close(question.message);
        }
        let result = MatchResult::new(info.clone(), end);
        self.tell(&sentence(&result));
        self.tally.count(&result);
        self.keep(result.clone());
        match seat.into_bot() {
            Some(bot) => {
                self.telling += 1;
                tell_end(bot, serial, result, &self.done);
            }
            None if unstarted => {}
            None => {
                self.ended.insert(serial, result);
            }
        }
        if info.tournament.is_empty() {
            self.practised += 1;
            self.leave_after_practice();
        }
        Ok(())
    }

    fn on_notice(&mut self, notice: Notice) -> Result<(), Error> {
        if let Some(recording) = &mut self.recording {
            recording.note("notice", "Notice", &notice)?;
        }
        if notice.code() == NoticeCode::Refused {
            let alone = self.settings.practice.as_ref().is_some_and(|practice| practice.against.is_empty());
            let hint = if alone { " (name the others with --against BOT,BOT)" } else { "" };
            return Err(Error::Refused(format!("{}{hint}", notice.text)));
        }
        self.tell(&notice.text);
        Ok(())
    }

    fn on_nonces(&mut self, call: Nonces) -> Result<(), Error> {
        if let Some(recording) = &mut self.recording {
            recording.note("nonces", "Nonces", &call)?;
        }
        if let Some(answer) = self.nonces.answer(&call)? {
            self.outbox.put(bot_body::Body::Nonce(answer));
            self.outbox.flush();
        } else if self.nonces.broken(&call) {
            let name = &call.tournament;
            self.warn(&format!(
                "tournament {name} is played with other nonces than were agreed on: ask the host why"
            ));
        }
        Ok(())
    }

    /// The bot has done something on its thread.
    pub(crate) fn on_done(&mut self, done: Done) -> Result<(), Error> {
        let Done { serial, info, bot, work } = done;
        if let Work::Ended(told) = work {
            self.telling -= 1;
            if let Err(trace) = told {
                self.warn(&format!("{}the bot's end() failed after match {}", trace.lines, info.id));
            }
            return Ok(());
        }
        if let Some(result) = self.ended.remove(&serial) {
            if let Some(bot) = bot {
                self.telling += 1;
                tell_end(bot, serial, result, &self.done);
            }
            return Ok(());
        }
        if self.seats.get(&info.id).is_none_or(|seat| seat.serial != serial) {
            return Ok(()); // no longer this bot's match
        }
        match work {
            Work::Started(Err(trace)) => {
                let text = format!("the bot could not start match {}; resigning it.", info.id);
                self.resign(&info, trace, "start", &text);
                if let Some(seat) = self.seats.get_mut(&info.id) {
                    seat.unstarted = true;
                }
            }
            Work::Decided { decision, answer, took } => self.on_answer(&decision, answer, took)?,
            Work::Started(Ok(())) | Work::Ended(_) => {}
        }
        if let Some(seat) = self.seats.get_mut(&info.id) {
            seat.free(bot, &self.done);
        }
        Ok(())
    }

    fn on_answer(
        &mut self,
        decision: &Arc<Decision>,
        answer: Result<String, Trace>,
        took: Duration,
    ) -> Result<(), Error> {
        let text = match answer {
            Ok(text) => text,
            Err(trace) => {
                let Match { id, game, .. } = &*decision.info;
                let number = decision.number;
                let text = format!(
                    "decision {number} of {game} match {id} went wrong in decide; resigning this match."
                );
                self.resign(&decision.info, trace, "decide", &text);
                return Ok(());
            }
        };
        if let Some(recording) = &mut self.recording {
            recording.decided(decision, &text, took)?;
        }
        let Some(question) = self.seats.get_mut(&decision.info.id).and_then(|seat| seat.question.as_mut())
        else {
            return Ok(());
        };
        if !Arc::ptr_eq(&question.decision, decision) {
            return Ok(()); // another question has replaced it
        }
        let (spent, message) = (question.came.elapsed(), question.message);
        question.reply = Some(text);
        if let Some(act) = question.act()
            && question.stream == self.stream
        {
            self.outbox.put(act);
        } // or else it is said when the question is repeated
        self.outbox.close(message);
        if spent > decision.budget && !decision.budget.is_zero() {
            self.warn(&format!(
                "decision {} of match {} took {:.1} s, its budget was {:.1} s; the rest came from the bank",
                decision.number,
                decision.info.id,
                spent.as_secs_f64(),
                decision.budget.as_secs_f64()
            ));
        }
        Ok(())
    }

    fn resign(&mut self, info: &Match, trace: Trace, place: &str, text: &str) {
        self.warn(&format!("{}{text}", trace.lines));
        self.tally.errors += 1;
        let last = trace.error.trim().lines().last().unwrap_or_default();
        let reason: String = format!("error in {place}: {last}").chars().take(LONGEST_REASON).collect();
        if let Some(seat) = self.seats.get_mut(&info.id) {
            let asked = seat.question.take();
            let here = asked.as_ref().is_none_or(|question| question.stream == self.stream);
            let stream = if here && self.outbox.connected() { self.stream } else { 0 };
            if stream > 0 {
                let resign = Resign { match_id: info.id.clone(), reason: reason.clone() };
                self.outbox.put(bot_body::Body::Resign(resign));
            }
            seat.resigned = Some((reason, stream));
            match asked.filter(|question| question.reply.is_none()) {
                Some(question) => self.outbox.close(question.message),
                None => self.outbox.flush(),
            }
        }
        if self.settings.strict {
            let text = format!("stopped at the first error in {place}, as --strict asks: {last}");
            self.stopped = Some(Error::BotFailed(text));
        }
    }
}
