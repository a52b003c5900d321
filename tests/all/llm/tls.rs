//! That https works, and whom it trusts: a server with a certificate of an authority only `NODE_EXTRA_CA_CERTS` names.

use std::{process::Command, sync::Arc};

use crate::llm::fake_server::{FakeServer, Script, fixture};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use roo_condense::{Api, ApiKey, HttpConfig, HttpHandler, LlmHandler, LlmMessage, LlmRequest};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, rustls};
use tokio_util::sync::CancellationToken;

const CHILD: &str = "llm::tls::asks_the_server_of_the_environment";

/// The certificate of an authority as PEM, and an acceptor for `localhost` signed by it.
fn authority() -> (String, TlsAcceptor) {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![server.der().clone()],
            rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        )
        .unwrap();
    (issuer.pem(), TlsAcceptor::from(Arc::new(config)))
}

/// Child of the test below, because trust is read from the environment of the process.
#[tokio::test]
#[ignore = "started by the test below with an address in its environment"]
async fn asks_the_server_of_the_environment() {
    let base_url = Some(std::env::var("TEST_BASE_URL").unwrap());
    let api_key = Some(ApiKey::new("sk-test-0123456789"));
    let config = HttpConfig { base_url, api_key, retries: 0, ..HttpConfig::new(Api::OpenAi, "m") };
    let request = LlmRequest { messages: vec![LlmMessage::user("hi")], ..LlmRequest::default() };
    match HttpHandler::new(config).unwrap().complete(request, &CancellationToken::new(), None).await {
        Ok(response) => println!("answer: {}", response.text),
        Err(error) => println!("{}: {error}", error.code()),
    }
}

#[tokio::test]
async fn https_trusts_the_extra_authority_and_no_other() {
    let plain = FakeServer::start([Script::events(fixture("ollama.sse"))]).await;
    let (pem, acceptor) = authority();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let base_url = format!("https://localhost:{}", listener.local_addr().unwrap().port());
    let target = plain.port();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut outside) = acceptor.accept(connection).await else { return };
                let mut inside = TcpStream::connect(("127.0.0.1", target)).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    });
    let file = std::env::temp_dir().join(format!("roo-condense-authority-{}.pem", std::process::id()));
    std::fs::write(&file, pem).unwrap();
    let ask = |trusted: Option<std::path::PathBuf>| {
        let base_url = base_url.clone();
        tokio::task::spawn_blocking(move || {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--ignored", "--exact", CHILD, "--nocapture"]).env("TEST_BASE_URL", base_url);
            match trusted {
                Some(file) => child.env("NODE_EXTRA_CA_CERTS", file),
                None => child.env_remove("NODE_EXTRA_CA_CERTS"),
            };
            String::from_utf8(child.output().unwrap().stdout).unwrap()
        })
    };
    let trusted = ask(Some(file.clone())).await.unwrap();
    let strange = ask(None).await.unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(trusted.contains("answer: The summary."), "{trusted}");
    assert!(strange.contains("llm_connection_failed") && strange.contains("NODE_EXTRA_CA_CERTS"), "{strange}");
    assert_eq!(plain.requests().len(), 1, "nothing was said to the stranger");
}
