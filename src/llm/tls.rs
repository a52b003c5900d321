//! Which certificates are trusted.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::Verifier;

/// A configuration that trusts what the operating system trusts, plus the file in `NODE_EXTRA_CA_CERTS`, as Node does; and
/// Mozilla's roots where the system has none.
///
/// Reads files, some 10 ms: not for the main thread.
pub(super) fn system_trust() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let extra = extra_roots();
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    // Asked without the extra roots first: with them, a system without any roots of its own would pass as one that has.
    let config = match Verifier::new(Arc::clone(&provider)) {
        Ok(verifier) if extra.is_empty() => with_verifier(builder, verifier),
        Ok(_) => with_verifier(builder, Verifier::new_with_extra_roots(extra, provider)?),
        Err(_) => {
            let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            roots.add_parsable_certificates(extra);
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    Ok(config)
}

/// A configuration that trusts nobody: for plain http on this machine, where reading certificates would be for nothing.
pub(super) fn no_trust() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn with_verifier(
    builder: rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>,
    verifier: Verifier,
) -> ClientConfig {
    builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
}

/// Like Node, a file that cannot be read is passed over: the handshake then says which authority is not known.
fn extra_roots() -> Vec<CertificateDer<'static>> {
    let Some(path) = std::env::var_os("NODE_EXTRA_CA_CERTS").filter(|path| !path.is_empty()) else {
        return Vec::new();
    };
    CertificateDer::pem_file_iter(path).map(|roots| roots.filter_map(Result::ok).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_configuration_can_be_made_whatever_the_system_has() {
        super::system_trust().unwrap();
        super::no_trust().unwrap();
    }
}
