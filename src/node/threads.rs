//! The threads on which calls run.
//!
//! The first call starts them, so that loading the addon requests nothing from the system. If the system allows fewer
//! than wanted (`ulimit -u`, a container's limit on processes), fewer run. If it allows none, a call runs on the
//! thread that made it, and only work that has to wait for another thread fails.

use std::{
    cell::Cell,
    future::pending,
    io,
    panic::{self, UnwindSafe, catch_unwind},
    sync::{Arc, Mutex, Once, PoisonError, mpsc},
    thread,
    time::Duration,
};

use tokio::runtime::{Builder, Handle};

/// Most calls wait for a model; computation divides its work itself (`src/parallel.rs`).
const MAX_WORKERS: usize = 4;
/// One computes while another handles the signal that cancels it.
const MIN_WORKERS: usize = 2;

/// The error if no thread is available for waiting.
const NO_THREAD: &str = "the system gives this process no more threads, and one is needed to wait; raise the limit (`ulimit -u`, `pids.max`)";

/// Our own threads.
#[derive(Clone)]
struct Own {
    runtime: Handle,
    /// True if one of them may block; host names are looked up on it.
    blocking: bool,
}

static OWN: Mutex<Option<Own>> = Mutex::new(None);

thread_local! {
    /// True on a caller's thread while it runs its own call.
    static IS_CALLERS: Cell<bool> = const { Cell::new(false) };
}

/// Runs `future` on our threads, or on this one if there are none.
///
/// # Errors
/// If the system denies what every runtime needs, such as a file descriptor. Nothing was done then.
pub fn spawn(future: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
    if let Some(own) = own() {
        own.runtime.spawn(future);
        return Ok(());
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let _here = Here::new();
    runtime.block_on(future);
    Ok(())
}

/// While this exists, the thread is running its own call.
struct Here;

impl Here {
    fn new() -> Self {
        IS_CALLERS.set(true);
        Self
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        IS_CALLERS.set(false);
    }
}

/// # Errors
/// If this thread is running its own call, so that it cannot answer a question at the same time.
pub fn require_own() -> Result<(), String> {
    if IS_CALLERS.get() { Err(NO_THREAD.to_owned()) } else { Ok(()) }
}

/// # Errors
/// If there is no thread that may block.
pub fn require_blocking() -> Result<(), String> {
    require_own()?;
    if own().is_some_and(|own| own.blocking) { Ok(()) } else { Err(NO_THREAD.to_owned()) }
}

/// Returns our threads, starting them if necessary. `None` if the system allows none; the next call tries again.
fn own() -> Option<Own> {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if own.is_none() {
        *own = start();
    }
    own.clone()
}

fn start() -> Option<Own> {
    let cores = thread::available_parallelism().map_or(MIN_WORKERS, usize::from);
    // One more than the workers, which may block.
    let threads = available(cores.clamp(MIN_WORKERS, MAX_WORKERS) + 1);
    let several = if threads >= 2 { several(threads - 1) } else { None };
    several.or_else(one)
}

/// Returns how many of the wanted threads the system would start. tokio panics if it gets none, and waits forever if
/// it gets fewer.
fn available(wanted: usize) -> usize {
    let (release, wait) = mpsc::channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let start = |_| {
        let wait = Arc::clone(&wait);
        let stay = move || {
            let _ = wait.lock().unwrap_or_else(PoisonError::into_inner).recv();
        };
        thread::Builder::new().spawn(stay).ok()
    };
    let started: Vec<_> = (0..wanted).map_while(start).collect();
    let available = started.len();
    drop(release);
    started.into_iter().for_each(|thread| drop(thread.join()));
    available
}

/// Creates a runtime that lives until the process ends, because single JavaScript environments may end earlier.
fn several(workers: usize) -> Option<Own> {
    let build = move || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(workers).thread_name("condense").enable_all();
        // The thread that may block is started now and kept, because later none may be available.
        let runtime = builder.thread_keep_alive(Duration::MAX).build().ok()?;
        runtime.spawn_blocking(|| ());
        let own = Own { runtime: runtime.handle().clone(), blocking: true };
        std::mem::forget(runtime);
        Some(own)
    };
    // tokio panics if others have taken the threads meanwhile, or if a thread that has ended still counts.
    without_message(build).flatten()
}

thread_local! {
    /// True if a panic on this thread is expected, so that its message is not printed.
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of `work`, or `None` if it panics; nothing is printed then. The hook belongs to this library
/// alone: every addon has its own.
fn without_message<T>(work: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IS_EXPECTED.get() {
                usual(info);
            }
        }));
    });
    IS_EXPECTED.set(true);
    let result = catch_unwind(work);
    IS_EXPECTED.set(false);
    result.ok()
}

fn one() -> Option<Own> {
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    let own = Own { runtime: runtime.handle().clone(), blocking: false };
    let run = move || runtime.block_on(pending::<()>());
    thread::Builder::new().name("condense".to_owned()).spawn(run).ok().map(|_| own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spawned_is_worked_on_elsewhere_and_may_wait() {
        let (tell, told) = mpsc::channel();
        let here = thread::current().id();
        spawn(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            let blocked = tokio::task::spawn_blocking(|| 7).await.unwrap();
            tell.send((thread::current().id() != here, require_blocking().is_ok(), blocked)).unwrap();
        })
        .unwrap();
        assert_eq!(told.recv().unwrap(), (true, true, 7));
    }

    #[test]
    fn one_thread_works_and_waits_for_nothing_that_blocks() {
        let own = one().unwrap();
        let (tell, told) = mpsc::channel();
        own.runtime.spawn(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            tell.send(require_own().is_ok()).unwrap();
        });
        assert_eq!((told.recv(), own.blocking), (Ok(true), false));
    }

    #[test]
    fn a_caller_at_work_asks_nobody() {
        let here = Here::new();
        assert!(require_own().unwrap_err().contains("ulimit -u"));
        assert!(require_blocking().is_err());
        drop(here);
        assert!(require_own().is_ok());
    }
}
