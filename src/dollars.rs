//! Dollars in sentences that compare them.

/// The digits behind the point of an amount that stands alone.
const DIGITS: usize = 4;
/// No more than these, however little tells two amounts apart.
const MAX_DIGITS: usize = 12;

/// Two amounts with as many digits as tell them apart, four at least.
pub fn apart(one: f64, other: f64) -> [String; 2] {
    let with = |digits: usize| [one, other].map(|amount| format!("${amount:.digits$}"));
    let told = (DIGITS..=MAX_DIGITS).map(with).find(|[one, other]| one != other);
    told.unwrap_or_else(|| with(DIGITS))
}

/// A number with so many digits behind its point, for words that are made later.
pub fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.digits$}").parse().unwrap_or(number)
}

/// The same as numbers, for words that are made later.
pub fn rounded_apart(one: f64, other: f64) -> [f64; 2] {
    let told = apart(one, other);
    std::array::from_fn(|index| told[index].trim_start_matches('$').parse().unwrap_or([one, other][index]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_that_differ_look_different() {
        assert_eq!(apart(0.011, 0.01), ["$0.0110", "$0.0100"]);
        assert_eq!(apart(0.01001, 0.01), ["$0.01001", "$0.01000"]);
        assert_eq!(apart(0.5, 0.5), ["$0.5000", "$0.5000"]);
        assert_eq!(apart(0.3, 0.1 + 0.2), ["$0.3000", "$0.3000"], "no difference that anybody can pay");
    }
}
