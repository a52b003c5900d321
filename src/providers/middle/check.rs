//! Checks whether a summary covers what it must keep, and corrects it if not.

use super::{
    must::{Must, MustSurvive},
    quality::{MissingText, SummaryQuality},
};
use crate::{
    conversation::{Conversation, is_blank, on_line},
    dollars::rounded,
    markers::WORD_FOR_WORD,
    options::{Either, Options, Table, Typed, either, flag, number, object, options},
    providers::{CondenseError, Request},
    summaries::{Summary, SummaryClient, SummaryError, foresee_mending, mend, told_in_other_words},
    tokens::count_inside,
    warning::{Warning, WarningCode},
    words::said,
};

/// Minimum score if none is set: a summary may miss one of five things before it is written again.
const DEFAULT_MIN_SCORE: f64 = 0.8;

/// Minimum and maximum tokens for completing a summary with what it left out. Between them, a twentieth of the
/// conversation.
const COMPLETION_ROOM: (usize, usize) = (100, 800);

options! {
    /// How a summary is checked.
    #[derive(Copy, PartialEq)]
    pub(in crate::providers) struct SummaryCheck: Table::titled("summaryCheck").interface("SummaryCheckConfig", "How to treat a summary that misses items it must keep; see {@link SummaryQuality}.").shared();

    /// The mark: a summary that tells less of what must survive is below it.
    min_score: f64 = number(0.0, 1.0).or(DEFAULT_MIN_SCORE),
    /// Whether a summary below the mark is asked for once more, with what is missing named.
    ///
    /// The better summary is used.
    ask_again: bool = flag().or(true),
    /// Whether what is missing then is put behind it.
    ///
    /// It is appended word for word, in at most 800 tokens.
    complete: bool = flag().or(true),
    /// Whether the model says which of what seems to be missing is told in other words.
    ///
    /// It is one more small request, about constraints and tasks.
    ask_model: bool = flag().or(false),
}

/// The value of the option: whether to check, or how.
pub(in crate::providers) type SummaryCheckOption = Either<bool, SummaryCheck>;

/// The option `summaryCheck` of whatever has a summary written in the place of messages.
pub(in crate::providers) const SUMMARY_CHECK: Typed<SummaryCheckOption> = either(&flag().with(false), &object()).or_default().about(
    "The reaction to a summary that leaves out what must survive; `true` for the defaults, `false` for none: the result tells of it anyway.\n\nIt must keep names in use, changed files, open tasks and constraints of the user. `result.summaryQuality` reports them.",
);

impl SummaryCheck {
    /// The check that the option asks for; `None` for none.
    pub fn wanted(option: SummaryCheckOption) -> Option<Self> {
        match option {
            Either::First(is_on) => is_on.then(Self::defaults),
            Either::Second(check) => Some(check),
        }
    }
}

/// A summary that was checked.
pub(super) struct Checked {
    pub summary: Summary,
    must: MustSurvive,
    /// Items that the model says the summary covers in other words.
    cleared: Vec<Must>,
    asked_again: bool,
    /// True if missing items are to be appended to the summary.
    completes: bool,
    min_score: Option<f64>,
}

/// Checks a finished summary, and has it written again if it is below the minimum score. `after` is the conversation
/// with a summary in place.
///
/// # Errors
/// If the call is aborted. A failed second request is only a warning.
pub(super) async fn checked(
    client: &SummaryClient<'_>,
    check: Option<SummaryCheck>,
    must: MustSurvive,
    prompt: &str,
    summary: Summary,
    after: impl Fn(&str) -> Result<Conversation, CondenseError>,
) -> Result<Checked, CondenseError> {
    let min_score = check.map(|check| check.min_score);
    let mut checked = Checked { summary, must, cleared: Vec::new(), asked_again: false, completes: false, min_score };
    let Some(check) = check else { return Ok(checked) };
    if checked.summary.expected_tokens.is_some() {
        // The model's omissions are not known yet, so the largest possible cost is planned for. With a
        // minimum score of 0 no summary is below it.
        checked.completes = check.complete && check.min_score > 0.0;
        if check.ask_again && check.min_score > 0.0 {
            checked.foresee(client, prompt);
        }
        return Ok(checked);
    }
    let missing = |checked: &Checked, text: &str| -> Result<Vec<Must>, CondenseError> {
        Ok(checked.missing(&after(text)?, text))
    };
    let mut left = missing(&checked, &checked.summary.text)?;
    if checked.is_below(&left, check) && check.ask_model {
        checked.clear(client, &mut left).await?;
    }
    if checked.is_below(&left, check) && check.ask_again {
        let told: Vec<String> = left.iter().map(Must::told).collect();
        match mend(client, prompt, &checked.summary.text, &told).await {
            Err(SummaryError::Aborted) => return Err(SummaryError::Aborted.into()),
            Err(error) => client.warnings.add(failed(&error)),
            Ok(None) => checked.asked_again = true,
            Ok(Some(text)) => {
                checked.asked_again = true;
                let again = missing(&checked, &text)?;
                if !is_blank(&text) && checked.score(&again) > checked.score(&left) {
                    (checked.summary.text, left) = (text, again);
                }
            }
        }
    }
    checked.completes = check.complete && checked.is_below(&left, check);
    Ok(checked)
}

