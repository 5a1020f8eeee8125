//! The bot that the conformance kit tests this SDK with: it does what the first legal move says.

use std::{process::ExitCode, thread::sleep, time::Duration};

use arena::{Bot, Decision, Failure, Match, MatchResult, games::flip7};
use serde_json::Value;

#[derive(Default)]
struct ConformBot {
    asked: u32,
}

impl Bot for ConformBot {
    fn start(&mut self, info: &Match) -> Result<(), Failure> {
        eprintln!("conformbot: start {} seat {} of {}", info.id, info.seat, info.names.join(","));
        if info.id == "no-start" { Err("told to fail".into()) } else { Ok(()) }
    }

    fn decide(&mut self, decision: &Decision) -> Result<String, Failure> {
        self.asked += 1;
        let Some(first) = decision.legal.first() else { return Ok("pass".into()) };
        if let Some(milliseconds) = first.strip_prefix("think:") {
            sleep(Duration::from_millis(milliseconds.parse()?));
            return Ok(decision.legal[1].clone());
        }
        match first.as_str() {
            "fail" => Err("told to fail".into()),
            "count" => Ok(self.asked.to_string()),
            "view" => Ok(from_view(decision)),
            _ if decision.rejected.is_some() => Ok(decision.legal[decision.legal.len() - 1].clone()),
            _ => Ok(first.clone()),
        }
    }

    fn end(&mut self, result: &MatchResult) {
        eprintln!(
            "conformbot: end {} rank {} {}",
            result.info.id,
            result.rank(),
            result.termination().word()
        );
        assert!(result.info.id != "no-end", "told to fail");
    }
}

fn from_view(decision: &Decision) -> String {
    if let Ok(view) = decision.view::<Value>() {
        return view["answer"].as_str().unwrap_or("unreadable").to_owned();
    }
    match decision.view::<flip7::View>() {
        Ok(view) => format!("round {}", view.round),
        Err(_) => "unreadable".into(),
    }
}

fn main() -> ExitCode {
    arena::run(arena::each_match(ConformBot::default))
}
