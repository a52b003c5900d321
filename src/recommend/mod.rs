//! Recommends a provider: the guide's rules, checked against known facts and measurements.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `answers` | the questions, and the answers given |
//! | `candidates` | the candidates |
//! | `rules` | the candidates that each answer recommends |
//! | `ranking` | compares measured candidates, and orders them by a priority |

mod answers;
mod candidates;
mod ranking;
mod rules;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::Value;

pub use self::answers::TABLE;
use self::{
    answers::{Answers, Measured, source_of},
    candidates::{Candidate, Model},
    ranking::Ranking,
    rules::Wish,
};
use crate::{
    dollars::rounded_apart as apart,
    options::{ConfigError, Options, merged},
    summaries::MAX_COST_PER_CONDENSATION,
    words::{Said, said},
};

/// A recommendation.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RecommendedProvider"))]
#[serde(rename_all = "camelCase")]
pub struct Recommendation {
    /// The id of the provider.
    #[cfg_attr(test, ts(type = "ProviderId"))]
    pub provider: &'static str,
    /// The configuration of the provider.
    #[cfg_attr(test, ts(type = "object"))]
    pub config: Value,
    /// Options of the manager that belong to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "object"))]
    pub manager_options: Option<Value>,
    /// Whether a manager without configuration does the same: true unless an answer asks for something else.
    pub is_default: bool,
    /// The reason, for people.
    pub reason: String,
    /// The reason as a code and values.
    pub said: Said,
    /// Up to four alternatives.
    pub alternatives: Vec<Alternative>,
    /// Contradictions in the answers, and facts that overrule rules.
    pub warnings: Vec<Told>,
}

/// An alternative.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RecommendedAlternative"))]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    /// The id of the provider.
    #[cfg_attr(test, ts(type = "ProviderId"))]
    pub provider: &'static str,
    /// Its configuration.
    #[cfg_attr(test, ts(type = "object"))]
    pub config: Value,
    /// Options of the manager that belong to it; without them, it would equal another entry or the recommendation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "object"))]
    pub manager_options: Option<Value>,
    /// The reason for it.
    pub why: String,
    /// The reason against it.
    pub why_not: String,
    /// Both as codes and values.
    pub said: ForAndAgainst,
}

/// The reasons for and against a candidate.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "ReasonsForAndAgainst"))]
#[serde(rename_all = "camelCase")]
pub struct ForAndAgainst {
    /// The reason for it.
    pub why: Said,
    /// The reason against it.
    pub why_not: Said,
}

/// A warning about a recommendation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RecommendationWarning"))]
pub struct Told {
    /// - `contradiction`: the answers contradict each other
    /// - `ruled_out`: one answer excludes the first choice of another
    /// - `facts_win`: measurements overruled a rule
    /// - `handler_needed`: it needs a handler
    /// - `conversation_needed`: `contextWindow` or `targetTokens` has an effect only with `messages`
    #[cfg_attr(
        test,
        ts(type = "\"contradiction\" | \"ruled_out\" | \"facts_win\" | \"handler_needed\" | \"conversation_needed\"")
    )]
    pub code: &'static str,
    /// The message for people.
    pub message: String,
    /// The message as a code and values.
    pub said: Said,
}

impl Told {
    fn new(code: &'static str, said: Said) -> Self {
        Self { code, message: said.to_string(), said }
    }
}

/// Returns the candidates that are worth measuring, as JSON: `[{ key, provider, config, fallback }]`; `fallback` is
/// null if there is none.
pub fn measurable() -> Value {
    candidates::ALL
        .iter()
        .map(|candidate| {
            let fallback = candidate.manager_options().and_then(|options| options.get("fallback").cloned());
            serde_json::json!({
                "key": candidate.key,
                "provider": candidate.provider,
                "config": candidate.config(),
                "fallback": fallback,
            })
        })
        .collect()
}

/// Returns the manager options that belong to a candidate. Its cost is an estimate, so the cost limit is included.
fn manager_options(answers: &Answers, candidate: &Candidate) -> Option<Value> {
    let own = candidate.manager_options();
    let Some(budget) = answers.budget.filter(|_| candidate.model != Model::None) else { return own };
    let limit = serde_json::json!({ MAX_COST_PER_CONDENSATION: budget });
    Some(merged(&own.unwrap_or_default(), &limit))
}

