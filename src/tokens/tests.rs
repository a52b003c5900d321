//! Tests of the whole module: equal to the reference, exact in pieces, bounded in time and memory for any text.

use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

use super::{samples::*, *};
use crate::cancel::{Cancel, Cancelled};

fn reference(encoding: Encoding) -> &'static CoreBPE {
    match encoding {
        Encoding::O200kBase => tiktoken_rs::o200k_base_singleton(),
        Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
    }
}

fn exactly(tokens: usize) -> Count {
    Count { tokens, approximate: false }
}

#[test]
fn equal_to_the_reference_on_a_large_mixed_text() {
    let text = mixed(1_300_000);
    for encoding in Encoding::ALL {
        let tokens = reference(encoding).count_ordinary(&text);
        assert_eq!(count_uncached(&text, encoding), exactly(tokens), "{encoding}");
        assert_eq!(count(&text, encoding), exactly(tokens), "in parts, {encoding}");
        assert_eq!(count(&text, encoding), exactly(tokens), "from the cache, {encoding}");
    }
}

#[test]
fn equal_to_the_reference_on_hostile_texts_below_the_limit() {
    for (name, text) in hostile(8_000) {
        for encoding in Encoding::ALL {
            assert_eq!(
                count(&text, encoding),
                exactly(reference(encoding).count_ordinary(&text)),
                "{name}, {encoding}"
            );
        }
    }
}

#[test]
fn hostile_texts_neither_panic_nor_stall() {
    check_hostile(1 << 16);
}

#[test]
#[ignore = "long: in `npm run test:thorough`"]
fn larger_hostile_texts_neither_panic_nor_stall() {
    check_hostile(1 << 18);
}

fn check_hostile(size: usize) {
    for (name, text) in hostile(size) {
        let result = count(&text, Encoding::O200kBase);
        assert!(result.tokens >= least_tokens(text.len()) && result.tokens <= text.len(), "{name}: {result:?}");
        for limit in [0, 1, 1000] {
            let head = truncate_to_tokens(&text, limit, Encoding::O200kBase);
            assert!(text.starts_with(head) && count(head, Encoding::O200kBase).tokens <= limit, "{name}, {limit}");
            let tail = truncate_start_to_tokens(&text, limit, Encoding::O200kBase);
            assert!(text.ends_with(tail) && count(tail, Encoding::O200kBase).tokens <= limit, "{name}, {limit}");
        }
    }
}

#[test]
fn a_long_run_is_approximate_and_close() {
    let text = "=".repeat(600_000);
    let result = count(&text, Encoding::O200kBase);
    let whole = reference(Encoding::O200kBase).count_ordinary(&text);
    assert!(result.approximate);
    assert!(result.tokens.abs_diff(whole) <= 4, "{result:?}, {whole}");
    assert!(!count(&text[..200_000], Encoding::O200kBase).approximate);
}

#[test]
fn truncation_holds_its_limit_across_forced_cuts() {
    let text = format!("{}\n{}{}", mixed(20_000), " ".repeat(700_000), "漢".repeat(150_000));
    let all = count(&text, Encoding::O200kBase);
    assert!(all.approximate);
    for limit in [all.tokens / 3, all.tokens / 2, all.tokens - 3_000, all.tokens - 1] {
        let head = truncate_to_tokens(&text, limit, Encoding::O200kBase);
        let tail = truncate_start_to_tokens(&text, limit, Encoding::O200kBase);
        for kept in [head, tail] {
            let tokens = count(kept, Encoding::O200kBase).tokens;
            assert!(tokens <= limit && tokens + 100 > limit, "{tokens} of {limit}");
        }
    }
}

#[test]
fn count_all_gives_each_text_its_count_in_order() {
    let long = mixed(1_300_000);
    let texts: Vec<&str> =
        ["", "a", "hello world"].into_iter().chain([long.as_str()]).chain(long.lines().take(500)).collect();
    let counts = count_all(&texts, Encoding::O200kBase, &Cancel::new()).unwrap();
    assert_eq!(counts.len(), texts.len());
    for (text, counted) in texts.iter().zip(counts) {
        assert_eq!(counted, count_uncached(text, Encoding::O200kBase));
    }
    assert_eq!(count_all(&[], Encoding::O200kBase, &Cancel::new()), Ok(vec![]));
}

#[test]
fn count_all_stops_when_cancelled() {
    let cancel = Cancel::new();
    cancel.cancel();
    for size in [10, 2_000_000] {
        let text = mixed(size);
        assert_eq!(count_all(&[&text], Encoding::O200kBase, &cancel).unwrap_err(), Cancelled);
    }
    // Far more than can be counted before the signal, which is set after the work has begun.
    let cancel = Cancel::new();
    let text = mixed(1_000_000);
    let texts: Vec<String> = (0..40).map(|i| format!("{i}{}", text.replace("fn", &format!("f{i}")))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    warm_up(Encoding::O200kBase);
    let result = std::thread::scope(|scope| {
        let counting = scope.spawn(|| count_all(&texts, Encoding::O200kBase, &cancel));
        std::thread::sleep(std::time::Duration::from_millis(5));
        cancel.cancel();
        counting.join().unwrap()
    });
    assert!(result.is_err());
}

#[test]
fn concurrent_counts_agree() {
    let text = mixed(50_000);
    let expected = count_uncached(&text, Encoding::O200kBase);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!((0..20).all(|_| count(&text, Encoding::O200kBase) == expected)));
        }
    });
}

#[test]
fn special_tokens_are_ordinary_text() {
    for encoding in Encoding::ALL {
        assert!(count("<|endoftext|>", encoding).tokens > 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn equal_to_the_reference_on_random_texts(text in tricky()) {
        for encoding in Encoding::ALL {
            prop_assert_eq!(count(&text, encoding), exactly(reference(encoding).count_ordinary(&text)), "{}", encoding);
        }
    }

    #[test]
    fn truncation_is_a_prefix_or_suffix_within_the_limit(text in tricky(), limit in 0usize..60) {
        for encoding in Encoding::ALL {
            let all = count(&text, encoding).tokens;
            let head = truncate_to_tokens(&text, limit, encoding);
            prop_assert!(text.starts_with(head));
            prop_assert!(count(head, encoding).tokens <= limit);
            let tail = truncate_start_to_tokens(&text, limit, encoding);
            prop_assert!(text.ends_with(tail));
            prop_assert!(count(tail, encoding).tokens <= limit);
            if all <= limit {
                prop_assert_eq!((head, tail), (text.as_str(), text.as_str()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn truncating_large_texts_keeps_nearly_the_limit(skip in 0usize..50_000, share in 0.01f64..1.0) {
        let text = mixed(150_000);
        let text = &text[pieces::ceil_char_boundary(&text, skip)..];
        let all = count(text, Encoding::O200kBase).tokens;
        let limit = (all as f64 * share) as usize;
        for kept in [truncate_to_tokens(text, limit, Encoding::O200kBase), truncate_start_to_tokens(text, limit, Encoding::O200kBase)] {
            let tokens = count(kept, Encoding::O200kBase).tokens;
            prop_assert!(tokens <= limit && tokens + 10 > limit, "{} of {}", tokens, limit);
        }
    }

    #[test]
    fn appending_leaves_the_pieces_before(cut in 0usize..150_000) {
        let text = mixed(150_000);
        let cut = pieces::floor_char_boundary(&text, cut);
        let before: Vec<_> = pieces::pieces(&text[..cut]).collect();
        let after: Vec<_> = pieces::pieces(&text).collect();
        let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
        prop_assert!(same + 2 > before.len(), "{} of {}", same, before.len());
    }
}
