//! Configures the trusted certificates.

use std::sync::Arc;

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::CryptoProvider,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};
use rustls_platform_verifier::Verifier;

/// Creates a configuration that trusts the operating system's roots and, as in Node, the file in
/// `NODE_EXTRA_CA_CERTS`; if the system has no roots, Mozilla's.
///
/// Reads files, which takes about 10 ms, so it must not run on the main thread.
pub(super) fn system_trust() -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let extra = extra_roots();
    let authorities = authorities(extra.clone(), &provider)?;
    let verifier = Arc::new(AsNode { authorities, extra });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

fn authorities(
    extra: Vec<CertificateDer<'static>>,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    // The system's roots are loaded without the extra roots first. With them, a system without own roots would appear
    // to have some.
    match Verifier::new(Arc::clone(provider)) {
        Ok(verifier) if extra.is_empty() => Ok(Arc::new(verifier)),
        Ok(_) => Ok(Arc::new(Verifier::new_with_extra_roots(extra, Arc::clone(provider))?)),
        Err(_) => {
            let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            roots.add_parsable_certificates(extra);
            let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build();
            Ok(verifier.map_err(|error| Error::General(error.to_string()))?)
        }
    }
}

/// Trusts authorities and, like Node, also a server whose own certificate is in `NODE_EXTRA_CA_CERTS`. A self-signed
/// certificate is both an authority's and a server's, which the rules for chains refuse.
#[derive(Debug)]
struct AsNode {
    authorities: Arc<dyn ServerCertVerifier>,
    extra: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for AsNode {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let by_authority =
            self.authorities.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        let Err(error) = by_authority else { return by_authority };
        if is_final(&error) || !self.extra.contains(end_entity) {
            return Err(error);
        }
        verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls12_signature(message, cert, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls13_signature(message, cert, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

/// Returns true if a certificate is refused with any root: because of its time or name, or because it was revoked.
fn is_final(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidCertificate(
            CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. }
                | CertificateError::NotValidForName
                | CertificateError::NotValidForNameContext { .. }
                | CertificateError::Revoked
        )
    )
}

/// Creates a configuration without trusted roots, because plain http on this machine needs no certificates.
pub(super) fn no_trust() -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// Reads the extra roots. As in Node, an unreadable file is ignored; the handshake then reports the unknown
/// authority.
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
