// Answers written in Markdown, as blocks of leaves. A leaf is a part of the raw text, so that places in the text
// still fit. Emphasis, code, lists, headings and tables are read; all else, links too, is the text as it is.

export type Style = "strong" | "em" | "s" | "code";
const STYLES: Style[] = ["strong", "em", "s", "code"];

/** A part of the raw text, from `start` to before `end`, with the styles that markup around it gives it. */
export interface Leaf {
  start: number;
  end: number;
  styles: Style[];
}

/** A block and its rows of cells; only a table has more than one. `depth` counts the list items around it. */
export interface Block {
  kind: "text" | "heading" | "item" | "code" | "rule" | "table";
  depth: number;
  marker: string;
  rows: Leaf[][][];
}

type Range = [number, number];
const FENCE = /^(`{3,}|~{3,})[^`]*$/;
const RULE = /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const HEADING = /^#{1,6}[ \t]+(?=\S)/;
const ITEM = /^([-*]|\d{1,9}[.)])[ \t]+(?=\S)/;
const DELIMITER_ROW = /^[\s|:-]+$/;
/** How far back an opening mark is looked for: a bound, so that no text takes long. */
const REACH = 32;

/** The blocks of a text. */
export function blocks(text: string): Block[] {
  const lines = [...text.matchAll(/[^\r\n]*(?:\r\n|\r|\n|$)/g)].map((match): Range => [match.index, match.index + match[0].trimEnd().length]);
  const found: (Omit<Block, "rows"> & { ranges: Range[][] })[] = [];
  const indents: number[] = [];
  let wasText = false;
  for (let n = 0; n < lines.length; n++) {
    const [start, end] = lines[n]!;
    const line = text.slice(start, end);
    const body = line.trimStart();
    const at = end - body.length;
    const add = (kind: Block["kind"], ranges: Range[][], marker = "") => found.push({ kind, depth: indents.length, marker, ranges });
    const continues: boolean = wasText;
    wasText = false;
    if (!body) continue;
    const indent = line.slice(0, at - start).replaceAll("\t", "    ").length;
    while (indents.length && indents.at(-1)! >= indent) indents.pop();
    const fence = FENCE.exec(body)?.[1];
    const item = ITEM.exec(body);
    const heading = HEADING.exec(body);
    if (fence) {
      const first = n + 1;
      while (++n < lines.length && !isEndOf(fence, text.slice(...lines[n]!)));
      if (n > first) add("code", [[[lines[first]![0], lines[n - 1]![1]]]]);
    } else if (RULE.test(body)) {
      add("rule", []);
    } else if (heading) {
      add("heading", [[[at + heading[0].length, end - (/[ \t]#+$/.exec(body)?.[0].length ?? 0)]]]);
    } else if (item) {
      indents.push(indent);
      add("item", [[[at + item[0].length, end]]], item[1]!.length > 1 ? item[1] : "•");
    } else if (body.includes("|") && isDelimiterRow(text, lines[n + 1])) {
      const rows = [cells(text, at, end)];
      for (n += 1; lines[n + 1] && text.slice(...lines[n + 1]!).includes("|"); n++) rows.push(cells(text, ...lines[n + 1]!));
      add("table", rows);
    } else {
      if (continues && !indents.length) found.at(-1)!.ranges[0]![0]![1] = end;
      else add("text", [[[indents.length ? at : start, end]]]);
      wasText = !indents.length;
    }
  }
  return found.map(({ ranges, ...block }) => ({
    ...block,
    rows: ranges.map((row) => row.map(([from, to]) => (block.kind === "code" ? [{ start: from, end: to, styles: [] }] : inline(text, from, to)))),
  }));
}

/** The beginning of a text without markup, on one line. */
export function plainText(text: string, most = 400): string {
  const parts = blocks(text.slice(0, most)).map((block) =>
    block.rows.flat().map((leaves) => leaves.map((leaf) => text.slice(leaf.start, leaf.end)).join("")).join(" "),
  );
  return parts.join(" ").replace(/\s+/g, " ");
}

function isEndOf(fence: string, line: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence[0]!.repeat(text.length);
}

function isDelimiterRow(text: string, line: Range | undefined): boolean {
  const row = line ? text.slice(...line) : "";
  return row.includes("|") && row.includes("-") && DELIMITER_ROW.test(row);
}

/** The cells of a table's row, without the space around them. */
function cells(text: string, start: number, end: number): Range[] {
  const found: Range[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && (text[at] !== "|" || text[at - 1] === "\\")) continue;
    const part = text.slice(from, at);
    const isEdge = (from === start || at === end) && !part.trim();
    if (!isEdge) found.push([at - part.trimStart().length, from + part.trimEnd().length]);
    from = at + 1;
  }
  return found.map(([one, two]) => [one, Math.max(one, two)]);
}

interface Edge {
  at: number;
  length: number;
  style?: Style;
  step?: number;
}

/** The leaves of a part of the text: what its marks do not hide. */
function inline(text: string, start: number, end: number): Leaf[] {
  const on: Record<Style, number> = { strong: 0, em: 0, s: 0, code: 0 };
  const leaves: Leaf[] = [];
  let at = start;
  for (const edge of [...edges(text, start, end).sort((a, b) => a.at - b.at), { at: end, length: 0 } as Edge]) {
    if (edge.at > at) leaves.push({ start: at, end: edge.at, styles: STYLES.filter((style) => on[style]) });
    if (edge.style) on[edge.style] += edge.step!;
    at = edge.at + edge.length;
  }
  return leaves;
}

/** The marks that are hidden, with what begins or ends there. */
function edges(text: string, start: number, end: number): Edge[] {
  const marks = [...text.slice(start, end).matchAll(/\\[\\*_`~#|]|`+|\*+|_+|~~/g)].map((match) => ({ at: start + match.index, run: match[0] }));
  const next = new Map<number, number>();
  const later = new Map<string, number>();
  for (let n = marks.length - 1; n >= 0; n--) {
    const { run } = marks[n]!;
    if (run[0] !== "`") continue;
    if (later.has(run)) next.set(n, later.get(run)!);
    later.set(run, n);
  }
  const found: Edge[] = [];
  const pair = (style: Style, length: number, from: number, to: number) =>
    found.push({ at: from, length, style, step: 1 }, { at: to, length, style, step: -1 });
  const open: { at: number; length: number; kind: string; before: string }[] = [];
  for (let n = 0; n < marks.length; n++) {
    const { at, run } = marks[n]!;
    const kind = run[0]!;
    if (kind === "\\") found.push({ at, length: 1 });
    if (kind === "`" && next.has(n)) {
      pair("code", run.length, at, marks[next.get(n)!]!.at);
      n = next.get(n)!;
    }
    if (!"*_~".includes(kind) || run.length > 3) continue;
    const before = at > start ? text[at - 1]! : " ";
    const after = at + run.length < end ? text[at + run.length]! : " ";
    let left = run.length;
    for (let o = open.length - 1; left && before.trim() && o >= Math.max(0, open.length - REACH); o--) {
      const one = open[o]!;
      if (one.kind !== kind || one.length > left || isInWord(kind, one.before, after)) continue;
      pair(kind === "~" ? "s" : one.length === 2 ? "strong" : "em", one.length, one.at, at + run.length - left);
      left -= one.length;
      open.length = o;
    }
    if (left < run.length || !after.trim()) continue;
    if (left !== 2) open.push({ at, length: 1, kind, before });
    if (left > 1) open.push({ at: at + left - 2, length: 2, kind, before });
  }
  return found;
}

/** Whether marks between these characters are part of a word: snake_case, 2*3*4. Some scripts have no space between words. */
function isInWord(kind: string, before: string, after: string): boolean {
  const [one, two] = [before, after].map((each) => /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]/u.test(each));
  return kind === "_" ? one! || two! : one! && two!;
}
