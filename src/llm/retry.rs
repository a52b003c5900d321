//! Determines the wait before the next attempt.

use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use reqwest::header::{HeaderMap, RETRY_AFTER};

/// Maximum wait of our own choice between two attempts.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// Maximum wait that a service may request. If it requests more, the handler gives up at once with an error, because
/// the caller has better uses for a minute (a fallback, another model).
pub(super) const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Returns delays that double from `first`, each randomly extended to at most twice its length, so that many clients
/// do not return at the same time.
pub(super) fn delays(first: Duration, retries: u32) -> ExponentialBackoff {
    ExponentialBuilder::new()
        .with_min_delay(first)
        .with_max_delay(MAX_DELAY)
        .with_max_times(retries as usize)
        .with_jitter()
        .build()
}

/// Returns the wait, or `None` if the service requests more than is reasonable. The service's wait is the minimum;
/// part of our own random delay is added, because every refused client got the same wait.
pub(super) fn wait(delay: Duration, retry_after: Option<Duration>) -> Option<Duration> {
    match retry_after {
        None => Some(delay),
        Some(asked) if asked > MAX_RETRY_AFTER => None,
        Some(asked) => Some(asked + delay / 4),
    }
}

/// Parses the wait that the service requests: `retry-after-ms`, else `retry-after` in seconds or as a date. An
/// invalid value counts as absent.
pub(super) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str, unit: f64| {
        let seconds = text.parse::<f64>().ok()? * unit;
        Duration::try_from_secs_f64(seconds).ok()
    };
    if let Some(wait) = text("retry-after-ms").and_then(|ms| number(ms, 0.001)) {
        return Some(wait);
    }
    let text = text(RETRY_AFTER.as_str())?;
    number(text, 1.0).or_else(|| {
        let date = httpdate::parse_http_date(text).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &'static str, value: &str, now: SystemTime) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        retry_after(&headers, now)
    }

    #[test]
    fn seconds_milliseconds_dates_and_nonsense() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 2025 08:49:37 GMT").unwrap_or(SystemTime::UNIX_EPOCH);
        assert_eq!(asked("retry-after", "7", now), Some(Duration::from_secs(7)));
        assert_eq!(asked("retry-after", " 0.5 ", now), Some(Duration::from_millis(500)));
        assert_eq!(asked("retry-after-ms", "250", now), Some(Duration::from_millis(250)));
        let later = httpdate::fmt_http_date(now + Duration::from_secs(90));
        assert_eq!(asked("retry-after", &later, now), Some(Duration::from_secs(90)));
        assert_eq!(
            asked("retry-after", &httpdate::fmt_http_date(now), now + Duration::from_secs(5)),
            Some(Duration::ZERO)
        );
        for nonsense in ["soon", "-3", "NaN", "inf", "1e300", ""] {
            assert_eq!(asked("retry-after", nonsense, now), None, "{nonsense}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn delays_double_with_jitter_and_end() {
        let first = Duration::from_millis(100);
        let waits: Vec<_> = delays(first, 4).collect();
        assert_eq!(waits.len(), 4);
        for (step, wait) in waits.iter().enumerate() {
            let base = first * 2_u32.pow(step as u32);
            assert!((base..=base * 2).contains(wait), "step {step}: {wait:?}");
        }
        assert_eq!(delays(Duration::ZERO, 0).count(), 0);
    }

    #[test]
    fn what_is_asked_for_is_the_least_and_has_a_limit() {
        let delay = Duration::from_millis(400);
        assert_eq!(wait(delay, None), Some(delay));
        assert_eq!(wait(delay, Some(Duration::from_secs(2))), Some(Duration::from_millis(2100)));
        assert_eq!(wait(delay, Some(Duration::from_secs(61))), None);
    }
}
