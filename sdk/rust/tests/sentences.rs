//! What the author reads when something stands between a bot and its server, and what is kept in `--record`.

mod scripted;

use std::{path::PathBuf, time::Duration};

use arena::{Decision, Error, Settings, v1::Notice, v1::NoticeCode, v1::Welcome, v1::referee_body::Body};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use scripted::{Server, act, decide, end, play, start, welcome};
use tonic::{Code, Status};

fn first(decision: &Decision) -> String {
    decision.legal[0].clone()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("arena-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// How a client ends whose first stream is ended with this status.
async fn refused(status: Status, token: &str) -> (String, Error) {
    let mut server = Server::start().await;
    let playing = play(first, Settings { token: token.into(), ..server.settings() });
    let call = server.call().await;
    assert_eq!(call.token, (!token.is_empty()).then(|| format!("Bearer {token}")));
    call.end(status);
    (server.address.clone(), playing.end().await.0.unwrap_err())
}

/// How a client ends that has hardly any patience.
async fn unreachable(settings: Settings) -> Error {
    let hurry = Duration::from_millis(50);
    play(first, Settings { first_patience: hurry, ..settings }).end().await.0.unwrap_err()
}

#[tokio::test]
async fn each_refusal_has_its_sentence() {
    let unknown = Status::unauthenticated("the token is missing, unknown or revoked");
    let (place, error) = refused(unknown.clone(), "secret").await;
    let sentence = "did not accept the token: check REFEREE_TOKEN or --token; the host makes one with 'referee bot add NAME'";
    assert_eq!(error, Error::Refused(format!("{place} {sentence}")));
    let (place, error) = refused(unknown, "").await;
    let sentence = "did not accept the token: give it with --token or REFEREE_TOKEN; the host makes one with 'referee bot add NAME'";
    assert_eq!(error, Error::Refused(format!("{place} {sentence}")));
    let (place, error) = refused(Status::unimplemented("unknown service"), "secret").await;
    let sentence = "is a gRPC server, but no Referee server of this version: unknown service";
    assert_eq!(error, Error::Refused(format!("{place} {sentence}")));
    for code in [
        Code::AlreadyExists,
        Code::FailedPrecondition,
        Code::InvalidArgument,
        Code::PermissionDenied,
        Code::ResourceExhausted,
    ] {
        let (place, error) = refused(Status::new(code, "not like this"), "secret").await;
        assert_eq!(error, Error::Refused(format!("{place} refused: not like this")));
        assert_eq!(error.exit_code(), 2);
    }
}

#[tokio::test]
async fn a_server_that_stops_or_ends_the_stream_is_tried_again() {
    let mut server = Server::start().await;
    let playing = play(first, server.settings());
    let (call, _) = server.greet(&[]).await;
    call.end(Status::unavailable("the server is stopping; come back in a while"));
    let (call, _) = server.greet(&[]).await;
    call.end(Status::ok(""));
    let (call, _) = server.greet(&[]).await;
    call.end(Status::internal("a reference"));
    server.greet(&[]).await;
    let place = &server.address;
    assert!(
        playing
            .heard(&format!("{place}: the server is stopping; come back in a while; trying again in 0.1 s"))
    );
    assert!(playing.heard(&format!("{place} ended the stream; trying again in 0.1 s")));
    assert!(playing.heard(&format!("lost the connection to {place} (a reference); trying again in 0.1 s")));
}

#[tokio::test]
async fn where_nothing_listens_the_bot_gives_up_in_the_end() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = Settings { server: format!("127.0.0.1:{free}"), ..Settings::default() };
    let error = unreachable(settings).await;
    let sentence = format!("no Referee server listens at 127.0.0.1:{free}; gave up after 0.05 seconds");
    assert_eq!(error, Error::Gone(sentence));
    assert_eq!(error.exit_code(), 3);
}

#[tokio::test]
async fn another_version_of_the_protocol_is_told() {
    let mut server = Server::start().await;
    let playing = play(first, server.settings());
    let _call = server.welcome(Welcome { protocol_version: 2, ..welcome() }).await;
    let sentence = "Referee 9 speaks protocol 2, this SDK 1: update the older of the two";
    assert_eq!(playing.end().await.0, Err(Error::Refused(sentence.into())));
}

#[tokio::test]
async fn a_refused_wish_ends_the_program() {
    let mut server = Server::start().await;
    let practice = arena::Practice { game: "chess".into(), matches: 1, ..Default::default() };
    let playing = play(first, Settings { practice: Some(practice), ..server.settings() });
    let (call, _) = server.greet(&[]).await;
    call.say([Body::Notice(Notice { code: NoticeCode::Refused.into(), text: "no such game".into() })]);
    let sentence = "no such game (name the others with --against BOT,BOT)";
    assert_eq!(playing.end().await.0, Err(Error::Refused(sentence.into())));
}

#[tokio::test]
async fn tls_trusts_what_it_is_told_to_trust() {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let named = |name: &str| CertificateParams::new([name.to_owned()]).unwrap();
    let right = named("localhost").signed_by(&key, &authority).unwrap().pem();
    let other = named("elsewhere.example").signed_by(&key, &authority).unwrap().pem();
    // As `openssl req -x509` makes them: its own authority, and a server's certificate at the same time.
    let mut own = named("localhost");
    own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let own = own.self_signed(&key).unwrap().pem();
    let mut foreign_own = named("elsewhere.example");
    foreign_own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let foreign_own = foreign_own.self_signed(&key).unwrap().pem();

    let folder = folder("tls");
    let trust = |name: &str, pem: &str| {
        let file = folder.join(name);
        std::fs::write(&file, pem).unwrap();
        file
    };
    let ca = trust("ca.pem", &authority.pem());
    for (shown, trusted) in [(&right, &ca), (&own, &trust("own.pem", &own))] {
        let mut server = Server::with_tls(shown, &key.serialize_pem()).await;
        let _playing = play(first, Settings { tls: true, ca: Some(trusted.clone()), ..server.settings() });
        let (mut call, _) = server.greet(&[]).await;
        call.say([start("m/1"), decide("m/1", 1, &["a"])]);
        assert_eq!(call.hear().await, [act("m/1", 1, "a")]);
    }
    let not_trusted = "is not trusted: give the one to trust with --ca FILE";
    let other_name = "is made out to another name: ask for the server by that name";
    for (shown, trusted, sentence) in [
        (&right, &trust("own.pem", &own), not_trusted),
        (&own, &ca, not_trusted),
        (&other, &ca, other_name),
        (&foreign_own, &trust("foreign.pem", &foreign_own), other_name),
    ] {
        let server = Server::with_tls(shown, &key.serialize_pem()).await;
        let error = unreachable(Settings { tls: true, ca: Some(trusted.clone()), ..server.settings() }).await;
        assert_eq!(error, Error::Refused(format!("the certificate of {} {sentence}", server.address)));
    }
    let server = Server::with_tls(&right, &key.serialize_pem()).await;
    let error = unreachable(server.settings()).await.to_string();
    assert!(error.starts_with(&format!("cannot reach a Referee server at {} (", server.address)), "{error}");
    assert!(error.contains("; if it speaks TLS, give --tls or --ca FILE); gave up after"), "{error}");
    let server = Server::start().await;
    let error = unreachable(Settings { tls: true, ca: Some(ca), ..server.settings() }).await;
    assert_eq!(
        error,
        Error::Refused(format!("{} does not speak TLS: leave out --tls and --ca", server.address))
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_is_an_address() {
    let mut server = Server::on_socket(&folder("socket").join("referee")).await;
    let playing = play(first, server.settings());
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), decide("m/1", 1, &["a"])]);
    assert_eq!(call.hear().await, [act("m/1", 1, "a")]);
    assert!(playing.heard(&format!("connected to Referee 9 at {} as mybot", server.address)));
}

