// The review view: one answer after another, judged without knowing the automatic verdicts.
import { useEffect, useRef } from "preact/hooks";
import { actions, tooltip } from "./keys";
import { Markdown } from "./marks";
import { failure, item, label, load, move, named, next, notes, queue, rater, rename, said, show, undo, type Verdict } from "./review_state";
import { param } from "./state";
import type { LabelView, ReviewItemView } from "./view";

const VERDICTS: [Verdict, string, string][] = [
  [1, "Match", "match"],
  [0, "Contradict", "contradict"],
  [null, "Unsure", "unsure"],
];

export function Review() {
  const key = param("item");
  useEffect(load, []);
  useEffect(show, [key]);
  useEffect(() => {
    actions.match = () => label(1);
    actions.contradict = () => label(0);
    actions.unsure = () => label(null);
    actions.undo = undo;
    actions.advance = next;
    actions.contexts = () => {
      const passages = document.querySelector<HTMLDetailsElement>("details.read-contexts");
      if (passages) passages.open = !passages.open;
    };
    actions.note = () => document.getElementById("note")?.focus();
    actions.next = () => move(1);
    actions.previous = () => move(-1);
    return () => {
      for (const name of ["match", "contradict", "unsure", "undo", "advance", "note", "contexts", "next", "previous"] as const) delete actions[name];
    };
  }, []);
  const now = queue.value;
  return (
    <>
      <h1>{now ? now.asks : "Review"}</h1>
      {now && <Progress />}
      {failure.value && (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      <p class="hidden" role="status">
        {said.value}
      </p>
      {now && (item.value && item.value.key === key ? <Item key={key} item={item.value} /> : !key && <Finished />)}
    </>
  );
}

function Progress() {
  const { rows, notes: remarks } = queue.value!;
  const left = rows.filter((row) => row.task !== "done").length;
  const conflicts = rows.filter((row) => row.task === "settle").length;
  const done = rows.length - left;
  return (
    <div class="progress">
      <progress value={done} max={rows.length || 1} aria-label="Answers done" />
      <span>
        {done} of {rows.length} done{conflicts > 0 && `, ${conflicts} ${conflicts === 1 ? "conflict" : "conflicts"} to settle`}
      </span>
      {left ? <span class="soft">the report opens when nothing is left: it shows automatic scores</span> : <ReportLink />}
      <label class="rater">
        your name{" "}
        <input
          value={rater.value}
          maxLength={80}
          autocomplete="off"
          onChange={(event) => rename(event.currentTarget.value)}
        />
      </label>
      {remarks.map((remark) => (
        <span key={remark} class="soft">
          {remark}
        </span>
      ))}
    </div>
  );
}

function Item({ item }: { item: ReviewItemView }) {
  const article = useRef<HTMLElement>(null);
  // Where the reader of a screen is, and so that Enter does not press a button that had the focus before.
  useEffect(() => article.current?.focus({ preventScroll: true }), [item.key, item.own?.label]);
  return (
    <article class="review-item" ref={article} tabIndex={-1} aria-label={`Answer to question ${item.id}`}>
      <p class="soft">
        <span class="id">{item.id}</span> · in the queue because: {item.why}
      </p>
      {item.before && (
        <details open>
          <summary>What was said before</summary>
          <p class="prose">{item.before}</p>
        </details>
      )}
      {item.question && <h2 class="question">{item.question}</h2>}
      <div class="pair">
        <section aria-label="Reference">
          <h3>{item.references.length > 1 ? "References: any of these" : "Reference"}</h3>
          {item.references.map((text, at) => (
            <Markdown key={at} text={text} />
          ))}
          {!item.references.length && <p class="soft">(none given)</p>}
        </section>
        <section aria-label="Answer">
          <h3>Answer{item.system && <span class="soft"> · {item.system}</span>}</h3>
          {item.answer ? <Markdown text={item.answer} /> : <p class="soft">(empty)</p>}
        </section>
      </div>
      {item.task === "settle" && !item.own && <Others title="A conflict to settle" others={item.others} />}
      {item.own ? <Saved item={item} own={item.own} /> : <Choice item={item} />}
      {item.contexts.length > 0 && (
        <details class="read-contexts">
          <summary title={tooltip("Show the contexts")}>
            {item.contexts.length} {item.contexts.length === 1 ? "context" : "contexts"} <KeyName does="Show the contexts" />
          </summary>
          <ol>
            {item.contexts.map((text, at) => (
              <li key={at} class="prose">
                {text}
              </li>
            ))}
          </ol>
        </details>
      )}
    </article>
  );
}

function Choice({ item }: { item: ReviewItemView }) {
  const note = notes.value[item.key] ?? "";
  return (
    <div class="choice">
      {item.task === "done" && <p class="soft">Somebody else has labelled this answer. Your label is a second opinion.</p>}
      <div class="verdicts">
        {VERDICTS.map(([value, name, does]) => (
          <button key={name} type="button" class={`verdict ${does}`} title={tooltip(name)} onClick={() => label(value)}>
            {name} <KeyName does={name} />
          </button>
        ))}
        <button type="button" class="quiet" title={tooltip("Next answer to label")} onClick={next}>
          skip <KeyName does="Next answer to label" />
        </button>
      </div>
      <label class="own-note">
        <span>
          note <KeyName does="Write a note" />
        </span>
        <textarea
          id="note"
          rows={2}
          maxLength={4000}
          value={note}
          onInput={(event) => {
            notes.value = { ...notes.value, [item.key]: event.currentTarget.value };
          }}
        />
      </label>
    </div>
  );
}

function Saved({ item, own }: { item: ReviewItemView; own: LabelView }) {
  const others = item.others;
  return (
    <div class="saved">
      <p>
        Saved: <b class={own.says}>{own.says}</b> by {own.rater}
        {own.note && <span class="prose"> – {own.note}</span>}
      </p>
      {others.length > 0 && (
        <Others
          title={item.state === "conflict" ? "Others say something else: both labels are kept, and somebody else settles the conflict" : "Others say"}
          others={others}
        />
      )}
      {item.state === "settled" && <p>Settled: {item.verdict}</p>}
      <table class="automatic">
        <caption>Automatic scores</caption>
        <tbody>
          {item.automatic.map((each) => (
            <tr key={each.metric}>
              <th scope="row">{each.metric}</th>
              <td>{each.value}</td>
              <td>{each.verdict}</td>
            </tr>
          ))}
          {!item.automatic.length && (
            <tr>
              <td>no metric has a score</td>
            </tr>
          )}
        </tbody>
      </table>
      <div class="verdicts">
        <button type="button" class="verdict" title={tooltip("Next answer to label")} onClick={next}>
          Next <KeyName does="Next answer to label" />
        </button>
        <button type="button" class="quiet" title={tooltip("Undo the last label")} onClick={undo}>
          undo <KeyName does="Undo the last label" />
        </button>
      </div>
    </div>
  );
}

function Others({ title, others }: { title: string; others: LabelView[] }) {
  return (
    <div class="others">
      <p>{title}</p>
      <ul>
        {others.map((each) => (
          <li key={each.label}>
            {each.rater}: <b class={each.says}>{each.says}</b>
            {each.round === "adjudication" && " (decided)"}
            {each.note && <span class="prose"> – {each.note}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function KeyName({ does }: { does: string }) {
  const name = /\((.*)\)$/.exec(tooltip(does))?.[1]?.split(" or ")[0];
  return name ? <kbd aria-hidden="true">{name}</kbd> : null;
}

/** A page of its own: what it shows is not here before. */
function ReportLink() {
  return <a href={`/report${named()}`}>open the report</a>;
}

function Finished() {
  const rows = queue.value!.rows;
  return (
    <p class="finished">
      {rows.length
        ? "Nothing is left for you in the queue. ragauge review stats says how far people agree, ragauge calibrate what the labels say of the metrics."
        : "The queue is empty: no metric disputes an answer, and no random sample was drawn."}
    </p>
  );
}
