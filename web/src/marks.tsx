// Texts with marked spans, and words that differ between two texts.
import { diffWordsWithSpace } from "diff";
import { type Block, blocks, type Leaf } from "./markdown";

export interface Span {
  start: number;
  end: number;
  kind: string;
  title?: string;
}

/** The text with its spans marked; positions count code points. Of overlapping spans the first is kept. */
export function Marked({ text, spans }: { text: string; spans: Span[] }) {
  return <>{marker(text, spans)(0, text.length)}</>;
}

/** Gives parts of a text with their spans marked; the parts must be asked for in their order. */
function marker(text: string, spans: Span[]) {
  const marks = disjoint(text, spans);
  let next = 0;
  return (start: number, end: number): preact.ComponentChildren[] => {
    const out: preact.ComponentChildren[] = [];
    let at = start;
    for (; next < marks.length && marks[next]!.start < end; next++) {
      const mark = marks[next]!;
      const [from, to] = [Math.max(mark.start, at), Math.min(mark.end, end)];
      if (from < to) {
        out.push(
          text.slice(at, from),
          <mark key={from} class={mark.kind} title={mark.title}>
            {text.slice(from, to)}
          </mark>,
        );
        at = to;
      }
      if (mark.end > end) break; // it goes on in the next part
    }
    return [...out, text.slice(at, end)];
  };
}

/** The spans in their order, without those that overlap one before, as positions in JavaScript's text. */
function disjoint(text: string, spans: Span[]): Span[] {
  const units = /[\ud800-\udbff]/.test(text) ? [0] : null;
  if (units) for (const char of text) units.push(units.at(-1)! + char.length);
  const place = (at: number) => (units ? (units[at] ?? text.length) : at);
  let end = 0;
  const found: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (span.start < end || span.end <= span.start) continue;
    end = span.end;
    found.push({ ...span, start: place(span.start), end: place(span.end) });
  }
  return found;
}

const MAX_MARKDOWN = 100_000;

/** A text written in Markdown, with its spans marked where they are in the raw text. */
export function Markdown({ text, spans = [] }: { text: string; spans?: Span[] }) {
  if (text.length > MAX_MARKDOWN) {
    return (
      <p class="prose">
        <Marked text={text} spans={spans} />
      </p>
    );
  }
  const part = marker(text, spans);
  const leaves = (each: Leaf[]) =>
    each.map((leaf) => leaf.styles.reduce<preact.ComponentChild>((inner, Tag) => <Tag>{inner}</Tag>, <>{part(leaf.start, leaf.end)}</>));
  return <div class="markdown">{blocks(text).map((block) => shownBlock(block, leaves))}</div>;
}

function shownBlock({ kind, depth, marker: sign, rows }: Block, leaves: (each: Leaf[]) => preact.ComponentChildren) {
  if (kind === "rule") return <hr />;
  if (kind === "table") {
    return (
      <table>
        {rows.map((row, r) => (
          <tr key={r}>{row.map((cell, c) => (r ? <td key={c}>{leaves(cell)}</td> : <th key={c}>{leaves(cell)}</th>))}</tr>
        ))}
      </table>
    );
  }
  const content = rows.map((row) => row.map(leaves));
  const inset = { marginInlineStart: `${1.1 * Math.min(6, kind === "item" ? depth - 1 : depth)}rem` };
  if (kind === "code") return <pre style={inset}>{content}</pre>;
  return (
    <p dir="auto" class={`prose ${kind}`} style={inset}>
      {sign && <span class="sign">{sign}</span>}
      <span>{content}</span>
    </p>
  );
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
