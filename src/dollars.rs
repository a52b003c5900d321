//! Formats dollars in sentences that compare amounts.

/// The decimal places of a single amount.
const DIGITS: usize = 4;
/// The maximum of decimal places, however close two amounts are.
const MAX_DIGITS: usize = 12;

/// Returns two amounts with as many decimal places as distinguish them, at least four.
pub fn apart(one: f64, other: f64) -> [String; 2] {
    let with = |digits: usize| [one, other].map(|amount| format!("${amount:.digits$}"));
    let told = (DIGITS..=MAX_DIGITS).map(with).find(|[one, other]| one != other);
    told.unwrap_or_else(|| with(DIGITS))
}

/// Returns a number rounded to this many decimal places, for text that is written later.
pub fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.digits$}").parse().unwrap_or(number)
}

/// Returns both amounts as rounded numbers, for text that is written later.
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
