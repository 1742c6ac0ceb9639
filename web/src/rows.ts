// The rows of a run: a row is one system's answer to one question, number q * systems + s.
import { signal } from "@preact/signals";
import { chunk, json, report } from "./data";
import { pythonText } from "./python";
import type { FieldView, RunView } from "./view";
import { type Condition, fields, FilterError, holds, type Row, type Value } from "./where";

export interface Scores {
  values: Float64Array;
  statuses: Uint8Array;
  reasons: Uint16Array;
  texts: string[];
}

interface Ids {
  ids: string[];
  absent: number[];
}

/** One question with everything that is known about it. */
export interface Question {
  shared: Record<string, unknown>;
  answers: { s: number; fields: Record<string, unknown>; evidence: [number, Record<string, unknown>][] }[];
}

/** The columns of a run, each read when something first needs it. */
export class Rows {
  readonly view: RunView;
  readonly n: number;
  /** Counts up when a column has arrived, so that views show it. */
  readonly arrived = signal(0);
  ids: string[] = [];
  private absent = new Set<number>();
  private scores = new Map<number, Scores>();
  private values = new Map<string, Value[]>();
  private asked = new Set<string>();
  private positions: Map<string, number> | null = null;
  failure = "";

  constructor(readonly place: number) {
    this.view = report.runs[place]!;
    this.n = this.view.n_questions * this.view.systems.length;
  }

  /** Whether these columns are here; those that are not are fetched. The view that asks is shown again when they are. */
  have(columns: Iterable<number>, names: Iterable<string> = []): boolean {
    // Read here and not in the views: a view that forgot it would stay as it is, though its parent is shown again.
    this.arrived.value;
    let all = this.want("ids", async () => {
      const found = await json<Ids>(`${this.place}.ids`);
      this.ids = found.ids;
      this.absent = new Set(found.absent);
    });
    for (const column of columns) {
      all = this.want(`score ${column}`, async () => {
        this.scores.set(column, scoresOf(await chunk(`${this.place}.score.${column}`), this.n));
      }) && all;
    }
    for (const name of names) {
      const field = this.field(name);
      if (!field) continue;
      all = this.want(`field ${name}`, async () => {
        const values = field.chunk ? await json<(Value | string)[]>(field.chunk) : await this.lists(field);
        this.values.set(name, field.kind === "list" ? values.map((each) => (each === null ? null : { list: each as string })) : values);
      }) && all;
    }
    return all;
  }

  private done = new Set<string>();

  private want(key: string, load: () => Promise<void>): boolean {
    if (this.done.has(key)) return true;
    if (!this.asked.has(key)) {
      this.asked.add(key);
      load().then(
        () => {
          this.done.add(key);
          this.arrived.value += 1;
        },
        (error: Error) => {
          this.failure = error.message;
          this.arrived.value += 1;
        },
      );
    }
    return false;
  }

  field(name: string): FieldView | undefined {
    return this.view.fields.find((field) => field.name === name);
  }

  is_present(row: number): boolean {
    return !this.absent.has(row);
  }

  of(column: number): Scores {
    return this.scores.get(column)!;
  }

  value(name: string, q: number, s: number): Value {
    const field = this.field(name);
    const values = this.values.get(name);
    if (!field || !values) return null;
    return values[field.is_shared ? q : q * this.view.systems.length + s] ?? null;
  }

  at(id: string): number {
    if (!this.ids.length) return -1;
    this.positions ??= new Map(this.ids.map((each, q) => [each, q]));
    return this.positions.get(id) ?? -1;
  }

  /** The lists of a field as texts. A file has them in its blocks only, so that no text is in it twice. */
  private async lists(field: FieldView): Promise<(string | null)[]> {
    const width = field.is_shared ? 1 : this.view.systems.length;
    const found = new Array<string | null>(this.view.n_questions * width).fill(null);
    const text = (value: unknown) => (value === null || value === undefined ? null : pythonText(value, field.is_float));
    let q = 0;
    for (let block = 0; block < this.view.blocks.length; block++) {
      for (const question of await json<Question[]>(`${this.place}.block.${block}`)) {
        if (field.is_shared) found[q] = text(question.shared[field.name]);
        else for (const answer of question.answers) found[q * width + answer.s] = text(answer.fields[field.name]);
        q += 1;
      }
    }
    return found;
  }

