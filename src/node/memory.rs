//! Whether the system has the memory that a call will need. Rust ends the process when an allocation is refused, so it is asked for before the work begins,
//! in one piece that is given back at once, where an error can still be told.

use std::{
    io,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Bytes that work takes at its height for each UTF-16 unit of messages: 11 were measured with 20 and 50 MB (docs/security.md), and allocators
/// take more than they hand out.
const BYTES_PER_UNIT: usize = 20;
/// Bytes whatever the messages: a vocabulary, the stacks of threads and what an allocator takes at once.
const BYTES_OF_ANY: usize = 96 << 20;

/// UTF-16 units of the messages that are worked on.
static UNITS: AtomicUsize = AtomicUsize::new(0);

/// Messages that come in parts ask for so many more units at once, and then for twice as many as there are: asking takes longer than copying a part.
const STEP: usize = 256 * 1024;

/// Held while messages are worked on.
pub struct Room {
    /// UTF-16 units that there is room for.
    held: usize,
    /// And that are there.
    used: usize,
}

impl Room {
    /// For messages of so many UTF-16 units, beside all others that are worked on. Fails when the system refuses the memory.
    pub fn for_messages(units: usize) -> io::Result<Self> {
        let mut room = Self { held: 0, used: units };
        room.hold(units)?;
        Ok(room)
    }

    /// For so many units more.
    pub fn grow(&mut self, units: usize) -> io::Result<()> {
        self.used += units;
        if self.used > self.held { self.hold(self.used.max(2 * self.held).max(STEP)) } else { Ok(()) }
    }

    /// What there is room for beside what is there is somebody else's.
    pub fn shrink(&mut self) {
        UNITS.fetch_sub(self.held - self.used, Ordering::Relaxed);
        self.held = self.used;
    }

    fn hold(&mut self, units: usize) -> io::Result<()> {
        let more = units - self.held;
        let all = UNITS.fetch_add(more, Ordering::Relaxed) + more;
        self.held = units;
        let bytes = all.saturating_mul(BYTES_PER_UNIT).saturating_add(BYTES_OF_ANY);
        if is_refused(bytes) {
            let megabytes = bytes / 1_000_000;
            return Err(io::Error::new(
                io::ErrorKind::OutOfMemory,
                format!("{megabytes} MB of memory for the {} MB of messages that are worked on", all / 1_000_000),
            ));
        }
        Ok(())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        UNITS.fetch_sub(self.held, Ordering::Relaxed);
    }
}

/// Windows counts memory that is only asked for as used, and WebAssembly keeps it: there the answer is not worth its price.
#[cfg(not(unix))]
fn is_refused(_bytes: usize) -> bool {
    false
}

#[cfg(unix)]
fn is_refused(bytes: usize) -> bool {
    // Of the allocator that will be asked for it: what it has in reserve counts. Nothing is written to it, so none of it is in use.
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
        let mut room = Room::for_messages(1_000_000).expect("a few megabytes");
        room.grow(1).expect("one more");
        assert_eq!((room.held, room.used), (2_000_000, 1_000_001));
        room.shrink();
        assert_eq!(room.held, 1_000_001);
    }
}