/// Maximum number of alternatives.
const MAX_ALTERNATIVES: usize = 4;

/// Recommends a provider.
///
/// # Errors
/// Every invalid answer.
pub fn recommend(answers: &Value) -> Result<Recommendation, Vec<ConfigError>> {
    let answers = Answers::read(answers)?;
    let mut warnings = contradictions(&answers);
    let wishes = rules::wishes(&answers);
    let ranking = Ranking::new(&answers, |candidate| against(&answers, candidate).is_empty());
    let (candidate, reason) = chosen(&answers, &wishes, &ranking, &mut warnings);
    warnings.extend(overruled(&answers, candidate));
    if candidate.model == Model::Needed && answers.has_handler.is_none() {
        warnings.push(Told::new("handler_needed", said!("advice.needsModel", title: candidate.title())));
    }
    if let Some(source) = answers.unused() {
        let said = said!("advice.needsConversation", source: source_of(source));
        warnings.push(Told::new("conversation_needed", said));
    }
    let said = if answers.measured.is_empty() {
        said!("advice.expected", reason: reason)
    } else {
        with_figures(&answers, candidate, reason)
    };
    Ok(Recommendation {
        provider: candidate.provider,
        config: candidate.config(),
        manager_options: manager_options(&answers, candidate),
        is_default: candidate.is_same(candidates::default(answers.has_handler == Some(true))),
        reason: said.to_string(),
        said,
        alternatives: alternatives(&answers, &wishes, &ranking, candidate),
        warnings,
    })
}

/// Returns the first candidate that an answer wants and no other rules out; among measured ones, the first by the
/// priority.
fn chosen(
    answers: &Answers,
    wishes: &[Wish],
    ranking: &Ranking<'_>,
    warnings: &mut Vec<Told>,
) -> (&'static Candidate, Said) {
    // Other candidates may happen to lose nothing on this conversation; only the strict lossless one promises it.
    if let Some((answer, strict)) =
        wants_no_loss(answers).zip(candidates::with_key("lossless_strict")).filter(|_| !answers.measured.is_empty())
    {
        let keeps_all = against(answers, strict).is_empty();
        let reason = if keeps_all { speaks_for(answer, strict) } else { comes_nearest(answers, strict) };
        return (strict, reason);
    }
    if let Some(first) = ranking.first_by_priority() {
        return (first, speaks_for(rules::priority_of(answers.priority.unwrap_or_default()), first));
    }
    for wish in wishes {
        for candidate in wish.keys.iter().filter_map(|key| candidates::with_key(key)) {
            let code = if answers.reduction().is_some() { "against.beatenAtTarget" } else { "against.beaten" };
            let beaten = || ranking.beaten_by(candidate).map(|other| said!(code, title: other.title()));
            match against(answers, candidate).into_iter().next().or_else(beaten) {
                None => return (candidate, speaks_for(wish.answer.clone(), candidate)),
                Some(why_not) => {
                    let (answer, title) = (wish.answer.clone(), candidate.title());
                    let said = said!("advice.ruledOut", answer: answer, title: title, against: why_not);
                    warnings.push(Told::new("ruled_out", said));
                }
            }
        }
    }
    // The page, the command line and the manager do this if nothing else is requested, and reach any target with it.
    let default = candidates::default(answers.has_handler == Some(true));
    if wishes.is_empty() && limits(answers, default).is_empty() {
        return (default, said!("advice.default", title: default.title()));
    }
    if let Some(first) = ranking.first_by_care() {
        let loses = answers.measurement(first.key).is_some_and(|its| its.lost > 0.0);
        let code = match (ranking.is_read_best(first), loses) {
            (true, _) => "advice.readBest",
            (false, true) => "advice.keepsMost",
            (false, false) => "advice.careful",
        };
        return (first, said!(code, title: first.title()));
    }
    let careful = || rules::BY_CARE.iter().filter_map(|key| candidates::with_key(key));
    if let Some(candidate) = careful().find(|candidate| against(answers, candidate).is_empty()) {
        return (candidate, said!("advice.careful", title: candidate.title()));
    }
    // An answer has to give way. But a provider that cannot work is no choice, and an unaccepted loss weighs more
    // than tokens that remain.
    let distance = |candidate: &Candidate| {
        let removes = answers.removes(candidate.key).unwrap_or(candidate.reduction);
        let missing = answers.reduction().map_or(0, |(needed, _)| (needed - removes).max(0.0).round() as u32);
        // Keeping a limit in the answers matters more than meeting a target.
        let limits = limits(answers, candidate).len();
        let asks = answers.measurement(candidate.key).is_some_and(|measured| !measured.exact);
        (no_model(answers, candidate), limits, loses_too_much(answers, candidate).is_some(), missing, asks)
    };
    let nearest = careful().min_by_key(|candidate| distance(candidate)).unwrap_or(&candidates::ALL[3]);
    (nearest, comes_nearest(answers, nearest))
}

