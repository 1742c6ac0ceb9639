// The kinds of items in evidence, recognized by the table that the terminal uses.
import { KINDS } from "./view";

export type Item = Record<string, unknown>;

/** The kind of a list of items: the first whose keys all of them have. */
export function kindOf(value: unknown): string {
  if (!Array.isArray(value) || !value.length || !value.every(isItem)) return "";
  return KINDS.find(([, keys]) => value.every((item) => keys.every((key) => key in item)))?.[0] ?? "";
}

export function isItem(value: unknown): value is Item {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
