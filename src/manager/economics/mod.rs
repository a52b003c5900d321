//! Decides by cost whether to condense now, to what target, and with which provider. A condensation makes the prompt
//! cache miss once, and makes every later request smaller. The context window takes precedence: if the next response
//! would not fit, the trigger decides as usual.
//!
//! While the cache is warm, a condensation waits until carrying the removable tokens has cost as much as the rewrite
//! would. Without knowledge of later requests, this rule costs at most twice the minimum. If a conversation grows
//! evenly, it costs the minimum. After a rewrite, the carried cost starts again from zero.

mod decision;
mod economics_options;
mod reckoning;

pub use self::{decision::MoneyDecision, economics_options::Economics};
use self::{economics_options::requests_in, reckoning::Rewrite};
use super::{CallOptions, Manager, Report, Run, Trial, TriggerDecision, Work};
use crate::{
    dollars::rounded,
    llm::ModelPrice,
    options::Options,
    providers::{Lossless, Truncation},
    tokens::Tally,
    words::said,
};

/// A decision, and the call that carries it out.
pub(super) struct Weighed {
    pub decision: MoneyDecision,
    /// The call; `None` if the trigger decides.
    pub call: Option<CallOptions>,
}

/// Token counts of the requests before the decision, as the caller counts them.
struct History {
    /// Tokens of each earlier request that the messages show.
    requests: Vec<f64>,
    /// Tokens of the last request that the cache still has.
    cached: f64,
    /// Tokens of the conversation now.
    now: f64,
}

impl Manager {
    /// Reports whether condensing now pays, how much it saves, and with which provider. Changes nothing and calls no
    /// model. The report has no plan.
    pub async fn decide(&self, work: Work) -> Report {
        let tally = match self.count(&work) {
            Ok(tally) => tally,
            Err(error) => return Report::failed(error, work.options.total_tokens),
        };
        let trigger = self.in_force_for(&work).thresholds.decide(&self.usage(&work, &tally));
        match self.weigh(&work, &trigger, &tally).await {
            Ok(weighed) => {
                let tokens = self.scale().apply(self.system_tokens(&work) + tally.total());
                let mut report = Report::unchanged(trigger.prev_context_tokens, tokens).with_trigger(trigger);
                report.decision = Some(weighed.decision);
                report
            }
            Err(failed) => failed.with_trigger(trigger),
        }
    }

    /// Decides by cost.
    ///
    /// # Errors
    /// The report of the failed dry run.
    pub(super) async fn weigh(
        &self,
        work: &Work,
        trigger: &TriggerDecision,
        tally: &Tally,
    ) -> Result<Weighed, Box<Report>> {
        let economics = work.options.economics.clone().unwrap_or_else(Economics::defaults);
        let open = MoneyDecision::open(economics.is_warm(), economics.requests(&work.conversation));
        let Some(price) = self.conversation_price(work) else {
            return Ok(self.by_trigger(work, trigger, open.told("price_unknown", said!("money.priceUnknown"))));
        };
        if trigger.due && trigger.prev_context_tokens > trigger.allowed_tokens {
            return Ok(self.by_trigger(work, trigger, open.told("window", said!("money.window"))));
        }
        let history = self.history(work, trigger, tally, &economics);
        let default = || (economics.target_tokens as f64).min(trigger.allowed_tokens.max(0.0) / 2.0);
        let target = work.options.target_tokens.map_or_else(default, |target| target as f64);
        let least = economics.least_cleared(target);
        if history.now < target + least {
            let said = said!("money.tooFew", tokens: history.now.round(), least: least.round());
            return Ok(Weighed { decision: open.told("nothing_to_gain", said), call: None });
        }
        let call = self.call_by_money(work, &history, target, &economics);
        let trial = Trial::without_model(Work { options: call.clone(), ..work.clone() });
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

    /// Returns the decision with the trigger's answer, without a call.
    fn by_trigger(&self, work: &Work, trigger: &TriggerDecision, decision: MoneyDecision) -> Weighed {
        let provider = trigger.due.then(|| self.first_provider(work, Some(trigger)));
        Weighed { decision: MoneyDecision { condense: trigger.due, provider, ..decision }, call: None }
    }

    /// Builds the call to make: with the chosen provider, or if none was chosen with truncation, which calls no model.
    fn call_by_money(&self, work: &Work, history: &History, target: f64, economics: &Economics) -> CallOptions {
        let call = &work.options;
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

    /// Estimates the sizes of the earlier requests from the messages.
    fn history(&self, work: &Work, trigger: &TriggerDecision, tally: &Tally, economics: &Economics) -> History {
        let (system, conversation) = (self.system_tokens(work), &work.conversation);
        let counted = (system + tally.total()).max(1) as f64;
        let reported = work.options.total_tokens.filter(|tokens| *tokens > 0.0);
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

/// Weighs the dry run `tried`.
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
    // The expected number of requests may be a fraction.
    let shown = (requests * 10.0).round() / 10.0;
    let over = said!("money.requests", count: shown);
    let (tokens, dollars) = (freed.round(), |amount: f64| rounded(amount, 4));
    let (code, said) = if freed < least {
        ("clears_too_little", said!("money.clearsTooLittle", tokens: tokens, least: least.round()))
    } else if saves <= 0.0 {
        // Adding 0.0 turns -0.0 into 0.0, so that the message shows no minus sign.
        ("does_not_pay", said!("money.doesNotPay", tokens: tokens, more: dollars(-saves + 0.0), over: over))
    } else if costs > carried {
        ("waits", said!("money.waits", tokens: tokens, carried: dollars(carried), costs: dollars(costs)))
    } else if costs > 0.0 {
        ("pays", said!("money.pays", costs: dollars(costs), tokens: tokens, saves: dollars(saves), over: over))
    } else if open.warm {
        ("pays", said!("money.paysWarm", tokens: tokens, saves: dollars(saves), over: over))
    } else {
        ("pays", said!("money.paysCold", tokens: tokens, saves: dollars(saves), over: over))
    };
    let condense = code == "pays";
    let decision = open.told(code, said);
    MoneyDecision {
        condense,
        provider: condense.then(|| tried.provider().to_owned()),
        saves,
        costs: costs.max(0.0),
        carried,
        tokens_freed: freed,
        ..decision
    }
}
