//! Flags and environment.

use std::{ffi::OsString, time::Duration};

use arena::Settings;

fn read(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Option<Settings>, arena::Error> {
    let look =
        |name: &str| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
    Settings::from(arguments.iter().map(OsString::from), look)
}

fn good(arguments: &[&str], environment: &[(&str, &str)]) -> Settings {
    read(arguments, environment).unwrap().unwrap()
}

#[test]
fn without_anything_the_bot_connects_to_this_machine() {
    let settings = good(&[], &[]);
    assert_eq!((settings.server.as_str(), settings.tls, settings.concurrency), ("localhost:7700", false, 0));
    assert_eq!(settings.first_patience, Duration::from_secs(15));
    assert_eq!(settings.patience, Duration::from_secs(600));
}

#[test]
fn a_flag_wins_over_the_environment() {
    let environment =
        [("REFEREE_SERVER", "there:1"), ("REFEREE_TOKEN", " secret\n"), ("REFEREE_CONCURRENCY", "3")];
    let settings = good(&["--server=here:2", "--concurrency", "4"], &environment);
    assert_eq!(settings.server, "here:2");
    assert_eq!(settings.token, "secret");
    assert_eq!(settings.concurrency, 4);
}

#[test]
fn the_variable_for_tls_can_say_no() {
    for (value, tls) in
        [("", false), ("0", false), ("No", false), ("off", false), ("false", false), ("1", true)]
    {
        assert_eq!(good(&[], &[("REFEREE_TLS", value)]).tls, tls, "{value:?}");
    }
}

#[test]
fn practice_is_one_wish() {
    let flags = ["--practice", "flip7", "--against", "odds, random", "--matches", "3", "--options", "{}"];
    let practice = good(&flags, &[]).practice.unwrap();
    assert_eq!(
        (practice.game.as_str(), practice.matches, practice.options_json.as_str()),
        ("flip7", 3, "{}")
    );
    assert_eq!(practice.against, ["odds", "random"]);
    assert_eq!(good(&["--practice", "flip7"], &[]).practice.unwrap().matches, 1);
}

#[test]
fn help_is_no_error() {
    assert!(read(&["--help"], &[]).unwrap().is_none());
}

#[test]
fn each_mistake_has_its_sentence() {
    let cases: [(&[&str], &str); 18] = [
        (&["--frobnicate"], "--frobnicate: there is no such flag; --help shows all of them"),
        (&["--serv", "a:1"], "--serv: there is no such flag; did you mean --server?"),
        (&["-tsl"], "-tsl: there is no such flag; did you mean --tls?"),
        (&["--Concurency=2"], "--Concurency: there is no such flag; did you mean --concurrency?"),
        (&["nope"], "'nope' belongs to no flag; --help shows all of them"),
        (&["--name"], "--name: its value is missing; write --name NAME"),
        (&["--name", "--quiet"], "--name: its value is missing; write --name NAME"),
        (&["--tls=yes"], "--tls: it takes no value"),
        (&["--concurrency", "many"], "--concurrency: 'many' is not a whole number"),
        (&["--practice", "flip7", "--matches", "0"], "--matches: 1 is the least"),
        (&["--against", "odds"], "--against goes with --practice GAME"),
        (&["--matches", "2"], "--matches goes with --practice GAME"),
        (&["--options", "{}"], "--options goes with --practice GAME"),
        (&["--server", "nonsense"], "--server: 'nonsense' is not an address: write HOST:PORT or unix:PATH"),
        (
            &["--server", "http://a:1"],
            "--server: 'http://a:1' is not an address: write HOST:PORT or unix:PATH",
        ),
        (&["--server", "unix:"], "--server: 'unix:' is not an address: write HOST:PORT or unix:PATH"),
        (&["--token", "to ken"], "--token: it has characters that no token has; copy it again"),
        (&["--ca", "/nowhere/ca.pem"], "--ca: there is no file /nowhere/ca.pem"),
    ];
    for (arguments, sentence) in cases {
        let error = read(arguments, &[]).unwrap_err();
        assert_eq!(error.to_string(), sentence);
        assert_eq!(error.exit_code(), 2);
    }
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let error = read(&["--ca", manifest], &[]).unwrap_err();
    assert_eq!(error.to_string(), format!("--ca: {manifest} holds no certificate (PEM)"));
}

#[test]
fn addresses_of_all_kinds_are_read() {
    for address in ["host:1", "127.0.0.1:7700", "[::1]:7700", "unix:/run/referee", "unix:socket"] {
        assert_eq!(good(&["--server", address], &[]).server, address);
    }
    for address in ["host", ":1", "host:", "host:0", "host:70000", "::1:7700", "a b:1"] {
        assert!(read(&["--server", address], &[]).is_err(), "{address}");
    }
}
