//! The printed sheet of Encore et Encore! as sets of boxes: box i is bit i of a number.

use arena::games::encore;

pub type Boxes = u128;

const HEIGHT: usize = 7;
const WIDTH: usize = 15;
const EVERY: Boxes = (1 << (WIDTH * HEIGHT)) - 1;
const LARGEST_CHOICE: u32 = 5;

/// A column, a row or a colour: boxes to fill, with points for it.
pub struct Line {
    pub boxes: Boxes,
    /// Its shares of the blocks. One choice of dice marks boxes of one block only, so each share is a job of its own.
    pub shares: Vec<Boxes>,
    pub is_column: bool,
    pub first: f64,
    pub later: f64,
    /// Its letter, as the view names lines that are settled or taken.
    pub letter: char,
}

pub struct Sheet {
    /// Columns, then rows, then colours.
    pub lines: Vec<Line>,
    pub colours: Vec<Boxes>,
    pub stars: Boxes,
    pub golden_dice: Boxes,
    pub start: Boxes,
    /// For each colour and each number from 1 to 5: every set of boxes that such dice could ever mark.
    pub shapes: Vec<[Vec<Boxes>; LARGEST_CHOICE as usize]>,
    columns: Vec<char>,
    rows: Vec<char>,
}

impl Sheet {
    pub fn new(printed: &encore::Sheet) -> Sheet {
        let columns: Vec<char> = printed.columns.chars().collect();
        let rows: Vec<char> = printed.rows.chars().collect();
        let colours: Vec<Boxes> =
            printed.colours.chars().map(|letter| marked(&printed.boxes, letter)).collect();
        let blocks: Vec<Boxes> = colours.iter().flat_map(|colour| regions(*colour)).collect();
        let line = |letter: char, boxes: Boxes, first: f64, later: f64, is_column: bool| {
            let shares = blocks.iter().map(|block| block & boxes).filter(|share| *share != 0).collect();
            Line { boxes, shares, is_column, first, later, letter }
        };
        let mut lines = Vec::new();
        for (x, letter) in columns.iter().enumerate() {
            let boxes = ((1 << HEIGHT) - 1) << (HEIGHT * x);
            let bonus = bonus(&printed.column_bonus[x]);
            let (first, later) = (printed.column_first[x], printed.column_later[x]);
            lines.push(line(*letter, boxes, f64::from(first) + bonus, f64::from(later) + bonus, true));
        }
        for (y, letter) in rows.iter().enumerate() {
            let boxes = (0..WIDTH).map(|x| 1 << (HEIGHT * x + y)).sum();
            let points = f64::from(printed.row_points);
            lines.push(line(*letter, boxes, points + bonus(&printed.row_bonus[y]), points, false));
        }
        for (letter, boxes) in printed.colours.chars().zip(&colours) {
            let (first, later) = (printed.colour_first, printed.colour_later);
            lines.push(line(letter, *boxes, first.into(), later.into(), false));
        }
        let start = columns.iter().position(|letter| printed.start_column.starts_with(*letter)).unwrap_or(0);
        Sheet {
            start: lines[start].boxes,
            shapes: colours.iter().map(|colour| shapes(*colour)).collect(),
            stars: marked(&printed.stars, '1'),
            golden_dice: marked(&printed.golden_dice, '1'),
            lines,
            colours,
            columns,
            rows,
        }
    }

    /// The box that a word of a move names, such as `HR`.
    pub fn named(&self, word: &str) -> Option<Boxes> {
        let mut letters = word.chars();
        let (column, row, None) = (letters.next()?, letters.next()?, letters.next()) else { return None };
        let x = self.columns.iter().position(|letter| *letter == column)?;
        let y = self.rows.iter().position(|letter| *letter == row)?;
        Some(1 << (HEIGHT * x + y))
    }

    /// Where the next choice of dice may begin.
    pub fn reach(&self, marked: Boxes) -> Boxes {
        (beside(marked) | self.start) & !marked
    }

    /// How many boxes a sheet lacks in its best two colours: they end the match.
    pub fn to_go(&self, marked: Boxes) -> u32 {
        let mut lacking: Vec<u32> =
            self.colours.iter().map(|colour| (colour & !marked).count_ones()).collect();
        lacking.sort_unstable();
        lacking.iter().take(2).sum()
    }
}

/// The boxes that have this letter in a text with one letter per box.
pub fn marked(text: &str, wanted: char) -> Boxes {
    text.chars().enumerate().filter(|(_, letter)| *letter == wanted).map(|(i, _)| 1 << i).sum()
}

fn bonus(kind: &str) -> f64 {
    match kind {
        "special_die" | "heart" => 3.0,
        "bomb" => 4.0,
        _ => 0.0,
    }
}

/// All boxes side by side with one of these.
fn beside(boxes: Boxes) -> Boxes {
    let top: Boxes = (0..WIDTH).map(|x| 1 << (HEIGHT * x)).sum();
    let bottom = top << (HEIGHT - 1);
    (boxes << HEIGHT | boxes >> HEIGHT | (boxes & !bottom) << 1 | (boxes & !top) >> 1) & EVERY
}

/// The parts of these boxes that hang together side by side.
fn regions(mut boxes: Boxes) -> Vec<Boxes> {
    let mut found = Vec::new();
    while boxes != 0 {
        let mut region = boxes & boxes.wrapping_neg();
        loop {
            let more = (region | beside(region)) & boxes;
            if more == region {
                break;
            }
            region = more;
        }
        found.push(region);
        boxes &= !region;
    }
    found
}

/// All sets of 1 to 5 boxes of a colour that hang together, by their number.
fn shapes(colour: Boxes) -> [Vec<Boxes>; LARGEST_CHOICE as usize] {
    let mut found: [Vec<Boxes>; LARGEST_CHOICE as usize] = Default::default();
    for block in regions(colour) {
        let mut part = block;
        while part != 0 {
            let number = part.count_ones();
            if number <= LARGEST_CHOICE && regions(part).len() == 1 {
                found[number as usize - 1].push(part);
            }
            part = (part - 1) & block;
        }
    }
    found
}
