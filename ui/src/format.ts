// Numbers in the language of the page.

export interface Format {
  number(value: number): string;
  /** Returns savings as a difference: −12, or +5 for a growth. */
  less(saved: number): string;
  /** Returns a short form for labels of axes: 171k. */
  compact(value: number): string;
  /** Returns a share from 0 to 100. */
  percent(value: number): string;
  dollars(value: number): string;
  duration(ms: number): string;
  bytes(count: number): string;
  /** Returns a time in milliseconds in the largest unit that fits. */
  ago(ms: number): string;
}

/** Matches numbers with which the library counts something in an English sentence; others, such as those in file names, are left alone. */
const COUNTED = /(?<![\w.,:/#-])\d{4,}(?=(?: more| other)? (?:tokens?|lines?|characters?|messages?|blocks?)\b)/g;

/** Adds separators to the numbers in a sentence of the library. */
export const withSeparators = (sentence: string): string => sentence.replace(COUNTED, (digits) => Number(digits).toLocaleString("en"));

const AGES = [
  [365 * 86_400_000, "year"],
  [30 * 86_400_000, "month"],
  [7 * 86_400_000, "week"],
  [86_400_000, "day"],
  [3_600_000, "hour"],
] as const;

export function createFormat(language: string): Format {
  const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const money = new Intl.NumberFormat(language, { style: "currency", currency: "USD", minimumFractionDigits: 4, maximumFractionDigits: 4 });
  const unit = (name: string, digits: number) =>
    new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: digits });
  const [ms, s, kb, mb] = [unit("millisecond", 0), unit("second", 1), unit("kilobyte", 0), unit("megabyte", 1)];
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  return {
    ago: (ms) => {
      const [size, unitName] = AGES.find(([one]) => ms >= one) ?? [60_000, "minute" as const];
      return relative.format(-Math.floor(ms / size), unitName);
    },
    number: (value) => whole.format(value),
    less: (saved) => `${saved < 0 ? "+" : "−"}${whole.format(Math.abs(saved))}`,
    compact: (value) => short.format(value),
    percent: (value) => share.format(value / 100),
    dollars: (value) => money.format(value),
    duration: (value) => (value < 1000 ? ms.format(value) : s.format(value / 1000)),
    bytes: (count) => (count < 1e6 ? kb.format(count / 1e3) : mb.format(count / 1e6)),
  };
}