fn speaks_for(answer: Said, candidate: &Candidate) -> Said {
    said!("advice.speaksFor", answer: answer, title: candidate.title())
}

fn comes_nearest(answers: &Answers, nearest: &Candidate) -> Said {
    said!("advice.nearest", title: nearest.title(), against: against(answers, nearest))
}

/// Lists the objections to a candidate: answers that it does not meet, by measurements if there are any.
fn against(answers: &Answers, candidate: &Candidate) -> Vec<Said> {
    let mut against = limits(answers, candidate);
    if let Some((needed, source)) = answers.reduction() {
        let removes = answers.removes(candidate.key);
        let most = removes.unwrap_or(candidate.reduction);
        if most + ROUNDING < needed {
            let (removes, code) =
                (most.round(), if removes.is_some() { "against.removes" } else { "against.removesAtMost" });
            against.push(said!(code, removes: removes, needed: needed.round(), source: source_of(source)));
        }
    }
    against
}

/// Returns the limits that a candidate exceeds.
fn limits(answers: &Answers, candidate: &Candidate) -> Vec<Said> {
    let mut against = Vec::new();
    let measured = answers.measurement(candidate.key);
    if no_model(answers, candidate) {
        against.push(said!("against.noModel"));
    } else if measured.is_none() && !answers.measured.is_empty() {
        against.push(said!("against.notTried"));
    }
    if let Some(budget) = answers.budget.filter(|_| candidate.model != Model::None) {
        match measured {
            Some(measured) if measured.cost.is_infinite() => against.push(said!("against.unpriced")),
            Some(measured) if measured.cost > budget => {
                let [cost, budget] = apart(measured.cost, budget);
                against.push(said!("against.costs", cost: cost, budget: budget));
            }
            Some(_) => {}
            None if budget < candidate.budget || (candidate.above && budget <= candidate.budget) => {
                let code = if candidate.above { "against.needsMore" } else { "against.needs" };
                against.push(said!(code, cost: candidate.budget, budget: budget));
            }
            None => {}
        }
    }
    if let Some(latency) = answers.latency_ms {
        let known = measured.filter(|measured| measured.exact).and_then(|measured| measured.time_ms);
        let takes = known.unwrap_or(candidate.latency_ms);
        let accepted = if answers.measured.is_empty() { rules::accepted_latency(latency) } else { latency };
        if takes > accepted {
            against.push(said!("against.takes", takes: takes.round(), most: latency));
        }
    }
    against.extend(loses_too_much(answers, candidate));
    against
}

fn no_model(answers: &Answers, candidate: &Candidate) -> bool {
    // If the answers do not say, assumes that a caller that measured a conversation passed its handler too.
    let is_there = answers.has_handler.unwrap_or(answers.measured.is_empty());
    !is_there && candidate.model == Model::Needed
}

