//! Deciding by money: a condensation makes the prompt cache of the model's provider miss once, and every later request smaller. Whether that
//! pays now, by how much and with whom. Never against the window: where the next answer would not fit, it is condensed as ever.
//!
//! While the cache is warm a rewrite waits until carrying what would go has cost as much as the rewrite. Who does not know what is to come
//! then never pays more than twice the least, and where a conversation grows evenly it is the least there is. After a rewrite nothing is
//! carried, so there is one for each time that it becomes due.

mod decision;
mod options;
mod reckoning;

pub use self::{
    decision::MoneyDecision,
    options::{ECONOMICS, Economics},
};
use self::{options::requests_in, reckoning::Rewrite};
use super::{CallOptions, Manager, Report, Run, Trial, TriggerDecision, Work};
use crate::{
    llm::ModelPrice,
    providers::{Lossless, Truncation},
    tokens::Tally,
};

/// A decision, and the call that does it.
pub(super) struct Weighed {
    pub decision: MoneyDecision,
    /// Absent where the trigger decides.
    pub call: Option<CallOptions>,
}

/// What is known of the requests before the decision.
struct History {
    /// Tokens, as the caller counts them, of each request that the messages show.
    requests: Vec<f64>,
    /// Of the last request that the cache still has.
    cached: f64,
    /// Of the conversation now.
    now: f64,
}

impl Manager {
    /// Whether condensing now pays, by how much and with whom; nothing is done and no model is asked. The report has no plan.
    pub async fn decide(&self, work: Work) -> Report {
        let tally = match self.count(&work) {
            Ok(tally) => tally,
            Err(error) => return Report::failed(error, work.call.total_tokens),
        };
        let trigger = self.in_force_for(&work).thresholds.decide(&self.usage(&work, &tally));
        match self.weigh(&work, &trigger, &tally).await {
            Ok(weighed) => {
                let tokens = self.scale().apply(self.system_tokens(&work) + tally.total());
                let report = Report::unchanged(trigger.prev_context_tokens, tokens);
                report.with_decision(weighed.decision).with_trigger(trigger)
            }
            Err(failed) => failed.with_trigger(trigger),
        }
    }

    /// Decides by money.
    ///
    /// # Errors
    /// The report of what was tried and failed.
    pub(super) async fn weigh(
        &self,
        work: &Work,
        trigger: &TriggerDecision,
        tally: &Tally,
    ) -> Result<Weighed, Box<Report>> {
        let economics = work.call.economics.clone().unwrap_or_default();
        let open = MoneyDecision {
            condense: false,
            provider: None,
            target_tokens: None,
            saves: 0.0,
            costs: 0.0,
            carried: 0.0,
            code: "nothing_to_gain",
            reason: "there is nothing to gain".to_owned(),
            warm: economics.is_warm(),
            expected_requests: economics.requests(&work.conversation),
            tokens_freed: 0.0,
        };
        let Some(price) = self.conversation_price(work) else {
            let reason = "what the conversation's model costs is not known, so the trigger decides";
            return Ok(self.by_trigger(work, trigger, "price_unknown", reason, open));
        };
        if trigger.due && trigger.prev_context_tokens > trigger.allowed_tokens {
            let reason = "the next answer would not fit the window, so money is not asked";
            return Ok(self.by_trigger(work, trigger, "window", reason, open));
        }
        let history = self.history(work, trigger, tally, &economics);
        let default = || economics.target.min(trigger.allowed_tokens.max(0.0) / 2.0);
        let target = work.call.target_tokens.map_or_else(default, |target| target as f64);
        let least = economics.least_cleared(target);
        if history.now < target + least {
            let reason = format!("{:.0} tokens are too few to free {least:.0}", history.now);
            return Ok(Weighed { decision: MoneyDecision { reason, ..open }, call: None });
        }
        let call = self.call_by_money(work, &history, target, &economics);
        let trial = Trial::of(work.with_call(call.clone()));
        let tried = self.run(&trial, Run { trial: Some(Trial::Estimate), ..Run::default() }).await;
        if tried.error_code().is_some() {
            return Err(Box::new(tried));
        }
        if !tried.did_condense() || tried.tokens_removed() <= 0.0 {
            return Ok(Weighed { decision: open, call: None });
        }
        let decision = weighed(least, &price, &history, &tried, open);
        let target_tokens = call.target_tokens.filter(|_| decision.condense);
        let decision = MoneyDecision { target_tokens, ..decision };
        Ok(Weighed { call: decision.condense.then_some(call), decision })
    }

