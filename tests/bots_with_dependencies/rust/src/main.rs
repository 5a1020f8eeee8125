//! Takes the first legal move; the crate `json` reads and writes the lines.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let message = json::parse(&line?).expect("the referee writes JSON");
        if message["legal"].is_array() {
            let answer = json::object! { decision: message["decision"].clone(), "move": message["legal"][0].clone() };
            println!("{}", answer.dump());
            io::stdout().flush()?;
        }
    }
    Ok(())
}
