// Outputs of many sizes, of characters of one to four bytes, at the borders of what Codex cuts.

const texts = {
  lines: (bytes) => {
    let text = "";
    for (let line = 0; text.length < bytes; line++) text += `${line} abcdefgh\n`;
    return text.slice(0, bytes);
  },
  euros: (bytes) => `a${"€".repeat(bytes / 3)}`,
  eurosThenAscii: (bytes) => `${"€".repeat(bytes / 3)}ab`,
  faces: (bytes) => `ab${"😀".repeat(bytes / 4)}`,
  mixed: (bytes) => "aé€😀\u0000\n".repeat(bytes / 12),
};
const SIZES = [
  0, 1, 11_990, 11_999, 12_000, 12_001, 12_003, 12_005, 12_010, 30_000, 47_990, 47_999, 48_000, 48_001, 48_003, 48_005, 48_007, 60_000,
  100_003,
];

const text = (value) => ({ type: "input_text", text: value });
const image = {
  type: "input_image",
  image_url: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  detail: "high",
};
const { lines, eurosThenAscii } = texts;
const LISTS = [
  [text(lines(12_000))],
  [text(lines(12_001))],
  [text(lines(6000)), text(lines(6000)), text("x")],
  [text(lines(6000)), text(lines(6001))],
  [text(lines(48_000)), text("a")],
  [text(lines(47_997)), text("abc"), text("a"), text("b")],
  [text(lines(20_001)), text(lines(27_996)), text("abcd"), text("e")],
  [image, text(lines(60_000)), image, text("b"), text("")],
  [text(""), text(lines(12_000)), text("")],
  [text(lines(48_000)), text("")],
  [text(eurosThenAscii(30_000)), text(eurosThenAscii(30_000))],
  [text(lines(11_998)), text("€€")],
  [text(lines(47_996)), text("€€€")],
];

/** All of them, texts first. */
export const outputs = () => [...Object.values(texts).flatMap((write) => SIZES.map(write)), ...LISTS];
