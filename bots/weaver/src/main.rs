//! Weaver plays Encore et Encore! by weighing the work that is left in every line, one roll ahead.
//!
//! Columns, rows and colours are threads that cross in every box, so one mark brings several lines on. Three thoughts:
//!
//! 1. *How much work is a line?* One choice of dice marks boxes of one block only. So a line is as many jobs as there are
//!    blocks in which it lacks boxes, and a large job is a little harder than a small one. A line is worth its
//!    points, less and less the more work it is.
//! 2. *How long does the match go on?* Until somebody has filled two colours. Towards the end, work that cannot
//!    be done in time counts for nothing, and marks and dice for no more than the points they score.
//! 3. *What does the next roll bring?* A move that opens good places for many dice is better than one that
//!    opens none. So after each of the best moves a few rolls are thrown, the same for all of them, and
//!    the best choice for each roll is made. The dice come from a hash of the view, so that the same view gets
//!    the same answer.

mod sheet;

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    process::ExitCode,
};

use arena::{Bot, Decision, Failure, games::encore};
use sheet::{Boxes, Sheet, marked};

/// The work of one job, and of each box in it.
const JOB: f64 = 1.0;
const BOX: f64 = 0.12;
/// How much work makes a line worth e times less: at the end of the match, and more for every box it is still away.
const NEAR: f64 = 0.8;
const FAR: f64 = 0.085;
/// What a mark and a special die are worth beyond the points that they score unused, while there is time to use them.
const MARK: f64 = 0.8;
const DIE: f64 = 1.2;
/// Boxes to go in the best two colours from which on there is plenty of time.
const PLENTY: f64 = 20.0;
/// How much of the points of an unmarked star counts as lost: some will be marked on the way.
const STAR: f64 = 0.75;
/// How much the next roll counts, how many rolls are thrown, and after how many moves.
const AHEAD: f64 = 0.7;
const ROLLS: usize = 24;
const MOVES: usize = 24;

/// What a player has on paper.
#[derive(Clone, Copy)]
struct Paper {
    marked: Boxes,
    marks: f64,
    dice: f64,
    hearts: f64,
}

/// One match: the printed sheet is read once.
#[derive(Default)]
struct Weaver {
    sheet: Option<Sheet>,
}

impl Bot for Weaver {
    fn decide(&mut self, decision: &Decision) -> Result<String, Failure> {
        let view: encore::View = decision.view()?;
        let printed = view.sheet.as_ref().ok_or("the view shows no sheet")?;
        let sheet = self.sheet.get_or_insert_with(|| Sheet::new(printed));
        let table = Table::new(sheet, printed, &view);
        let mut moves: Vec<(f64, &String, Paper)> = decision
            .legal
            .iter()
            .map(|text| (text, table.after(text)))
            .map(|(text, paper)| (table.worth(&paper), text, paper))
            .collect();
        moves.sort_by(|one, other| other.0.total_cmp(&one.0)); // stable: the first of equals stays the first
        moves.truncate(MOVES);
        let rolls = rolls(&decision.view_bytes);
        for (worth, _, paper) in &mut moves {
            *worth += AHEAD * table.next_roll(paper, &rolls);
        }
        let best = moves.iter().rev().max_by(|one, other| one.0.total_cmp(&other.0));
        Ok(best.ok_or("there is no legal move")?.1.clone())
    }
}

/// All that stays the same while one decision is thought about.
struct Table<'a> {
    sheet: &'a Sheet,
    printed: &'a encore::Sheet,
    now: Paper,
    /// The points of each line for this player: nothing once he has scored it, less if others were first.
    points: Vec<f64>,
    /// How much work makes a line worth e times less.
    patience: f64,
    mark: f64,
    die: f64,
    /// The face of the special die, while it can be chosen.
    special: String,
}

