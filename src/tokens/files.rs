//! Estimates the tokens of files, with one table for all formats. Files are neither decoded nor counted as the text
//! of their base64.

use super::image_tokens;
use crate::conversation::{AttachedFile, Media, Service};

/// How to count files of one kind: tokens per unit, by service.
struct Rule {
    media: Media,
    /// Bytes per unit, if the file does not say how many units it has.
    bytes: f64,
    /// Number of units of a file that is only referred to.
    unknown: f64,
    anthropic: f64,
    open_ai: f64,
    gemini: f64,
    /// The highest count, for formats of several services.
    any: f64,
}

/// Sources:
/// - Pages. Anthropic, "PDF support": 1,500 to 3,000 tokens of text per page, and each page as an image; about 7,000
///   for three pages in total. OpenAI, "File inputs": the text of each page and an image of it. An image in four tiles
///   has 765 tokens ("Images and vision": 85, and 170 per tile). Gemini, "Media resolution": 560 per page of a PDF (258
///   before Gemini 3). Our assumption is 50 KB per page: pages of text have less, scans more.
/// - Seconds of sound. Gemini, "Understand and count tokens": 32 tokens. OpenAI: one token per tenth of a second.
///   16,000 bytes are 128 kbit/s.
/// - Seconds of video. Gemini, the same page: 263 tokens. Amazon Nova, "Video understanding": one frame per second, 288
///   tokens. 250,000 bytes are 2 Mbit/s.
/// - Text. Gemini, the same page: four characters per token. We assume the same for encrypted data.
const RULES: [Rule; 4] = [
    Rule {
        media: Media::Document,
        bytes: 50_000.0,
        unknown: 1.0,
        anthropic: 3000.0,
        open_ai: 1500.0,
        gemini: 560.0,
        any: 3000.0,
    },
    Rule {
        media: Media::Audio,
        bytes: 16_000.0,
        unknown: 60.0,
        anthropic: 32.0,
        open_ai: 10.0,
        gemini: 32.0,
        any: 32.0,
    },
    Rule {
        media: Media::Video,
        bytes: 250_000.0,
        unknown: 60.0,
        anthropic: 288.0,
        open_ai: 288.0,
        gemini: 263.0,
        any: 288.0,
    },
    Rule { media: Media::Data, bytes: 4.0, unknown: 3000.0, anthropic: 1.0, open_ai: 1.0, gemini: 1.0, any: 1.0 },
];

/// The maximum for one file, which is more than any window.
const MOST: f64 = 1e9;

/// Estimates a file's tokens by the rule of its service: an image by [`image_tokens`], a document by its pages, sound
/// and video by their seconds, a text file by its bytes. If the beginning of the file does not state its pages or
/// seconds, they are estimated from its length and rounded up.
pub fn file_tokens(file: &AttachedFile) -> usize {
    let Some(rule) = RULES.iter().find(|rule| rule.media == file.media) else { return image_tokens(file.encoded) };
    let by_length = || file.encoded.map(|letters| letters as f64 * 0.75 / rule.bytes);
    let units = file.extent.or_else(by_length).unwrap_or(rule.unknown).ceil().max(1.0);
    let each = match file.service {
        Service::Anthropic => rule.anthropic,
        Service::OpenAi => rule.open_ai,
        Service::Gemini => rule.gemini,
        Service::Any => rule.any,
    };
    (units * each).min(MOST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(media: Media, service: Service, encoded: Option<usize>, extent: Option<f64>) -> AttachedFile {
        AttachedFile { media, service, literal: None, encoded, extent, is_typed: false }
    }

    #[test]
    fn each_service_has_its_rule() {
        let pages = |service| file_tokens(&file(Media::Document, service, None, Some(12.0)));
        assert_eq!(pages(Service::Anthropic), 36_000);
        assert_eq!(pages(Service::OpenAi), 18_000);
        assert_eq!(pages(Service::Gemini), 6720);
        assert_eq!(pages(Service::Any), 36_000);
        assert_eq!(file_tokens(&file(Media::Audio, Service::OpenAi, None, Some(2.5))), 30);
        assert_eq!(file_tokens(&file(Media::Video, Service::Gemini, None, Some(10.0))), 2630);
    }

    #[test]
    fn the_length_stands_in_for_what_is_not_known() {
        let by_length = |media, encoded| file_tokens(&file(media, Service::Any, Some(encoded), None));
        // 250 KB of PDF are 5.1 pages.
        assert_eq!(by_length(Media::Document, 341_336), 18_000);
        assert_eq!(by_length(Media::Document, 4), 3000);
        assert_eq!(by_length(Media::Data, 16_000), 3000);
        assert_eq!(by_length(Media::Image, 10_000), 100);
        assert_eq!(by_length(Media::Document, usize::MAX), 1_000_000_000);
    }

    #[test]
    fn a_file_that_is_referred_to_counts_too() {
        let unknown = |media| file_tokens(&file(media, Service::Any, None, None));
        assert_eq!([Media::Image, Media::Document, Media::Audio].map(unknown), [300, 3000, 1920]);
    }
}
