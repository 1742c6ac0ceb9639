// Texts with marked spans, and words that differ between two texts.
import { diffWordsWithSpace } from "diff";

export interface Span {
  start: number;
  end: number;
  kind: string;
  title?: string;
}

/** The text with its spans marked; positions count code points. Of overlapping spans the first is kept. */
export function Marked({ text, spans }: { text: string; spans: Span[] }) {
  if (!spans.length) return <>{text}</>;
  const chars = /[\ud800-\udbff]/.test(text) ? Array.from(text) : null;
  const part = (start: number, end?: number) => (chars ? chars.slice(start, end).join("") : text.slice(start, end));
  const out: preact.ComponentChildren[] = [];
  let at = 0;
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.start < at || span.end <= span.start) continue;
    out.push(part(at, span.start));
    out.push(
      <mark key={span.start} class={span.kind} title={span.title}>
        {part(span.start, span.end)}
      </mark>,
    );
    at = span.end;
  }
  out.push(part(at));
  return <>{out}</>;
}

/** A short piece of a text around a span, which is marked. */
export function Snippet({ text, start, end, around = 90 }: { text: string; start: number; end: number; around?: number }) {
  const chars = Array.from(text);
  const from = Math.max(0, start - around);
  const to = Math.min(chars.length, end + around);
  return (
    <span class="snippet">
      {from > 0 && "…"}
      {chars.slice(from, start).join("")}
      <mark class="quote">{chars.slice(start, end).join("")}</mark>
      {chars.slice(end, to).join("")}
      {to < chars.length && "…"}
    </span>
  );
}

const MAX_DIFF = 20_000;

/** The answer with the words that only it has, and those that only the reference has. */
export function WordDiff({ answer, references }: { answer: string; references: string[] }) {
  if (answer.length > MAX_DIFF || references.some((each) => each.length > MAX_DIFF)) return <>{answer}</>;
  const best = references
    .map((reference) => diffWordsWithSpace(reference, answer))
    .sort((a, b) => changedLength(a) - changedLength(b))[0];
  if (!best) return <>{answer}</>;
  return (
    <>
      {best.map((part, at) =>
        part.added ? (
          <ins key={at}>{part.value}</ins>
        ) : part.removed ? (
          <del key={at}>{part.value}</del>
        ) : (
          <span key={at}>{part.value}</span>
        ),
      )}
    </>
  );
}

function changedLength(parts: { added?: boolean; removed?: boolean; value: string }[]): number {
  return parts.reduce((sum, part) => sum + (part.added || part.removed ? part.value.length : 0), 0);
}
