// One question: its texts, and for each system the answer, the passages, and each score with its reason.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { briefly } from "./brief";
import { Bubbles, Conversation, Tools } from "./conversation";
import { Evidence } from "./evidence";
import { actions, tooltip } from "./keys";
import { Markdown, Marked, WordDiff } from "./marks";
import { shown } from "./numbers";
import type { Question, Rows } from "./rows";
import { spansInAnswer, spansInContexts } from "./spans";
import { changed, go, isNarrow, param, place, replace } from "./state";
import { Breakable, SystemTable } from "./systems";
import { toolsIn, transcript } from "./transcript";
import type { MetricView } from "./view";

type Answer = Question["answers"][number];
type Item = Record<string, unknown>;
const CONVERSATIONS = ["messages", "whole_conversation"];
/** What the conversation below the scores shows. */
const IN_CONVERSATION = ["messages", "whole_conversation", "conversation_before", "conversation", "turn"];
const TEXT_LISTS = ["references", "gold_contexts"];
const IN_CONTEXTS = ["contexts", "context_ids", "context_scores", "relevant"];

export function Detail({ rows, q, where }: { rows: Rows; q: number; where: string }) {
  const [loaded, setLoaded] = useState<{ q: number; question: Question } | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    let isCurrent = true;
    rows.question(q).then(
      (question) => isCurrent && setLoaded({ q, question }),
      (error: Error) => isCurrent && setFailure(error.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [rows, q]);
  const columns = rows.view.metrics.filter((metric) => metric.column !== null);
  const ready = rows.have(columns.map((metric) => metric.column!));
  return (
    <article class="detail" aria-label={`Question ${rows.ids[q]}`} tabIndex={-1}>
      <header>
        <span class="id">{rows.ids[q]}</span>
        <span class="soft">{where}</span>
        {rows.view.of === "answers" && (
          <span class="toggles">
            <Toggle name="plain" on="1" does="Show answers and references as they were written, without Markdown" label="plain text" />
            <Toggle name="diff" on="1" does="Mark words that differ from the reference" label="word diff" />
            <Toggle name="why" on="all" does="Show why each score is what it is" label="all reasons" />
          </span>
        )}
        <span class="tools">
          <button type="button" title={tooltip("Previous question")} aria-label="Previous question" onClick={() => actions.previous?.()}>
            ↑
          </button>
          <button type="button" title={tooltip("Next question")} aria-label="Next question" onClick={() => actions.next?.()}>
            ↓
          </button>
          <button type="button" title="Close (Esc)" aria-label="Close the question" onClick={() => go(changed({ id: null }))}>
            ×
          </button>
        </span>
      </header>
      {(failure || rows.failure) && <p class="error">{failure || rows.failure}</p>}
      {loaded && ready && <Body rows={rows} q={loaded.q} question={loaded.question} columns={columns} />}
    </article>
  );
}

function Toggle({ name, on, does, label }: { name: string; on: string; does: string; label: string }) {
  const pressed = param(name) === on;
  return (
    <button
      type="button"
      class="chip"
      title={tooltip(does)}
      aria-pressed={pressed ? "true" : "false"}
      onClick={() => replace(changed({ [name]: pressed ? null : on }))}
    >
      {label}
    </button>
  );
}

function Body({ rows, q, question, columns }: { rows: Rows; q: number; question: Question; columns: MetricView[] }) {
  const answers = rows.view.systems.map((_, s) => question.answers.find((answer) => answer.s === s));
  const shared = Object.entries(question.shared).filter(([name, value]) => name !== "question" && isGiven(value));
  shared.sort(([a], [b]) => placeOf(a) - placeOf(b));
  const text = question.shared.question;
  const below = [...IN_CONTEXTS, ...(rows.field("conversation") ? IN_CONVERSATION : [])];
  return (
    <>
      {typeof text === "string" && <h2 class="question">{text}</h2>}
      <Fields entries={shared.filter(([name]) => !below.includes(name))} />
      <SystemTable run={rows.view} label="Answers and scores" kind="answers" head="" name={isNarrow.value ? 0 : 10} each={11.5} most={1}>
        {(systems) => {
          const shown = systems.map((s) => answers[s]);
          return (
            <tbody>
              {hasAnswers(question) && (
                <tr class="answer">
                  <th scope="row">answer</th>
                  {shown.map((answer, at) => (
                    <td key={at}>{answer ? <AnswerText answer={answer} question={question} columns={columns} /> : <NoAnswer />}</td>
                  ))}
                </tr>
              )}
              {columns.map((metric) => (
                <ScoreRow key={metric.label} rows={rows} q={q} metric={metric} question={question} answers={answers} systems={systems} />
              ))}
              {hasContexts(question) && (
                <tr>
                  <th scope="row">contexts</th>
                  {shown.map((answer, at) => (
                    <td key={at}>{answer && <Contexts answer={answer} question={question} columns={columns} />}</td>
                  ))}
                </tr>
              )}
              <OwnFields answers={shown} but={below} />
            </tbody>
          );
        }}
      </SystemTable>
      <Conversation rows={rows} q={q} columns={columns} />
    </>
  );
}

const FIRST = ["references"];
const LAST = ["gold_contexts"];

/** References come first and gold passages last. */
function placeOf(name: string): number {
  return FIRST.includes(name) ? 0 : LAST.includes(name) ? 2 : 1;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && !value.length);
}

