//! The name that was meant: `maxMessageToKeep` is `maxMessagesToKeep` with a letter left out. js/errors.js has the same rule, for what is checked there.

/// No more names than this are offered.
const MAX_OFFERED: usize = 3;
/// A name this long that stands inside a known one is taken for a part of it: `lines` of `maxToolResultLines`.
const MIN_PART_CHARS: usize = 4;

/// The names among `known` that `name` may have been meant to be, the nearest first. Case, `_` and `-` make no difference.
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // Longer names are none of ours, and comparing takes the product of both lengths.
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
            // A part is less sure than a slip of the finger.
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

/// Letters to insert, leave out, replace or swap with their neighbour until one is the other (optimal string alignment).
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
