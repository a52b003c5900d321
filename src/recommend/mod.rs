//! Which provider to take: the rules of the guide, held against what is known and what was measured.
//!
//! | module | its one idea |
//! | --- | --- |
//! | `answers` | what is asked, and what was answered |
//! | `candidates` | what can be recommended |
//! | `rules` | what each answer recommends |
//! | `ranking` | of what was measured, what beats what, and what comes first by a priority |

mod answers;
mod candidates;
mod ranking;
mod rules;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::Value;

use self::{
    answers::Answers,
    candidates::{Candidate, Model},
    ranking::Ranking,
    rules::Wish,
};
use crate::{dollars::apart, options::ConfigError};

/// What is recommended, and why.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recommendation {
    /// The id of the provider.
    pub provider: &'static str,
    /// Its configuration.
    pub config: Value,
    /// Options of the manager that belong to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager_options: Option<Value>,
    /// Why, for people.
    pub reason: String,
    /// What else there is.
    pub alternatives: Vec<Alternative>,
    /// What does not go together, and where facts and rules disagree.
    pub warnings: Vec<Told>,
}

/// Something else that could be taken.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Alternative {
    /// The id of the provider.
    pub provider: &'static str,
    /// Its configuration.
    pub config: Value,
    /// Options of the manager that belong to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager_options: Option<Value>,
    /// What speaks for it.
    pub why: String,
    /// And what against it.
    pub why_not: String,
}

/// Something that who asked should know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Told {
    /// `contradiction`: answers that do not go together; `facts_win`: what was measured decided against a rule; `ruled_out`: an answer's first choice is
    /// impossible by another one; `handler_needed`: it needs a model to ask; `conversation_needed`: an answer says something only with a conversation.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// The candidates that are worth measuring, as JSON: `[{ key, provider, config }]`.
#[must_use]
pub fn measurable() -> Value {
    candidates::ALL
        .iter()
        .map(|candidate| serde_json::json!({ "key": candidate.key, "provider": candidate.provider, "config": candidate.config() }))
        .collect()
}

/// Most alternatives that are told.
const MAX_ALTERNATIVES: usize = 4;

/// Recommends a provider.
///
/// # Errors
/// Every answer that is wrong.
pub fn recommend(answers: &Value) -> Result<Recommendation, Vec<ConfigError>> {
    let answers = Answers::read(answers)?;
    let mut warnings = contradictions(&answers);
    let wishes = rules::wishes(&answers);
    let ranking = Ranking::of(&answers, |candidate| against(&answers, candidate).is_empty());
    let (candidate, reason) = chosen(&answers, &wishes, &ranking, &mut warnings);
    warnings.extend(overruled(&answers, candidate));
    if candidate.model == Model::Needed && answers.has_handler.is_none() {
        let message = format!("{} needs a model to ask: give `handler` or `condensingHandler`", candidate.title);
        warnings.push(Told { code: "handler_needed", message });
    }
    if let Some(source) = answers.unused {
        let message = format!("{source} says how much has to go only with a conversation");
        warnings.push(Told { code: "conversation_needed", message });
    }
    Ok(Recommendation {
        provider: candidate.provider,
        config: candidate.config(),
        manager_options: candidate.manager_options(),
        reason: if answers.measured.is_empty() {
            format!("{reason}; expected by rules, because nothing was measured")
        } else {
            with_figures(&answers, candidate, reason)
        },
        alternatives: alternatives(&answers, &wishes, &ranking, candidate),
        warnings,
    })
}