    /// The trigger decides.
    fn by_trigger(
        &self,
        work: &Work,
        trigger: &TriggerDecision,
        code: &'static str,
        reason: &str,
        open: MoneyDecision,
    ) -> Weighed {
        let provider = trigger.due.then(|| self.first_provider(work, Some(trigger)));
        let decision = MoneyDecision { condense: trigger.due, provider, code, reason: reason.to_owned(), ..open };
        Weighed { decision, call: None }
    }

    /// The call that would be made: with who was asked, or with truncation, which asks no model, where nobody chose.
    fn call_by_money(&self, work: &Work, history: &History, target: f64, economics: &Economics) -> CallOptions {
        let call = &work.call;
        let nobody_chose = call.provider.is_none() && self.in_force_for(work).active.is_none() && call.config.is_null();
        let provider = if nobody_chose { Truncation::ID.to_owned() } else { self.first_provider(work, None) };
        let mut config = call.config.clone();
        if provider == Lossless::ID && economics.keeps_first_copies() {
            let fields = config.as_object().cloned().unwrap_or_default();
            config = std::iter::once(("keep".to_owned(), "first".into())).chain(fields).collect();
        }
        CallOptions {
            provider: Some(provider),
            config,
            total_tokens: Some(history.now),
            target_tokens: Some(target as usize),
            ..call.clone()
        }
    }

    /// How large the requests were.
    fn history(&self, work: &Work, trigger: &TriggerDecision, tally: &Tally, economics: &Economics) -> History {
        let (system, conversation) = (self.system_tokens(work), &work.conversation);
        let counted = (system + tally.total()).max(1) as f64;
        let reported = work.call.total_tokens.filter(|tokens| *tokens > 0.0);
        let now = reported.map_or_else(|| self.scale().apply(counted as usize) as f64, |_| trigger.prev_context_tokens);
        let before = (0..conversation.len()).scan(system, |sum, message| {
            *sum += tally.message(message);
            Some(*sum)
        });
        let prefixes: Vec<f64> =
            std::iter::once(system).chain(before).map(|tokens| now * (tokens as f64 / counted)).collect();
        let sent = economics.sent(conversation);
        History {
            requests: requests_in(conversation).filter(|sent| *sent > 0).map(|sent| prefixes[sent]).collect(),
            cached: if economics.is_warm() && sent > 0 { prefixes[sent] } else { 0.0 },
            now,
        }
    }
}

/// What was tried, weighed.
fn weighed(least: f64, price: &ModelPrice, history: &History, tried: &Report, open: MoneyDecision) -> MoneyDecision {
    let freed = tried.tokens_removed();
    let rewrite = Rewrite {
        before: history.now,
        after: history.now - freed,
        cached: history.cached,
        kept: tried.prompt_cache().map_or(0.0, |cache| cache.kept_tokens as f64),
        condensing: tried.cost(),
    };
    let requests = open.expected_requests;
    let costs = rewrite.costs_at_once(price);
    let saves = rewrite.saves(price, requests);
    let carried = rewrite.carried(price, history.requests.iter().copied());
    // A host may expect one and a half.
    let shown = (requests * 10.0).round() / 10.0;
    let over = format!("in {shown} request{}", if shown == 1.0 { "" } else { "s" });
    let (code, reason) = if freed < least {
        ("clears_too_little", format!("it would free {freed:.0} tokens, and `clearAtLeast` is {least:.0}"))
    } else if saves <= 0.0 {
        // Without a minus before a zero.
        let more = -saves + 0.0;
        ("does_not_pay", format!("{freed:.0} tokens less would cost ${more:.4} more than they save {over}"))
    } else if costs > carried {
        let told = format!(
            "carrying {freed:.0} tokens has cost ${carried:.4} so far, and to be rid of them costs ${costs:.4}"
        );
        ("waits", format!("{told}: waiting is cheaper"))
    } else if costs > 0.0 {
        ("pays", format!("it costs ${costs:.4} now, and {freed:.0} tokens less save ${saves:.4} more than that {over}"))
    } else if open.warm {
        ("pays", format!("the cache holds, and {freed:.0} tokens less save ${saves:.4} {over}"))
    } else {
        ("pays", format!("the cache is cold, and {freed:.0} tokens less save ${saves:.4} {over}"))
    };
    let condense = code == "pays";
    MoneyDecision {
        condense,
        provider: condense.then(|| tried.provider().to_owned()),
        saves,
        costs: costs.max(0.0),
        carried,
        code,
        reason,
        tokens_freed: freed,
        ..open
    }
}
