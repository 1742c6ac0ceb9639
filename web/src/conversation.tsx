// A whole conversation: its turns as bubbles, with calls folded and the scores of each turn, one column for each system.
import { useEffect, useState } from "preact/hooks";
import { counted, shown } from "./numbers";
import type { Question, Rows } from "./rows";
import { changed, isNarrow, place } from "./state";
import { SystemTable } from "./systems";
import { MEASURED } from "./tradeoffs";
import { type Message, type toolsIn, transcript } from "./transcript";
import type { MetricView } from "./view";

const FIELDS = ["conversation", "turn"];
/** Turns that are shown around the one that is open; the others on request. */
const NEAR = 10;

/** The turns of the conversation that question `q` belongs to, in their order; empty if it belongs to none. */
function turnsOf(rows: Rows, q: number): { q: number; turn: number }[] {
  const value = (name: string, at: number) => {
    for (let s = 0; s < rows.view.systems.length; s++) {
      const found = rows.value(name, at, s);
      if (found !== null) return found;
    }
    return null;
  };
  const conversation = value("conversation", q);
  if (conversation === null) return [];
  const turns: { q: number; turn: number }[] = [];
  for (let at = 0; at < rows.view.n_questions; at++) {
    if (value("conversation", at) === conversation) turns.push({ q: at, turn: Number(value("turn", at)) });
  }
  return turns.sort((a, b) => a.turn - b.turn);
}

export function Conversation({ rows, q, columns }: { rows: Rows; q: number; columns: MetricView[] }) {
  const [isWhole, setWhole] = useState(false);
  const [loaded, setLoaded] = useState<{ q: number; turn: number; question: Question }[]>([]);
  const isHere = rows.field("conversation") !== undefined && rows.have([], FIELDS);
  const all = isHere ? turnsOf(rows, q) : [];
  const at = all.findIndex((each) => each.q === q);
  const near = isWhole ? all : all.slice(Math.max(0, at - NEAR), at + NEAR + 1);
  const key = near.map((each) => each.q).join();
  useEffect(() => {
    let isCurrent = true;
    Promise.all(near.map(async (each) => ({ ...each, question: await rows.question(each.q) }))).then(
      (found) => isCurrent && setLoaded(found),
      () => isCurrent && setLoaded([]),
    );
    return () => {
      isCurrent = false;
    };
  }, [rows, key]);
  if (!all.length || !loaded.length) return null;
  return (
    <section class="conversation">
      <h3>The conversation, {counted(all.length, "turn")}</h3>
      {near.length < all.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {all.length} turns
        </button>
      )}
      <SystemTable run={rows.view} label="The conversation" kind="answers" head="" name={isNarrow.value ? 0 : 5} each={14} most={1}>
        {(systems) => (
          <tbody>
            {loaded.map((each) => (
              <tr key={each.q} class={each.q === q ? "turn open" : "turn"}>
                <th scope="row">
                  {each.q === q ? (
                    <b aria-current="true">turn {each.turn}</b>
                  ) : (
                    <a href={changed({ id: rows.ids[each.q]!, why: place.value.params.getAll("why") })}>turn {each.turn}</a>
                  )}
                </th>
                {systems.map((s) => (
                  <td key={s}>
                    <Turn question={each.question} s={s} />
                    <TurnScores rows={rows} q={each.q} s={s} columns={columns} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        )}
      </SystemTable>
    </section>
  );
}

function Turn({ question, s }: { question: Question; s: number }) {
  const answer = question.answers.find((each) => each.s === s);
  if (!answer) return <span class="soft">this system has no such turn</span>;
  const messages = { ...question.shared, ...answer.fields }.messages;
  return <Bubbles messages={(typeof messages === "string" && transcript(messages)) || []} />;
}

export function Bubbles({ messages }: { messages: Message[] }) {
  return (
    <>
      {messages.map((message, at) => (
        <div key={at} class={`bubble ${message.role}`}>
          <span class="role">{message.role}</span>
          {message.text && <p class="prose">{message.text}</p>}
          {message.calls.map((call, place) => (
            <details key={place} class="call">
              <summary>
                calls {call.name}
                <span class="soft"> {brief(call.given)}</span>
              </summary>
              <p class="prose">{call.given || "(no arguments)"}</p>
              <p class="prose">
                <span class="soft">result</span> {call.result ?? "(none)"}
              </p>
            </details>
          ))}
        </div>
      ))}
    </>
  );
}

/** Name and description of each tool; its arguments are folded. */
export function Tools({ tools }: { tools: NonNullable<ReturnType<typeof toolsIn>> }) {
  return (
    <>
      {tools.map((tool, at) => (
        <details key={at} class="call">
          <summary>
            {tool.name}
            {tool.description && <span class="soft"> {tool.description}</span>}
          </summary>
          <pre>{tool.given || "(no arguments)"}</pre>
        </details>
      ))}
    </>
  );
}

function brief(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

/** The ranked scores of a turn that have a value, those in the worse half of their range first. */
function TurnScores({ rows, q, s, columns }: { rows: Rows; q: number; s: number; columns: MetricView[] }) {
  const found = columns.flatMap((metric) => {
    const value = rows.of(metric.column!).values[q * rows.view.systems.length + s]!;
    return Number.isNaN(value) || !metric.is_ranked ? [] : [{ metric, value, isLow: isLow(metric, value) }];
  });
  return (
    <>
      {[true, false].map((low) => {
        const part = found.filter((each) => each.isLow === low);
        return (
          part.length > 0 && (
            <p key={String(low)} class={low ? "turn-scores low" : "turn-scores"}>
              {low && <span>not good:</span>}
              {part.map(({ metric, value }) => (
                <span key={metric.label}>
                  {metric.name} <b>{shown(metric, value)}</b>
                </span>
              ))}
            </p>
          )
        );
      })}
    </>
  );
}

function isLow(metric: MetricView, value: number): boolean {
  const [low, high] = metric.range;
  if (MEASURED.includes(metric.label)) return false; // every answer takes time
  if (!metric.is_bounded) return metric.lower_is_better && value > 0;
  return metric.lower_is_better ? value > (low + high) / 2 : value < (low + high) / 2;
}
