//! Writes and recognises the markers a model reads where something was left out or summarised. No other code does.
//!
//! | form | written by | example | position |
//! | --- | --- | --- | --- |
//! | [`Pointer::Reference`] | lossless | `[34 lines as below from "export function parseDay("]` | fills the content of a line |
//! | [`Pointer::Repeat`] | lossless | `[The line above 9 more times]` | fills the content of a line |
//! | [`Pointer::Sparse`] | lossless | `[34 lines, every 10th numbered:]` | fills the content of a numbered line |
//! | [`LeftOut`] | lossless | `[Left out: src/a.ts was changed below]` | replaces the content left out |
//! | [`Gap::Lines`] | salient truncation | `[…12-40]`, `[…12]` | fills a line |
//! | [`Gap::Elsewhere`] | salient truncation, `settle` | `[… 34 lines left out]` | fills a line |
//! | [`Gap::Characters`] | salient truncation | `[… 120 characters]` | in its line |
//! | [`ItemsGap`] | `condenseResult` | `[… 498 items left out: {id: number}]`, `[… 12 keys left out]` | a string in JSON: an element, or a key |
//! | [`Gap::Messages`] | salient truncation | `[… messages left out]` | fills the last line of a text, or a text |
//! | [`More::Lines`] | truncation, smart | `... (18 more lines)` | fills a line |
//! | [`More::Characters`] | truncation, smart | `... (400 more characters)` | after the characters kept of a line or text |
//! | [`Suppressed`] with a size | truncation | `[Tool result of 12 lines left out]`, `[Text of 1 line left out]`, `[120 characters left out]` | a text |
//! | [`Suppressed`] without | smart | `[Tool result suppressed]`, `[Tool parameter suppressed]`, `[Message text suppressed]` | a text |
//! | [`SummaryHead::Lines`] | smart | `[Summary of 60 lines]` | the line above a summary |
//! | [`SummaryHead::Messages`] | native | `[Summary of 12 messages]` | the line above a summary |
//! | [`SUMMARY_ABOVE`] | native | `[The messages before this point were condensed into the summary above. Continue from there.]` | a message |
//! | [`SUMMARY_OF_BELOW`] | native | `[The summary above is of the messages below as well, up to the newest; parts of them are left out.]` | a message |
//! | [`WORD_FOR_WORD`] | native | `[Word for word from what is summarised above]` | the line above a quotation after a summary |
//! | [`LEFT_OUT_HERE`] | providers that drop messages | `[Messages before this point were left out.]` | a message |
//! | [`LOG_HEADING`] | providers that drop messages | `[Log of the messages left out here, in quotes]` | the first line of the story |
//! | [`ResultNote`] | `condenseResult` | `[Left out of this result: 812 of 1034 lines, 96000 of 102000 tokens; 3 of the lines left out report a failure; exit code 1; whole result: cat /tmp/out.txt]` | the last line of a result |
//! | [`RECALL_HINT`] | with the option `recall` | `[Everything left out here can be brought back: call recall with {"query": "words to look for"}]` | the line below [`LEFT_OUT_HERE`] and [`SUMMARY_ABOVE`] |
//!
//! A marker is a type with fields: `Display` writes it and `read` recognises it. Each has exactly one spelling; any
//! other text is content. To change a marker, change its file alone: both directions are side by side there.

mod fixed;
mod gap;
mod items_gap;
mod left_out;
mod more;
mod notes;
mod pointer;
mod result_note;
mod summary;
mod suppressed;
mod words;

#[cfg(test)]
use std::fmt::{self, Display};

pub use self::{
    fixed::{
        LEFT_OUT_HERE, LOG_HEADING, RECALL_HINT, SUMMARY_ABOVE, SUMMARY_OF_BELOW, WORD_FOR_WORD, with_way_back,
        without_way_back,
    },
    gap::{Gap, LineGap},
    items_gap::ItemsGap,
    left_out::{LeftOut, OldState},
    more::More,
    notes::{NoteLine, before_note, characters_of, is_about_messages, is_heading, messages_at_end, notes_in_line},
    pointer::{
        Direction, MAX_QUOTE_BYTES, MIN_QUOTE_BYTES, NUMBERED_EVERY, Pointer, Reference, may_hold_pointers,
        may_point_elsewhere, quote_of,
    },
    result_note::{ResultNote, ResultParts},
    summary::{SummaryHead, is_summary},
    suppressed::Suppressed,
};