#[tokio::test]
async fn a_record_has_a_line_for_everything() {
    let mut server = Server::start().await;
    let file = folder("record").join("record.jsonl");
    let playing = play(first, Settings { record: Some(file.clone()), ..server.settings() });
    let (mut call, _) = server.greet(&[]).await;
    call.say([start("m/1"), decide("m/1", 1, &["a"])]);
    call.hear().await;
    playing.handle.leave();
    call.hear().await;
    call.say([end("m/1")]);
    call.end(Status::ok(""));
    playing.end().await.0.unwrap();
    let lines = std::fs::read_to_string(file).unwrap();
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "decide", "end"]);
    assert_eq!(lines[0]["seat"], 0, "zero fields are written out");
    assert_eq!(lines[1]["move"], "a");
    assert_eq!(lines[2]["result"]["terminations"][0], "TERMINATION_FINISHED");
}

#[tokio::test]
async fn a_record_that_cannot_be_written_is_told() {
    let file = folder("nowhere").join("none").join("record.jsonl");
    let error = unreachable(Settings { record: Some(file.clone()), ..Settings::default() }).await;
    assert_eq!(
        error,
        Error::Machine(format!("cannot record to {}: No such file or directory", file.display()))
    );
    assert_eq!(error.exit_code(), 3);
}
