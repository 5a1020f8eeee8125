//! Questions and answers: batching, repeating after a reconnect, replacing, rejections, errors.

mod scripted;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
    mpsc::{Receiver, Sender, channel},
};

use arena::{
    Bot, Decision, Failure, Settings, each_match, one_for_all,
    v1::{Rejected, Welcome, bot_body::Body, referee_body},
};
use scripted::{Server, act, again, decide, end, play, question, resign, start, welcome};
use tonic::Status;

fn first(decision: &Decision) -> String {
    decision.legal[0].clone()
}

/// A bot that thinks about "slow" until it is told to go on, and counts what it was asked.
fn thinker() -> (impl Fn(&Decision) -> String + Clone + Send + Sync, Sender<()>, Arc<AtomicU32>) {
    let (go_on, wait) = channel();
    let wait: Arc<Mutex<Receiver<()>>> = Arc::new(Mutex::new(wait));
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    let bot = move |decision: &Decision| {
        count.fetch_add(1, Ordering::SeqCst);
        if decision.legal[0] == "slow" {
            wait.lock().unwrap().recv().unwrap();
        }
        decision.legal[0].clone()
    };
    (bot, go_on, asked)
}

async fn until_asked(asked: &AtomicU32) {
    while asked.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
}

fn cut() -> Status {
    Status::internal("cut")
}

#[tokio::test]
async fn all_questions_of_a_message_are_answered_in_one_message() {
    let mut server = Server::start().await;
    let _playing = play(first, server.settings());
    let (mut call, hello) = server.greet(&[]).await;
    assert_eq!(hello.concurrency, 16);
    let ids: Vec<String> = (0..8).map(|i| format!("m/{i}")).collect();
    call.say(ids.iter().map(|id| start(id)));
    // On a busy machine an answer may take longer than 20 ms and be sent alone, but not every time.
    for number in 1..=20 {
        call.say(ids.iter().map(|id| decide(id, number, &["a"])));
        let mut heard = call.hear().await;
        let in_one_message = heard.len() == ids.len();
        while heard.len() < ids.len() {
            heard.extend(call.hear().await);
        }
        heard.sort_by_key(|body| format!("{body:?}"));
        assert_eq!(heard, ids.iter().map(|id| act(id, number, "a")).collect::<Vec<_>>());
        if in_one_message {
            return;
        }
    }
    panic!("never were all answers in one message");
}

#[tokio::test]
async fn what_is_ready_is_sent_while_another_match_is_thought_about() {
    let mut server = Server::start().await;
    let (bot, go_on, _) = thinker();
    let _playing = play(bot, server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), start("m/2"), decide("m/1", 1, &["slow"]), decide("m/2", 1, &["quick"])]);
    assert_eq!(call.hear().await, [act("m/2", 1, "quick")]);
    go_on.send(()).unwrap();
    assert_eq!(call.hear().await, [act("m/1", 1, "slow")]);
}

#[tokio::test]
async fn an_answer_lost_with_the_stream_is_repeated_without_asking_the_bot() {
    let mut server = Server::start().await;
    let (bot, _, asked) = thinker();
    let playing = play(bot, server.settings());
    let (mut call, hello) = server.greet(&[]).await;
    assert_eq!(hello.resume, "");
    call.say([start("m/1"), decide("m/1", 7, &["a"])]);
    assert_eq!(call.hear().await, [act("m/1", 7, "a")]);
    call.end(cut());
    let (mut call, hello) = server.greet(&["m/1"]).await;
    assert_eq!(hello.resume, "session");
    call.say([start("m/1")]);
    assert!(call.silent().await, "an answer that was not asked for again is not repeated");
    call.end(cut());
    let (mut call, _) = server.greet(&["m/1"]).await;
    call.say([start("m/1"), again("m/1", 7, &["a"])]);
    assert_eq!(call.hear().await, [act("m/1", 7, "a")]);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(playing.heard("lost the connection to localhost:"));
    assert!(playing.heard("; trying again in 0.1 s"));
}