fn loses_too_much(answers: &Answers, candidate: &Candidate) -> Option<Said> {
    let accepted = answers.loss.or_else(|| wants_no_loss(answers).map(|_| 0.0))?;
    if let Some((measured, loses)) = answers.measurement(candidate.key).zip(answers.loses(candidate.key)) {
        let gone = measured.lost + measured.superseded;
        return if wants_no_loss(answers).is_some() {
            (gone > 0.0).then(|| said!("against.losesTokens", tokens: gone.round()))
        } else {
            let shown = more_than(loses, accepted);
            (loses > accepted).then(|| said!("against.losesMeasured", loss: shown, most: accepted))
        };
    }
    let is_more = candidate.loss > rules::accepted_loss(accepted);
    is_more.then(|| match answers.loss {
        Some(_) => said!("against.loses", loss: candidate.loss, most: accepted),
        None => said!("against.losesAny", loss: candidate.loss),
    })
}

/// Rounds a percentage to as many digits as distinguish it from a limit that it exceeds, at least one.
fn more_than(percent: f64, limit: f64) -> f64 {
    let with = |digits: i32| (percent * 10_f64.powi(digits)).round() / 10_f64.powi(digits);
    (1..=6).map(with).find(|shown| *shown > limit).unwrap_or(percent)
}

/// Estimated costs and times are worth mentioning only if they are larger by this factor.
const WORTH_TELLING: f64 = 1.1;

/// Percent by which a share may be off because tokens are whole numbers.
const ROUNDING: f64 = 0.5;

/// Returns the answer that allows no loss, if there is one.
fn wants_no_loss(answers: &Answers) -> Option<Said> {
    match answers {
        Answers { loss: Some(loss), .. } if *loss <= 0.0 => Some(said!("answer.loss", percent: 0.0)),
        Answers { priority: Some(priority @ "zero_loss"), .. } => Some(rules::priority_of(priority)),
        Answers { scenario: Some(scenario @ "compliance"), .. } => Some(said!("answer.scenario", word: *scenario)),
        Answers { profile: Some(profile @ "research_compliance"), .. } => Some(said!("answer.profile", word: *profile)),
        _ => None,
    }
}

/// Returns warnings about answers that contradict each other for any candidate, unless measurements show otherwise.
fn contradictions(answers: &Answers) -> Vec<Told> {
    let mut told = Vec::new();
    let mut contradict = |said: Said| told.push(Told::new("contradiction", said));
    let no_loss = wants_no_loss(answers);
    if let Some(((needed, source), answer)) = answers.reduction().zip(no_loss.clone()) {
        let measured = answers.removes("lossless_strict");
        let most = measured.unwrap_or(40.0);
        if needed > most + ROUNDING {
            let code = if measured.is_some() { "advice.noLossButMuch" } else { "advice.noLossButMuchByRule" };
            let (source, needed, most) = (source_of(source), needed.round(), most.round());
            contradict(said!(code, answer: answer, source: source, needed: needed, most: most));
        }
    }
    if let Some((latency, answer)) = answers.latency_ms.filter(|latency| *latency <= 100.0).zip(no_loss.clone()) {
        let measured = answers.measurement("lossless_strict").and_then(|measured| measured.time_ms);
        if measured.is_none_or(|took| took > latency) {
            contradict(said!("advice.noLossButFast", answer: answer, other: said!("answer.latency", ms: latency)));
        }
    }
    if let Some(answer) = no_loss.filter(|_| answers.priority == Some("speed")) {
        contradict(said!("advice.noLossButSpeed", answer: answer, other: rules::priority_of("speed")));
    }
    if let Some(configuration) = answers.configuration {
        let control = answers.priority == Some("control");
        if control && matches!(configuration, "none" | "presets") {
            let other = said!("answer.configuration", word: configuration);
            contradict(said!("advice.controlButNone", answer: rules::priority_of("control"), other: other));
        }
        if answers.priority == Some("simplicity") && matches!(configuration, "custom" | "per_message") {
            let other = said!("answer.configuration", word: configuration);
            contradict(said!("advice.simpleButMuch", answer: rules::priority_of("simplicity"), other: other));
        }
    }
    let quality = answers.priority == Some("quality") || answers.scenario == Some("critical_quality");
    if let Some(loss) = answers.loss.filter(|loss| quality && *loss > 50.0) {
        contradict(said!("advice.qualityButLoss", answer: said!("answer.loss", percent: loss)));
    }
    if quality && answers.budget.is_some_and(|budget| budget <= 0.0) {
        contradict(said!("advice.qualityButFree", answer: said!("answer.budget", dollars: 0.0)));
    }
    if let (Some(false), Some(budget)) = (answers.has_handler, answers.budget.filter(|budget| *budget > 0.0)) {
        contradict(said!("advice.budgetButNoModel", answer: said!("answer.budget", dollars: budget)));
    }
    let keeps_all = answers.profile == Some("research_compliance");
    if keeps_all && matches!(answers.scenario, Some("limited_budget" | "local_development")) {
        let scenario = answers.scenario.unwrap_or_default();
        let (answer, other) =
            (said!("answer.profile", word: "research_compliance"), said!("answer.scenario", word: scenario));
        contradict(said!("advice.keepsButDrops", answer: answer, other: other));
    }
    told
}

