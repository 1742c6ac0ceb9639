import { useEffect, useRef } from "preact/hooks";
import { Compare } from "./compare";
import { report } from "./data";
import { KEYS, keyName, tooltip } from "./keys";
import { Overview } from "./overview";
import { Questions } from "./questions";
import { Review } from "./review";
import { go, helpIsOpen, href, place, run, theme, toggleTheme, type ViewName, VIEWS } from "./state";

const TABS: [ViewName, string][] = [
  ["overview", "Overview"],
  ["compare", "Compare"],
  ["questions", "Questions"],
  ["review", "Review"],
];
const SHOWN = { overview: Overview, compare: Compare, questions: Questions, review: Review };

export function App() {
  const { view } = place.value;
  const at = report.runs[run()] ? run() : 0;
  const one = report.runs[at];
  const tabs = TABS.filter(([name]) => VIEWS.includes(name) && (name !== "compare" || (one && one.systems.length > 1)));
  const Shown = SHOWN[view];
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <header class="top">
        <RunName at={at} />
        <nav aria-label="Views">
          {tabs.map(([name, title]) => (
            <a key={name} href={href(name)} aria-current={name === view ? "page" : undefined} title={tooltip(title)}>
              {name === "questions" && one?.of === "rankings" ? "Queries" : title}
            </a>
          ))}
          {report.source === "reviewed" && <a href="/">Review</a>}
        </nav>
        <div class="tools">
          <button type="button" onClick={toggleTheme} title={tooltip("Light or dark")} aria-label="Light or dark">
            {theme.value === "dark" ? "☀" : "☾"}
          </button>
          <button type="button" onClick={() => (helpIsOpen.value = true)} title="Keys (?)" aria-label="Keys">
            ?
          </button>
        </div>
      </header>
      <main id="main" class={view} tabIndex={-1} style={{ "--systems": one?.systems.length ?? 0 }}>
        <Shown key={at} at={at} />
      </main>
      {helpIsOpen.value && <Help />}
    </>
  );
}

function focusMain(event: Event) {
  event.preventDefault();
  document.getElementById("main")!.focus();
}

function RunName({ at }: { at: number }) {
  if (!report.runs.length) return null;
  if (report.runs.length === 1) return <span class="run">{report.runs[0]!.title}</span>;
  return (
    <label class="run">
      <span class="hidden">Run</span>
      <select
        value={String(at)}
        onChange={(event) => go(href(place.value.view, { run: event.currentTarget.value }))}
      >
        {report.runs.map((each, index) => (
          <option key={index} value={String(index)}>
            {each.title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={() => (helpIsOpen.value = false)}>
      <h2>Keys</h2>
      <dl>
        {KEYS.map((each) => ({ ...each, in: VIEWS.filter((view) => each.in?.includes(view) ?? true) })).map((each) => (
          <div key={each.does}>
            <dt>
              {each.keys.map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </dt>
            <dd>
              {each.does}
              {each.in.length < VIEWS.length && <span class="soft"> · {each.in.join(", ")}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => (helpIsOpen.value = false)}>
        Close
      </button>
    </dialog>
  );
}
