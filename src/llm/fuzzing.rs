//! Entry points through which a fuzzer feeds the reading of responses.

use futures_util::{FutureExt, stream};
use tokio_util::bytes::Bytes;

use super::{Api, answer::StreamedAnswer, sse::Events};

/// Maximum bytes held.
const LIMIT: usize = 1 << 20;

/// Reads a response that arrives in these pieces. Returns the text and how it ended, or the error.
pub(crate) fn take_in_stream(api: Api, pieces: Vec<Vec<u8>>) -> String {
    let chunks = stream::iter(pieces.into_iter().map(|piece| Ok(Bytes::from(piece))));
    let mut events = Events::new(chunks, LIMIT);
    let mut answer = StreamedAnswer::default();
    while !answer.ended {
        match events.next().now_or_never().expect("nothing is waited for") {
            Ok(Some(event)) => {
                let data = event.data.as_deref().unwrap_or_default();
                if let Err(fault) = api.event(&mut answer, event.event.as_deref(), data) {
                    return format!("{fault:?}");
                }
            }
            Ok(None) => break,
            Err(fault) => return format!("{fault:?}"),
        }
    }
    let text = api.finished(answer.text.clone());
    format!("{text} {answer:?}")
}

/// Reads a response that is not a stream.
pub(crate) fn take_in_whole(api: Api, body: &[u8]) {
    let mut answer = StreamedAnswer::default();
    let _ = api.whole(&mut answer, body);
}
