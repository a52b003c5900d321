//! Runs the providers of a call and builds the outcome.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `fallback` | which provider runs next, and what a failure means |
//! | `acceptance` | proposals that are not adopted although they settle |
//! | `thinking` | signed thinking after the first change |
//! | `missed` | the warning that the target was missed |
//! | `restorable` | the plan, and all that undoing it needs |
//! | `outcome` | the result, as the report embeds it |

mod acceptance;
mod fallback;
mod missed;
mod outcome;
mod restorable;
mod thinking;

use std::{sync::Arc, time::Instant};

use serde_json::Value;

pub use self::{
    fallback::Ran,
    outcome::{Changed, Outcome, Summary, Tokens},
    restorable::Restorable,
};
use super::{numbers::Goal, preparation::Ready};
use crate::{
    protect::ProtectRules,
    providers::{Provider, Registry, Request, Task},
    warning::Warning,
};

/// The providers of a call.
pub struct Chain {
    /// The first provider, then its fallbacks in order.
    pub providers: Vec<Arc<dyn Provider>>,
    /// The call's configuration for the first provider.
    pub config: Value,
    /// The providers that strategies may run; `None` without a manager.
    pub others: Option<Registry>,
    /// Warnings about providers that do not exist.
    pub warnings: Vec<Warning>,
    /// A prepared condensation, which is adopted before any provider runs.
    pub ready: Option<Arc<Ready>>,
    /// True if the changes are also returned as a proposal.
    pub keeps_proposal: bool,
}

impl Chain {
    /// Returns the providers with their settings. The configuration in the call applies only to the first.
    fn tasks(&self, request: &Request) -> Vec<Task> {
        let task = |(index, provider): (usize, &Arc<dyn Provider>)| Task {
            id: provider.info().id,
            provider: Arc::clone(provider),
            config: if index == 0 { self.config.clone() } else { Value::Null },
            target_tokens: request.target_tokens,
            llm: None,
            others: self.others.clone(),
            is_pass: false,
        };
        self.providers.iter().enumerate().map(task).collect()
    }
}

/// Condenses the conversation of `request` with the providers of `chain`. `goal` is the request's target in the
/// caller's tokens.
pub async fn run(chain: &Chain, request: Request, goal: Goal) -> Outcome {
    let started = Instant::now();
    let tasks = chain.tasks(&request);
    let (request, about_rules) = under_rules(&tasks, request);
    let warnings = chain.warnings.iter().cloned().chain(about_rules).collect();
    let ran = fallback::run(chain, &tasks, &request, warnings).await;
    let ran = thinking::settled(ran, &request).await.concluded(&request);
    let ran = missed::told(ran, &request, goal).await;
    Outcome::complete(ran, &request, started)
}

/// Applies each provider's rules to the whole chain, so that no provider removes content that another provider's rules
/// keep. Also returns warnings about rules that match nothing.
fn under_rules(tasks: &[Task], mut request: Request) -> (Request, Vec<Warning>) {
    // Rows added later take precedence, so the first provider's are added last.
    for task in tasks.iter().rev() {
        request.tools = request.tools.with(&task.provider.tools(&task.config));
    }
    let rules = tasks.iter().map(|task| task.provider.protects(&task.config));
    let warnings = request.pin(&rules.fold(ProtectRules::default(), ProtectRules::with));
    (request, warnings)
}
