//! Remembers the names that a valuation has counted.

/// The names that one valuation counted. Unlike a set, it need not be emptied for the next valuation.
pub struct Seen {
    /// For each name, the number of the latest valuation that counted it.
    marks: Vec<u32>,
    valuation: u32,
}

impl Seen {
    pub fn for_names(names: usize) -> Self {
        Self { marks: vec![0; names], valuation: 0 }
    }

    /// Begins a valuation.
    pub fn start(&mut self) {
        self.valuation += 1;
    }

    /// Returns true if this valuation has not counted the name yet, and marks the name as counted.
    pub fn is_new(&mut self, name: u32) -> bool {
        let mark = &mut self.marks[name as usize];
        let new = *mark != self.valuation;
        *mark = self.valuation;
        new
    }
}
