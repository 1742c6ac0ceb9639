// The places in an answer and its contexts that evidence points at.
import { type Item, kindOf } from "./kinds";
import type { Span } from "./marks";
import type { BestSentence, Claim, FoundAnchor, MetricView, Span as TextSpan } from "./view";

type Stored = [number, Item][];

/** What the evidence points at in the contexts: quotes, supporting places, closest sentences. */
export function spansInContexts(stored: Stored, columns: MetricView[]): Map<number, Span[]> {
  const found = new Map<number, Span[]>();
  const add = (context: unknown, start: unknown, end: unknown, title: string) => {
    if (typeof context !== "number" || typeof start !== "number" || typeof end !== "number") return;
    found.set(context, [...(found.get(context) ?? []), { start, end, kind: "quote", title }]);
  };
  for (const [column, evidence] of stored) {
    const name = columns.find((metric) => metric.column === column)?.name ?? "";
    for (const value of Object.values(evidence)) {
      const kind = kindOf(value);
      if (kind === "claims") for (const each of value as Claim[]) add(each.context, each.start, each.end, `${name}: ${each.claim}`);
      if (kind === "anchors") for (const each of value as FoundAnchor[]) add(each.by?.context, each.by?.start, each.by?.end, `${name}: ${each.text}`);
      if (kind === "best_sentences") {
        for (const each of value as BestSentence[]) add(each.context, each.context_start, each.context_end, `${name}: closest sentence`);
      }
    }
  }
  return found;
}

/** What no context supports in the answer. */
export function spansInAnswer(stored: Stored, columns: MetricView[]): Span[] {
  const found: Span[] = [];
  for (const [column, evidence] of stored) {
    const name = columns.find((metric) => metric.column === column)?.name ?? "";
    if (kindOf(evidence.unsupported) === "spans") {
      for (const each of evidence.unsupported as TextSpan[]) {
        found.push({ start: each.start, end: each.end, kind: "unsupported", title: `${name}: no context supports this` });
      }
    }
    if (kindOf(evidence.anchors) === "anchors") {
      for (const each of evidence.anchors as FoundAnchor[]) {
        if (!each.supported) found.push({ start: each.start, end: each.end, kind: "unsupported", title: `${name}: no context supports this` });
      }
    }
  }
  return found;
}
