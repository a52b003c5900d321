//! Refuses settled proposals that make the conversation worse.

use async_trait::async_trait;

use crate::{
    conversation::{Conversation, Edit},
    manager::totals::{HostCount, host_count},
    providers::{Acceptance, CondenseError, Proposal, Request, Settled},
    restore::expand,
    warning::Warning,
};

/// Counts with the handler, if it counts, and refuses proposals with added messages that do not lower its count.
#[derive(Default)]
pub struct HostCounts {
    /// The newest count.
    pub counted: Option<HostCount>,
    /// True for a prepared condensation, which was settled for other messages. It is also refused if one of its
    /// pointers would not resolve.
    pub is_for_ready: bool,
}

#[async_trait]
impl Acceptance for HostCounts {
    async fn accept(
        &mut self,
        request: &Request,
        proposal: &Proposal,
        settled: &Settled,
        warnings: &mut Vec<Warning>,
    ) -> Result<(), CondenseError> {
        let unresolved = |conversation: &Conversation| expand(conversation).unresolved.len();
        if self.is_for_ready && unresolved(&settled.conversation) > unresolved(&request.conversation) {
            let message = "a pointer in it leads to what is no longer there".to_owned();
            return Err(CondenseError::ProviderFailed { provider: "prepare".to_owned(), message, foreign_cause: None });
        }
        let counted = host_count(request, &settled.conversation, self.counted, warnings).await?;
        let adds = proposal.plan.edits.iter().any(|edit| matches!(edit, Edit::Insert { .. }));
        if let Some(HostCount { before, after }) = counted.filter(|count| adds && count.after >= count.before) {
            return Err(CondenseError::ContextGrew { before: before as usize, after: after as usize });
        }
        self.counted = counted.or(self.counted);
        Ok(())
    }
}
