// Filters: the grammar of ragauge's --where (src/ragauge/where.py), for the rows of this page.
import { floatText } from "./python";

export type Value = string | number | boolean | List | null;
/** A list, which only ~ and `is null` read: as the text that Python prints. */
export interface List {
  list: string;
}
type Literal = string | number | boolean;
export type Row = (field: string) => Value | undefined;

export class FilterError extends Error {}

const MAX_LENGTH = 10_000;
const MAX_DEPTH = 50;
const TOKEN =
  /\s*(?:(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?(?![\p{L}\p{N}_.]))|`(?<quoted>[^`]+)`|(?<word>[\p{L}_][\p{L}\p{N}\p{M}_.-]*)|(?<sign>==|!=|<=|>=|[=<>~(),]))/suy;
const RESERVED = new Set(["and", "or", "not", "in", "is", "null", "true", "false"]);

interface Token {
  kind: string;
  text: string;
  at: number;
}

export type Condition =
  | { is: "truth"; field: string }
  | { is: "comparison"; field: string; sign: string; value: Literal }
  | { is: "membership"; field: string; values: Literal[] }
  | { is: "null"; field: string }
  | { is: "not"; one: Condition }
  | { is: "all"; each: Condition[] }
  | { is: "any"; each: Condition[] };

/** Read a filter; FilterError says where the first error is. */
export function parse(text: string): Condition {
  if (text.length > MAX_LENGTH) throw new FilterError(`a filter has at most ${MAX_LENGTH} characters`);
  const tokens = read(text);
  let next = 0;
  let depth = 0;

  const peek = () => tokens[next];
  const fail = (what: string): never => {
    const token = peek();
    throw new FilterError(`${what} ${token ? `at character ${token.at + 1}` : "at its end"}`);
  };
  const take = (kind: string, wanted: string) => {
    const token = peek();
    if (!token || token.kind !== kind || token.text.toLowerCase() !== wanted) return false;
    next += 1;
    return true;
  };
  const expect = (sign: string) => {
    if (!take("sign", sign)) fail(`expected "${sign}"`);
  };
  const either = (): Condition => {
    const each = [all()];
    while (take("word", "or")) each.push(all());
    return each.length === 1 ? each[0]! : { is: "any", each };
  };
  const all = (): Condition => {
    const each = [one()];
    while (take("word", "and")) each.push(one());
    return each.length === 1 ? each[0]! : { is: "all", each };
  };
  const one = (): Condition => {
    depth += 1;
    if (depth > MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH}`);
    const found = nested();
    depth -= 1;
    return found;
  };
  const nested = (): Condition => {
    if (take("word", "not")) return { is: "not", one: one() };
    if (take("sign", "(")) {
      const inner = either();
      expect(")");
      return inner;
    }
    return comparison();
  };
  const comparison = (): Condition => {
    const name = field();
    if (take("word", "is")) {
      const negated = take("word", "not");
      if (!take("word", "null")) fail("expected null");
      const found: Condition = { is: "null", field: name };
      return negated ? { is: "not", one: found } : found;
    }
    if (take("word", "in")) return { is: "membership", field: name, values: values() };
    if (take("word", "not")) {
      if (!take("word", "in")) fail("expected in");
      const member: Condition = { is: "membership", field: name, values: values() };
      return {
        is: "all",
        each: [
          { is: "not", one: { is: "null", field: name } },
          { is: "not", one: member },
        ],
      };
    }
    for (const sign of ["=", "==", "!=", "<", "<=", ">", ">=", "~"]) {
      if (take("sign", sign)) return { is: "comparison", field: name, sign: sign === "==" ? "=" : sign, value: value() };
    }
    return { is: "truth", field: name };
  };
  const field = (): string => {
    const token = peek();
    if (token && (token.kind === "quoted" || (token.kind === "word" && !RESERVED.has(token.text.toLowerCase())))) {
      next += 1;
      return token.text;
    }
    return fail("expected the name of a field");
  };
  const values = () => {
    expect("(");
    const found = [value()];
    while (take("sign", ",")) found.push(value());
    expect(")");
    return found;
  };
  const value = (): Literal => {
    const token = peek();
    if (token?.kind === "text") {
      next += 1;
      return token.text.slice(1, -1).replace(/\\(.)/gs, "$1");
    }
    if (token?.kind === "number") {
      next += 1;
      const number = Number(token.text);
      if (!Number.isFinite(number)) throw new FilterError(`${token.text} is too large a number`);
      return number;
    }
    if (take("word", "true")) return true;
    if (take("word", "false")) return false;
    return fail("expected a value: a number, true, false, or text in quotes");
  };

  const found = either();
  if (next < tokens.length) fail("unexpected text");
  return found;
}

