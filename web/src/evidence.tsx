// Why a score is what it is: the evidence that the metric stored, by the kinds of view.ts.
import { report } from "./data";
import { counted } from "./numbers";
import { isItem, type Item, kindOf } from "./kinds";
import { Snippet } from "./marks";
import { run } from "./state";
import {
  type BackQuestion,
  type BestSentence,
  type Call,
  type Claim,
  type CoveredSentence,
  type Criterion,
  type FoundAnchor,
  FROM_ONE,
  type Hit,
  type NumberAgreement,
  type RefusalMatch,
  type Relevance,
  type Span as TextSpan,
} from "./view";

const GOOD = ["matched", "supported", "found", "common_terms"];
const BAD = ["unmatched", "missing", "invented", "ngrams_missing", "numbers_that_differ", "lost"];
const SIDES = ["answer", "reference"];
const SHOWN_FIRST = ["why", "reason", "class", "grade"];

export function Evidence({ evidence, contexts }: { evidence: Item; contexts: string[] }) {
  const keys = Object.keys(evidence).sort((a, b) => rank(a) - rank(b));
  return (
    <div class="evidence">
      {keys.map((key) => (
        <Part key={key} name={key} value={evidence[key]} contexts={contexts} all={evidence} />
      ))}
    </div>
  );
}

function rank(key: string): number {
  const at = SHOWN_FIRST.indexOf(key);
  return at >= 0 ? at : key === "calls" ? 99 : 50;
}

function Part({ name, value, contexts, all }: { name: string; value: unknown; contexts: string[]; all: Item }) {
  if (value === null || value === undefined || (Array.isArray(value) && !value.length)) return null;
  if (/_cut$|_not_shown$/.test(name) && value === 0) return null; // nothing was left out
  if (name === "why") return <p class="why">{String(value)}</p>;
  if (name === "matrix" || (name === "weakest" && "sentences" in all)) return null; // shown with the sentences
  if (SIDES.includes(name) && isItem(value)) {
    return (
      <section class="side">
        <h3>{name}</h3>
        <Evidence evidence={value} contexts={name === "answer" ? [] : contexts} />
      </section>
    );
  }
  const List = LISTS[kindOf(value)];
  if (List) return <List name={name} items={value as never[]} contexts={contexts} all={all} />;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) {
    return <Words name={name} words={value as string[]} kind={GOOD.includes(name) ? "good" : BAD.includes(name) ? "bad" : ""} />;
  }
  if (isItem(value) && "score" in value && "reason" in value && Object.keys(value).length === 2) {
    return (
      <Line name={name}>
        <b>{plain(value.score)}</b> {String(value.reason)}
      </Line>
    );
  }
  if (isItem(value) && Object.values(value).every((each) => typeof each === "number")) {
    return <Numbers name={name} values={value as Record<string, number>} />;
  }
  if (isItem(value) && Object.values(value).every(isPairs)) return <Pairs name={name} sides={value as Record<string, Pair[]>} />;
  const text = FROM_ONE.includes(name) && typeof value === "number" ? String(value + 1) : plain(value);
  return (
    <Line name={name} isShort={typeof value !== "string" && text.length < 12}>
      {text}
    </Line>
  );
}

function plain(value: unknown): string {
  if (typeof value === "number") return String(Number(value.toFixed(4)));
  return typeof value === "string" ? value : JSON.stringify(value, (_, each) => (typeof each === "number" ? Number(each.toFixed(4)) : each));
}

function Line({ name, isShort, children }: { name: string; isShort?: boolean; children: preact.ComponentChildren }) {
  return (
    <div class={isShort ? "part short" : "part"}>
      <span class="key">{name.replaceAll("_", " ")}</span>
      <span class="content">{children}</span>
    </div>
  );
}

function Words({ name, words, kind }: { name: string; words: string[]; kind: string }) {
  return (
    <Line name={name}>
      {words.map((word, at) => (
        <span key={at} class={`word ${kind}`}>
          {kind === "good" ? "✓ " : kind === "bad" ? "✗ " : ""}
          {word}
        </span>
      ))}
    </Line>
  );
}