#[tokio::test]
async fn a_question_repeated_while_the_bot_thinks_is_not_put_to_it_twice() {
    let mut server = Server::start().await;
    let (bot, go_on, asked) = thinker();
    let _playing = play(bot, server.settings());
    let (call, _) = server.greet(&[]).await;
    call.say([start("m/1"), decide("m/1", 1, &["slow"])]);
    until_asked(&asked).await;
    call.end(cut());
    let (mut call, _) = server.greet(&["m/1"]).await;
    call.say([start("m/1"), again("m/1", 1, &["slow"])]);
    assert!(call.silent().await);
    go_on.send(()).unwrap();
    assert_eq!(call.hear().await, [act("m/1", 1, "slow")]);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_question_with_another_number_replaces_the_one_before() {
    let mut server = Server::start().await;
    let (bot, go_on, asked) = thinker();
    let _playing = play(bot, server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), start("m/2"), decide("m/1", 1, &["slow"])]);
    until_asked(&asked).await;
    call.say([decide("m/1", 2, &["new"]), decide("m/2", 1, &["other"])]);
    assert_eq!(call.hear().await, [act("m/2", 1, "other")]);
    go_on.send(()).unwrap();
    assert_eq!(call.hear().await, [act("m/1", 2, "new")]);
    assert!(call.silent().await);
}

#[tokio::test]
async fn a_rejected_move_is_asked_again_while_the_question_is_open() {
    let mut server = Server::start().await;
    let playing =
        play(|decision: &Decision| decision.rejected.clone().unwrap_or("first".into()), server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), decide("m/1", 1, &["a", "b"])]);
    assert_eq!(call.hear().await, [act("m/1", 1, "first")]);
    let rejected = Rejected {
        match_id: "m/1".into(),
        decision: 1,
        message: "no such move".into(),
        move_text: "first".into(),
        strikes_left: Some(2),
        open: true,
        question: Some(question("m/1", 1, &["a", "b"])),
        ..Rejected::default()
    };
    call.say([referee_body::Body::Rejected(rejected.clone())]);
    assert_eq!(call.hear().await, [act("m/1", 1, "no such move")]);
    assert!(playing.heard(
        "match m/1, decision 1: 'first' was refused: no such move. Legal were: a | b. Strikes left: 2."
    ));
    call.say([referee_body::Body::Rejected(Rejected { open: false, ..rejected })]);
    assert!(call.silent().await);
}

#[tokio::test]
async fn an_error_or_a_panic_resigns_that_match_alone() {
    let mut server = Server::start().await;
    let bot = |decision: &Decision| match decision.legal[0].as_str() {
        "error" => Err("out of ideas"),
        "panic" => panic!("out of mind"),
        text => Ok(text.to_owned()),
    };
    let playing = play(bot, server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), start("m/2"), start("m/3")]);
    call.say([decide("m/1", 1, &["error"])]);
    assert_eq!(call.hear().await, [resign("m/1", "error in decide: out of ideas")]);
    call.say([decide("m/2", 1, &["panic"])]);
    assert_eq!(call.hear().await, [resign("m/2", "error in decide: out of mind")]);
    call.say([decide("m/3", 1, &["fine"])]);
    assert_eq!(call.hear().await, [act("m/3", 1, "fine")]);
    assert!(
        playing
            .heard("out of ideas\ndecision 1 of flip7 match m/1 went wrong in decide; resigning this match.")
    );
    call.end(cut());
    let (mut call, _) = server.greet(&["m/1", "m/2", "m/3"]).await;
    call.say([again("m/1", 1, &["error"])]);
    assert_eq!(call.hear().await, [resign("m/1", "error in decide: out of ideas")]);
    playing.handle.leave();
    assert_eq!(call.hear().await, [Body::Leave(arena::v1::Leave {})]);
    call.say([end("m/1"), end("m/2"), end("m/3")]);
    call.end(Status::ok(""));
    let (result, tally) = playing.end().await;
    assert_eq!(result, Ok(()));
    assert_eq!(tally.to_string(), "3 matches: mean rank 1.00, 3 first, 2 resigned by errors");
}