  /** Texts and evidence of a question. */
  async question(q: number): Promise<Question> {
    const starts = this.view.blocks;
    let block = starts.findLastIndex((start) => start <= q);
    if (block < 0) block = 0;
    const questions = await json<Question[]>(`${this.place}.block.${block}`);
    return questions[q - starts[block]!]!;
  }

  /** What a filter's names refer to: fields of the samples, then metrics by name or label. */
  private source(name: string): { field?: string; column?: number; part?: "status" | "reason" } | null {
    if (name === "id" || name === "system" || this.field(name)) return { field: name };
    for (const [ending, part] of [["", undefined], [".status", "status"], [".reason", "reason"]] as const) {
      if (!name.endsWith(ending)) continue;
      const base = name.slice(0, name.length - ending.length);
      const metric = this.view.metrics.find((each) => each.name === base || each.label === base);
      if (metric && metric.column !== null) return part ? { column: metric.column, part } : { column: metric.column };
    }
    return null;
  }

  /** Every name that a filter can use. */
  names(): string[] {
    const metrics = this.view.metrics.filter((metric) => metric.column !== null).map((metric) => metric.name);
    const known = this.view.fields.map((field) => field.name);
    return ["id", "system", ...known, ...metrics];
  }

  /** What a condition needs; FilterError for a name that the run does not have. */
  needs(condition: Condition): { columns: number[]; names: string[] } {
    const columns: number[] = [];
    const names: string[] = [];
    for (const name of fields(condition)) {
      const source = this.source(name);
      if (!source) throw new FilterError(`there is no field "${name}"`);
      if (source.column !== undefined) columns.push(source.column);
      else if (source.field && this.field(source.field)) names.push(source.field);
    }
    return { columns, names };
  }

  /** The rows that meet the condition, once its columns are here. */
  matching(condition: Condition): Uint8Array {
    const found = new Uint8Array(this.n);
    const systems = this.view.systems;
    const readers = new Map([...fields(condition)].map((name) => [name, this.reader(name)]));
    let q = 0;
    let s = 0;
    const isFloat = (name: string) => this.isFloat(name);
    const row: Row = (name) => readers.get(name)!(q, s);
    for (let at = 0; at < this.n; at++) {
      if (this.is_present(at) && holds(condition, row, isFloat)) found[at] = 1;
      s += 1;
      if (s === systems.length) {
        s = 0;
        q += 1;
      }
    }
    return found;
  }

  private isFloat(name: string): boolean {
    const source = this.source(name)!;
    return source.field ? (this.field(source.field)?.is_float ?? false) : true;
  }

  private reader(name: string): (q: number, s: number) => Value {
    const source = this.source(name)!;
    const width = this.view.systems.length;
    if (source.field === "id") return (q) => this.ids[q]!;
    if (source.field === "system") return (_, s) => this.view.systems[s]!;
    if (source.field) return (q, s) => this.value(source.field!, q, s);
    const scores = this.of(source.column!);
    if (source.part === "status") {
      return (q, s) => this.view.statuses[scores.statuses[q * width + s]!] ?? null;
    }
    if (source.part === "reason") {
      return (q, s) => scores.texts[scores.reasons[q * width + s]! - 1] ?? null;
    }
    return (q, s) => {
      const value = scores.values[q * width + s]!;
      return Number.isNaN(value) ? null : value;
    };
  }
}

function scoresOf(bytes: Uint8Array, n: number): Scores {
  const { buffer } = bytes;
  const text = new TextDecoder().decode(bytes.subarray(11 * n));
  return {
    values: new Float64Array(buffer, 0, n),
    reasons: new Uint16Array(buffer, 8 * n, n),
    statuses: new Uint8Array(buffer, 10 * n, n),
    texts: JSON.parse(text) as string[],
  };
}

const runs = new Map<number, Rows>();

export function rowsOf(place: number): Rows {
  const at = report.runs[place] ? place : 0;
  if (!runs.has(at)) runs.set(at, new Rows(at));
  return runs.get(at)!;
}
