//! Finds the known names that a misspelt name may mean: `maxMessageToKeep` is `maxMessagesToKeep` with a letter left
//! out. js/errors.js has the same rule for options that are checked there.

/// Maximum number of suggested names.
const MAX_OFFERED: usize = 3;
/// Minimum length of a name that is recognised as a part of a known one: `lines` of `maxToolResultLines`.
const MIN_PART_CHARS: usize = 4;

/// Returns the names in `known` that `name` may mean, the most similar first. Case, `_` and `-` are ignored.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // No known name is longer, and the time to compare is the product of both lengths.
    const MAX_NAME_CHARS: usize = 64;
    if name.chars().count() > MAX_NAME_CHARS {
        return Vec::new();
    }
    let name = letters(name);
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|known| {
            let other = letters(known);
            let distance = distance(&name, &other);
            let few = (name.len().max(other.len()) / 4).max(1);
            let is_part = name.len() >= MIN_PART_CHARS && contains(&other, &name);
            // A typing error is more likely than a part of a name.
            let rank = if distance <= few { distance } else { few + 1 + distance };
            (distance <= few && distance < name.len() || is_part).then_some((rank, known))
        })
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, known)| known).take(MAX_OFFERED).collect()
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

fn contains(text: &[char], part: &[char]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Returns the number of letters to insert, remove, replace or swap with their neighbour to turn one name into the
/// other (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_other_spellings_and_parts_are_known() {
        const KNOWN: [&str; 8] = [
            "maxMessagesToKeep",
            "maxToolResultLines",
            "maxLineChars",
            "provider",
            "mode",
            "keep",
            "targetTokens",
            "baseUrl",
        ];
        for (name, meant) in [
            ("maxMessageToKeep", "maxMessagesToKeep"),
            ("max_messages_to_keep", "maxMessagesToKeep"),
            ("provder", "provider"),
            ("porvider", "provider"),
            ("baseURL", "baseUrl"),
            ("moed", "mode"),
            ("lines", "maxToolResultLines"),
            ("target", "targetTokens"),
        ] {
            assert_eq!(near(name, KNOWN).first(), Some(&meant), "{name}");
        }
        for name in ["", "x", "zz", "first", "handler", &"mode".repeat(1000)] {
            assert_eq!(near(name, KNOWN), [] as [&str; 0], "{name}");
        }
    }

    #[test]
    fn the_nearest_come_first_and_few_are_offered() {
        assert_eq!(near("keepLst", ["keepFirst", "keepLast"]), ["keepLast"]);
        assert_eq!(near("tokens", ["aTokens", "bbTokens", "cccTokens", "ddddTokens", "token"]).len(), MAX_OFFERED);
    }
}
