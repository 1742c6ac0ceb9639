// The review queue: what the server says of it, and the labels that are sent to it one after another.
import { signal } from "@preact/signals";
import { changed, go, param, place, replace } from "./state";
import type { ReviewItemView, ReviewQueueView, ReviewRow } from "./view";

export type Verdict = 1 | 0 | null;

export const queue = signal<ReviewQueueView | null>(null);
export const item = signal<ReviewItemView | null>(null);
/** What could not be read or saved, and why. */
export const failure = signal("");
/** What was done last, for people who do not see the page. */
export const said = signal("");
/** Notes that were written and not saved yet, by answer. */
export const notes = signal<Record<string, string>>({});

const STORED = "ragauge-rater";
const saved: { key: string; label: string }[] = [];

export const rater = signal(storedName());

function storedName(): string {
  try {
    return localStorage.getItem(STORED) ?? "";
  } catch {
    return ""; // a browser without storage: the name lasts as long as the page
  }
}

// One request after another: a key that is pressed while a label is being saved works on what comes after it.
let work: Promise<void> = Promise.resolve();
function then(task: () => Promise<void>): void {
  work = work.then(task).catch((error: Error) => {
    failure.value = error.message;
  });
}

async function ask<T>(address: string, sent?: object): Promise<T> {
  const how = sent && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sent) };
  let response: Response;
  try {
    response = await fetch(address, how || undefined);
  } catch {
    throw new Error(`${sent ? "not saved: " : ""}the server does not answer; is ragauge review serve still running?`);
  }
  if (!response.ok) {
    const why = (await response.text()).replace(/^\d+ /, "").trim();
    throw new Error(sent ? `not saved: ${why}` : why);
  }
  failure.value = "";
  return (await response.json()) as T;
}

/** The query that says who asks. */
export const named = () => (rater.value ? `?rater=${encodeURIComponent(rater.value)}` : "");

async function readQueue(): Promise<void> {
  queue.value = await ask<ReviewQueueView>(`/review/queue${named()}`);
  rater.value = queue.value.rater;
}

async function readItem(): Promise<void> {
  const key = param("item");
  if (!key) item.value = null;
  else if (item.value?.key !== key) item.value = await ask<ReviewItemView>(`/review/item/${encodeURIComponent(key)}${named()}`);
}

/** Read the queue, and open the answer of the address, or the first that is to be labelled. */
export function load(): void {
  then(async () => {
    item.value = null;
    await readQueue();
    const rows = queue.value!.rows;
    if (!rows.some((row) => row.key === param("item"))) {
      replace(changed({ item: rows.find((row) => row.task !== "done")?.key ?? null }));
    }
    await readItem();
  });
}

/** Show the answer that the address names. */
export function show(): void {
  then(readItem);
}

export function rename(name: string): void {
  if (!name.trim() || name === rater.value) return;
  rater.value = name.trim();
  saved.length = 0;
  try {
    localStorage.setItem(STORED, rater.value);
  } catch {
    // a browser without storage
  }
  load();
}

export function label(value: Verdict): void {
  const seen = item.value?.key;
  then(async () => {
    const now = item.value;
    // Another answer came up since the key was pressed: nobody has read that one.
    if (!now || now.key !== seen || now.key !== param("item")) return;
    if (now.own) {
      said.value = "The label is saved. Undo it to change it.";
      return;
    }
    const note = notes.value[now.key] ?? "";
    const settles = now.task === "settle";
    item.value = await ask<ReviewItemView>("/review/label", { key: now.key, rater: rater.value, value, note, settles });
    const own = item.value.own!;
    saved.push({ key: now.key, label: own.label });
    notes.value = { ...notes.value, [now.key]: "" };
    said.value = `Saved: ${own.says}, by ${own.rater}.`;
    mark(now.key, { task: "done", own: own.says });
  });
}

/** Take back the label of the answer that is shown, or else the last one, and show its answer. */
export function undo(): void {
  then(async () => {
    const now = item.value;
    const last = now?.own ? { key: now.key, label: now.own.label } : saved.at(-1);
    if (!last) {
      said.value = "There is nothing to undo.";
      return;
    }
    const found = await ask<ReviewItemView>("/review/undo", { ...last, rater: rater.value });
    const at = saved.findIndex((each) => each.label === last.label);
    if (at >= 0) saved.splice(at, 1);
    item.value = found;
    said.value = "Taken back.";
    mark(last.key, { task: found.task, own: "" });
    if (param("item") !== last.key) replace(changed({ item: last.key }));
  });
}

/** Show the next answer that is to be labelled; at the end those that were skipped. */
export function next(): void {
  then(async () => {
    await readQueue(); // others label too
    const rows = queue.value!.rows;
    const at = rows.findIndex((row) => row.key === param("item"));
    const order = [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))];
    const found = order.find((row) => row.task !== "done");
    const isLeft = found ?? (rows[at]?.task !== "done" ? rows[at] : undefined);
    said.value = "";
    await open(isLeft?.key ?? null);
  });
}

/** Go to an answer as a step of the history, and wait until it is there. */
async function open(key: string | null): Promise<void> {
  if (param("item") !== (key ?? "")) {
    const arrived = new Promise((resolve) => addEventListener("hashchange", resolve, { once: true }));
    go(changed({ item: key }));
    await arrived;
  }
  await readItem();
}

/** Show the answer some places further on, labelled or not. */
export function move(by: number): void {
  const rows = queue.value?.rows ?? [];
  const at = rows.findIndex((row) => row.key === place.value.params.get("item"));
  const found = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  if (found) go(changed({ item: found.key }));
}

function mark(key: string, what: Partial<ReviewRow>): void {
  const now = queue.value!;
  queue.value = { ...now, rows: now.rows.map((row) => (row.key === key ? { ...row, ...what } : row)) };
}