/// The first that an answer wants and no other one rules out; of what was measured, what the priority puts first.
fn chosen(
    answers: &Answers,
    wishes: &[Wish],
    ranking: &Ranking<'_>,
    warnings: &mut Vec<Told>,
) -> (&'static Candidate, String) {
    // Others may lose nothing today; only this one promises it.
    if let Some((answer, strict)) =
        wants_no_loss(answers).zip(candidates::of("lossless_strict")).filter(|_| !answers.measured.is_empty())
    {
        let keeps_all = against(answers, strict).is_empty();
        let reason =
            if keeps_all { format!("{answer} speaks for {}", strict.title) } else { comes_nearest(answers, strict) };
        return (strict, reason);
    }
    if let Some(first) = ranking.first_by_priority() {
        return (
            first,
            format!("priority {} speaks for {}", answers.priority.as_deref().unwrap_or_default(), first.title),
        );
    }
    for wish in wishes {
        for candidate in wish.keys.iter().filter_map(|key| candidates::of(key)) {
            let beaten = || {
                ranking
                    .beaten_by(candidate)
                    .map(|other| format!("{} does as well or better in everything", other.title))
            };
            match against(answers, candidate).into_iter().next().or_else(beaten) {
                None => return (candidate, format!("{} speaks for {}", wish.answer, candidate.title)),
                Some(why_not) => {
                    let message = format!("{} speaks for {}, but {why_not}", wish.answer, candidate.title);
                    warnings.push(Told { code: "ruled_out", message });
                }
            }
        }
    }
    if wishes.is_empty() && answers.measured.is_empty() && answers.reduction.is_none() {
        let default = candidates::of(if answers.has_handler == Some(true) { "native" } else { "lossless_truncation" });
        let default = default.unwrap_or(&candidates::ALL[0]);
        if against(answers, default).is_empty() {
            return (default, format!("nothing was answered, and {} is the default", default.title));
        }
    }
    if let Some(first) = ranking.first_by_care() {
        return (first, format!("of those that nothing speaks against, {} loses least", first.title));
    }
    let careful = || rules::BY_CARE.iter().filter_map(|key| candidates::of(key));
    if let Some(candidate) = careful().find(|candidate| against(answers, candidate).is_empty()) {
        return (candidate, format!("of those that nothing speaks against, {} loses least", candidate.title));
    }
    // Something has to give way, but what cannot be done is no choice, and a loss that nobody accepts weighs more than tokens that stay.
    let distance = |candidate: &Candidate| {
        let removes = answers.removes(candidate.key).unwrap_or(candidate.reduction);
        let missing = answers.reduction.map_or(0, |(needed, _)| (needed - removes).max(0.0).round() as u32);
        // A limit that somebody gave is kept rather than a target met.
        let limits = limits(answers, candidate).len();
        (no_model(answers, candidate), limits, loses_too_much(answers, candidate).is_some(), missing)
    };
    let nearest = careful().min_by_key(|candidate| distance(candidate)).unwrap_or(&candidates::ALL[3]);
    (nearest, comes_nearest(answers, nearest))
}

fn comes_nearest(answers: &Answers, nearest: &Candidate) -> String {
    let against = against(answers, nearest).join("; ");
    format!("nothing does all that is asked for; {} comes nearest: {against}", nearest.title)
}

/// What speaks against a candidate: answers that it does not keep, by what was measured where that is known.
fn against(answers: &Answers, candidate: &Candidate) -> Vec<String> {
    let mut against = limits(answers, candidate);
    if let Some((needed, source)) = answers.reduction {
        let removes = answers.removes(candidate.key);
        let most = removes.unwrap_or(candidate.reduction);
        if most + ROUNDING < needed {
            let how = if removes.is_some() { "removes" } else { "removes at most" };
            against.push(format!("it {how} {most:.0}% of the tokens, and {needed:.0}% have to go ({source})"));
        }
    }
    against
}

