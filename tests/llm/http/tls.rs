//! That https works, and whom it trusts: a server with a certificate of an authority only `NODE_EXTRA_CA_CERTS` names.

use std::{process::Command, sync::Arc};

use crate::http::fake_server::{FakeServer, Script, fixture};
use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use roo_condense::{Api, ApiKey, HttpConfig, HttpHandler, LlmHandler, LlmMessage, LlmRequest};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, rustls};
use tokio_util::sync::CancellationToken;

const CHILD: &str = "http::tls::asks_the_server_of_the_environment";

/// The certificate of an authority as PEM, and an acceptor for `localhost` signed by it.
fn authority() -> (String, TlsAcceptor) {
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    (issuer.pem(), acceptor(&server, &key))
}

/// The certificate that a server signed for itself as PEM, and its acceptor.
fn self_signed(name: &str, is_ca: IsCa, until: i32) -> (String, TlsAcceptor) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.is_ca = is_ca;
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(until, 1, 1);
    let key = KeyPair::generate().unwrap();
    let own = params.self_signed(&key).unwrap();
    (own.pem(), acceptor(&own, &key))
}

fn acceptor(certificate: &Certificate, key: &KeyPair) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.into())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
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

/// Returns the output of a child that asks a server behind this acceptor, once with the certificate in its
/// environment and once without, and the number of requests that reached the server.
async fn asked(pem: String, acceptor: TlsAcceptor) -> (String, String, usize) {
    let plain = FakeServer::start([Script::events(fixture("ollama.sse"))]).await;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let base_url = format!("https://localhost:{port}");
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
    let file = std::env::temp_dir().join(format!("roo-condense-authority-{}-{port}.pem", std::process::id()));
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
    (trusted, strange, plain.requests().len())
}

#[tokio::test]
async fn https_trusts_the_extra_authority_and_no_other() {
    let (pem, acceptor) = authority();
    let (trusted, strange, requests) = asked(pem, acceptor).await;
    assert!(trusted.contains("answer: The summary."), "{trusted}");
    assert!(strange.contains("llm_connection_failed") && strange.contains("NODE_EXTRA_CA_CERTS"), "{strange}");
    assert_eq!(requests, 1, "nothing was said to the stranger");
}

/// The certificates that `openssl req -x509` makes are those of an authority too.
#[tokio::test]
async fn https_trusts_a_server_by_its_own_certificate_as_node_does() {
    for is_ca in [IsCa::Ca(BasicConstraints::Unconstrained), IsCa::ExplicitNoCa, IsCa::NoCa] {
        let (pem, acceptor) = self_signed("localhost", is_ca, 2200);
        let (trusted, strange, requests) = asked(pem, acceptor).await;
        assert!(trusted.contains("answer: The summary."), "{is_ca:?}: {trusted}");
        assert!(strange.contains("llm_connection_failed"), "{strange}");
        assert_eq!(requests, 1);
    }
}

#[tokio::test]
async fn a_certificate_of_another_name_or_time_is_refused_whoever_vouches_for_it() {
    let is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    for (name, until) in [("elsewhere.example", 2200), ("localhost", 2021)] {
        let (pem, acceptor) = self_signed(name, is_ca, until);
        let (trusted, strange, requests) = asked(pem, acceptor).await;
        assert!(trusted.contains("llm_connection_failed") && strange.contains("llm_connection_failed"), "{trusted}");
        assert_eq!(requests, 0);
    }
    // In the place of another's certificate with the same name.
    let (pem, _) = self_signed("localhost", is_ca, 2200);
    let (_, acceptor) = self_signed("localhost", is_ca, 2200);
    assert_eq!(asked(pem, acceptor).await.2, 0);
}
