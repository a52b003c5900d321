//! Lines, and the numbers that read tools put before those of a file.

use super::near_bytes;

/// Returns the lines of a text as [`str::lines`] does. Faster, because it looks at many bytes at once.
pub fn lines_in(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends = near_bytes::find_all(b'\n', text.as_bytes());
    let last = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
    ends.chain(last).map(move |end| {
        let line = &text[std::mem::replace(&mut start, end + 1)..end];
        if end < text.len() { line.strip_suffix('\r').unwrap_or(line) } else { line }
    })
}

/// The style of line numbers: right-aligned in a field, then a separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberStyle {
    /// The field's width in characters. A longer number is wider.
    width: u8,
    separator: Separator,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `     1⇥text` (`cat -n`, `nl`, Claude Code).
    Tab,
    /// `     1→text` (Claude Code).
    Arrow,
    /// ` 1 | text` (Roo).
    Pipe,
    /// `1:text` (`grep -n`).
    Colon,
}

impl Separator {
    const ALL: [Self; 4] = [Self::Tab, Self::Arrow, Self::Pipe, Self::Colon];

    fn text(self) -> &'static str {
        match self {
            Self::Tab => "\t",
            Self::Arrow => "→",
            Self::Pipe => " | ",
            Self::Colon => ":",
        }
    }
}

/// A wider field is not a line number.
const WIDEST: usize = 12;

impl NumberStyle {
    /// Creates the style with this width and separator; `None` if no tool separates so.
    pub fn new(width: u8, separator: &str) -> Option<Self> {
        let separator = Separator::ALL.into_iter().find(|known| known.text() == separator)?;
        Some(Self { width, separator })
    }

    /// Parses the number at the start of a line. Returns the number, its style, and the start of the content.
    pub fn read(line: &[u8]) -> Option<(u32, Self, usize)> {
        let blanks = line.iter().take(WIDEST).take_while(|byte| **byte == b' ').count();
        let mut number = 0_u32;
        let mut digits = 0;
        for byte in &line[blanks..] {
            if !byte.is_ascii_digit() || digits == 9 {
                break;
            }
            number = number * 10 + u32::from(byte - b'0');
            digits += 1;
        }
        if digits == 0 || line[blanks] == b'0' {
            return None;
        }
        let end = blanks + digits;
        let rest = &line[end..];
        let separator = match rest.first()? {
            b'\t' => Separator::Tab,
            0xE2 if rest.starts_with("→".as_bytes()) => Separator::Arrow,
            b' ' if rest.starts_with(b" | ") => Separator::Pipe,
            b':' => Separator::Colon,
            _ => return None,
        };
        let width = u8::try_from(end).unwrap_or(u8::MAX);
        Some((number, Self { width, separator }, end + separator.text().len()))
    }

    /// Returns true if the line with `number` would have the style `found` among lines with the style `self`.
    pub fn continues_as(self, number: u32, found: Self) -> bool {
        let digits = number.checked_ilog10().unwrap_or(0) as u8 + 1;
        self.separator == found.separator && found.width == self.width.max(digits)
    }

    /// Returns true if a line begins with a number in this style.
    pub fn is_shown(self, line: &[u8]) -> bool {
        matches!(line.first(), Some(b' ' | b'0'..=b'9'))
            && Self::read(line).is_some_and(|(number, found, _)| self.continues_as(number, found))
    }

    /// Returns the field's width in characters.
    pub fn width(self) -> u8 {
        self.width
    }

    /// Returns the text between number and line.
    pub fn separator(self) -> &'static str {
        self.separator.text()
    }

    /// Writes the prefix of the line with this number. Hand-written, because there is one for every line.
    pub fn write(self, number: u32, out: &mut String) {
        let mut digits = [b' '; 10];
        let mut from = digits.len();
        let mut left = number;
        loop {
            from -= 1;
            digits[from] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        for _ in digits.len() - from..usize::from(self.width) {
            out.push(' ');
        }
        digits[from..].iter().for_each(|digit| out.push(char::from(*digit)));
        out.push_str(self.separator.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\r\nb\r", "\r\n\n\r", "a\r\r\n", "é\nb"] {
            assert_eq!(lines_in(text).collect::<Vec<_>>(), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn all_styles() {
        for line in ["     1\tx", "     1→x", " 1 | x", "1 | ", "12:x", "1234567→"] {
            let (number, style, content) = NumberStyle::read(line.as_bytes()).unwrap();
            let mut written = String::new();
            style.write(number, &mut written);
            assert_eq!(written, line[..content]);
        }
        for line in ["", " ", "1", "x1:", "0:x", "1 |", "1|x", "01:x", "1234567890:x", "              1\tx"] {
            assert_eq!(NumberStyle::read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn fields_grow_with_their_numbers() {
        let style = |line: &str| NumberStyle::read(line.as_bytes()).unwrap().1;
        assert!(style("9 | x").continues_as(10, style("10 | x")));
        assert!(style(" 9 | x").continues_as(10, style("10 | x")));
        assert!(style(" 9 | x").continues_as(100, style("100 | x")));
        assert!(!style(" 9 | x").continues_as(10, style(" 10 | x")));
        assert!(!style(" 9 | x").continues_as(10, style("10\tx")));
    }
}
