//! The invariants' own tests: providers that break one are found out.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use roo_condense::{CondenseError, Conversation, Edit, Plan, Proposal, Provider, ProviderInfo, Request};
use serde_json::{Value, json};

use super::invariants::Trial;
use crate::common::{cases::Target, checks::info_of, histories::lines};

/// The fault of a provider.
#[derive(Debug, Clone, Copy)]
enum Fault {
    CutsTheFirst,
    CutsTheNewest,
    /// It cuts its own result again.
    NeverSettles,
    /// It cuts another message each time.
    IsMoody,
    /// It fails without a model to blame.
    Refuses,
    /// It says that it spent what nobody charged.
    Overcharges,
}

struct Faulty {
    fault: Fault,
    calls: AtomicUsize,
}

/// The first half of a text.
fn half(conversation: &Conversation, message: usize) -> Edit {
    let texts = conversation.message(message).texts();
    let text = &texts[0];
    let half: String = text.text.chars().take(text.text.chars().count() / 2).collect();
    Edit::set_text(message, text.path.clone(), half)
}

#[async_trait]
impl Provider for Faulty {
    fn info(&self) -> ProviderInfo {
        info_of("faulty")
    }

    async fn propose(&self, request: &Request, _config: &Value) -> Result<Proposal, CondenseError> {
        let conversation = &request.conversation;
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        let edit = match self.fault {
            Fault::CutsTheFirst => half(conversation, 0),
            Fault::CutsTheNewest => half(conversation, conversation.len() - 1),
            Fault::NeverSettles => half(conversation, 2),
            Fault::IsMoody => half(conversation, 2 + call % 2),
            Fault::Refuses => return Err(CondenseError::ContextGrew { before: 1, after: 2 }),
            Fault::Overcharges => return Ok(Proposal { cost: 1.0, ..Proposal::default() }),
        };
        Ok(Proposal { plan: Plan { edits: vec![edit] }, ..Proposal::default() })
    }
}

#[test]
fn a_provider_that_breaks_an_invariant_is_found_out() {
    let messages: Vec<Value> = (0..7_u8)
        .map(|index| json!({ "role": if index % 2 == 0 { "user" } else { "assistant" }, "content": lines(index, 40, "\n") }))
        .collect();
    let history = Value::from(messages).to_string();
    let faults = [
        (Fault::CutsTheFirst, "had to stay"),
        (Fault::CutsTheNewest, "had to stay"),
        (Fault::NeverSettles, "not idempotent"),
        (Fault::IsMoody, "not deterministic"),
        (Fault::Refuses, "context_grew"),
        (Fault::Overcharges, "dollars are reported"),
    ];
    for (fault, expected) in faults {
        let provider = Arc::new(Faulty { fault, calls: AtomicUsize::new(0) });
        let trial = Trial::with_provider(provider, Value::Null, Target::None);
        let panic = catch_unwind(AssertUnwindSafe(|| trial.check(&history))).expect_err("found out");
        let told = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(told.contains(expected), "{fault:?}: {told}");
    }
}