/// The limits that a candidate does not keep.
fn limits(answers: &Answers, candidate: &Candidate) -> Vec<String> {
    let mut against = Vec::new();
    let measured = answers.of(candidate.key);
    if no_model(answers, candidate) {
        against.push("there is no model to ask".to_owned());
    } else if measured.is_none() && !answers.measured.is_empty() {
        against.push("it could not be tried on this conversation".to_owned());
    }
    if let Some(budget) = answers.budget.filter(|_| candidate.model != Model::None) {
        let needs =
            if candidate.above { format!("more than ${}", candidate.budget) } else { format!("${}", candidate.budget) };
        match measured {
            Some(measured) if measured.cost > budget => {
                let [costs, budget] = apart(measured.cost, budget);
                against.push(format!(
                    "on this conversation it costs about {costs}, more than budgetPerCondensation {budget}"
                ));
            }
            Some(_) => {}
            None if budget < candidate.budget || (candidate.above && budget <= candidate.budget) => {
                against.push(format!("it needs {needs}, and budgetPerCondensation is {budget}"));
            }
            None => {}
        }
    }
    if let Some(latency) = answers.latency_ms {
        let known = measured.filter(|_| candidate.model == Model::None).and_then(|measured| measured.time_ms);
        let takes = known.unwrap_or(candidate.latency_ms);
        let accepted = if known.is_some() { latency } else { rules::accepted_latency(latency) };
        if takes > accepted {
            against.push(format!("it takes up to {takes:.0} ms, and maxLatencyMs is {latency}"));
        }
    }
    against.extend(loses_too_much(answers, candidate));
    against
}

fn no_model(answers: &Answers, candidate: &Candidate) -> bool {
    // Who has a conversation has a model to ask, or has none.
    let is_there = answers.has_handler.unwrap_or(answers.measured.is_empty());
    !is_there && candidate.model == Model::Needed
}

fn loses_too_much(answers: &Answers, candidate: &Candidate) -> Option<String> {
    let accepted = answers.loss.or_else(|| wants_no_loss(answers).map(|_| 0.0))?;
    if let Some((measured, loses)) = answers.of(candidate.key).zip(answers.loses(candidate.key)) {
        let gone = measured.lost + measured.superseded;
        return if wants_no_loss(answers).is_some() {
            (gone > 0.0).then(|| format!("it loses or replaces {gone:.0} tokens, and nothing may be lost"))
        } else {
            (loses > accepted).then(|| format!("it loses {loses:.1}% of the tokens, and acceptableLoss is {accepted}"))
        };
    }
    let said =
        if answers.loss.is_some() { format!("acceptableLoss is {accepted}") } else { "nothing may be lost".to_owned() };
    let is_more = candidate.loss > rules::accepted_loss(accepted);
    is_more.then(|| format!("it may lose {}% of the information, and {said}", candidate.loss))
}

/// Percent by which a share may be off because tokens are whole numbers.
const ROUNDING: f64 = 0.5;

/// The answer by which nothing may be lost, if one says so.
fn wants_no_loss(answers: &Answers) -> Option<&'static str> {
    match answers {
        Answers { loss: Some(loss), .. } if *loss <= 0.0 => Some("acceptableLoss 0"),
        Answers { priority: Some(priority), .. } if priority == "zero_loss" => Some("priority zero_loss"),
        Answers { scenario: Some(scenario), .. } if scenario == "compliance" => Some("scenario compliance"),
        Answers { profile: Some(profile), .. } if profile == "research_compliance" => {
            Some("userProfile research_compliance")
        }
        _ => None,
    }
}