/// Reports where measurements overruled the rules, about the recommended candidate or those preferred to it.
fn overruled(answers: &Answers, chosen: &Candidate) -> Vec<Told> {
    let has_handler = Some(answers.has_handler.unwrap_or(answers.measured.is_empty()));
    let rules_alone = Answers { measured: Vec::new(), has_handler, ..answers.clone() };
    let mut told = Vec::new();
    let by_rule = against(&rules_alone, chosen);
    if !answers.measured.is_empty() && !by_rule.is_empty() && against(answers, chosen).is_empty() {
        told.push(Told::new("facts_win", said!("advice.factsDo", against: by_rule)));
    }
    for wish in rules::wishes(answers) {
        for candidate in wish.keys.iter().filter_map(|key| candidates::with_key(key)) {
            if candidate.key == chosen.key {
                return told;
            }
            let now = against(answers, candidate);
            if against(&rules_alone, candidate).is_empty()
                && let Some(why_not) = now.into_iter().next()
            {
                let (title, answer) = (candidate.title(), wish.answer.clone());
                told.push(Told::new(
                    "facts_win",
                    said!("advice.factsDoNot", title: title, answer: answer, against: why_not),
                ));
            }
        }
    }
    told
}

/// Adds the candidate's measurements to the reason.
fn with_figures(answers: &Answers, candidate: &Candidate, reason: Said) -> Said {
    let Some((measured, removes)) = answers.measurement(candidate.key).zip(answers.removes(candidate.key)) else {
        return reason;
    };
    let (tokens, less, gone, price) = (measured.tokens.round(), removes.round(), gone(measured), price(measured));
    let code = if measured.exact { "advice.measured" } else { "advice.estimated" };
    let figures = said!(code, reason: reason, tokens: tokens, less: less, gone: gone, price: price);
    let Some((names, edits)) = measured.names.zip(measured.edits) else { return figures };
    let [names, edits] = [names, edits].map(|share| (100.0 * share).round());
    said!("advice.keeps", reason: figures, names: names, edits: edits)
}

/// Describes the content that a candidate removes from the conversation.
fn gone(measured: &Measured) -> Said {
    let (superseded, lost) = (measured.superseded.round(), measured.lost.round());
    let how = if measured.exact { said!("advice.leftOut") } else { said!("advice.leftOutOrSummarized") };
    match (superseded > 0.0, lost > 0.0) {
        (false, false) => said!("advice.goneNothing"),
        (true, false) => said!("advice.goneSuperseded", superseded: superseded),
        (false, true) => said!("advice.goneLost", lost: lost, how: how),
        (true, true) => said!("advice.goneBoth", superseded: superseded, lost: lost, how: how),
    }
}

/// Returns what a candidate costs.
fn price(measured: &Measured) -> Said {
    match measured.cost {
        cost if cost.is_infinite() => said!("advice.priceUnknown"),
        cost if cost > 0.0 => said!("advice.priceAbout", cost: (cost * 1e4).round() / 1e4),
        _ if measured.exact => said!("advice.priceNoModel"),
        _ => said!("advice.priceNothing"),
    }
}