function read(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      throw new FilterError(
        `cannot read character ${at + 1}; the comparisons are = != < <= > >= ~ in, is null, joined by and, or, not`,
      );
    }
    const [kind, found] = Object.entries(match.groups!).find(([, each]) => each !== undefined)!;
    tokens.push({ kind, text: found!, at: TOKEN.lastIndex - found!.length });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

/** The fields that a filter uses. */
export function fields(condition: Condition): Set<string> {
  if (condition.is === "not") return fields(condition.one);
  if (condition.is === "all" || condition.is === "any") {
    return new Set(condition.each.flatMap((each) => [...fields(each)]));
  }
  return new Set([condition.field]);
}

/** Whether a row meets the condition; FilterError if it compares values of different kinds. */
export function holds(condition: Condition, row: Row, isFloat: (field: string) => boolean): boolean {
  switch (condition.is) {
    case "not":
      return !holds(condition.one, row, isFloat);
    case "all":
      return condition.each.every((each) => holds(each, row, isFloat));
    case "any":
      return condition.each.some((each) => holds(each, row, isFloat));
    case "null":
      return (row(condition.field) ?? null) === null;
    case "truth": {
      const found = row(condition.field) ?? null;
      if (found === null) return false;
      if (typeof found === "string" || typeof found === "object") {
        throw new FilterError(`"${condition.field}" is ${kind(found)}; compare it with something`);
      }
      return Boolean(found);
    }
    case "membership": {
      const found = row(condition.field) ?? null;
      if (found === null) return false;
      for (const each of condition.values) sameKind(condition.field, found, each);
      return condition.values.includes(found as Literal);
    }
    case "comparison":
      return compare(condition, row(condition.field) ?? null, isFloat(condition.field));
  }
}

function compare(condition: { field: string; sign: string; value: Literal }, found: Value, isFloat: boolean): boolean {
  if (found === null) return false;
  const { field, sign, value } = condition;
  if (sign === "~") return text(found, isFloat).toLowerCase().includes(text(value, true).toLowerCase());
  sameKind(field, found, value);
  switch (sign) {
    case "=":
      return found === value;
    case "!=":
      return found !== value;
    case "<":
      return order(found, value) < 0;
    case "<=":
      return order(found, value) <= 0;
    case ">":
      return order(found, value) > 0;
    default:
      return order(found, value) >= 0;
  }
}

/** Texts in the order of their code points, as in Python. */
function order(left: Exclude<Value, null>, right: Exclude<Value, null>): number {
  if (typeof left !== "string") return Number(left) - Number(right);
  const [mine, theirs] = [Array.from(left), Array.from(right as string)];
  for (let at = 0; at < Math.min(mine.length, theirs.length); at++) {
    const difference = mine[at]!.codePointAt(0)! - theirs[at]!.codePointAt(0)!;
    if (difference) return difference;
  }
  return mine.length - theirs.length;
}

/** A value as Python prints it; numbers in a filter are floats. */
function text(value: Exclude<Value, null>, isFloat: boolean): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "object") return value.list;
  if (typeof value === "number" && isFloat) return floatText(value);
  return String(value);
}

function kind(value: Exclude<Value, null>): string {
  if (typeof value === "object") return "a list";
  return typeof value === "boolean" ? "true or false" : typeof value === "number" ? "a number" : "text";
}

function sameKind(field: string, found: Exclude<Value, null>, value: Exclude<Value, null>): void {
  if (kind(found) === kind(value)) return;
  if (typeof found === "object") throw new FilterError(`"${field}" is a list; use ~ to search it`);
  const advice =
    typeof found === "string" ? "put text in quotes" : typeof found === "number" ? "remove the quotes" : "write true or false";
  throw new FilterError(`field "${field}" is ${kind(found)}, but ${JSON.stringify(value)} is ${kind(value)}; ${advice}`);
}

/** A name as a filter has it: in backquotes if it is not a word. */
export function quoted(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}\p{M}_.-]*$/u.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `\`${name}\``;
}

/** A text as a value of a filter. */
export function literal(value: Value): string {
  if (typeof value === "string") return `"${value.replace(/[\\"]/g, "\\$&")}"`;
  return String(value);
}
