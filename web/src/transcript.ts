// A conversation in the format of any chat API, as it is read: who says what, and which tools are called with what result.
import { isItem, type Item } from "./kinds";

export interface Call {
  name: string;
  given: string;
  result: string | null;
}

export interface Message {
  role: string;
  text: string;
  calls: Call[];
}

const USERS = ["user", "human", "customer", "humanmessage"];
const OTHERS = ["system", "developer", "systemmessage"];
/** Parts of a tool's result that are shown as their type. */
const OTHER_PARTS = ["image", "image_url", "input_image", "audio", "document", "resource"];
const TOOLS = ["tool", "function", "observation", "function_call_output", "toolmessage"];

/** The messages, with each tool's result at its call; null for a text that is no list of messages. */
export function transcript(text: string): Message[] | null {
  const given = parsed(text);
  if (!Array.isArray(given) || !given.every(isItem)) return null;
  const messages: Message[] = [];
  const waiting: { id: string; call: Call }[] = [];
  for (const each of given) {
    const message = isItem(each.kwargs) ? each.kwargs : isItem(each.data) ? each.data : each;
    const role = roleOf(message.role ?? message.speaker ?? message.from ?? each.type);
    const content = message.content ?? message.text ?? message.value ?? message.parts ?? message.output;
    const parts = Array.isArray(content) ? content : [content];
    const read: Message = { role, text: "", calls: [] };
    const texts: string[] = [];
    const results: { id: unknown; name: unknown; text: string }[] = [];
    for (const part of parts) {
      const value = isItem(part) ? part : {};
      const made = value.functionCall ?? (value.type === "tool_use" ? value : null);
      const result = value.functionResponse ?? (value.type === "tool_result" ? value : null);
      if (isItem(made)) waiting.push(called(made, read));
      else if (isItem(result)) results.push({ id: result.tool_use_id ?? result.id, name: result.name, text: plain(result.content ?? result.response) });
      else texts.push(plain(part));
    }
    read.text = texts.filter(Boolean).join("\n");
    if (role === "tool") results.push({ id: message.tool_call_id ?? message.call_id, name: message.name, text: read.text });
    const lists = [message.tool_calls, message.tools_called, message.toolsCalled, message.function_call].flatMap(parsed);
    const single = each.type === "function_call" ? [message] : [];
    for (const made of [...lists, ...single].filter(isItem)) waiting.push(called(made, read));
    for (const result of results) {
      const at = waiting.findIndex(({ id, call }) => call.result === null && (result.id ? id === result.id : !result.name || call.name === result.name));
      if (at >= 0) waiting[at]!.call.result = result.text;
    }
    if (role !== "tool" && (read.text || read.calls.length) && !(results.length && !read.text)) messages.push(read);
  }
  return messages;
}

/** The tools that a system may call, in the format of any chat API; null for a value that lists none. */
export function toolsIn(value: unknown): { name: string; description: string; given: string }[] | null {
  const given = parsed(value);
  if (!Array.isArray(given) || !given.length || !given.every(isItem)) return null;
  const tools = given.map((each) => (isItem(each.function) ? each.function : each));
  if (!tools.every((each) => typeof each.name === "string")) return null;
  return tools.map((each) => {
    const schema = each.parameters ?? each.input_schema ?? each.inputSchema;
    return { name: plain(each.name), description: plain(each.description), given: schema ? JSON.stringify(schema, null, 2) : "" };
  });
}

/** A value, of JSON text what it holds. */
function parsed(value: unknown): unknown {
  try {
    return typeof value === "string" ? JSON.parse(value) : value;
  } catch {
    return null;
  }
}

function roleOf(value: unknown): string {
  const name = String(value ?? "").toLowerCase();
  if (USERS.includes(name)) return "user";
  if (TOOLS.includes(name)) return "tool";
  return OTHERS.includes(name) ? "system" : "assistant";
}

function called(value: Item, message: Message): { id: string; call: Call } {
  const made = isItem(value.function) ? value.function : value;
  const given = plain(made.arguments ?? made.args ?? made.input ?? made.input_parameters ?? made.inputParameters);
  const call = { name: plain(made.name), given, result: value.output === undefined ? null : plain(value.output) };
  message.calls.push(call);
  return { id: plain(value.call_id ?? value.id), call };
}

/** The text of a part of a result, or its type; null if it is no part. */
function shownPart(part: Item): string | null {
  if (OTHER_PARTS.includes(String(part.type))) return `(${part.type})`;
  return typeof part.text === "string" ? part.text : null;
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && value.length && value.every((each) => isItem(each) && shownPart(each) !== null)) {
    return value.map((each) => shownPart(each as Item)).join("\n");
  }
  if (isItem(value) && typeof value.text === "string") return value.text;
  if (isItem(value) && typeof value.type === "string") return `(${value.type})`;
  return typeof value === "string" ? value : JSON.stringify(value);
}