/// Returns alternatives: candidates that answers recommend, then those that lose least. None equals the choice or
/// another alternative.
fn alternatives(answers: &Answers, wishes: &[Wish], ranking: &Ranking<'_>, chosen: &Candidate) -> Vec<Alternative> {
    let mut seen = vec![chosen];
    let mut found = Vec::new();
    if !answers.measured.is_empty() && wants_no_loss(answers).is_some() {
        return found;
    }
    // A candidate with the same outcome is no alternative.
    let mut outcomes: Vec<(f64, f64)> =
        answers.measurement(chosen.key).map(|its| (its.tokens, its.lost)).into_iter().collect();
    let wished = wishes
        .iter()
        .flat_map(|wish| wish.keys.iter().map(|key| (*key, Some(said!("advice.forIt", answer: wish.answer.clone())))));
    let others = rules::BY_CARE.iter().map(|key| (*key, None));
    for (key, why) in wished.chain(others) {
        let Some(candidate) =
            candidates::with_key(key).filter(|candidate| !seen.iter().any(|seen| seen.is_same(candidate)))
        else {
            continue;
        };
        seen.push(candidate);
        let against = against(answers, candidate);
        // Candidates that no answer asks for must have no objection; measured ones must break no limit and be beaten by
        // none.
        let is_measured = !answers.measured.is_empty();
        let is_same =
            || answers.measurement(candidate.key).is_some_and(|its| outcomes.contains(&(its.tokens, its.lost)));
        let is_beaten = || ranking.beaten_by(candidate).is_some();
        if (!against.is_empty() && (why.is_none() || is_measured)) || is_beaten() || is_same() {
            continue;
        }
        outcomes.extend(answers.measurement(candidate.key).map(|its| (its.tokens, its.lost)));
        let why = why.unwrap_or_else(|| said!("advice.too", title: candidate.title()));
        let said = ForAndAgainst {
            why: with_figures(answers, candidate, why),
            why_not: against.into_iter().next().unwrap_or_else(|| why_not(answers, candidate, chosen)),
        };
        found.push(Alternative {
            provider: candidate.provider,
            config: candidate.config(),
            manager_options: manager_options(answers, candidate),
            why: said.why.to_string(),
            why_not: said.why_not.to_string(),
            said,
        });
        if found.len() == MAX_ALTERNATIVES {
            break;
        }
    }
    found
}

/// Explains why the choice is better than another suitable candidate, by measurements if there are any.
fn why_not(answers: &Answers, candidate: &Candidate, chosen: &Candidate) -> Said {
    if let Some((its, instead)) = answers.loses(candidate.key).zip(answers.loses(chosen.key)) {
        if its.round() > instead.round() {
            return said!("advice.losesMoreMeasured", loss: its.round(), other: instead.round());
        }
    } else if candidate.loss > chosen.loss {
        return said!("advice.losesMore", loss: candidate.loss, other: chosen.loss);
    }
    let measured = |of: &Candidate| answers.removes(of.key);
    let (its, instead) =
        (measured(candidate).unwrap_or(candidate.reduction), measured(chosen).unwrap_or(chosen.reduction));
    // A typical value is no argument against a measurement.
    if its.round() < instead.round() {
        let code = match (measured(candidate).is_some(), measured(chosen).is_some()) {
            (true, true) => "advice.removesMeasured",
            (true, false) => "advice.removesInsteadOfAtMost",
            (false, true) => "advice.removesAtMost",
            (false, false) => "advice.removesLess",
        };
        return said!(code, less: its.round(), other: instead.round());
    }
    let cost = |of: &Candidate| answers.measurement(of.key).map(|measured| measured.cost);
    if let Some((its, instead)) =
        cost(candidate).zip(cost(chosen)).filter(|(its, instead)| *its > WORTH_TELLING * instead)
    {
        let [cost, other] = apart(its, instead);
        return said!("advice.costsMore", cost: cost, other: other);
    }
    let took = |of: &Candidate| answers.measurement(of.key).filter(|known| known.exact).and_then(|known| known.time_ms);
    let asks_nobody = |of: &Candidate| answers.measurement(of.key).is_some_and(|measured| measured.exact);
    let takes_longer = match took(candidate).zip(took(chosen)) {
        Some((its, instead)) => its > WORTH_TELLING * instead,
        None => candidate.latency_ms > chosen.latency_ms && !asks_nobody(candidate),
    };
    if takes_longer { said!("advice.takesLonger") } else { said!("advice.weighsLess", title: chosen.title()) }
}