/// Answers that do not go together whatever is taken, unless what was measured says that they do.
fn contradictions(answers: &Answers) -> Vec<Told> {
    let mut told = Vec::new();
    let mut contradict = |message: String| told.push(Told { code: "contradiction", message });
    let wanted = wants_no_loss(answers);
    let (no_loss, who_wants_no_loss) = (wanted.is_some(), wanted.unwrap_or_default());
    if let Some((needed, source)) = answers.reduction.filter(|_| no_loss) {
        let measured = answers.removes("lossless_strict");
        let most = measured.unwrap_or(40.0);
        if needed > most + ROUNDING {
            let how =
                if measured.is_some() { "on this conversation lossless removes" } else { "lossless removes at most" };
            contradict(format!(
                "{who_wants_no_loss} and {source}, by which {needed:.0}% have to go, do not go together: {how} {most:.0}%"
            ));
        }
    }
    if let Some(latency) = answers.latency_ms.filter(|latency| no_loss && *latency <= 100.0) {
        let measured = answers.of("lossless_strict").and_then(|measured| measured.time_ms);
        if measured.is_none_or(|took| took > latency) {
            contradict(format!(
                "{who_wants_no_loss} and maxLatencyMs {latency} do not go together: only truncation is as fast as a rule"
            ));
        }
    }
    if no_loss && answers.priority.as_deref() == Some("speed") {
        contradict(format!("{who_wants_no_loss} and priority speed do not go together: what is fastest loses most"));
    }
    if let Some(configuration) = answers.configuration.as_deref() {
        let control = answers.priority.as_deref() == Some("control");
        if control && matches!(configuration, "none" | "presets") {
            contradict(format!(
                "priority control and configuration {configuration} do not go together: control is configured"
            ));
        }
        if answers.priority.as_deref() == Some("simplicity") && matches!(configuration, "custom" | "per_message") {
            contradict(format!("priority simplicity and configuration {configuration} do not go together"));
        }
    }
    let quality =
        answers.priority.as_deref() == Some("quality") || answers.scenario.as_deref() == Some("critical_quality");
    if let Some(loss) = answers.loss.filter(|loss| quality && *loss > 50.0) {
        contradict(format!("quality matters most, and acceptableLoss {loss} says that it hardly does"));
    }
    if quality && answers.budget.is_some_and(|budget| budget <= 0.0) {
        contradict("quality matters most, and budgetPerCondensation 0 pays for no model".to_owned());
    }
    if let (Some(false), Some(budget)) = (answers.has_handler, answers.budget.filter(|budget| *budget > 0.0)) {
        contradict(format!("budgetPerCondensation {budget} pays for a model, and there is none to ask"));
    }
    let keeps_all = answers.profile.as_deref() == Some("research_compliance");
    if keeps_all && matches!(answers.scenario.as_deref(), Some("limited_budget" | "local_development")) {
        let scenario = answers.scenario.as_deref().unwrap_or_default();
        contradict(format!(
            "userProfile research_compliance and scenario {scenario} do not go together: one loses nothing, the other drops"
        ));
    }
    told
}

/// Where what was measured decided against what the rules expect of the candidate that is recommended, or of those before it.
fn overruled(answers: &Answers, chosen: &Candidate) -> Vec<Told> {
    let has_handler = Some(answers.has_handler.unwrap_or(answers.measured.is_empty()));
    let rules_alone = Answers { measured: Vec::new(), has_handler, ..answers.clone() };
    let mut told = Vec::new();
    let by_rule = against(&rules_alone, chosen);
    if !answers.measured.is_empty() && !by_rule.is_empty() && against(answers, chosen).is_empty() {
        let message = format!("by the rules {}; on this conversation it does what is asked for", by_rule.join("; "));
        told.push(Told { code: "facts_win", message });
    }
    for wish in rules::wishes(answers) {
        for candidate in wish.keys.iter().filter_map(|key| candidates::of(key)) {
            if candidate.key == chosen.key {
                return told;
            }
            let now = against(answers, candidate);
            if against(&rules_alone, candidate).is_empty()
                && let Some(why_not) = now.first()
            {
                told.push(Told {
                    code: "facts_win",
                    message: format!("by the rules {} would do for {}; {why_not}", candidate.title, wish.answer),
                });
            }
        }
    }
    told
}

/// The reason with what was measured of the candidate.
fn with_figures(answers: &Answers, candidate: &Candidate, reason: String) -> String {
    let Some((measured, removes)) = answers.of(candidate.key).zip(answers.removes(candidate.key)) else {
        return reason;
    };
    let about = if measured.exact { "" } else { "about " };
    let cost = if measured.cost > 0.0 {
        format!(" for about ${:.4}", measured.cost)
    } else {
        ", and costs nothing".to_owned()
    };
    let kept = measured.names.zip(measured.edits).map_or_else(String::new, |(names, edits)| {
        let [names, edits] = [names, edits].map(|share| 100.0 * share);
        format!("; of what was used next it keeps {names:.0}% of the names and {edits:.0}% of the passages")
    });
    format!(
        "{reason}; measured on this conversation, it leaves {about}{:.0} tokens ({removes:.0}% less), with {:.0} replaced by newer and {:.0} lost{cost}{kept}",
        measured.tokens, measured.superseded, measured.lost
    )
}

