// Numbers as Python shows them, so that the page and the terminal have the same digits.
import type { MetricView, RunView } from "./view";

/** A number with this many decimals, halves to even as in Python's format. */
export function fixed(value: number, digits: number): string {
  const isHalf = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs((value * 10 ** digits) % 1) === 0.5;
  if (!isHalf) return value.toFixed(digits);
  const below = Math.floor(value * 10 ** digits);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
}

/** A metric's value on the suite's scale. */
export function shown(metric: MetricView, value: number | null | undefined, digits = metric.digits): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (metric.label === "cost_usd" && value > 0 && value < 1) digits = Math.max(digits, 1 - Math.floor(Math.log10(value)));
  return fixed(value * metric.scale, digits);
}

/** At most two decimals: for lists. */
export function short(metric: MetricView, value: number): string {
  return shown(metric, value, Math.min(metric.digits, 2));
}

export function signed(metric: MetricView, value: number, digits = Math.min(metric.digits, 3)): string {
  const text = shown(metric, Math.abs(value), digits);
  if (!/[1-9]/.test(text)) return text; // too small for these digits to have a sign
  return value > 0 ? `+${text}` : `−${text}`;
}

export function count(n: number): string {
  return n.toLocaleString("en-US");
}

export function counted(n: number, noun: string): string {
  return `${count(n)} ${n === 1 ? noun : plural(noun)}`;
}

export function plural(noun: string): string {
  return `${noun.replace(/y$/, "ie")}s`;
}

const OF_RANKINGS: Record<string, string> = { question: "query", answer: "ranking", system: "run" };

/** What rankings call a question, an answer or a system. */
export function noun(run: RunView, name: "question" | "answer" | "system"): string {
  return run.of === "rankings" ? OF_RANKINGS[name]! : name;
}

export function pValue(p: number): string {
  return p < 0.001 ? "p\u00a0<\u00a00.001" : `p\u00a0=\u00a0${p.toFixed(3)}`;
}

/** A part of a text between positions that count code points, as Python's do. */
export function slice(text: string, start: number, end?: number): string {
  // Only texts with characters beyond the first plane need the slow way.
  return /[\ud800-\udbff]/.test(text) ? Array.from(text).slice(start, end).join("") : text.slice(start, end);
}
