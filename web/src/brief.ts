// The reason of a score in a few words, from its evidence.
import { isItem, type Item, kindOf } from "./kinds";
import type { Claim, Criterion, Hit, RefusalMatch, Relevance } from "./view";

const BRIEF_LENGTH = 140;

/** The reason in a few words; empty if only the full evidence says it. */
export function briefly(evidence: Item): string {
  const text = brief(evidence);
  return text.length > BRIEF_LENGTH ? `${text.slice(0, BRIEF_LENGTH - 1)}…` : text;
}

function brief(evidence: Item): string {
  if (typeof evidence.why === "string") return evidence.why;
  if (typeof evidence.class === "string") return `${evidence.class}${evidence.reason ? `: ${String(evidence.reason)}` : ""}`;
  if (typeof evidence.grade === "string") return `grade ${evidence.grade}`;
  for (const [name, value] of Object.entries(evidence)) {
    const items = value as never[];
    switch (kindOf(value)) {
      case "claims":
        return `${(items as Claim[]).filter((item) => item.supported).length} of ${items.length} claims supported`;
      case "relevance":
        return `${(items as Relevance[]).filter((item) => item.relevant).length} of ${items.length} contexts relevant`;
      case "criteria":
        if (name === "grades") {
          return (items as Criterion[]).map((item) => `${item.criterion} ${item.verdict}`).join(", ");
        }
        return `${(items as Criterion[]).filter((item) => item.verdict === "met").length} of ${items.length} criteria met`;
      case "hits":
        return `found at rank ${(items as Hit[]).map((item) => item.rank).join(", ")}`;
      case "refusals":
        return `“${(items as RefusalMatch[])[0]!.words}”`;
    }
  }
  const [lost, what] = Array.isArray(evidence.invented) ? [evidence.invented, "invented"] : [evidence.unmatched ?? evidence.missing, "lacks"];
  const kept = evidence.supported ?? evidence.matched;
  if (Array.isArray(lost) && Array.isArray(kept)) {
    const n = `${kept.length} of ${kept.length + lost.length}`;
    return lost.length ? `${n}, ${what} ${lost.join(", ")}` : n;
  }
  if (Array.isArray(evidence.hits) && !evidence.hits.length) return "nothing relevant found";
  const weakest = evidence.weakest as Item | undefined;
  if (weakest && typeof weakest.sentence === "string") return `weakest: ${weakest.sentence}`;
  if (Array.isArray(evidence.found) && evidence.found.length) {
    return evidence.found.map((each) => (isItem(each) ? String(each.name) : String(each))).join(", "); // a tool call by its name
  }
  if (typeof evidence.precision === "number" && typeof evidence.recall === "number") {
    return `precision ${evidence.precision.toFixed(2)}, recall ${evidence.recall.toFixed(2)}`;
  }
  return "";
}
