//! The signal that cancels work: loops poll it, futures await it.

use tokio_util::sync::CancellationToken;

/// A signal shared by the code that may cancel some work and the code that does it. Clones share one state; once set,
/// it stays set.
#[derive(Debug, Clone, Default)]
pub struct Cancel(CancellationToken);

impl Cancel {
    /// Creates a signal that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the signal for all clones and children. Setting it again does nothing.
    pub fn cancel(&self) {
        self.0.cancel();
    }

    /// Returns true if the signal is set. Cheap enough to check every few microseconds.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until the signal is set; returns at once if it is. Safe to drop and to call again, as in `select!`.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Returns the token behind the signal.
    pub fn token(&self) -> &CancellationToken {
        &self.0
    }

    /// Creates a signal that is set when this one is, and can also be set alone: for a part of the work, such as one
    /// of several requests.
    pub fn child(&self) -> Self {
        Self(self.0.child_token())
    }

    /// Returns `Err(Cancelled)` if the signal is set, so that a loop can stop with `?`.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

/// The error for work stopped by its [`Cancel`] signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operation was cancelled")]
pub struct Cancelled;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_signal_and_children_only_receive_it() {
        let cancel = Cancel::new();
        let (clone, child) = (cancel.clone(), cancel.child());
        child.cancel();
        assert!(child.is_cancelled() && !cancel.is_cancelled());
        let second = cancel.child();
        clone.cancel();
        assert!(cancel.is_cancelled() && second.is_cancelled());
        assert_eq!(cancel.check(), Err(Cancelled));
    }

    #[tokio::test]
    async fn a_future_wakes_when_another_thread_cancels() {
        let cancel = Cancel::new();
        let other = cancel.clone();
        let thread = std::thread::spawn(move || other.cancel());
        cancel.cancelled().await;
        thread.join().unwrap();
        cancel.cancelled().await;
        assert!(cancel.is_cancelled());
    }
}
