//! Which names were met already.

/// The names that were counted in one valuation, without a set to be filled each time.
pub struct Seen {
    /// For each name, the valuation in which it was met last.
    marks: Vec<u32>,
    valuation: u32,
}

impl Seen {
    /// For so many names.
    pub fn of(names: usize) -> Self {
        Self { marks: vec![0; names], valuation: 0 }
    }

    /// Begins a valuation.
    pub fn start(&mut self) {
        self.valuation += 1;
    }

    /// Whether this valuation has not met the name yet.
    pub fn is_new(&mut self, name: u32) -> bool {
        let mark = &mut self.marks[name as usize];
        let new = *mark != self.valuation;
        *mark = self.valuation;
        new
    }
}
