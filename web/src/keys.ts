// One table of keys: handlers, tooltips and the sheet behind ? come from it.
import { go, helpIsOpen, href, place, toggleTheme, type ViewName, VIEWS } from "./state";

export interface Key {
  keys: string[];
  does: string;
  /** The views in which it works; everywhere if it is left out. */
  in?: ViewName[];
  run: () => void;
}

/** What the views add: functions that know what is on the screen. */
export const actions: Partial<Record<Action, () => void>> = {};
export type Action = "next" | "previous" | "open" | "close" | "search" | "diff" | "why" | "swap" | ReviewAction;
export type ReviewAction = "match" | "contradict" | "unsure" | "note" | "contexts" | "undo" | "advance";

const act = (name: Action) => () => actions[name]?.();

const review = (keys: string[], does: string, name: ReviewAction): Key => ({ keys, does, in: ["review"], run: act(name) });

const REVIEW_KEYS: Key[] = [
  review(["1", "y"], "Match", "match"),
  review(["2", "n", "0"], "Contradict", "contradict"),
  review(["u"], "Unsure", "unsure"),
  review(["w"], "Write a note", "note"),
  review(["c"], "Show the contexts", "contexts"),
  review(["z"], "Undo the last label", "undo"),
  review(["Enter"], "Next answer to label", "advance"),
];

const REPORT: ViewName[] = ["overview", "compare", "questions"];
const ALL_KEYS: Key[] = [
  ...REVIEW_KEYS,
  { keys: ["1", "o"], does: "Overview", in: REPORT, run: () => go(href("overview")) },
  { keys: ["2", "c"], does: "Compare", in: REPORT, run: () => go(href("compare")) },
  { keys: ["3", "q"], does: "Questions", in: REPORT, run: () => go(href("questions")) },
  { keys: ["j", "ArrowDown"], does: "Next question", in: ["questions", "review"], run: act("next") },
  { keys: ["k", "ArrowUp"], does: "Previous question", in: ["questions", "review"], run: act("previous") },
  { keys: ["Enter"], does: "Open the question", in: ["questions"], run: act("open") },
  { keys: ["Escape"], does: "Close the question, or this sheet", run: () => (helpIsOpen.value ? (helpIsOpen.value = false) : actions.close?.()) },
  { keys: ["/"], does: "Write a filter", in: ["questions"], run: act("search") },
  { keys: ["d"], does: "Mark words that differ from the reference", in: ["questions"], run: act("diff") },
  { keys: ["e"], does: "Show why each score is what it is", in: ["questions"], run: act("why") },
  { keys: ["s"], does: "Swap the baseline and the other system", in: ["compare"], run: act("swap") },
  { keys: ["t"], does: "Light or dark", run: toggleTheme },
  { keys: ["?"], does: "This sheet", run: () => (helpIsOpen.value = !helpIsOpen.value) },
];
/** The keys of this page: those that work in one of its views. */
export const KEYS = ALL_KEYS.filter((each) => !each.in || each.in.some((name) => VIEWS.includes(name)));

const NAMES: Record<string, string> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

export function keyName(key: string): string {
  return NAMES[key] ?? key;
}

/** The tooltip of something that a key does too: "Overview (1 or o)". */
export function tooltip(does: string): string {
  const found = KEYS.find((each) => each.does === does);
  return found ? `${does} (${found.keys.map(keyName).join(" or ")})` : does;
}

export function listen(): void {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const isTyping = target.closest("input, select, textarea") !== null;
    if (isTyping && event.key === "Escape") {
      target.blur();
      event.preventDefault();
      return;
    }
    if (isTyping) return;
    // Enter and the arrows belong to a button or link that has the focus.
    if (event.key === "Enter" && target.closest("a, button, summary")) return;
    // In a long text the arrows scroll.
    if (event.key.startsWith("Arrow") && target.closest(".detail")) return;
    const found = KEYS.find(
      (each) => each.keys.includes(event.key) && (!each.in || each.in.includes(place.value.view)),
    );
    if (!found) return;
    // A key that is held down labels one answer.
    if (event.repeat && place.value.view === "review") return;
    event.preventDefault();
    found.run();
  });
}
