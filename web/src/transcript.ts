// A conversation as it is read: who says what, and with what which tool is called.
import { isItem, type Item } from "./kinds";

/** A line for each message and each tool call; null for a text that is no list of messages. */
export function transcript(text: string): string[] | null {
  let messages: unknown;
  try {
    messages = JSON.parse(text);
  } catch {
    return null;
  }
  return Array.isArray(messages) && messages.every(isItem) ? messages.flatMap(lines) : null;
}

function lines(given: Item): string[] {
  const message = isItem(given.kwargs) ? given.kwargs : isItem(given.data) ? given.data : given;
  const content = message.content ?? message.text ?? message.value ?? message.parts ?? message.output;
  const isResult = Array.isArray(content) && content.length > 0 && content.every((each) => isItem(each) && each.type === "tool_result");
  const role = isResult ? "tool" : String(message.role ?? message.speaker ?? message.from ?? given.type ?? "");
  const said = Array.isArray(content) ? content.map(part) : [plain(content)];
  const calls = [message.tool_calls, message.tools_called].flatMap((each) => (Array.isArray(each) ? each : []));
  const single = isItem(message.function_call) ? [message.function_call] : given.type === "function_call" ? [message] : [];
  return [...said, ...[...calls, ...single].map(call)].filter(Boolean).map((each) => `${role}: ${each}`);
}

function part(value: unknown): string {
  if (!isItem(value)) return plain(value);
  const made = value.functionCall ?? (value.type === "tool_use" ? value : null);
  if (made) return call(made);
  const said = value.text ?? value.content ?? value.functionResponse ?? value;
  return Array.isArray(said) ? said.map(part).join("\n") : plain(said);
}

function call(value: unknown): string {
  const made = isItem(value) && isItem(value.function) ? value.function : (value as Item);
  return `calls ${plain(made.name)}(${plain(made.arguments ?? made.args ?? made.input ?? made.input_parameters)})`;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
