// Values as Python prints them: `~` searches a list in this text, here as in --where.

/** A float as Python's str() has it: "1.0", "1e-05". */
export function floatText(value: number): string {
  const size = Math.abs(value);
  if (size && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  return Number.isInteger(value) ? `${Object.is(value, -0) ? "-0" : value}.0` : String(value);
}

/** A JSON value as Python's str() has it; JSON does not say which of its numbers are floats. */
export function pythonText(value: unknown, isFloat: boolean): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "number") return isFloat ? floatText(value) : String(value);
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return `[${value.map((each) => pythonText(each, isFloat)).join(", ")}]`;
  const items = Object.entries(value).map(([key, each]) => `${quoted(key)}: ${pythonText(each, isFloat)}`);
  return `{${items.join(", ")}}`;
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A text in quotes: double ones only if it has single ones and no double ones. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/[\\'\p{C}\p{Z}]/gu, (char) => {
    if (char === " " || (char === "'" && quote === '"')) return char;
    return char === "'" ? "\\'" : (ESCAPES[char] ?? hex(char.codePointAt(0)!));
  });
  return quote + inner + quote;
}

function hex(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}
