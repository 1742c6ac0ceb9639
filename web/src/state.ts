// Where the reader is: everything that can be chosen is in the address behind the #, so that reload, back
// and a copied link show the same.
import { signal } from "@preact/signals";
import { report } from "./data";

export type ViewName = "overview" | "compare" | "questions" | "review";
export interface Place {
  view: ViewName;
  params: URLSearchParams;
}

/** The views that the page has: a review shows nothing but its queue, so that people label blind. */
export const VIEWS: ViewName[] = report.source === "review" ? ["review"] : ["overview", "compare", "questions"];

export const place = signal<Place>(read());
export const helpIsOpen = signal(false);

function read(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const view = VIEWS.find((name) => name === path) ?? VIEWS[0]!;
  return { view, params: new URLSearchParams(query) };
}

addEventListener("hashchange", () => {
  place.value = read();
});

/** The address of a view. */
export function href(view: ViewName, params: Record<string, string | string[] | null | undefined> = {}): string {
  const query = new URLSearchParams();
  if (run() && params.run === undefined) query.set("run", String(run()));
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each) query.append(name, each);
  }
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** The address of this view with some parameters changed; null removes one. */
export function changed(params: Record<string, string | string[] | null>): string {
  const query = new URLSearchParams(place.value.params);
  for (const [name, value] of Object.entries(params)) {
    query.delete(name);
    for (const each of Array.isArray(value) ? value : [value]) if (each) query.append(name, each);
  }
  const text = query.toString();
  return `#/${place.value.view}${text ? `?${text}` : ""}`;
}

export function go(address: string): void {
  location.hash = address.slice(1);
}

/** Go there without a step in the history: for what is typed. */
export function replace(address: string): void {
  try {
    history.replaceState(null, "", address);
  } catch {
    go(address); // a notebook's frame: this is a step after all
    return;
  }
  place.value = read();
}

export function param(name: string): string {
  return place.value.params.get(name) ?? "";
}

/** The position of the run that is shown. */
export function run(): number {
  return Number(place.value?.params.get("run") ?? 0) || 0;
}

const narrow = matchMedia("(max-width: 34rem)");
export const isNarrow = signal(narrow.matches);
narrow.addEventListener("change", (event) => {
  isNarrow.value = event.matches;
});

// Light and dark: the system's choice until the reader makes one, which the browser remembers.
export type Theme = "light" | "dark";

function stored(): Theme | null {
  try {
    const found = localStorage.getItem("ragauge-theme");
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null; // a frame without storage
  }
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");
export const theme = signal<Theme>(stored() ?? (systemDark.matches ? "dark" : "light"));

systemDark.addEventListener("change", (event) => {
  if (!stored()) theme.value = event.matches ? "dark" : "light";
});

theme.subscribe((name) => {
  document.documentElement.dataset.theme = name;
});

export function toggleTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("ragauge-theme", theme.value);
  } catch {
    // a frame without storage: the choice lasts as long as the page
  }
}