impl<'a> Table<'a> {
    fn new(sheet: &'a Sheet, printed: &'a encore::Sheet, view: &encore::View) -> Table<'a> {
        let me = &view.players[view.seat() as usize];
        let settled = [&me.columns, &me.rows, &me.colours];
        let taken = [&view.columns_taken, &view.rows_taken, &view.colours_taken];
        let points = sheet.lines.iter().enumerate().map(|(i, line)| {
            let kind = usize::from(i >= printed.columns.len())
                + usize::from(i >= printed.columns.len() + printed.rows.len());
            match line.letter {
                letter if settled[kind].contains(letter) => 0.0,
                letter if taken[kind].contains(letter) => line.later,
                _ => line.first,
            }
        });
        let to_go = view.players.iter().map(|player| sheet.to_go(marked(&player.marked, '1'))).min();
        let to_go = f64::from(to_go.unwrap_or_default());
        let time = (to_go / PLENTY).min(1.0);
        Table {
            points: points.collect(),
            patience: NEAR + FAR * to_go,
            mark: f64::from(printed.unused_mark_points) + MARK * time,
            die: f64::from(printed.unused_die_points) + DIE * time,
            special: match view.question() {
                encore::Question::Dice => view.dice.clone().unwrap_or_default().special,
                _ => String::new(),
            },
            now: Paper {
                marked: marked(&me.marked, '1'),
                marks: me.exclamation_marks.into(),
                dice: me.special_dice.into(),
                hearts: me.hearts.into(),
            },
            sheet,
            printed,
        }
    }

    /// The own paper after a move.
    fn after(&self, text: &str) -> Paper {
        let mut paper = self.now;
        for (i, word) in text.split_whitespace().enumerate() {
            match word {
                "joker" | "?" => paper.marks -= 1.0,
                "heart" => paper.hearts += 1.0,
                _ => paper.marked |= self.sheet.named(word).unwrap_or_default(),
            }
            if i == 0 && word == self.special {
                paper.dice -= 1.0;
            }
        }
        let golden = self.sheet.golden_dice & paper.marked & !self.now.marked;
        paper.dice += f64::from(golden.count_ones());
        paper
    }

    /// What a paper will have scored in the end, as far as one can tell from the work that is left.
    fn worth(&self, paper: &Paper) -> f64 {
        let stars = f64::from((self.sheet.stars & !paper.marked).count_ones());
        let mut worth = paper.marks * self.mark + paper.dice * self.die;
        worth -= STAR * f64::from(self.printed.star_penalty) * stars;
        for (line, points) in self.sheet.lines.iter().zip(&self.points) {
            if *points > 0.0 || line.is_column {
                let hearts = if line.is_column && *points > 0.0 { paper.hearts } else { 0.0 };
                worth += (points + hearts) * (-work(&line.shares, paper.marked) / self.patience).exp();
            }
        }
        worth
    }

    /// How much the best choice of the next roll adds, on average.
    fn next_roll(&self, paper: &Paper, rolls: &[Roll; ROLLS]) -> f64 {
        let before = self.worth(paper);
        let reach = self.sheet.reach(paper.marked);
        let mut known: HashMap<(usize, usize), f64> = HashMap::new();
        let mut best = |colour: usize, number: usize| {
            *known.entry((colour, number)).or_insert_with(|| {
                let fitting = self.sheet.shapes[colour][number].iter();
                fitting
                    .filter(|shape| **shape & reach != 0 && **shape & paper.marked == 0)
                    .map(|shape| self.worth(&Paper { marked: paper.marked | shape, ..*paper }) - before)
                    .fold(0.0, f64::max)
            })
        };
        let total: f64 = rolls
            .iter()
            .map(|(colours, numbers)| {
                let pairs =
                    colours.iter().flat_map(|colour| numbers.iter().map(move |number| (*colour, *number)));
                pairs.map(|(colour, number)| best(colour, number)).fold(0.0, f64::max)
            })
            .sum();
        total / ROLLS as f64
    }
}

/// The work that a line still is.
fn work(shares: &[Boxes], marked: Boxes) -> f64 {
    let lacking = shares.iter().map(|share| (share & !marked).count_ones()).filter(|boxes| *boxes > 0);
    lacking.map(|boxes| JOB + BOX * f64::from(boxes)).sum()
}

/// Two colours and two numbers, by place: of three dice each, one may be gone or a joker.
type Roll = ([usize; 2], [usize; 2]);

fn rolls(view: &[u8]) -> [Roll; ROLLS] {
    std::array::from_fn(|i| {
        let mut hasher = DefaultHasher::new();
        (view, i).hash(&mut hasher);
        let mut dice = hasher.finish();
        let mut die = || {
            let face = dice % 5;
            dice /= 5;
            face as usize
        };
        ([die(), die()], [die(), die()])
    })
}

fn main() -> ExitCode {
    arena::run(arena::each_match(Weaver::default))
}