function NoAnswer() {
  return <span class="soft">this system has no answer to this question</span>;
}

/** A field of an answer, which may be one that all systems share. */
function fieldOf(question: Question, answer: Answer, name: string): unknown {
  return name in answer.fields ? answer.fields[name] : question.shared[name];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}

function AnswerText({ answer, question, columns }: { answer: Answer; question: Question; columns: MetricView[] }) {
  const text = fieldOf(question, answer, "answer");
  if (typeof text !== "string") return <span class="soft">(none given)</span>;
  if (!text.trim()) return <span class="soft">(empty)</span>;
  const references = texts(fieldOf(question, answer, "references"));
  if (param("diff") && references.length) {
    return (
      <p class="prose">
        <WordDiff answer={text} references={references} />
      </p>
    );
  }
  const spans = spansInAnswer(answer.evidence, columns);
  return (
    <Long>
      {param("plain") ? (
        <p class="prose">
          <Marked text={text} spans={spans} />
        </p>
      ) : (
        <Markdown text={text} spans={spans} />
      )}
    </Long>
  );
}

/** The beginning of a long text, and a button that shows all of it. */
function Long({ children }: { children: preact.ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"fits" | "cut" | "open">("fits");
  useLayoutEffect(() => {
    if (state === "fits" && box.current!.scrollHeight > box.current!.clientHeight + 1) setState("cut");
  });
  return (
    <>
      <div ref={box} class={`long ${state}`}>
        {children}
      </div>
      {state !== "fits" && (
        <button type="button" class="quiet" aria-expanded={state === "open"} onClick={() => setState(state === "cut" ? "open" : "cut")}>
          {state === "cut" ? "Show the whole answer" : "Show less"}
        </button>
      )}
    </>
  );
}

function Fields({ entries }: { entries: [string, unknown][] }) {
  if (!entries.length) return null;
  return (
    <dl class="fields">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name === "references" && Array.isArray(value) && value.length === 1 ? "reference" : name}</dt>
          <dd>
            <FieldValue name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FieldValue({ name, value }: { name: string; value: unknown }) {
  if (TEXT_LISTS.includes(name) && Array.isArray(value)) {
    return (
      <>
        {value.map((each, at) =>
          param("plain") || name !== "references" ? (
            <p key={at} class="prose">
              {String(each)}
            </p>
          ) : (
            <Markdown key={at} text={String(each)} />
          ),
        )}
      </>
    );
  }
  const said = CONVERSATIONS.includes(name) && typeof value === "string" ? transcript(value) : null;
  if (said) return <Bubbles messages={said} />;
  const tools = name === "tools" ? toolsIn(value) : null;
  if (tools) return <Tools tools={tools} />;
  return <>{typeof value === "string" ? value : JSON.stringify(value)}</>;
}

/** The fields of the answers that are shown nowhere else. */
function OwnFields({ answers, but }: { answers: (Answer | undefined)[]; but: string[] }) {
  const names = new Set(answers.flatMap((answer) => Object.keys(answer?.fields ?? {})));
  for (const name of ["answer", "question", ...but]) names.delete(name);
  return (
    <>
      {[...names].map((name) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {answers.map((answer, s) => (
            <td key={s}>{answer && isGiven(answer.fields[name]) && <FieldValue name={name} value={answer.fields[name]} />}</td>
          ))}
        </tr>
      ))}
    </>
  );
}

function ScoreRow({
  rows,
  q,
  metric,
  question,
  answers,
  systems,
}: {
  rows: Rows;
  q: number;
  metric: MetricView;
  question: Question;
  answers: (Answer | undefined)[];
  systems: number[];
}) {
  const whys = place.value.params.getAll("why");
  const isOpen = whys.includes("all") || whys.includes(metric.label);
  const toggle = () => {
    const kept = whys.filter((each) => each !== metric.label && each !== "all");
    replace(changed({ why: isOpen ? kept : [...kept, metric.label] }));
  };
  const scores = rows.of(metric.column!);
  const width = rows.view.systems.length;
  return (
    <tr class={isOpen ? "score open" : "score"}>
      <th scope="row">
        <button type="button" class="plain" aria-expanded={isOpen ? "true" : "false"} title={metric.label} onClick={toggle}>
          <span>
            <Breakable text={metric.name} />
          </span>
        </button>
      </th>
      {systems.map((s) => {
        const answer = answers[s];
        const row = q * width + s;
        const value = scores.values[row]!;
        const status = rows.view.statuses[scores.statuses[row]!];
        const reason = scores.texts[scores.reasons[row]! - 1];
        const evidence = answer?.evidence.find(([column]) => column === metric.column)?.[1];
        const contexts = answer ? texts(fieldOf(question, answer, "contexts")) : [];
        return (
          <td key={s}>
            {answer && status && (
              <div class="value">
                {Number.isNaN(value) ? <em class="status">{status}</em> : <b>{shown(metric, value)}</b>}
                {reason ? <span class="soft"> {reason}</span> : !isOpen && evidence && <span class="soft"> {briefly(evidence)}</span>}
              </div>
            )}
            {isOpen && evidence && <Evidence evidence={evidence} contexts={contexts} />}
          </td>
        );
      })}
    </tr>
  );
}

/** Rankings have no answers. */
function hasAnswers(question: Question): boolean {
  return question.answers.some((answer) => fieldOf(question, answer, "answer") !== undefined);
}

function hasContexts(question: Question): boolean {
  return question.answers.some((answer) => isGiven(fieldOf(question, answer, "contexts")) || isGiven(fieldOf(question, answer, "context_ids")));
}

function Contexts({ answer, question, columns }: { answer: Answer; question: Question; columns: MetricView[] }) {
  const passages = texts(fieldOf(question, answer, "contexts"));
  const ids = texts(fieldOf(question, answer, "context_ids"));
  const relevant = (fieldOf(question, answer, "relevant") ?? []) as Item[];
  const grades = new Map(Array.isArray(relevant) ? relevant.map((each) => [each.id, each.grade]) : []);
  const spans = spansInContexts(answer.evidence, columns);
  const n = Math.max(passages.length, ids.length);
  if (!n) return <span class="soft">nothing was retrieved</span>;
  return (
    <ol class="passages">
      {Array.from({ length: n }, (_, at) => {
        const id = ids[at];
        const grade = id === undefined ? undefined : grades.get(id);
        const isHit = typeof grade === "number" && grade > 0;
        return (
          <li key={at} class={isHit ? "hit" : undefined}>
            <span class="rank">
              {at + 1}
              {isHit && <span title={`relevant, grade ${String(grade)}`}> ✓ relevant</span>}
              {id && <span class="soft"> {id}</span>}
            </span>
            {passages[at] !== undefined && (
              <details>
                <summary>
                  <Marked text={passages[at]!} spans={spans.get(at) ?? []} />
                </summary>
              </details>
            )}
          </li>
        );
      })}
    </ol>
  );
}
