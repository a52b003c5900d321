//! One asynchronous call: its input from JavaScript, and the report that goes back.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use napi::{
    bindgen_prelude::{ClassInstance, FnArgs},
    threadsafe_function::ThreadsafeFunctionCallMode,
};
use napi_derive::napi;
use serde_json::Value;

use super::{
    callback::JsCallback,
    cancel::CancelHandle,
    handler::NativeHandler,
    json::Json,
    memory::Room,
    messages::MessageParts,
    threads,
    thrown::{self, Result, failed, system_limit, wrong_config},
};
use crate::{
    cancel::Cancel,
    conversation::surrogates::{enter_text, leave},
    formats::{Messages, Projection, ProjectionReader},
    manager::{CallOptions, InForce, Manager, Report, Work},
    options::ConfigError,
    progress::Progress,
    providers::{CondenseError, HostCall, Provider, Refusal, panic_message},
    summaries::{Llm, ProfileHandler, Requests},
};

/// False with a progress event, or true with the report; both as JSON.
type Told = FnArgs<(bool, Json)>;

/// The operation on the messages.
#[napi(string_enum = "camelCase")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Condenses the messages.
    Always,
    /// Condenses the messages if the trigger says so.
    IfNeeded,
    /// Decides whether condensing the messages pays.
    Decide,
    /// Condenses the messages ahead of need.
    Prepare,
    /// Reports what condensing the messages would do.
    Preview,
    /// Reports only what condensing the messages would save and cost.
    Estimate,
}

/// A call from JavaScript.
#[napi(object, object_to_js = false)]
pub struct Call<'env> {
    pub mode: Mode,
    pub messages: ClassInstance<'env, MessageParts>,
    /// Context and options of the call as JSON: `{context, options}`.
    pub settings: String,
    /// True if the report contains the texts of requests and responses.
    pub keeps_content: bool,
    /// The number by which custom providers find the call.
    pub host_call: u32,
    pub cancel: ClassInstance<'env, CancelHandle>,
    /// Called with progress and result. One function for both, so that no progress event arrives after the report.
    pub listener: JsCallback<Told>,
    /// The handler of the conversation.
    pub handler: Option<ClassInstance<'env, NativeHandler>>,
    /// The handler for summaries.
    pub condensing_handler: Option<ClassInstance<'env, NativeHandler>>,
    /// Handlers for requests under a profile of their own.
    pub profiles: Vec<CallProfile<'env>>,
}

/// The handler of a profile.
#[napi(object, object_to_js = false)]
pub struct CallProfile<'env> {
    pub id: String,
    pub handler: ClassInstance<'env, NativeHandler>,
}

/// A call that any thread may work on, because it contains no JavaScript values.
pub struct Incoming {
    messages: (ProjectionReader, Room),
    options: CallOptions,
    in_force: Option<Arc<InForce>>,
    host_call: u32,
    cancel: Cancel,
    listener: Arc<Listener>,
    llm: Llm,
}

impl Incoming {
    /// Checks the options at once, so that errors are thrown.
    pub fn read(mut call: Call<'_>) -> Result<Self> {
        let messages = call.messages.take()?;
        let settings: Value = thrown::settings(&call.settings)?;
        let handler_of = |handler: Option<ClassInstance<'_, NativeHandler>>| handler.map(|own| own.handler.clone());
        let own = |profile: CallProfile<'_>| {
            (
                enter_text(&profile.id).into_owned(),
                ProfileHandler { handler: profile.handler.handler.clone(), price: None },
            )
        };
        Ok(Self {
            options: CallOptions::read(&settings["context"], &settings["options"]).map_err(wrong_config)?,
            messages,
            in_force: None,
            host_call: call.host_call,
            cancel: call.cancel.cancel.clone(),
            listener: Arc::new(Listener { function: call.listener, ended: AtomicBool::new(false) }),
            llm: Llm {
                handler: handler_of(call.handler),
                condensing_handler: handler_of(call.condensing_handler),
                requests: Arc::new(Requests::new(call.keeps_content)),
                profiles: call.profiles.into_iter().map(own).collect(),
                ..Llm::default()
            },
        })
    }

    /// Returns the options of the call.
    pub fn options(&self) -> &CallOptions {
        &self.options
    }

    /// Applies a manager's current settings. Fails if the call cannot succeed: an unknown provider, or one that
    /// rejects the call's configuration.
    pub fn of_manager(self, manager: &Manager) -> Result<Self> {
        let in_force = manager.in_force();
        let id = in_force.provider_of(&self.options, &self.llm);
        let provider = in_force.registry().get(&id).map_err(failed)?;
        self.check_config(&*provider)?;
        Ok(Self { in_force: Some(Arc::new(in_force)), ..self })
    }

    /// Checks the call's configuration for a provider.
    pub fn check_config(&self, provider: &dyn Provider) -> Result<()> {
        let under = |fault: ConfigError| fault.under("options.config");
        let faults = |faults: Vec<ConfigError>| wrong_config(faults.into_iter().map(under).collect());
        provider.validate_config(&self.options.config).map_err(faults)
    }

    fn parse(self, progress: Progress) -> std::result::Result<(Work, Messages, Room), CondenseError> {
        let Self { messages, options, in_force, host_call, cancel, llm, .. } = self;
        cancel.check()?;
        let (reader, room) = messages;
        let read = reader.finish().map_err(|error| CondenseError::Internal(error.to_string()))?;
        let conversation = read.conversation().clone();
        let (options, refusal) = match &read {
            Messages::Foreign(projection) => (options.projected(projection), Some(refusal(projection))),
            Messages::Own(_) => (options, None),
        };
        let host_call = HostCall { id: host_call, refusal };
        Ok((Work { conversation, options, in_force, host_call, llm, cancel, progress }, read, room))
    }
}

