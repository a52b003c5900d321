//! Texts for the tests: a large mixed one, random ones that are difficult for tokenizers, and hostile ones.

use proptest::prelude::*;

/// Code in several languages, prose, scripts, data and odd white space, with varying numbers and names: about `bytes`
/// bytes.
pub(super) fn mixed(bytes: usize) -> String {
    let mut text = String::new();
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move || {
        // xorshift64: the same text every time.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    while text.len() < bytes {
        let (n, kind) = (random() % 100_000, random() % 16);
        let name = ["parseHTTPRequest", "total_count", "XMLDocument", "größe", "user's", "naïveBayes", "日本語", "_x"]
            [(random() % 8) as usize];
        match kind {
            0 => {
                text += &format!(
                    "fn {name}_{n}(input: &str) -> Result<Vec<u8>, Error> {{\n    let x = input.len() + {n}; // why {name}\n    Ok(vec![0x{n:x}; x])\n}}\n\n"
                );
            }
            1 => {
                text += &format!(
                    "def {name}{n}(self, *args, **kwargs):\n\t\"\"\"It's {name}'s doc, isn't it? WE'LL see, I'm sure they'd've.\"\"\"\n\treturn [i for i in range({n}) if i % 3 != 0]\n\n\n"
                );
            }
            2 => {
                text += &format!(
                    "export const {name} = async ({{ id, url }}: Props) => {{\r\n  const res = await fetch(`https://example.org/api/v{n}/${{id}}?q=a%20b`);\r\n  return res?.json() ?? null;\r\n}};\r\n"
                );
            }
            3 => {
                text += &format!(
                    "{{\"id\":{n},\"name\":\"{name}\",\"tags\":[\"a\",\"b\",null,true,{n}.5e-7],\"nested\":{{\"k\":\"v\\n\\u00e9\"}}}}\n"
                );
            }
            4 => {
                text += &format!(
                    "2024-03-{:02}T12:{:02}:{:02}.{n:06}Z ERROR [worker-{n}] /srv/app/{name}.rs:{n}: connection reset (os error 104)\n",
                    n % 28 + 1,
                    n % 60,
                    n % 59
                );
            }
            5 => {
                text += "春はあけぼの。やうやう白くなりゆく山ぎは、少し明かりて、紫だちたる雲の細くたなびきたる。\n中文没有空格，但是有标点符号。한국어는 띄어쓰기가 있습니다.\n";
            }
            6 => text += "Émojis 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇫🇷 — “quotes” … «guillemets» ½ ² Ⅻ ① ٣٤ हिन्दी में लिखा עברית العربية ไทย\n",
            7 => {
                for _ in 0..8 {
                    let mut word = random();
                    for _ in 0..10 {
                        text.push(
                            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(word % 64) as usize]
                                as char,
                        );
                        word /= 64;
                    }
                }
                text += "==\n";
            }
            8 => {
                text += "a  b   c\t\td \n \n\n  \r\n\r\n\t\n\u{a0}x\u{3000}y\u{2028}z\u{85}w   \n/path\n//comment\n/* block */\n\u{b}\u{c}";
            }
            9 => {
                text += &format!(
                    "<file path=\"src/{name}.ts\">\n  1 | import x from './y'\n  2 | \n{n:>5} |   return `${{x}}`\n</file>\n"
                );
            }
            10 => {
                text += &format!(
                    "diff --git a/{name} b/{name}\n@@ -{n},7 +{n},7 @@\n-  old {name} line\n+  new {name}  line\n \n"
                );
            }
            11 => {
                text += "The quick brown fox doesn't jump; it's the dog's turn. Don'ſ stop, I'ſ said — 'ſo be it'. JOHN'S CAN'T YOU'RE\n";
            }
            12 => {
                text += &format!(
                    "SELECT * FROM {name} WHERE id={n} AND price>={n}.99 ORDER BY 1;--{}\n",
                    "=".repeat((n % 90) as usize)
                );
            }
            13 => text += "e\u{301}a\u{308}\u{323} Z̷̢̛a̸l̴g̵o̶ \u{200d}\u{feff}\u{0}\u{7f}\u{1b}[31mred\u{1b}[0m\n",
            14 => text += &" ".repeat((n % 40) as usize),
            _ => text += &format!("{}\n", "\t".repeat((n % 12) as usize)),
        }
    }
    text
}

/// Short random texts of parts that decide where words end.
pub(super) fn tricky() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => prop::sample::select(vec![
            " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "\u{a0}", "\u{3000}", "\u{85}", "\u{2028}", "/", "//", "'", "''", "\"", "'s", "'S",
            "'t", "'RE", "'ve", "'ll", "'d", "'m", "'ſ", "I'ſ", " I'", "'ſs", "ſ", "n't", "_'", "=", "==", "...", "}", ");", "<|endoftext|>", "\\n",
        ]).prop_map(str::to_owned),
        4 => "[a-z]{1,6}",
        3 => "[A-Z]{1,4}",
        3 => "[0-9]{1,5}",
        2 => "[\\p{Lu}\\p{Ll}\\p{Lt}\\p{Lm}\\p{Lo}]{1,3}",
        2 => "[\\p{M}\\p{N}]{1,2}",
        2 => "[\\p{S}\\p{P}]{1,3}",
        1 => "[\\p{Z}\\p{C}]{1,2}",
        2 => "[一-龥ぁ-んァ-ヶ가-힣、。Ａ-Ｚａ-ｚ]{1,4}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// Texts of at least `bytes` bytes that make tokenizers slow or panic.
pub(super) fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let repeated = |unit: &str| unit.repeat(bytes.div_ceil(unit.len()));
    let base64 = |text: &str| {
        mixed(bytes * 4).chars().filter(char::is_ascii_alphanumeric).collect::<String>()[..bytes].to_owned() + text
    };
    vec![
        ("blanks", repeated(" ")),
        ("blanks, then a word", repeated(" ") + "x"),
        ("tabs", repeated("\t")),
        ("equals signs", repeated("=")),
        ("one small letter", repeated("a")),
        ("one capital letter", repeated("A")),
        ("one Han character", repeated("漢")),
        ("hiragana", repeated("あいうえお")),
        ("alphanumeric, no cut", base64("")),
        ("line feeds", repeated("\n")),
        ("carriage returns and line feeds", repeated("\r\n")),
        ("slashes and line feeds", repeated("\n/")),
        ("combining marks", repeated("\u{301}")),
        ("a letter, then combining marks", "e".to_owned() + &repeated("\u{301}")),
        ("long s", repeated("ſ")),
        ("apostrophe, long s", repeated("'ſ")),
        ("words with long s", repeated("don'ſ ")),
        ("apostrophes", repeated("'")),
        ("no-break spaces", repeated("\u{a0}")),
        ("NUL", repeated("\0")),
        ("emoji family", repeated("👩\u{200d}👩\u{200d}👧")),
        ("capital and small, no cut", repeated("aB")),
    ]
}