function Numbers({ name, values }: { name: string; values: Record<string, number> }) {
  return (
    <Line name={name}>
      <table class="small">
        <tbody>
          {Object.entries(values).map(([key, value]) => (
            <tr key={key}>
              <th scope="row">{key.replaceAll("_", " ")}</th>
              <td>{plain(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Line>
  );
}

type Pair = [string, number];

/** Words with a number each, as of the tokens that BERTScore matches worst. */
function isPairs(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => Array.isArray(each) && each.length === 2 && typeof each[0] === "string" && typeof each[1] === "number")
  );
}

function Pairs({ name, sides }: { name: string; sides: Record<string, Pair[]> }) {
  return (
    <>
      {Object.entries(sides).map(([side, pairs]) => (
        <Line key={side} name={`${name} in the ${side}`}>
          {pairs.map(([word, value], at) => (
            <span key={at} class="word">
              {word} <span class="soft">{value.toFixed(2)}</span>
            </span>
          ))}
        </Line>
      ))}
    </>
  );
}

function Mark({ good }: { good: boolean | null }) {
  if (good === null) return <span class="mark">–</span>;
  return <span class={good ? "mark good" : "mark bad"}>{good ? "✓" : "✗"}</span>;
}

interface ListOf<T> {
  name: string;
  items: T[];
  contexts: string[];
  all: Item;
}

function Verdicts({ name, title, lines }: { name: string; title: string; lines: [boolean | null, preact.ComponentChildren][] }) {
  return (
    <Line name={name}>
      {title && <span class="soft">{title}</span>}
      <ul class="verdicts">
        {lines.map(([good, content], at) => (
          <li key={at}>
            <Mark good={good} />
            <span>{content}</span>
          </li>
        ))}
      </ul>
    </Line>
  );
}

function Claims({ name, items, contexts }: ListOf<Claim>) {
  const n = items.filter((item) => item.supported === true).length;
  return (
    <Verdicts
      name={name}
      title={`${n} of ${items.length} supported`}
      lines={items.map((item) => [
        item.supported === true,
        <>
          {item.claim}
          {item.reason && <span class="soft"> – {item.reason}</span>}
          {item.quote && <Quote claim={item} contexts={contexts} />}
        </>,
      ])}
    />
  );
}

function Quote({ claim, contexts }: { claim: Claim; contexts: string[] }) {
  const text = claim.context === null || claim.context === undefined ? undefined : contexts[claim.context];
  if (text === undefined || typeof claim.start !== "number" || typeof claim.end !== "number") {
    return (
      <span class="quoted">
        “{claim.quote}” <span class="soft">{contexts.length ? "not found in the contexts" : ""}</span>
      </span>
    );
  }
  return (
    <span class="quoted">
      <span class="soft">context {claim.context! + 1}: </span>
      <Snippet text={text} start={claim.start} end={claim.end} />
    </span>
  );
}

function Relevances({ name, items }: ListOf<Relevance>) {
  const n = items.filter((item) => item.relevant === true).length;
  return (
    <Verdicts
      name={name}
      title={`${n} of ${items.length} relevant`}
      lines={items.map((item, at) => [item.relevant === true, `context ${at + 1}: ${item.reason ?? ""}`])}
    />
  );
}

function Criteria({ name, items }: ListOf<Criterion>) {
  if (name === "grades") {
    return (
      <Line name={name}>
        {items.map((item) => (
          <div key={item.criterion}>
            {item.criterion} <b>{item.verdict}</b>: {item.reason}
            {item.quote && ` “${item.quote}” (${item.quote_found ? `turn ${item.turn}` : "in no turn"})`}
          </div>
        ))}
      </Line>
    );
  }
  const met = items.filter((item) => item.verdict === "met").length;
  return (
    <Verdicts
      name={name}
      title={`${met} of ${items.length} met`}
      lines={items.map((item) => [
        item.verdict === "met" ? true : item.verdict === "not met" ? false : null,
        `criterion ${item.criterion}: ${item.reason ?? ""}`,
      ])}
    />
  );
}

function BackQuestions({ name, items }: ListOf<BackQuestion>) {
  return (
    <Line name={name}>
      <span class="soft">made from the answer, with their cosine to the original question</span>
      <table class="small">
        <tbody>
          {items.map((item, at) => (
            <tr key={at}>
              <td>{item.cosine.toFixed(2)}</td>
              <td>
                {item.question}
                {item.noncommittal && <span class="soft"> (noncommittal)</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Line>
  );
}

function Hits({ items, all }: ListOf<Hit>) {
  const retrieved = typeof all.n_retrieved === "number" ? ` among ${counted(all.n_retrieved, "passage")}` : "";
  return (
    <Line name="hits">
      {items.map((item) => (
        <span key={item.rank} class="word good">
          ✓ rank {item.rank}: {item.name}
          {item.grade !== 1 && <span class="soft"> grade {item.grade}</span>}
        </span>
      ))}
      <span class="soft">{retrieved}</span>
    </Line>
  );
}

/** The sentences of the reference with the closest of the answer; the weakest one decides. */
function Sentences({ items, all }: ListOf<CoveredSentence>) {
  const weakest = (all.weakest as Item | undefined)?.reference_sentence;
  return (
    <Line name="sentences">
      <ul class="verdicts">
        {items.map((item, at) => (
          <li key={at} class={at === weakest ? "weakest" : undefined}>
            <Mark good={item.covered} />
            <span>
              {item.sentence} <b>{item.f1.toFixed(2)}</b>
              {at === weakest && <em> weakest</em>}
              <span class="soft">
                {" "}
                – sentence {item.answer_sentence + 1} of the answer: {item.best}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {Array.isArray(all.matrix) && <Matrix matrix={all.matrix as number[][]} weakest={weakest as number | undefined} />}
    </Line>
  );
}

/** Rows are the answer's sentences, columns the reference's. */
function Matrix({ matrix, weakest }: { matrix: number[][]; weakest: number | undefined }) {
  // With one sentence on each side the list has said it all.
  if (!matrix[0] || matrix.length * matrix[0].length < 2 || matrix.length * matrix[0].length > 400) return null;
  return (
    <div class="sentence-matrix">
      <span class="soft">similarity of the answer's sentences (rows) and the reference's (columns)</span>
      <table class="small">
        <thead>
          <tr>
            <td />
            {matrix[0].map((_, c) => (
              <th key={c} scope="col">
                {c + 1}
              </th>
            ))}
          </tr>
        </thead>
      <tbody>
        {matrix.map((row, r) => (
          <tr key={r}>
            <th scope="row">{r + 1}</th>
            {row.map((value, c) => {
              const best = matrix.every((other) => other[c]! <= value);
              return (
                <td key={c} class={`${best ? "best" : ""} ${c === weakest ? "weakest" : ""}`}>
                  {value.toFixed(2)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
    </div>
  );
}

function Anchors({ name, items, contexts }: ListOf<FoundAnchor>) {
  return (
    <Verdicts
      name={name}
      title=""
      lines={items.map((item) => {
        const text = item.by ? contexts[item.by.context] : undefined;
        return [
          item.supported,
          <>
            {item.text} <span class="soft">{item.kind}</span>
            {item.by && text !== undefined && (
              <span class="quoted">
                <span class="soft">context {item.by.context + 1}: </span>
                <Snippet text={text} start={item.by.start} end={item.by.end} around={60} />
              </span>
            )}
          </>,
        ];
      })}
    />
  );
}

function BestSentences({ items }: ListOf<BestSentence>) {
  return (
    <Line name="closest sentences">
      <table class="small">
        <tbody>
          {items.map((item, at) => (
            <tr key={at}>
              <td>{item.closeness.toFixed(2)}</td>
              <td>
                <span class="soft">context {item.context + 1}: </span>
                {item.text}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Line>
  );
}

function Agreements({ items }: ListOf<NumberAgreement>) {
  return (
    <Line name="numbers">
      {items.map((item, at) => (
        <span key={at} class={item.how ? "word good" : "word bad"}>
          {item.how ? `✓ ${item.number} = ${item.matched_by}` : `✗ ${item.number}`}
          <span class="soft"> {item.how}</span>
        </span>
      ))}
    </Line>
  );
}

function Refusals({ items }: ListOf<RefusalMatch>) {
  return (
    <Verdicts
      name="refusals"
      title=""
      lines={items.map((item) => [
        item.decides ? true : null,
        <>
          “{item.words}” <span class="soft">{item.overruled_by ? `overruled by “${item.overruled_by}”` : item.rule}</span>
        </>,
      ])}
    />
  );
}

function Spans({ name, items }: ListOf<TextSpan>) {
  return <Words name={name} words={items.map((item) => item.text)} kind="bad" />;
}

function Calls({ items }: ListOf<Call>) {
  const { prompts } = report.runs[run()] ?? report.runs[0]!;
  return (
    <Line name="judge">
      {items.map((call, at) => (
        <details key={at} class="call">
          <summary>
            {call.prompt} <span class="soft">{call.key}</span>
          </summary>
          <span class="key">reply</span>
          <pre>{pretty(call)}</pre>
          <span class="key">prompt</span>
          {prompts[call.prompt] ? (
            <>
              <pre>{prompts[call.prompt]}</pre>
              <p class="soft">The marks were replaced by the texts of this question. The cache has the whole request under the key.</p>
            </>
          ) : (
            <p class="soft">
              The run keeps a digest of the prompt, not its text, and this version of ragauge has other prompts. The cache has the whole request
              under the key.
            </p>
          )}
        </details>
      ))}
    </Line>
  );
}

function pretty(call: Call): string {
  const { prompt: _, key: __, ...others } = call as Call & Item;
  const reply = typeof others.reply === "string" ? others.reply : null;
  if (reply === null) return JSON.stringify(others, null, 2);
  try {
    return JSON.stringify(JSON.parse(reply), null, 2);
  } catch {
    return reply;
  }
}

const LISTS: Record<string, (list: ListOf<never>) => preact.ComponentChildren> = {
  calls: Calls as never,
  claims: Claims as never,
  relevance: Relevances as never,
  criteria: Criteria as never,
  questions: BackQuestions as never,
  hits: Hits as never,
  sentences: Sentences as never,
  anchors: Anchors as never,
  best_sentences: BestSentences as never,
  numbers: Agreements as never,
  refusals: Refusals as never,
  spans: Spans as never,
};
