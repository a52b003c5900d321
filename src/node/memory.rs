//! Checks that the system has the memory for a call. Rust ends the process if an allocation fails, so the memory is
//! requested before the work begins, when an error can still be reported, and is returned at once. A part of it is then
//! held in reserve, because the rest of the process may take the returned memory.

use std::{
    io,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Peak bytes of work per UTF-16 unit of messages. With 20 and 50 MB, 11 were measured (docs/security.md), and
/// allocators take more than they hand out; with 20, the system ended one of three calls at the limit.
const BYTES_PER_UNIT: usize = 26;
/// Bytes needed whatever the size of the messages: an encoding's tables, thread stacks, and the reserves of allocators,
/// including 64 MiB of our own. With 96 MiB here and no reserve of our own, the system ended one of fourteen processes
/// with a memory limit close to the need.
const BYTES_OF_ANY: usize = 160 << 20;

/// UTF-16 units of all messages in work.
static UNITS: AtomicUsize = AtomicUsize::new(0);

/// Held during work on messages.
pub struct Room(usize);

impl Room {
    /// Reserves room for messages of this many UTF-16 units, in addition to all others in work. Fails if the system
    /// refuses the memory.
    pub fn for_messages(units: usize) -> io::Result<Self> {
        let all = UNITS.fetch_add(units, Ordering::Relaxed) + units;
        let room = Self(units);
        let bytes = all.saturating_mul(BYTES_PER_UNIT).saturating_add(BYTES_OF_ANY);
        if is_refused(bytes) {
            let megabytes = bytes / 1_000_000;
            return Err(io::Error::new(
                io::ErrorKind::OutOfMemory,
                format!("{megabytes} MB of memory for the {} MB of messages that are worked on", all / 1_000_000),
            ));
        }
        #[cfg(all(unix, not(system_allocator)))]
        super::ALLOCATOR.replenish();
        Ok(room)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        UNITS.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Windows counts requested memory as used, and WebAssembly never returns it, so the check is not worth its price
/// there.
#[cfg(not(unix))]
fn is_refused(_bytes: usize) -> bool {
    false
}

#[cfg(unix)]
fn is_refused(bytes: usize) -> bool {
    // Uses the allocator that will serve the real request, so that its reserve counts. Nothing is written to the
    // memory, so the system does not provide it.
    let mut memory = Vec::<u8>::new();
    let is_refused = memory.try_reserve_exact(bytes).is_err();
    std::hint::black_box(memory);
    is_refused
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_no_system_has_is_refused_and_leaves_no_trace() {
        let error = Room::for_messages(usize::MAX / 100).err().expect("refused");
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        let room = Room::for_messages(1_000_000).expect("a few megabytes");
        drop(room);
    }
}