/// Any marker.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker<'a> {
    /// A pointer to content left out.
    Pointer(Pointer<'a>),
    /// State that a later message replaced.
    LeftOut(OldState<'a>),
    /// Missing lines, characters or messages.
    Gap(Gap),
    /// The content removed by a cut.
    More(More),
    /// A text left out as a whole.
    Suppressed(Suppressed),
    /// The line above a summary.
    SummaryHead(SummaryHead),
    /// Missing elements or fields in JSON.
    ItemsGap(ItemsGap<'a>),
    /// The last line of a shortened result.
    ResultNote(ResultNote<'a>),
    /// A marker whose text never varies.
    Fixed(&'static str),
}

#[cfg(test)]
impl<'a> Marker<'a> {
    /// Parses `content` as a whole: the content of a line (after its number, if it shows one), or a text.
    ///
    /// `[…12-40]` is a gap of lines; `[…40-12]` is none.
    pub fn read(content: &'a str) -> Option<Self> {
        if let Some(fixed) = fixed::FIXED.iter().find(|fixed| **fixed == content) {
            return Some(Self::Fixed(fixed));
        }
        Pointer::read(content)
            .map(Self::Pointer)
            .or_else(|| LeftOut::read(content).map(Self::LeftOut))
            .or_else(|| Gap::read(content).map(Self::Gap))
            .or_else(|| More::read(content).map(Self::More))
            .or_else(|| Suppressed::read(content).map(Self::Suppressed))
            .or_else(|| SummaryHead::read(content).map(Self::SummaryHead))
            .or_else(|| ItemsGap::read(content).map(Self::ItemsGap))
            .or_else(|| ResultNote::read(content).map(Self::ResultNote))
    }
}

#[cfg(test)]
impl Display for Marker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer(pointer) => pointer.fmt(f),
            Self::LeftOut(state) => LeftOut { state: *state, newer: 0 }.fmt(f),
            Self::Gap(gap) => gap.fmt(f),
            Self::More(more) => more.fmt(f),
            Self::Suppressed(suppressed) => suppressed.fmt(f),
            Self::SummaryHead(head) => head.fmt(f),
            Self::ItemsGap(gap) => gap.fmt(f),
            Self::ResultNote(note) => note.fmt(f),
            Self::Fixed(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::conversation::ContentKind;

    /// The examples in the table above, as markers.
    fn examples() -> Vec<(&'static str, Marker<'static>)> {
        use ContentKind::{MessageText, ToolParameters, ToolResults};
        let quote = "export function parseDay(";
        let reference = Reference { lines: 34, direction: Direction::Below, quote };
        let suppressed = |kind, size| Marker::Suppressed(Suppressed { kind, size });
        [
            ("[34 lines as below from \"export function parseDay(\"]", Marker::Pointer(Pointer::Reference(reference))),
            ("[The line above 9 more times]", Marker::Pointer(Pointer::Repeat { times: 9 })),
            ("[34 lines, every 10th numbered:]", Marker::Pointer(Pointer::Sparse { lines: 34 })),
            ("[Left out: src/a.ts was changed below]", Marker::LeftOut(OldState::Read("src/a.ts"))),
            ("[…12-40]", Marker::Gap(Gap::Lines(LineGap { first: 12, last: 40 }))),
            ("[…12]", Marker::Gap(Gap::Lines(LineGap { first: 12, last: 12 }))),
            ("[… 34 lines left out]", Marker::Gap(Gap::Elsewhere(34))),
            ("[… 120 characters]", Marker::Gap(Gap::Characters(120))),
            ("[… messages left out]", Marker::Gap(Gap::Messages)),
            ("... (18 more lines)", Marker::More(More::Lines(18))),
            ("... (400 more characters)", Marker::More(More::Characters(400))),
            ("[Tool result of 12 lines left out]", suppressed(ToolResults, Some(12))),
            ("[Text of 1 line left out]", suppressed(MessageText, Some(1))),
            ("[120 characters left out]", suppressed(ToolParameters, Some(120))),
            ("[Tool result suppressed]", suppressed(ToolResults, None)),
            ("[Tool parameter suppressed]", suppressed(ToolParameters, None)),
            ("[Message text suppressed]", suppressed(MessageText, None)),
            ("[Summary of 60 lines]", Marker::SummaryHead(SummaryHead::Lines(60))),
            ("[Summary of 12 messages]", Marker::SummaryHead(SummaryHead::Messages(12))),
            (
                "[… 498 items left out: {id: number}]",
                Marker::ItemsGap(ItemsGap { count: 498, is_keys: false, shape: "{id: number}" }),
            ),
            ("[… 12 keys left out]", Marker::ItemsGap(ItemsGap { count: 12, is_keys: true, shape: "" })),
            (
                "[Left out of this result: 812 of 1034 lines, 96000 of 102000 tokens; 3 of the lines left out report a failure; exit code 1; whole result: cat /tmp/out.txt]",
                Marker::ResultNote(ResultNote {
                    parts: ResultParts::Lines,
                    count: 812,
                    of_count: 1034,
                    tokens: 96000,
                    of_tokens: 102_000,
                    failures: 3,
                    exit_code: Some(1),
                    whole: Some("cat /tmp/out.txt"),
                }),
            ),
        ]
        .into_iter()
        .chain(fixed::FIXED.iter().map(|text| (*text, Marker::Fixed(text))))
        .collect()
    }

    #[test]
    fn every_form_of_the_table_is_written_and_recognised_as_it_stands_there() {
        let table: String = include_str!("mod.rs").lines().filter(|line| line.starts_with("//! |")).collect();
        for (text, marker) in examples() {
            assert_eq!(Marker::read(text), Some(marker));
            assert_eq!(marker.to_string(), text);
            assert!(table.contains(&format!("`{text}`")), "{text} is missing in the table");
        }
    }

    /// No other file contains a literal that begins like a marker, so that every marker written is also recognised.
    #[test]
    fn every_form_stands_here_alone() {
        const BEGINNINGS: [&str; 8] =
            ["[…", "[Message", "[Word", "[Log", "[Summary", "[The ", "[Left", "[Tool result "];
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["src/providers", "src/salience", "src/restore", "src/manager", "src/strategies", "js/roo"];
        let mut places: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
        while let Some(place) = places.pop() {
            if place.ends_with("tests") || place.ends_with("tests.rs") {
                continue;
            }
            if place.is_dir() {
                places.extend(std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let text = std::fs::read_to_string(&place).unwrap();
            // Tests may contain any text.
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            for literal in code.split('"').skip(1).step_by(2) {
                let is_form =
                    literal.ends_with(']') && BEGINNINGS.iter().any(|beginning| literal.starts_with(beginning));
                assert!(!is_form, "{}: {literal:?} is spelled outside of src/markers", place.display());
            }
        }
    }

    #[test]
    fn what_differs_from_the_one_way_to_write_a_form_is_text() {
        for (text, _) in examples() {
            // The end is missing, there is text around it, or one letter differs.
            let others = [
                text[..text.len() - 1].to_owned(),
                format!(" {text}"),
                format!("{text}."),
                format!("{text}\n"),
                text.to_uppercase(),
            ];
            // A marker without letters is the same in capitals.
            for other in others.into_iter().filter(|other| other != text) {
                assert_eq!(Marker::read(&other), None, "{other}");
            }
        }
        for text in [
            "",
            "[]",
            "[…9-3]",
            "[…3-3]",
            "[…a-b]",
            "[…03-9]",
            "[…1-99999999999999999999]",
            "[… 4 messages]",
            "[… 4 messages left out]",
            "[… lines 3-9]",
            "[… 3-9]",
            "[…+4]",
            "[… +4 characters]",
            "lines 3-9",
            "... (more lines)",
            "... (-1 more lines)",
            "... (1.5 more characters)",
            "[Tool result of 1 lines left out]",
            "[Tool result of many lines left out]",
            "[1 left out]",
            "[Text suppressed]",
            "[Summary of sales]",
            "[Summary of part 4 of 3]",
            "[Summary of 0x10 lines]",
            "[Left out: it was dull]",
            "[Left out: src/a.ts was changed in message 21]",
        ] {
            assert_eq!(Marker::read(text), None, "{text}");
        }
    }

    fn any_state() -> impl Strategy<Value = (u8, String)> {
        (0_u8..5, "[a-zA-Z0-9_./ é-]{1,30}")
    }

    fn any_kind() -> impl Strategy<Value = ContentKind> {
        prop_oneof![Just(ContentKind::MessageText), Just(ContentKind::ToolParameters), Just(ContentKind::ToolResults)]
    }

    proptest! {
        #[test]
        fn pointers_are_recognised_with_their_fields(
            lines in 1_u32..100_000,
            is_above in any::<bool>(),
            quote in "[a-zA-Z0-9./:\\]\"é-][a-zA-Z0-9./:\\[\\]\"é -]{3,30}",
        ) {
            let direction = if is_above { Direction::Above } else { Direction::Below };
            let pointers = [
                Pointer::Reference(Reference { lines, direction, quote: &quote }),
                Pointer::Repeat { times: lines },
                Pointer::Sparse { lines },
            ];
            for pointer in pointers {
                let written = pointer.to_string();
                prop_assert_eq!(Marker::read(&written), Some(Marker::Pointer(pointer)), "{}", &written);
                let around = format!("before\n{written}\nafter");
                prop_assert!(may_hold_pointers(&around));
            }
        }

        #[test]
        fn other_forms_are_recognised_with_their_fields(
            count in 0_usize..10_000_000,
            more in 0_usize..100_000,
            kind in any_kind(),
            (state, path) in any_state(),
        ) {
            let state = match state {
                0 => OldState::Environment,
                1 => OldState::List,
                2 => OldState::Read(&path),
                3 => OldState::Written(&path),
                _ => OldState::FailedEdit(&path),
            };
            for marker in [
                Marker::Gap(Gap::Lines(LineGap { first: count, last: count + more })),
                Marker::Gap(Gap::Elsewhere(count)),
                Marker::Gap(Gap::Characters(count)),
                Marker::Gap(Gap::Messages),
                Marker::More(More::Lines(count)),
                Marker::More(More::Characters(count)),
                Marker::Suppressed(Suppressed { kind, size: Some(count) }),
                Marker::Suppressed(Suppressed { kind, size: None }),
                Marker::SummaryHead(SummaryHead::Lines(count)),
                Marker::SummaryHead(SummaryHead::Messages(count)),
                Marker::LeftOut(state),
            ] {
                let written = marker.to_string();
                prop_assert_eq!(Marker::read(&written), Some(marker), "{}", &written);
            }
            let cut = format!("{path}{}", More::Characters(count));
            prop_assert_eq!(More::characters_at_end(&cut), Some((path.as_str(), count)));
            prop_assert_eq!(SummaryHead::at_start(&format!("{}\n{path}", SummaryHead::Lines(count))), Some(SummaryHead::Lines(count)));
            let gapped = format!("{path}{}", Gap::Characters(count));
            prop_assert!(Gap::may_be_in(&gapped));
        }

        #[test]
        fn plain_text_is_no_marker(text in "[a-zA-Z0-9_./ é…()-]{0,60}", any in "\\PC{0,60}") {
            // Every marker begins with a bracket or with three dots.
            prop_assume!(!text.starts_with("..."));
            prop_assert_eq!(Marker::read(&text), None);
            if let Some(marker) = Marker::read(&any) {
                prop_assert_eq!(marker.to_string(), any);
            }
        }

        #[test]
        fn there_is_one_way_to_write_each_form(
            text in "\\[(…|… )?(about |lines? |Summary of |Text of |Tool result of |Left out: )?(part )?[+0-9]{0,3}[ -](of |lines|line|characters?|messages?|x was changed in message )?[0-9]{0,2}( tokens| left out| left out here| left out …)?\\]|\\.\\.\\. \\(\\+?[0-9]{1,3} more (lines|characters)\\)",
        ) {
            if let Some(marker) = Marker::read(&text) {
                prop_assert_eq!(marker.to_string(), text);
            }
        }
    }
}
