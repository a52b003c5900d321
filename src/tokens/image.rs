//! The token counts of images.

/// Tokens of an image without data (a URL, a file id), as Roo-Code counts it.
const WITHOUT_DATA: usize = 300;

/// Returns the tokens of an image with `base64_len` bytes of base64: their square root, rounded up, as Roo-Code
/// estimates; 300 without data (`None` or empty). Uses integer arithmetic, so it is exact for every length.
pub fn image_tokens(base64_len: Option<usize>) -> usize {
    match base64_len {
        None | Some(0) => WITHOUT_DATA,
        Some(len) => {
            let root = len.isqrt();
            if root * root == len { root } else { root + 1 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn square_root_rounded_up() {
        let cases = [(1, 1), (2, 2), (4, 2), (5, 3), (100, 10), (101, 11), (1_000_000, 1000), (1_000_001, 1001)];
        for (len, tokens) in cases {
            assert_eq!(image_tokens(Some(len)), tokens, "{len}");
        }
        assert_eq!(image_tokens(Some(usize::MAX)), 1 << (usize::BITS / 2));
        assert_eq!(image_tokens(None), 300);
        assert_eq!(image_tokens(Some(0)), 300);
    }
}