/// Creates the check that messages of the caller's format can hold a plan.
fn refusal(projection: &Arc<Projection>) -> Arc<Refusal> {
    let projection = Arc::clone(projection);
    Arc::new(move |plan| projection.carried(plan).err().map(|error| error.to_string()))
}

/// Time that aborted work has to report what it spent; handlers and providers take less.
const GIVE_UP: Duration = Duration::from_millis(38);

/// Runs `work` off the main thread; the call's listener gets its progress and, always, its report.
pub fn report<F>(incoming: Incoming, work: impl FnOnce(Work) -> F + Send + 'static) -> Result<()>
where
    F: Future<Output = Report> + Send + 'static,
{
    let prev = incoming.options.total_tokens;
    let cancel = incoming.cancel.clone();
    let listener = Arc::clone(&incoming.listener);
    let heard = Arc::clone(&listener);
    let progress = Progress::new(move |event| heard.progress(serde_json::to_string(&event).map(leave)));
    let work = AssertUnwindSafe(async move {
        match incoming.parse(progress) {
            Ok((parsed, read, _room)) => {
                let report = work(parsed).await;
                let report = match read.projection() {
                    Some(projection) => report.of_format(projection),
                    None => report,
                };
                read.conversation().export(&report)
            }
            Err(error) => serde_json::to_string(&Report::failed(error, prev)).map(leave),
        }
    })
    .catch_unwind();
    let call = async move {
        // A separate task, because computation (loading the vocabulary takes up to 0.3 s) notices the signal only
        // when it is done.
        let error = tokio::select! {
            biased;
            finished = tokio::spawn(work) => match finished {
                Ok(Ok(Ok(json))) => return listener.end(json),
                Ok(Ok(Err(error))) => CondenseError::Internal(error.to_string()),
                Ok(Err(panic)) => CondenseError::Internal(panic_message(&*panic)),
                Err(error) => CondenseError::Internal(error.to_string()),
            },
            () = async { cancel.cancelled().await; tokio::time::sleep(GIVE_UP).await } => CondenseError::Aborted,
        };
        listener.end(leave(serde_json::to_string(&Report::failed(error, prev)).unwrap_or_default()));
    };
    threads::spawn(call).map_err(system_limit)
}

/// Passes progress and result of a call to JavaScript.
struct Listener {
    function: JsCallback<Told>,
    /// True after the report. Abandoned work may continue for a while, but its progress is not passed on.
    ended: AtomicBool,
}

impl Listener {
    fn progress(&self, event: serde_json::Result<String>) {
        if let Ok(json) = event
            && !self.ended.load(Ordering::Acquire)
        {
            self.tell(false, json);
        }
    }

    fn end(&self, report: String) {
        self.ended.store(true, Ordering::Release);
        self.tell(true, report);
    }

    /// Not delivered if the environment is ending, because then no caller waits for it.
    fn tell(&self, is_end: bool, json: String) {
        self.function.call((is_end, Json::new(json)).into(), ThreadsafeFunctionCallMode::NonBlocking);
    }
}