#[tokio::test]
async fn strict_stops_at_the_first_error_after_resigning() {
    let mut server = Server::start().await;
    let settings = Settings { strict: true, ..server.settings() };
    let playing = play(|_: &Decision| Err::<String, _>("out of ideas"), settings);
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), decide("m/1", 1, &["a"])]);
    assert_eq!(call.hear().await, [resign("m/1", "error in decide: out of ideas")]);
    call.end(Status::ok(""));
    let error = playing.end().await.0.unwrap_err();
    assert_eq!(error.to_string(), "stopped at the first error in decide, as --strict asks: out of ideas");
    assert_eq!(error.exit_code(), 1);
}

#[derive(Default)]
struct Counter(u32);

impl Bot for Counter {
    fn decide(&mut self, _: &Decision) -> Result<String, Failure> {
        self.0 += 1;
        Ok(self.0.to_string())
    }
}

#[tokio::test]
async fn each_match_has_a_bot_of_its_own() {
    let mut server = Server::start().await;
    let _playing = play(each_match(Counter::default), server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), start("m/2")]);
    for (id, number, text) in [("m/1", 1, "1"), ("m/1", 2, "2"), ("m/2", 1, "1")] {
        call.say([decide(id, number, &["a"])]);
        assert_eq!(call.hear().await, [act(id, number, text)]);
    }
}

#[tokio::test]
async fn one_bot_for_all_matches_plays_one_at_a_time() {
    let mut server = Server::start().await;
    let _playing = play(one_for_all(Counter::default()), server.settings());
    let (mut call, hello) = server.greet(&[]).await;
    assert_eq!(hello.concurrency, 1);
    call.say([start("m/1"), decide("m/1", 1, &["a"])]);
    assert_eq!(call.hear().await, [act("m/1", 1, "1")]);
    call.say([end("m/1"), start("m/2"), decide("m/2", 1, &["a"])]);
    assert_eq!(call.hear().await, [act("m/2", 1, "2")]);
}

#[tokio::test]
async fn a_match_that_is_not_resumed_is_forgotten() {
    let mut server = Server::start().await;
    let playing = play(first, server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), decide("m/1", 1, &["a"])]);
    call.hear().await;
    call.end(cut());
    let (mut call, _) = server.greet(&[]).await;
    call.say([again("m/1", 1, &["a"])]);
    assert!(call.silent().await);
    assert!(
        playing.heard("match m/1 is no longer this bot's: it went on without it, or is played again later")
    );
}

#[tokio::test]
async fn practice_is_asked_for_until_all_has_been_played() {
    let mut server = Server::start().await;
    let practice = arena::Practice { game: "flip7".into(), matches: 3, ..Default::default() };
    let playing = play(first, Settings { practice: Some(practice), ..server.settings() });
    let wished = |bodies: Vec<Body>| match bodies.as_slice() {
        [Body::Practice(practice)] => practice.matches,
        other => panic!("{other:?}"),
    };
    let (mut call, _) = server.greet(&[]).await;
    assert_eq!(wished(call.hear().await), 3);
    call.say([start("p/1"), end("p/1"), start("p/2"), decide("p/2", 1, &["a"])]);
    call.hear().await;
    call.end(cut());
    // One has ended, one is gone.
    let (mut call, _) = server.greet(&[]).await;
    assert_eq!(wished(call.hear().await), 1);
    call.end(cut());
    let (mut call, _) = server.welcome(Welcome { practice_left: 1, ..welcome() }).await;
    call.say([start("p/3"), end("p/3")]);
    assert_eq!(call.hear().await, [Body::Leave(arena::v1::Leave {})]);
    call.end(Status::ok(""));
    assert_eq!(playing.end().await.0, Ok(()));
}
