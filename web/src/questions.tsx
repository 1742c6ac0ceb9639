// The list of questions with its filters, and the question that is open beside it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Detail } from "./detail";
import { plainText } from "./markdown";
import { actions } from "./keys";
import { count, counted, noun, short } from "./numbers";
import { type Rows, rowsOf } from "./rows";
import { Select } from "./select";
import { sliceCondition } from "./slices";
import { changed, go, isNarrow, param, place, replace } from "./state";
import type { MetricView } from "./view";
import { type Condition, FilterError, literal, parse, quoted } from "./where";
import { Swatch } from "./charts";

/** Systems that have a chip, which also says which colour is theirs in the list. */
const MAX_CHIPS = 24;
/** Most answers of a run whose list shows how they begin. */
const MAX_SNIPPETS = 200_000;
const SORTS: [string, string][] = [
  ["", "worst first"],
  ["best", "best first"],
  ["spread", "systems differ most"],
  ["data", "order of the data"],
];

export function Questions({ at }: { at: number }) {
  const rows = rowsOf(at);
  const params = place.value.params;
  const metric = chosenMetric(rows);
  const found = useFound(rows, metric);
  const id = param("id");
  const open = rows.at(id);
  const position = open < 0 ? -1 : found.questions.indexOf(open);

  const show = (q: number | undefined) => {
    if (q === undefined) return;
    const address = changed({ id: rows.ids[q]! });
    // Walking through the list is one step in the history.
    if (params.has("id")) replace(address);
    else go(address);
  };
  useEffect(() => {
    actions.next = () => show(found.questions[position + 1] ?? (position < 0 ? found.questions[0] : undefined));
    actions.previous = () => show(found.questions[Math.max(0, position - 1)]);
    actions.open = () => show(found.questions[Math.max(0, position)]);
    actions.close = () => id && go(changed({ id: null }));
    actions.diff = () => replace(changed({ diff: param("diff") ? null : "1" }));
    actions.why = () => replace(changed({ why: param("why") ? null : "all" }));
    actions.search = () => document.querySelector<HTMLInputElement>("#where")?.focus();
    return () => {
      for (const name of ["next", "previous", "open", "close", "diff", "why", "search"] as const) delete actions[name];
    };
  });

  return (
    <div class={open >= 0 ? "panes open" : "panes"}>
      <section class="list" aria-label="List">
        <h1 class="hidden">Questions</h1>
        <Toolbar rows={rows} metric={metric} found={found} />
        <List rows={rows} metric={metric} found={found} open={open} show={show} />
      </section>
      {open >= 0 && (
        <Detail
          rows={rows}
          q={open}
          where={position < 0 ? "not in the list" : `${count(position + 1)} of ${count(found.questions.length)}`}
        />
      )}
      {id && open < 0 && rows.ids.length > 0 && <p class="missing">There is no question “{id}”.</p>}
    </div>
  );
}

/** The metric whose values the list shows: the chosen one, or the first. */
function chosenMetric(rows: Rows): MetricView | undefined {
  const known = rows.view.metrics.filter((metric) => metric.column !== null);
  return known.find((metric) => metric.label === param("metric")) ?? known[0];
}

interface Found {
  questions: number[];
  /** Which rows meet the filter; null if all do. */
  matches: Uint8Array | null;
  n_answers: number;
  error: string;
  ready: boolean;
}

/** The condition in the address: the chips, the written filter and the finding, all of which must hold. */
function condition(rows: Rows): Condition | null {
  const each: Condition[] = [];
  for (const chip of place.value.params.getAll("chip")) each.push(parse(chip));
  if (param("where").trim()) each.push(parse(param("where")));
  const finding = rows.view.findings[Number(param("finding"))];
  if (param("finding") && finding) {
    each.push(parse(`system = ${literal(rows.view.systems[finding.system]!)}`));
    each.push(renamed(parse(finding.when), finding.metrics, rows));
    for (const at of Object.values(finding.metrics)) {
      each.push({ is: "not", one: { is: "null", field: rows.view.metrics[at]!.label } });
    }
  }
  return each.length ? { is: "all", each } : null;
}

/** A finding's condition with the labels that its names stand for. */
function renamed(condition: Condition, names: Record<string, number>, rows: Rows): Condition {
  if (condition.is === "not") return { is: "not", one: renamed(condition.one, names, rows) };
  if (condition.is === "all" || condition.is === "any") {
    return { is: condition.is, each: condition.each.map((each) => renamed(each, names, rows)) };
  }
  return { ...condition, field: rows.view.metrics[names[condition.field]!]!.label };
}

