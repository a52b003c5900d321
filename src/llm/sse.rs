//! Turns the bytes of a response into events, with limits on memory and silence.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{Stream, StreamExt, stream};
use reqwest::Response;
use sse_stream::{Sse, SseByteStream};
use tokio_util::bytes::Bytes;

/// The reason why reading stopped.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadFault {
    /// No data for too long.
    #[error("silence")]
    Idle,
    /// More bytes than the limit.
    #[error("too large")]
    TooLarge,
    /// The connection broke.
    #[error("{0}")]
    Broken(String),
    /// A field of an event is not UTF-8. A character split between two chunks is not an error, because the parser
    /// joins it.
    #[error("not UTF-8")]
    NotUtf8,
}

/// The body of a response, read with a limit on silence.
pub(super) struct Body {
    response: Response,
    idle: Duration,
}

impl Body {
    pub(super) fn new(response: Response, idle: Duration) -> Self {
        Self { response, idle }
    }

    /// Returns the next bytes; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, ReadFault> {
        match tokio::time::timeout(self.idle, self.response.chunk()).await {
            Err(_) => Err(ReadFault::Idle),
            Ok(Err(error)) => Err(ReadFault::Broken(reason(&error))),
            Ok(Ok(chunk)) => Ok(chunk),
        }
    }

    /// Returns the first chunk that is not blank, which distinguishes an event stream from JSON and from a web page,
    /// whatever the `content-type` says.
    pub(super) async fn first(&mut self) -> Result<Option<Bytes>, ReadFault> {
        while let Some(chunk) = self.chunk().await? {
            if !without_mark(&chunk).trim_ascii_start().is_empty() {
                return Ok(Some(chunk));
            }
        }
        Ok(None)
    }

    /// Returns the rest of the body in one piece, starting with `first`.
    pub(super) async fn rest(&mut self, first: &[u8], limit: usize) -> Result<Vec<u8>, ReadFault> {
        let mut all = first.to_vec();
        loop {
            if all.len() > limit {
                return Err(ReadFault::TooLarge);
            }
            match self.chunk().await? {
                Some(chunk) => all.extend_from_slice(&chunk),
                None => return Ok(all),
            }
        }
    }

    /// Returns the beginning of the body, at most `limit` bytes: for error messages, where half a text is better than
    /// none.
    pub(super) async fn beginning(&mut self, limit: usize) -> Vec<u8> {
        let mut all = Vec::new();
        while all.len() < limit {
            match self.chunk().await {
                Ok(Some(chunk)) => all.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
        all.truncate(limit);
        all
    }

    /// Returns the events of the body, whose first bytes were already read.
    pub(super) fn events(self, first: Bytes, limit: usize) -> Events {
        let chunks = stream::unfold((self, Some(first)), |(mut body, first)| async move {
            let next = match first {
                Some(first) => Some(Ok(first)),
                None => body.chunk().await.transpose(),
            };
            next.map(|chunk| (chunk, (body, None)))
        });
        Events::new(chunks, limit)
    }
}

/// The events of a response.
pub(super) struct Events {
    events: Pin<Box<dyn Stream<Item = Result<Sse, sse_stream::Error>> + Send>>,
    unparsed: Arc<AtomicUsize>,
}

impl Events {
    /// Creates events from bytes, of which at most `limit` are held.
    pub(super) fn new(chunks: impl Stream<Item = Result<Bytes, ReadFault>> + Send + 'static, limit: usize) -> Self {
        let unparsed = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&unparsed);
        // The parser keeps an unfinished event of any length, so the limit is enforced here.
        let bounded = chunks.map(move |chunk| {
            let chunk = chunk?;
            let held = counter.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
            if held > limit { Err(ReadFault::TooLarge) } else { Ok(chunk) }
        });
        Self { events: Box::pin(SseByteStream::new(bounded.boxed())), unparsed }
    }

    /// Returns the next event; `None` at the end of the stream, where an unfinished event is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Sse>, ReadFault> {
        match self.events.next().await {
            None => Ok(None),
            Some(Ok(event)) => {
                self.unparsed.store(0, Ordering::Relaxed);
                Ok(Some(event))
            }
            Some(Err(sse_stream::Error::Body(fault))) => Err(match fault.downcast::<ReadFault>() {
                Ok(fault) => *fault,
                Err(other) => ReadFault::Broken(other.to_string()),
            }),
            Some(Err(sse_stream::Error::Utf8Parse(_))) => Err(ReadFault::NotUtf8),
            Some(Err(other)) => Err(ReadFault::Broken(other.to_string())),
        }
    }
}

/// Returns the bytes without a byte order mark.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Returns the network's message, with its causes and without the address, whose query may hold a key.
pub(super) fn reason(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        let text = cause.to_string();
        // Wrappers repeat their cause.
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        next = cause.source();
    }
    if parts.is_empty() { "the connection failed".to_owned() } else { parts.join(": ") }
}
