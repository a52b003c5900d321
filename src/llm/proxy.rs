//! Checks the proxy in the environment variables. The HTTP client would ignore one that it cannot parse, and connect
//! directly.

use reqwest::Url;

use super::{HttpConfig, endpoint};
use crate::options::{ConfigError, FaultKind};

const ALLOWED: &str = "the address of a proxy, such as http://proxy.example:3128 (schemes: http, https, socks4, socks4a, socks5, socks5h)";

/// Finds an invalid proxy in the environment variables that apply to `url`. Its value is not shown, because it may
/// contain a password.
pub(super) fn fault(url: &Url) -> Option<ConfigError> {
    fault_in(url, |name| std::env::var(name).ok())
}

fn fault_in(url: &Url, variable: impl Fn(&str) -> Option<String>) -> Option<ConfigError> {
    if endpoint::is_loopback(url) {
        return None;
    }
    let own = if url.scheme() == "https" { ["HTTPS_PROXY", "https_proxy"] } else { ["HTTP_PROXY", "http_proxy"] };
    // The first spelling that is set counts, even if it is empty, because the client does the same.
    let set = |names: [&'static str; 2]| names.into_iter().find_map(|name| Some((name, variable(name)?)));
    let wrong = [own, ["ALL_PROXY", "all_proxy"]]
        .into_iter()
        .filter_map(set)
        .find(|(_, value)| !value.is_empty() && !is_proxy(value));
    wrong.map(|(name, _)| HttpConfig::fault(FaultKind::NotAllowed, name, "a text that is no address", ALLOWED))
}

/// Returns true if the client can parse this as the address of a proxy. Stricter than the client, never looser.
fn is_proxy(text: &str) -> bool {
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let is_scheme = matches!(scheme, "http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h");
    let end = rest.find(['/', '?', '#']).filter(|_| text.contains("://")).unwrap_or(rest.len());
    let (user, host) = rest[..end].rsplit_once('@').unwrap_or(("", &rest[..end]));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}@/?#".contains(&byte));
    let is_host = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte));
    let is_address =
        Url::parse(&format!("http://{host}")).is_ok_and(|url| url.host_str().is_some() && url.path() == "/");
    is_scheme
        && is_plain(user)
        && is_host
        && !host.ends_with(':')
        && is_address
        && rest[end..].bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_address_of_a_proxy() {
        for text in [
            "http://proxy.example:3128",
            "http://proxy.example:3128/",
            "https://user:p%40ss@proxy.example",
            "socks5h://127.0.0.1:1080",
            "proxy.example:3128",
            "proxy",
            "http://[::1]:3128",
        ] {
            assert!(is_proxy(text), "{text}");
        }
        for text in [
            " ",
            "://",
            "http://",
            "http:///",
            "ftp://proxy.example",
            "http://proxy.example:port",
            "http://proxy.example:99999",
            "http://proxy example",
            "http://proxy.example:3128 ",
            "http://a@b@c",
            "proxy.example:3128/path",
            "http://prôxy",
            "http://proxy.example:",
            "file:///etc",
            "PROXY http://proxy.example",
        ] {
            assert!(!is_proxy(text), "{text}");
        }
    }

    #[test]
    fn only_what_a_request_would_go_by_counts_and_no_value_is_shown() {
        let url = |text: &str| Url::parse(text).unwrap();
        let with = |names: &'static [(&'static str, &'static str)]| {
            move |name: &str| names.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let broken = with(&[("HTTPS_PROXY", "http://user:hunter22@ proxy")]);
        let error = fault_in(&url("https://h.example"), broken).unwrap();
        assert!(error.to_string().contains("HTTPS_PROXY") && !format!("{error:?}").contains("hunter22"), "{error}");
        assert!(fault_in(&url("http://h.example"), broken).is_none());
        assert!(fault_in(&url("https://localhost:1"), broken).is_none());
        assert!(fault_in(&url("http://h.example"), with(&[("all_proxy", "://")])).is_some());
        assert!(fault_in(&url("https://h.example"), with(&[("HTTPS_PROXY", ""), ("https_proxy", "://")])).is_none());
        assert!(
            fault_in(&url("https://h.example"), with(&[("https_proxy", "p:1"), ("ALL_PROXY", "socks5://p")])).is_none()
        );
    }
}
