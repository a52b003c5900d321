//! What the pointers of the lossless provider look like and cost, on the conversations of a folder: how many there are, their tokens, what other
//! wordings of the same pointers would take, and some of them with the lines around, to be read by eye.
//!
//! `cargo run --release --no-default-features --example pointers -- DIR [HOW_MANY_TO_SHOW]`

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use roo_condense::{
    Cancel, Conversation, Encoding, Request, Settled, Tally, count_tokens, create_provider, decode, settle,
};
use serde_json::{Value, json};

/// A wording, as a function of what a pointer says: lines, direction, quote, and the first number that the target shows.
type Wording = fn(usize, &str, &str, Option<usize>) -> String;

const WORDINGS: &[(&str, Wording)] = &[
    ("[34 lines as below from \"…\"]", |lines, direction, quote, _| {
        format!("[{lines} lines as {direction} from \"{quote}\"]")
    }),
    ("[34 lines: see below from \"…\"]", |lines, direction, quote, _| {
        format!("[{lines} lines: see {direction} from \"{quote}\"]")
    }),
    ("[Same 34 lines as below, from \"…\" on]", |lines, direction, quote, _| {
        format!("[Same {lines} lines as {direction}, from \"{quote}\" on]")
    }),
    ("[34 lines stand below from \"…\"]", |lines, direction, quote, _| {
        format!("[{lines} lines stand {direction} from \"{quote}\"]")
    }),
    ("[Lines 12-45 as below from \"…\"]", |lines, direction, quote, number| match number {
        Some(first) => format!("[Lines {first}-{} as {direction} from \"{quote}\"]", first + lines - 1),
        None => format!("[{lines} lines as {direction} from \"{quote}\"]"),
    }),
    ("[34 lines as below from \"12→…\"]", |lines, direction, quote, number| match number {
        Some(first) => format!("[{lines} lines as {direction} from \"{first}→{quote}\"]"),
        None => format!("[{lines} lines as {direction} from \"{quote}\"]"),
    }),
    ("[34 lines as below from \"…\"], quotes of half the length", |lines, direction, quote, _| {
        let half: String = quote.chars().take(quote.chars().count() / 2).collect();
        format!("[{lines} lines as {direction} from \"{half}\"]")
    }),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().ok_or("Name a folder of conversations.")?;
    let shown: usize = arguments.next().map_or(Ok(0), |count| count.parse())?;
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.sort();
    let mut parts: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    let mut tokens = vec![0; WORDINGS.len()];
    let (mut pointers, mut lines, mut all_tokens, mut seen) = (0, 0, 0, Vec::new());
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json")) {
        let conversation = read(file)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (inline, all) = (condense(&conversation, json!({ "strict": true })), condense(&conversation, json!({})));
        if decode(&inline.conversation) != decode(&conversation) {
            return Err(format!("{name} does not read back").into());
        }
        let whole = tally(&conversation).total();
        all_tokens += whole;
        let saved = |settled: &Settled| 100.0 * (whole - settled.tally.total()) as f64 / whole as f64;
        let part = name.split("--").next().unwrap_or_default().to_owned();
        println!("{name:50} inline {:5.2}%  all {:5.2}%", saved(&inline), saved(&all));
        parts.entry(part).or_default().push((saved(&inline), saved(&all)));
        let texts: Vec<String> = inline
            .conversation
            .messages()
            .flat_map(|message| message.texts().into_iter().map(|text| text.text.to_owned()).collect::<Vec<_>>())
            .collect();
        for (at, text) in texts.iter().enumerate() {
            let of_text: Vec<&str> = text.lines().collect();
            for (row, line) in of_text.iter().enumerate() {
                let Some((count, direction, quote)) = pointer(line) else { continue };
                pointers += 1;
                lines += count;
                let number = texts[at..].iter().flat_map(|text| text.lines()).find_map(|line| {
                    let rest = line.trim_start();
                    let (number, rest) = rest.split_once('→')?;
                    rest.trim_start().starts_with(quote).then(|| number.parse().ok())?
                });
                for (tokens, (_, wording)) in tokens.iter_mut().zip(WORDINGS) {
                    *tokens += count_tokens(&wording(count, direction, quote, number), Encoding::O200kBase).tokens;
                }
                seen.push((name.clone(), of_text[row.saturating_sub(2)..(row + 3).min(of_text.len())].join("\n")));
            }
        }
    }
    println!("\nMeans");
    for (part, rows) in &parts {
        let mean = |of: fn(&(f64, f64)) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
        println!(
            "{part:20} {:3} conversations  inline {:5.2}%  all {:5.2}%",
            rows.len(),
            mean(|row| row.0),
            mean(|row| row.1)
        );
    }
    println!("\n{pointers} references to {lines} lines, in {all_tokens} tokens; their own tokens by wording:");
    for ((wording, _), tokens) in WORDINGS.iter().zip(tokens) {
        println!("    {wording:60} {tokens:7}, {:5.1} each", tokens as f64 / f64::from(pointers.max(1)));
    }
    let step = (seen.len() / shown.max(1)).max(1);
    for (name, around) in seen.iter().step_by(step).take(shown) {
        println!("\n──── {name}\n{around}");
    }
    Ok(())
}

/// Lines, direction and quote of a line that is a reference.
fn pointer(line: &str) -> Option<(usize, &str, &str)> {
    let inside = line[line.find('[')? + 1..].strip_suffix("\"]")?;
    let (lines, rest) = inside.split_once(" line")?;
    let (direction, quote) = rest.split_once(" as ")?.1.split_once(" from \"")?;
    Some((lines.parse().ok()?, direction, quote))
}

fn read(file: &Path) -> Result<Conversation, Box<dyn Error>> {
    let json: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let messages = if json.is_array() { &json } else { &json["messages"] };
    Ok(Conversation::parse(&messages.to_string())?)
}

fn tally(conversation: &Conversation) -> Tally {
    Tally::count(conversation, Encoding::O200kBase, &Cancel::default()).expect("nobody cancels")
}

fn condense(conversation: &Conversation, config: Value) -> Settled {
    let request = Request::new(conversation.clone(), tally(conversation));
    let provider = create_provider("lossless", &Value::Null).expect("it is built in");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime of this thread");
    let proposal = runtime.block_on(provider.propose(&request, &config)).expect("lossless does not fail");
    settle(&request, "lossless", &proposal).expect("it settles")
}