fn failed(error: &SummaryError) -> Warning {
    let said = said!("warning.notCompleted", code: error.code(), error: error.said());
    Warning::new(WarningCode::SummaryFailed, said).caused_by(error.code()).about("summaryCheck")
}

impl Checked {
    /// Returns the items missing in `after`, whose summary is `text`.
    fn missing(&self, after: &Conversation, text: &str) -> Vec<Must> {
        let missing = self.must.missing(after, text).into_iter();
        missing.filter(|must| !self.cleared.contains(must)).cloned().collect()
    }

    fn score(&self, missing: &[Must]) -> f64 {
        self.must.score(&missing.iter().collect::<Vec<_>>())
    }

    fn is_below(&self, missing: &[Must], check: SummaryCheck) -> bool {
        self.score(missing) < check.min_score
    }

    /// Removes from `missing` the items that the model says are covered in other words.
    async fn clear(&mut self, client: &SummaryClient<'_>, missing: &mut Vec<Must>) -> Result<(), CondenseError> {
        let asked: Vec<Must> = missing.iter().filter(|must| must.has_other_words()).cloned().collect();
        if asked.is_empty() {
            return Ok(());
        }
        let texts: Vec<String> = asked.iter().map(|must| must.text().to_owned()).collect();
        match told_in_other_words(client, &self.summary.text, &texts).await {
            Err(SummaryError::Aborted) => return Err(SummaryError::Aborted.into()),
            Err(error) => client.warnings.add(failed(&error)),
            Ok(told) => self.cleared = told.into_iter().map(|place| asked[place].clone()).collect(),
        }
        missing.retain(|must| !self.cleared.contains(must));
        Ok(())
    }

    fn foresee(&self, client: &SummaryClient<'_>, prompt: &str) {
        let told: Vec<String> = self.must.all().into_iter().map(Must::told).collect();
        if told.is_empty() {
            return;
        }
        let most = foresee_mending(client, prompt, &self.summary.text, &told);
        let said = match most {
            Some(most) => said!("warning.mayAskAgainFor", most: rounded(most, 4)),
            None => said!("warning.mayAskAgain"),
        };
        client.warnings.add(Warning::new(WarningCode::SummaryIncomplete, said).about("summaryCheck"));
    }

    /// Returns the text to append to the summary, quoting missing items word for word; `None` if there is none.
    pub fn completion(&self, request: &Request, after: &Conversation, gone_tokens: usize) -> Option<String> {
        if !self.completes {
            return None;
        }
        let encoding = request.tally.encoding();
        let words = count_inside(&self.summary.text, encoding).tokens;
        let (least, most) = COMPLETION_ROOM;
        // At most half of what the summary saves is spent on its completion, so that something is saved.
        let room = (request.tally.total() / 20).clamp(least, most).min(gone_tokens.saturating_sub(words) / 2);
        let mut text = WORD_FOR_WORD.to_owned();
        let mut left = room.checked_sub(count_inside(&text, encoding).tokens)?;
        let mut is_empty = true;
        for must in self.missing(after, &self.summary.text) {
            let line = format!("\n- {}", on_line(must.text()));
            let Some(rest) = left.checked_sub(count_inside(&line, encoding).tokens) else { continue };
            (left, is_empty) = (rest, false);
            text.push_str(&line);
        }
        (!is_empty).then_some(text)
    }

    /// Returns the quality of the summary together with the `completed` text after it; `None` if it is unknown.
    pub fn quality(
        &self,
        client: &SummaryClient<'_>,
        written: &Conversation,
        completed: Option<&Conversation>,
    ) -> Option<SummaryQuality> {
        if self.summary.expected_tokens.is_some() {
            return None;
        }
        let text = &self.summary.text;
        let missing = self.missing(written, text);
        let written_score = self.score(&missing);
        let left = completed.map_or_else(|| missing.clone(), |after| self.missing(after, text));
        let score = self.score(&left);
        if self.min_score.is_some_and(|min| score < min) {
            let said = said!("warning.summaryMisses", score: rounded(100.0 * score, 0), count: left.len());
            client.warnings.add(Warning::new(WarningCode::SummaryIncomplete, said).about("summaryCheck.minScore"));
        }
        let completed = missing.len() - left.len().min(missing.len());
        let missing = left.iter().map(|must| MissingText { kind: must.kind, text: must.text().to_owned() }).collect();
        Some(SummaryQuality { score, missing, written_score, asked_again: self.asked_again, completed })
    }
}