/// Others that answers speak for, then those that lose least. No two of them, nor one and the choice, are the same thing.
fn alternatives(answers: &Answers, wishes: &[Wish], ranking: &Ranking<'_>, chosen: &Candidate) -> Vec<Alternative> {
    let mut seen = vec![chosen];
    let mut found = Vec::new();
    if !answers.measured.is_empty() && wants_no_loss(answers).is_some() {
        return found;
    }
    // What comes out the same is no other answer.
    let mut outcomes: Vec<(f64, f64)> = answers.of(chosen.key).map(|its| (its.tokens, its.lost)).into_iter().collect();
    let wished =
        wishes.iter().flat_map(|wish| wish.keys.iter().map(|key| (*key, format!("{} speaks for it", wish.answer))));
    let others = rules::BY_CARE.iter().map(|key| (*key, String::new()));
    for (key, why) in wished.chain(others) {
        let Some(candidate) = candidates::of(key).filter(|candidate| !seen.iter().any(|seen| seen.is_same(candidate)))
        else {
            continue;
        };
        seen.push(candidate);
        let against = against(answers, candidate);
        // Of those that nobody asked for, only what could be taken; and of what was measured nothing that is beaten or breaks a limit.
        let is_measured = !answers.measured.is_empty();
        let is_same = || answers.of(candidate.key).is_some_and(|its| outcomes.contains(&(its.tokens, its.lost)));
        let is_beaten = || ranking.beaten_by(candidate).is_some();
        if (!against.is_empty() && (why.is_empty() || is_measured)) || is_beaten() || is_same() {
            continue;
        }
        outcomes.extend(answers.of(candidate.key).map(|its| (its.tokens, its.lost)));
        let why = if why.is_empty() { format!("{} would do, too", candidate.title) } else { why };
        found.push(Alternative {
            provider: candidate.provider,
            config: candidate.config(),
            manager_options: candidate.manager_options(),
            why: with_figures(answers, candidate, why),
            why_not: against.into_iter().next().unwrap_or_else(|| why_not(answers, candidate, chosen)),
        });
        if found.len() == MAX_ALTERNATIVES {
            break;
        }
    }
    found
}

/// What speaks for the choice rather than for something else that would do: by what was measured where that is known.
fn why_not(answers: &Answers, candidate: &Candidate, chosen: &Candidate) -> String {
    if let Some((its, instead)) = answers.loses(candidate.key).zip(answers.loses(chosen.key)) {
        if its > instead + ROUNDING {
            return format!("it loses more: {its:.0}% of the tokens instead of {instead:.0}%");
        }
    } else if candidate.loss > chosen.loss {
        return format!("it may lose more: {}% of the information instead of {}%", candidate.loss, chosen.loss);
    }
    let measured = |of: &Candidate| answers.removes(of.key);
    let at_most = |of: &Candidate| if measured(of).is_some() { "" } else { "at most " };
    let (its, instead) =
        (measured(candidate).unwrap_or(candidate.reduction), measured(chosen).unwrap_or(chosen.reduction));
    // What a rule says of both is no reason to doubt what is known of one.
    if its + ROUNDING < instead {
        return format!(
            "it removes less: {}{its:.0}% of the tokens instead of {}{instead:.0}%",
            at_most(candidate),
            at_most(chosen)
        );
    }
    let cost = |of: &Candidate| answers.of(of.key).map(|measured| measured.cost);
    if let Some((its, instead)) = cost(candidate).zip(cost(chosen)).filter(|(its, instead)| its > instead) {
        let [its, instead] = apart(its, instead);
        return format!("on this conversation it costs about {its} instead of {instead}");
    }
    let took = |of: &Candidate| answers.of(of.key).filter(|_| of.model == Model::None).and_then(|known| known.time_ms);
    let takes_longer = match took(candidate).zip(took(chosen)) {
        Some((its, instead)) => its > instead,
        None => candidate.latency_ms > chosen.latency_ms,
    };
    if takes_longer { "it takes longer".to_owned() } else { format!("what speaks for {} weighs more", chosen.title) }
}
