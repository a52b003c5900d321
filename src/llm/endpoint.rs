//! Turns the user's `baseUrl` into the address for requests.

use url::Url;

use super::{Api, HttpConfig};
use crate::options::{ConfigError, FaultKind};

/// The values allowed for `baseUrl`.
pub(super) const ALLOWED: &str =
    "an address that begins with http:// or https://, without user name and password (use headers)";

impl Api {
    /// Returns the address of the provider's own service.
    fn default_base(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Anthropic => "/messages",
            Self::OpenAi => "/chat/completions",
        }
    }
}

/// Returns the address for requests. `base` may end in a slash, in `/v1` or in the whole path; its query is kept.
///
/// Without a path, `/v1` is added for both protocols. With a path, it is added for Anthropic only, whose clients add
/// it themselves (`https://host/anthropic` serves `/anthropic/v1/messages`), while OpenAI's never do.
pub(super) fn endpoint(api: Api, base: Option<&str>) -> Result<Url, ConfigError> {
    let written = base.unwrap_or_else(|| api.default_base());
    let not_allowed = |value: &str| HttpConfig::fault(FaultKind::NotAllowed, "baseUrl", value, ALLOWED);
    let mut url = Url::parse(written).map_err(|_| not_allowed("a text that is no address"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(not_allowed(&format!("an address of scheme {:?}", url.scheme())));
    }
    // Not shown, because it contains a secret.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(not_allowed("an address with user name or password"));
    }
    url.set_fragment(None);
    let base_path = url.path().trim_end_matches('/').to_owned();
    let versioned = base_path.rsplit('/').next().is_some_and(|last| {
        last.strip_prefix('v').is_some_and(|version| version.starts_with(|digit: char| digit.is_ascii_digit()))
    });
    let path = if base_path.ends_with(api.path()) {
        base_path
    } else if base_path.is_empty() || (api == Api::Anthropic && !versioned) {
        format!("{base_path}/v1{}", api.path())
    } else {
        format!("{base_path}{}", api.path())
    };
    url.set_path(&path);
    Ok(url)
}

/// Returns the address in a form for messages: without the query, which may contain a key.
pub(super) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail for http and https.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

/// Returns true if the address is on this machine, which is reached without a proxy, as in browsers.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .parse::<std::net::IpAddr>()
            .map_or_else(|_| host.ends_with(".localhost"), |address| address.is_loopback()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_addresses_as_users_write_them() {
        let cases = [
            (Api::Anthropic, None, "https://api.anthropic.com/v1/messages"),
            (Api::Anthropic, Some("https://api.anthropic.com/"), "https://api.anthropic.com/v1/messages"),
            (Api::Anthropic, Some("https://api.anthropic.com/v1/"), "https://api.anthropic.com/v1/messages"),
            (Api::Anthropic, Some("https://api.anthropic.com/v1/messages"), "https://api.anthropic.com/v1/messages"),
            (
                Api::Anthropic,
                Some("https://api.deepseek.com/anthropic"),
                "https://api.deepseek.com/anthropic/v1/messages",
            ),
            (Api::OpenAi, None, "https://api.openai.com/v1/chat/completions"),
            (Api::OpenAi, Some("http://localhost:11434"), "http://localhost:11434/v1/chat/completions"),
            (Api::OpenAi, Some("http://localhost:1234/v1"), "http://localhost:1234/v1/chat/completions"),
            (Api::OpenAi, Some("https://openrouter.ai/api/v1/"), "https://openrouter.ai/api/v1/chat/completions"),
            (Api::OpenAi, Some("https://h.example/v1beta/openai/"), "https://h.example/v1beta/openai/chat/completions"),
            (Api::OpenAi, Some("https://h.example/v1/chat/completions/"), "https://h.example/v1/chat/completions"),
            (
                Api::OpenAi,
                Some("https://h.example/openai/v1?api-version=2#x"),
                "https://h.example/openai/v1/chat/completions?api-version=2",
            ),
        ];
        for (api, base, expected) in cases {
            assert_eq!(endpoint(api, base).unwrap().as_str(), expected, "{base:?}");
        }
    }

    #[test]
    fn addresses_that_cannot_be_used() {
        for base in ["localhost:11434", "ftp://h.example", "/v1", "https://", "not an address", "file:///etc/hosts"] {
            let error = endpoint(Api::OpenAi, Some(base)).unwrap_err();
            assert_eq!((error.code, error.path.as_str()), ("out_of_range", "baseUrl"), "{base}");
        }
        let error = endpoint(Api::OpenAi, Some("https://user:hunter22@h.example")).unwrap_err();
        assert!(!format!("{error}{error:?}").contains("hunter22"), "{error}");
    }

    #[test]
    fn a_query_is_not_shown_and_loopback_is_known() {
        let url = endpoint(Api::OpenAi, Some("https://h.example/v1?key=sk-123456789")).unwrap();
        assert_eq!(shown(&url), "https://h.example/v1/chat/completions");
        for (base, loopback) in [
            ("http://localhost", true),
            ("http://api.localhost", true),
            ("http://127.0.0.2:80", true),
            ("http://[::1]:80", true),
            ("http://10.0.0.1", false),
            ("https://localhost.example", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(base).unwrap()), loopback, "{base}");
        }
    }
}