/** How the list is sorted: the worst come first. */
function order(): string {
  return SORTS.some(([name]) => name === param("sort")) ? param("sort") : "";
}

function useFound(rows: Rows, metric: MetricView | undefined): Found {
  const sort = order();
  const params = place.value.params;
  const key = [params.getAll("chip").join("\n"), param("where"), param("finding"), sort, metric?.label].join("\t");
  const last = useRef<Found>({ questions: [], matches: null, n_answers: 0, error: "", ready: false });
  return useMemo(() => {
    const kept = { ...last.current, ready: false };
    let wanted: Condition | null;
    try {
      wanted = condition(rows);
      const needs = wanted ? rows.needs(wanted) : { columns: [], names: [] };
      const columns = metric ? [...needs.columns, metric.column!] : needs.columns;
      const text = rows.field("question") ? "question" : "answer"; // rankings have neither
      if (!rows.have(columns, [...needs.names, text])) return kept;
      last.current = select(rows, metric, wanted, sort);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      return { ...kept, error: error.message, ready: true };
    }
    return last.current;
  }, [rows, key, rows.arrived.value]);
}

function select(rows: Rows, metric: MetricView | undefined, wanted: Condition | null, sort: string): Found {
  const width = rows.view.systems.length;
  const matches = wanted ? rows.matching(wanted) : null;
  const questions: number[] = [];
  let n_answers = 0;
  for (let q = 0; q < rows.view.n_questions; q++) {
    let n = 0;
    for (let s = 0; s < width; s++) if (rows.is_present(q * width + s) && (!matches || matches[q * width + s])) n += 1;
    n_answers += n;
    if (n) questions.push(q);
  }
  if (sort !== "data" && metric) {
    const values = rows.of(metric.column!).values;
    const keys = new Float64Array(rows.view.n_questions);
    for (const q of questions) {
      let [low, high] = [Infinity, -Infinity];
      for (let s = 0; s < width; s++) {
        const value = values[q * width + s]!;
        if (Number.isNaN(value) || (matches && !matches[q * width + s])) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      const worst = metric.lower_is_better ? -high : low;
      const best = metric.lower_is_better ? low : -high;
      const key = sort === "spread" ? low - high : sort === "best" ? best : worst;
      // Questions without a value come last.
      keys[q] = low > high ? Infinity : key;
    }
    questions.sort((a, b) => {
      const [left, right] = [keys[a]!, keys[b]!];
      return left === right ? a - b : left - right;
    });
  }
  return { questions, matches, n_answers, error: "", ready: true };
}

function Toolbar({ rows, metric, found }: { rows: Rows; metric: MetricView | undefined; found: Found }) {
  const [text, setText] = useState(param("where"));
  const shown = useRef(param("where"));
  if (param("where") !== shown.current) {
    shown.current = param("where");
    setText(shown.current);
  }
  const write = (value: string) => {
    setText(value);
    shown.current = value;
    replace(changed({ where: value || null }));
  };
  const known = rows.view.metrics.filter((each) => each.column !== null);
  return (
    <div class="toolbar">
      <div class="search">
        <label class="hidden" for="where">
          Filter
        </label>
        <input
          id="where"
          type="search"
          spellcheck={false}
          autocomplete="off"
          placeholder={`Filter, e.g. ${metric ? quoted(metric.name) : "id"} < 0.5 and ${rows.field("question") ? "question" : rows.field("answer") ? "answer" : "id"} ~ "when"   ( / )`}
          value={text}
          aria-invalid={found.error ? "true" : "false"}
          aria-describedby="found"
          onInput={(event) => write(event.currentTarget.value)}
        />
      </div>
      <Chips rows={rows} />
      <div class="choices-row">
        {metric && (
          <Select
            label="Show"
            value={metric.label}
            options={known.map((each) => [each.label, each.name])}
            param="metric"
          />
        )}
        {metric && <Select label="Sort" value={order()} options={SORTS} param="sort" />}
        <span id="found" role="status" class={found.error ? "error" : "soft"}>
          {found.error || rows.failure || (found.ready ? summary(rows, found) : "reading …")}
        </span>
      </div>
    </div>
  );
}

function summary(rows: Rows, found: Found): string {
  const all = rows.view.n_questions;
  const name = noun(rows.view, "question");
  const questions = found.questions.length === all ? counted(all, name) : `${count(found.questions.length)} of ${counted(all, name)}`;
  return found.matches ? `${questions}, ${counted(found.n_answers, noun(rows.view, "answer"))}` : questions;
}

interface Chip {
  text: string;
  name: string;
  system?: number;
}

/** Ready-made conditions by what they are about: the systems, the slices, and what else is in the address. */
function offered(rows: Rows, chosen: string[]): [string, Chip[]][] {
  const { systems, slices } = rows.view;
  const groups: [string, Chip[]][] = [];
  if (systems.length > 1) {
    const chips = systems.slice(0, MAX_CHIPS).map((name, system) => ({ text: `system = ${literal(name)}`, name, system }));
    groups.push([noun(rows.view, "system"), chips]);
  }
  for (const slice of slices) {
    const values = slice.values.filter((value) => value !== "(none)");
    groups.push([slice.field, values.map((name) => ({ text: sliceCondition(rows.view, slice.field, name), name }))]);
  }
  const known = new Set(groups.flatMap(([, chips]) => chips.map((chip) => chip.text)));
  const others = chosen.filter((text) => !known.has(text));
  if (others.length) groups.push(["also", others.map((text) => ({ text, name: text }))]);
  return groups;
}

function Chips({ rows }: { rows: Rows }) {
  const chosen = place.value.params.getAll("chip");
  const groups = offered(rows, chosen);
  const finding = param("finding") ? rows.view.findings[Number(param("finding"))] : undefined;
  const content = (
    <div class="chips" role="group" aria-label="Conditions">
      {finding && (
        <ChipGroup label="finding">
          <button type="button" class="chip" aria-pressed="true" onClick={() => go(changed({ finding: null }))}>
            {rows.view.systems[finding.system]}: {finding.says} ×
          </button>
        </ChipGroup>
      )}
      {groups.map(([label, chips]) => (
        <ChipGroup key={label} label={label}>
          {chips.map(({ text, name, system }) => {
            const on = chosen.includes(text);
            return (
              <button
                key={text}
                type="button"
                class="chip"
                title={text}
                aria-pressed={on ? "true" : "false"}
                onClick={() => go(changed({ chip: on ? chosen.filter((each) => each !== text) : [...chosen, text] }))}
              >
                {system !== undefined && <Swatch system={system} />}
                {name}
              </button>
            );
          })}
        </ChipGroup>
      ))}
    </div>
  );
  // Beside an open question and on a narrow screen the list needs the room.
  if (!groups.length || !(isNarrow.value || param("id"))) return content;
  const names = groups.flatMap(([, chips]) => chips.filter((chip) => chosen.includes(chip.text)).map((chip) => chip.name));
  return (
    <details class="conditions">
      <summary>
        Conditions <span class="soft">{[...(finding ? [finding.says] : []), ...names].join(", ") || groups.map(([label]) => label).join(", ")}</span>
      </summary>
      {content}
    </details>
  );
}

function ChipGroup({ label, children }: { label: string; children: preact.ComponentChildren }) {
  return (
    <div class="chip-group" role="group" aria-label={label}>
      <span class="soft">{label}</span>
      {children}
    </div>
  );
}

/** The questions, of which only those on the screen are elements. */
function List({
  rows,
  metric,
  found,
  open,
  show,
}: {
  rows: Rows;
  metric: MetricView | undefined;
  found: Found;
  open: number;
  show: (q: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [[width, height], setSize] = useState([innerWidth, 800]);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => setSize([element.clientWidth, element.clientHeight]));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const form = formOf(rows, width);
  const { rowHeight } = form;
  const position = open < 0 ? -1 : found.questions.indexOf(open);
  useEffect(() => {
    const element = box.current!;
    if (position < 0) return;
    const [start, end] = [position * rowHeight, (position + 1) * rowHeight];
    if (start < element.scrollTop) element.scrollTop = start;
    else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
  }, [position, found.questions, rowHeight]);

  const first = Math.max(0, Math.floor(top / rowHeight) - 5);
  const last = Math.min(found.questions.length, Math.ceil((top + height) / rowHeight) + 5);
  const shown = found.questions.slice(first, last);
  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      tabIndex={0}
      aria-label="Questions"
      aria-activedescendant={position >= 0 ? `q${open}` : undefined}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <Sized height={found.questions.length * rowHeight}>
        {shown.map((q, at) => (
          <Line
            key={q}
            rows={rows}
            metric={metric}
            found={found}
            q={q}
            top={(first + at) * rowHeight}
            form={form}
            position={first + at + 1}
            isOpen={q === open}
            show={show}
          />
        ))}
      </Sized>
      {found.ready && !found.questions.length && <p class="empty soft">No question meets the filter.</p>}
    </div>
  );
}

function Sized({ height, children }: { height: number; children: preact.ComponentChildren }) {
  return (
    <div class="sized" role="presentation" style={{ height: `${height}px` }}>
      {children}
    </div>
  );
}

/** How a line is laid out: its height, how many values fit on it, and whether these are below the texts. */
interface Form {
  isCompact: boolean;
  rowHeight: number;
  n_values: number;
  hasSnippets: boolean;
}

function formOf(rows: Rows, width: number): Form {
  const { systems, of, n_answers } = rows.view;
  const isCompact = width < 560;
  const perLine = Math.max(1, Math.floor(isCompact ? (width - 80) / 54 : width / 2 / 68));
  const n_values = Math.min(systems.length, isCompact ? 2 * perLine : perLine);
  // The texts of all answers are read at once.
  const hasSnippets = of === "answers" && n_answers <= MAX_SNIPPETS && rows.have([], ["answer"]) && rows.field("question") !== undefined;
  const lines = (hasSnippets ? 2 : 1) + (isCompact ? Math.ceil(n_values / perLine) : 0);
  return { isCompact, rowHeight: Math.max(42, 16 + 22 * lines), n_values, hasSnippets };
}

function Line({
  rows,
  metric,
  found,
  q,
  top,
  form,
  position,
  isOpen,
  show,
}: {
  rows: Rows;
  metric: MetricView | undefined;
  found: Found;
  q: number;
  top: number;
  form: Form;
  position: number;
  isOpen: boolean;
  show: (q: number) => void;
}) {
  const { systems, of } = rows.view;
  const scores = metric && rows.of(metric.column!);
  const text = of === "rankings" ? rows.ids[q] : (rows.value("question", q, 0) ?? answerText(rows, q));
  return (
    <div
      id={`q${q}`}
      class={`line${of === "rankings" ? " bare" : ""}${form.isCompact ? " compact" : ""}`}
      role="option"
      aria-selected={isOpen ? "true" : "false"}
      aria-posinset={position}
      aria-setsize={found.questions.length}
      style={{ top: `${top}px`, height: `${form.rowHeight}px` }}
      onClick={() => show(q)}
    >
      <span class="id">{rows.ids[q]}</span>
      <span class="texts">
        <span class="text">{String(text)}</span>
        {form.hasSnippets && <AnswerSnippet rows={rows} metric={metric} found={found} q={q} />}
      </span>
      <span class="values">
        {systems.slice(0, form.n_values).map((system, s) => {
          const row = q * systems.length + s;
          const value = scores ? scores.values[row]! : NaN;
          const status = scores && rows.view.statuses[scores.statuses[row]!];
          const off = found.matches && !found.matches[row];
          return (
            <span key={s} class={off ? "value off" : "value"} title={`${system}: ${Number.isNaN(value) ? (status ?? "no score") : value}`}>
              <Swatch system={s} />
              <span class="hidden">{system} </span>
              {Number.isNaN(value) || !metric ? "–" : short(metric, value)}
            </span>
          );
        })}
        {systems.length > form.n_values && <span class="more">+{systems.length - form.n_values}</span>}
      </span>
    </div>
  );
}

/** The beginning of the answer that decides the line's place: the worst one, of best first the best. */
function AnswerSnippet({ rows, metric, found, q }: { rows: Rows; metric: MetricView | undefined; found: Found; q: number }) {
  const width = rows.view.systems.length;
  const values = metric && rows.of(metric.column!).values;
  const sign = (metric?.lower_is_better ? -1 : 1) * (order() === "best" ? -1 : 1);
  const rank = (s: number) => {
    const value = values?.[q * width + s] ?? NaN;
    return Number.isNaN(value) ? Infinity : sign * value;
  };
  const given = rows.view.systems.map((_, s) => s).filter((s) => rows.is_present(q * width + s) && (!found.matches || found.matches[q * width + s]));
  const [s] = given.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
  if (s === undefined) return null;
  const answer = rows.value("answer", q, s);
  return (
    <span class="snippet soft">
      <Swatch system={s} />
      <span class="hidden">{rows.view.systems[s]}: </span>
      {answer === null ? "(no answer)" : plainText(String(answer)) || "(empty)"}
    </span>
  );
}

/** Without a question, the first answer says what it is about. */
function answerText(rows: Rows, q: number): string {
  const answers = rows.view.systems.map((_, s) => rows.value("answer", q, s));
  return String(answers.find((answer) => answer !== null) ?? "");
}
