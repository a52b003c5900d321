//! Looks up kept lines by their content.

use std::{collections::HashMap, ops::Range};

use super::lines::{LineTable, NO_LINE};
use crate::{by_hash::ByHash, restore::Row};

/// A single line is looked up only if it has at least this many bytes. A shorter one costs no more than a marker.
const LONG_LINE: u32 = 64;

/// Shorter lines are looked up in windows of this many adjacent lines.
const WINDOW: usize = 3;

/// Maximum number of places with the same lines to examine, the newest first. This keeps the time linear for a million
/// equal lines.
const CANDIDATES: usize = 12;

/// A run of kept lines that equals another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Match {
    /// The first row of the run.
    pub target: usize,
    /// The number of rows.
    pub rows: usize,
}

/// The places of kept lines, by hash.
#[derive(Default)]
struct Places {
    /// The newest place of each window.
    windows: HashMap<u64, u32, ByHash>,
    /// The newest place of each long line.
    long: HashMap<u64, u32, ByHash>,
}

/// The kept lines.
pub struct Dictionary<'a> {
    lines: &'a LineTable,
    /// Kept lines in the finished texts.
    done: Places,
    /// Kept lines so far in the current text.
    here: Places,
    /// For each row, the previous place with the same window, or the same line.
    before: Vec<u32>,
    before_long: Vec<u32>,
    stays: Vec<bool>,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Dictionary<'a> {
    /// Creates an empty dictionary.
    pub fn new(lines: &'a LineTable) -> Self {
        let count = lines.ids.len();
        let mut done = Places::default();
        done.windows.reserve(count / 2);
        Self {
            lines,
            done,
            here: Places::default(),
            before: vec![NOWHERE; count],
            before_long: vec![NOWHERE; count],
            stays: vec![false; count],
        }
    }

    /// Begins the rows of a text, or begins them again.
    pub fn begin(&mut self, text: Range<usize>) {
        self.here.windows.clear();
        self.here.long.clear();
        self.stays[text].fill(false);
    }

    /// Records that the rows are kept. `is_final`: their text is finished.
    fn keep(&mut self, rows: Range<usize>, bytes: impl Fn(usize) -> u32, is_final: bool) {
        let long = if is_final { &mut self.done.long } else { &mut self.here.long };
        for row in rows {
            let id = self.lines.ids[row];
            self.stays[row] = id != NO_LINE;
            if self.lines.repeated[row] && bytes(row) >= LONG_LINE {
                self.before_long[row] = long.insert(mixed(id), row as u32).unwrap_or(NOWHERE);
            }
        }
    }

    /// Adds the windows that begin in these rows. The rows must be kept.
    fn keep_windows(&mut self, rows: Range<usize>, is_final: bool) {
        for row in rows {
            if let Some(window) = self.window(row) {
                let windows = if is_final { &mut self.done.windows } else { &mut self.here.windows };
                self.before[row] = windows.insert(window, row as u32).unwrap_or(NOWHERE);
            }
        }
    }

    /// Returns the longest run of kept rows equal to the rows from `row` on; in the same text, only before `limit`.
    pub fn find(&self, row: usize, bytes: u32, text: &Range<usize>, limit: usize) -> Option<Match> {
        let mut best: Option<Match> = None;
        let mut consider = |newest: Option<&u32>, before: &[u32]| {
            let mut candidate = newest.copied().unwrap_or(NOWHERE);
            for _ in 0..CANDIDATES {
                if candidate == NOWHERE {
                    break;
                }
                let target = candidate as usize;
                let end = if text.contains(&target) { limit } else { usize::MAX };
                let rows = self.common(row, text.end, target, end);
                if rows > best.map_or(0, |best| best.rows) {
                    best = Some(Match { target, rows });
                }
                candidate = before[target];
            }
        };
        if let Some(window) = self.window(row) {
            consider(self.done.windows.get(&window), &self.before);
            consider(self.here.windows.get(&window), &self.before);
        }
        if bytes >= LONG_LINE && self.lines.repeated[row] {
            let line = mixed(self.lines.ids[row]);
            consider(self.done.long.get(&line), &self.before_long);
            consider(self.here.long.get(&line), &self.before_long);
        }
        best
    }

    /// Returns how many rows from `row` on equal those from `target` on, without leaving the zone of either.
    fn common(&self, row: usize, row_end: usize, target: usize, target_end: usize) -> usize {
        let LineTable { ids, zones, .. } = self.lines;
        let length = (row_end - row).min(target_end.min(ids.len()).saturating_sub(target));
        (0..length)
            .take_while(|at| {
                ids[row + at] == ids[target + at]
                    && zones[row + at] == zones[row]
                    && zones[target + at] == zones[target]
                    && self.stays[target + at]
            })
            .count()
    }

    /// Extends `found`, a match for `row`, upwards as far as `first`, and returns its new first row.
    pub fn extended(&self, row: usize, found: Match, first: usize, text: &Range<usize>) -> (usize, Match) {
        let LineTable { ids, zones, .. } = self.lines;
        let mut by = 0;
        while row - by > first
            && found.target > by
            && !(text.contains(&found.target) && found.target + found.rows > row - by - 1)
            && ids[row - by - 1] == ids[found.target - by - 1]
            && zones[row - by - 1] == zones[row]
            && zones[found.target - by - 1] == zones[found.target]
            && self.stays[found.target - by - 1]
        {
            by += 1;
        }
        (row - by, Match { target: found.target - by, rows: found.rows + by })
    }

    /// Returns the hash of the window at a row, or `None` if no equal window can exist.
    fn window(&self, row: usize) -> Option<u64> {
        let LineTable { ids, zones, repeated, .. } = self.lines;
        let end = row + WINDOW;
        if end > ids.len() || zones[row] != zones[end - 1] || repeated[row..end].contains(&false) {
            return None;
        }
        Some(ids[row..end].iter().fold(0, |hash, id| mix(hash ^ u64::from(*id))))
    }
}

/// The progress of recording the kept rows of a text.
pub struct KeptRows {
    /// The first row of the text.
    text: usize,
    /// The first undecided row.
    next: usize,
    /// The first row whose window is not in the dictionary.
    window: usize,
    /// True if the text is finished.
    is_final: bool,
}

impl KeptRows {
    /// Creates it for a text whose first row is `text`, starting at row `from`.
    pub const fn new(text: usize, from: usize, is_final: bool) -> Self {
        Self { text, next: from, window: from, is_final }
    }

    /// Returns the first undecided row.
    pub const fn next(&self) -> usize {
        self.next
    }

    /// Records that the rows up to `end` are kept.
    pub fn up_to(&mut self, end: usize, dictionary: &mut Dictionary<'_>, rows: &[Row]) {
        if end <= self.next {
            return;
        }
        let bytes = |row: usize| {
            let row = &rows[row - self.text];
            row.end - row.content
        };
        dictionary.keep(self.next..end, bytes, self.is_final);
        self.next = end;
        let windows = self.window..(end + 1).saturating_sub(WINDOW).max(self.window);
        self.window = windows.end;
        dictionary.keep_windows(windows, self.is_final);
    }

    /// Records that the rows up to `row` became a marker.
    pub const fn skip_to(&mut self, row: usize) {
        self.next = row;
        self.window = row;
    }
}

fn mixed(id: u32) -> u64 {
    mix(u64::from(id))
}

/// Returns a number in which each bit depends on all bits of `key`.
fn mix(key: u64) -> u64 {
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * u128::from(0xD6E8_FEB8_6659_FD93_u64);
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}
