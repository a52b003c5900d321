//! A fake LLM service: real HTTP/1.1 on loopback, answers from a script, remembers what it was asked.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

/// The response of the server to one request.
#[derive(Clone, Debug, Default)]
pub struct Script {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
enum Step {
    /// Bytes as they are.
    Raw(Vec<u8>),
    /// One chunk of a chunked body.
    Chunk(Vec<u8>),
    /// The end of a chunked body.
    End,
    Wait(Duration),
    /// Lets the client read what was sent so far.
    Yield,
    /// Silence until the client goes.
    Hang,
    /// Ends the connection with a reset rather than properly.
    Reset,
}

impl Script {
    /// Nothing at all: the connection is closed.
    pub fn close() -> Self {
        Self::default()
    }

    /// The head of a response whose body follows in chunks.
    pub fn head(status: u16, headers: &[(&str, &str)]) -> Self {
        let mut head = format!("HTTP/1.1 {status} Scripted\r\ntransfer-encoding: chunked\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        Self { steps: vec![Step::Raw(head.into_bytes())] }
    }

    /// A complete response.
    pub fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        Self::head(status, headers).chunk(body).end()
    }

    /// A complete response of JSON.
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::answer(status, &[("content-type", "application/json")], body.to_string())
    }

    /// A complete stream of events, in one chunk.
    pub fn events(body: impl AsRef<[u8]>) -> Self {
        Self::stream().chunk(body).end()
    }

    /// The head of a stream of events.
    pub fn stream() -> Self {
        Self::head(200, &[("content-type", "text/event-stream; charset=utf-8"), ("request-id", "req_test_1")])
    }

    /// A complete stream of events in pieces of `size` bytes, wherever that cuts.
    pub fn events_in_pieces(body: &[u8], size: usize) -> Self {
        body.chunks(size).fold(Self::stream(), |script, piece| script.chunk(piece).then(Step::Yield)).end()
    }

    pub fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self::default().then(Step::Raw(bytes.as_ref().to_vec()))
    }

    pub fn chunk(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref().to_vec();
        // An empty chunk would end the body.
        if bytes.is_empty() { self } else { self.then(Step::Chunk(bytes)) }
    }

    /// The beginning of a chunk that announces more than comes: what follows cuts it in the middle.
    pub fn half_chunk(self, bytes: impl AsRef<[u8]>) -> Self {
        let mut raw = format!("{:x}\r\n", bytes.as_ref().len() + 100).into_bytes();
        raw.extend_from_slice(bytes.as_ref());
        self.then(Step::Raw(raw))
    }

    pub fn end(self) -> Self {
        self.then(Step::End)
    }

    pub fn wait(self, ms: u64) -> Self {
        self.then(Step::Wait(Duration::from_millis(ms)))
    }

    pub fn hang(self) -> Self {
        self.then(Step::Hang)
    }

    pub fn reset(self) -> Self {
        self.then(Step::Reset)
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

#[derive(Default)]
struct State {
    scripts: Mutex<VecDeque<Script>>,
    requests: Mutex<Vec<Request>>,
    gone: Notify,
    arrived: Notify,
}

/// The server; it stops when dropped.
pub struct FakeServer {
    address: SocketAddr,
    state: Arc<State>,
    accepting: JoinHandle<()>,
}

impl FakeServer {
    /// Answers the first request by the first script and so on; the last script serves all further ones.
    pub async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State { scripts: Mutex::new(scripts.into_iter().collect()), ..State::default() });
        let shared = Arc::clone(&state);
        let accepting = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&shared)));
            }
        });
        Self { address, state, accepting }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap().clone()
    }

    /// Resolves when a request has been read.
    pub async fn arrived(&self) {
        self.state.arrived.notified().await;
    }

    /// Resolves when a client has closed a connection the server hung on.
    pub async fn client_gone(&self) {
        self.state.gone.notified().await;
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(mut connection: TcpStream, state: Arc<State>) {
    let _ = connection.set_nodelay(true);
    let Some(request) = read_request(&mut connection).await else { return };
    state.requests.lock().unwrap().push(request);
    state.arrived.notify_one();
    let script = {
        let mut scripts = state.scripts.lock().unwrap();
        if scripts.len() > 1 { scripts.pop_front() } else { scripts.front().cloned() }
    };
    for step in script.unwrap_or_default().steps {
        let written = match step {
            Step::Raw(bytes) => connection.write_all(&bytes).await,
            Step::Chunk(bytes) => {
                let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
                framed.extend_from_slice(&bytes);
                framed.extend_from_slice(b"\r\n");
                connection.write_all(&framed).await
            }
            Step::End => connection.write_all(b"0\r\n\r\n").await,
            Step::Wait(time) => {
                let _ = connection.flush().await;
                tokio::time::sleep(time).await;
                Ok(())
            }
            Step::Yield => {
                tokio::task::yield_now().await;
                Ok(())
            }
            Step::Hang => {
                // Nothing more is sent by the client, so this ends when it goes.
                let _ = connection.read(&mut [0; 16]).await;
                state.gone.notify_one();
                return;
            }
            Step::Reset => {
                let _ = connection.set_zero_linger();
                return;
            }
        };
        if written.is_err() {
            state.gone.notify_one();
            return;
        }
    }
    let _ = connection.shutdown().await;
}

async fn read_request(connection: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).ok()?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let mut request = Request { method, target, headers, body: Vec::new() };
    let length: usize = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while bytes.len() < head_end + length {
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    request.body = bytes[head_end..head_end + length].to_vec();
    Some(request)
}

/// An exchange from `fixtures/llm`.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/llm").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
