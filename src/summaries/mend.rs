//! Corrects a summary that misses required content: asks a model about it, and has the summary written again.

use super::{
    client::SummaryClient,
    fence::Fence,
    prompt,
    summary_error::SummaryError,
    turns::{Turn, What, explained, question},
};
use crate::llm::{LlmRequest, LlmRole};

/// Maximum tokens of the response that lists numbers.
const VERDICT_TOKENS: u32 = 200;

/// Requests the summary once more, naming what it misses. `None` if the response was cut off.
pub(crate) async fn mend(
    client: &SummaryClient<'_>,
    system: &str,
    summary: &str,
    missing: &[String],
) -> Result<Option<String>, SummaryError> {
    let answer = client.ask(mending(client, system, summary, missing)).await?;
    Ok(answer.complete.then_some(answer.text))
}

/// Adds the most that requesting the mended summary can cost to the dry run's sum, and returns it.
pub(crate) fn foresee_mending(
    client: &SummaryClient<'_>,
    system: &str,
    summary: &str,
    missing: &[String],
) -> Option<f64> {
    client.foresee(&mending(client, system, summary, missing))
}

/// Returns the texts that the summary covers in other words, as the model sees it; none if its response is
/// unintelligible.
pub(crate) async fn told_in_other_words(
    client: &SummaryClient<'_>,
    summary: &str,
    texts: &[String],
) -> Result<Vec<usize>, SummaryError> {
    let answer = client.ask(verdict(client, summary, texts)).await?;
    Ok(if answer.complete { numbers(&answer.text, texts.len()) } else { Vec::new() })
}

fn mending(client: &SummaryClient<'_>, system: &str, summary: &str, missing: &[String]) -> LlmRequest {
    let list: Vec<String> = missing.iter().map(|text| format!("- {text}")).collect();
    asked(client, system, summary, &list.join("\n"), prompt::MEND)
}

fn verdict(client: &SummaryClient<'_>, summary: &str, texts: &[String]) -> LlmRequest {
    let list: Vec<String> = texts.iter().enumerate().map(|(index, text)| format!("{}. {text}", index + 1)).collect();
    let request = asked(client, prompt::VERDICT_ROLE, summary, &list.join("\n"), prompt::VERDICT);
    LlmRequest { max_tokens: Some(VERDICT_TOKENS), ..request }
}

fn asked(client: &SummaryClient<'_>, system: &str, summary: &str, list: &str, instruction: &str) -> LlmRequest {
    let encoding = client.context.encoding;
    let mut turns =
        vec![Turn::new(LlmRole::User, What::EarlierSummary, summary), Turn::new(LlmRole::User, What::LeftOut, list)];
    let longest_system = format!("{system}\n\n{}{instruction}", explained(&Fence::around(["[["].into_iter())));
    let room = client.room(&longest_system, client.longest_answer());
    turns.iter_mut().for_each(|turn| turn.cut(room / 2, encoding));
    let (fence, messages) = question(&turns, instruction);
    LlmRequest { system: format!("{system}\n\n{}", explained(&fence)), messages, ..LlmRequest::default() }
}

/// Returns the indices (from 0) of the numbers from 1 to `count` in a response.
fn numbers(answer: &str, count: usize) -> Vec<usize> {
    let found = answer.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse::<usize>().ok());
    let mut places: Vec<usize> = found.filter(|number| (1..=count).contains(number)).map(|number| number - 1).collect();
    places.sort_unstable();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_whatever_stands_around_them() {
        assert_eq!(numbers("1, 3 and 3", 4), [0, 2]);
        assert_eq!(numbers("none", 4), [] as [usize; 0]);
        assert_eq!(numbers("**2.** is told, 9 and 0 are not there, 99999999999999999999999", 4), [1]);
    }
}
