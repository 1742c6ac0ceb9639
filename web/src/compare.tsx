// Two systems, question by question: differences with their intervals, and what was fixed and broken.
import { useEffect, useMemo, useState } from "preact/hooks";
import { DifferenceBar, Swatch } from "./charts";
import { actions, tooltip } from "./keys";
import { count, counted, noun, plural, pValue, short, shown, signed } from "./numbers";
import { type Change, changeOf, paired, type Paired, pairOf } from "./pairing";
import { type Rows, rowsOf } from "./rows";
import { Scatter } from "./scatter";
import { Select } from "./select";
import { changed, go, href, param } from "./state";
import { Breakable, Wide } from "./systems";
import type { MetricView } from "./view";

const LISTED = 200;

export function Compare({ at }: { at: number }) {
  const rows = rowsOf(at);
  const { systems } = rows.view;
  const chosen = (name: string, other: number) => {
    const found = systems.indexOf(param(name));
    return found < 0 ? other : found;
  };
  const base = chosen("base", 1);
  const other = chosen("other", base === 0 ? 1 : 0);
  const metrics = rows.view.metrics.filter((metric) => metric.column !== null && metric.cells.some((cell) => cell?.ok));
  const metric = metrics.find((each) => each.label === param("metric")) ?? metrics[0];

  const swap = () => go(changed({ base: systems[other]!, other: systems[base]! }));
  useEffect(() => {
    actions.swap = swap;
    return () => {
      delete actions.swap;
    };
  });
  if (systems.length < 2) return <p>The run has one system; there is nothing to compare.</p>;
  if (!metric) return <p>Nothing was scored.</p>;
  const options = systems.map((system): [string, string] => [system, system]);
  return (
    <>
      <section class="lead">
        <h1>{headline(rows, metric, base, other)}</h1>
        <div class="choices-row">
          <Select label="Baseline" value={systems[base]!} options={options} param="base" />
          <button type="button" onClick={swap} title={tooltip("Swap the baseline and the other system")} aria-label="Swap">
            ⇄
          </button>
          <Select label="compared with" value={systems[other]!} options={options} param="other" />
        </div>
      </section>
      {base === other ? (
        <p>Choose two different systems.</p>
      ) : (
        <>
          <Differences rows={rows} metrics={metrics} metric={metric} base={base} other={other} />
          <ByQuestion rows={rows} metric={metric} base={base} other={other} />
        </>
      )}
    </>
  );
}

function headline(rows: Rows, metric: MetricView, base: number, other: number): string {
  const { systems } = rows.view;
  const pair = pairOf(metric, base, other);
  const [one, two] = [systems[base], systems[other]];
  if (!pair || pair.p_value === null) return `${two} and ${one}: ${metric.name} is not tested.`;
  const { value } = changeOf(pair);
  const gain = metric.lower_is_better ? -value : value;
  const size = `${pair.ratio ? times(value) : signed(overQuestions(metric, pair.n), value)} ${metric.name}`;
  const test = `(${pValue(pair.p_value)}, ${counted(pair.n, rows.view.asked ? "answer" : noun(rows.view, "question"))})`;
  if (value === 0) return `${two} and ${one} have the same ${metric.name}, on ${counted(pair.n, rows.view.asked ? "answer" : noun(rows.view, "question"))}.`;
  if (pair.p_value >= 0.05) return `${two} does not differ from ${one} beyond chance: ${size} ${test}.`;
  const word = metric.is_ranked ? (gain > 0 ? "better" : "worse") : value > 0 ? "higher" : "lower";
  return `${two} is ${word} than ${one}: ${size} ${test}.`;
}

/** The ratio with this logarithm. */
function times(log: number): string {
  return `×${Math.exp(log).toFixed(2)}`;
}

/** How means over n questions are shown: of a metric that is shown as a count, as counts of these. */
function overQuestions(metric: MetricView, n: number): MetricView {
  return metric.is_count ? { ...metric, scale: metric.scale * n } : metric;
}

function Differences({
  rows,
  metrics,
  metric,
  base,
  other,
}: {
  rows: Rows;
  metrics: MetricView[];
  metric: MetricView;
  base: number;
  other: number;
}) {
  const { systems } = rows.view;
  return (
    <section>
      <h2>Differences</h2>
      <Wide label="Differences by metric" all="all columns">
        <table class="matrix differences">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col" class="right">
                <span class="system">
                  <Swatch system={base} />
                  <bdi>
                    <Breakable text={systems[base]!} />
                  </bdi>
                </span>
              </th>
              <th scope="col" class="right">
                <span class="system">
                  <Swatch system={other} />
                  <bdi>
                    <Breakable text={systems[other]!} />
                  </bdi>
                </span>
              </th>
              <th scope="col" class="right">
                Difference
              </th>
              <th scope="col">95 % interval</th>
              <th scope="col" class="right">
                p
              </th>
              <th scope="col" class="right">
                {rows.view.of === "rankings" ? "Queries" : "Questions"}
              </th>
            </tr>
          </thead>
          <tbody>
            {metrics.map((each) => (
              <DifferenceLine key={each.label} metric={each} base={base} other={other} isChosen={each === metric} />
            ))}
          </tbody>
        </table>
      </Wide>
      <p class="note">
        Means and differences ({systems[other]} minus {systems[base]}
        {metrics.some((each) => pairOf(each, base, other)?.ratio) && "; of times and costs the geometric mean of the ratios"}) on the {plural(noun(rows.view, "question"))} that both have a value for.
        <span class="about-bars"> Bars span the metric's range in both directions.</span> {rows.view.method && `Method: ${rows.view.method}.`}
      </p>
      <NotCompared rows={rows} base={base} other={other} />
    </section>
  );
}

/** With many systems each is compared with the best one only. */
function NotCompared({ rows, base, other }: { rows: Rows; base: number; other: number }) {
  const { systems, compared_with: best } = rows.view;
  if (best === null || base === best || other === best) return null;
  return (
    <p class="note">
      The run has {count(systems.length)} systems, and each was compared with {systems[best]} only. For these two:{" "}
      <code>
        ragauge compare RUN {systems[base]} {systems[other]}
      </code>
    </p>
  );
}

function DifferenceLine({ metric, base, other, isChosen }: { metric: MetricView; base: number; other: number; isChosen: boolean }) {
  const pair = pairOf(metric, base, other);
  const change = pair && changeOf(pair);
  const gain = change && (metric.lower_is_better ? -change.value : change.value);
  const isSignificant = change && pair.p_value !== null && pair.p_value < 0.05 && change.value !== 0;
  const unit = pair ? overQuestions(metric, pair.n) : metric;
  const text = (value: number) => (pair?.ratio ? times(value) : signed(unit, value));
  const span = pair?.ratio ? Math.log(4) : metric.range[1] - metric.range[0];
  const tone = isSignificant && metric.is_ranked ? (gain! > 0 ? "good" : "bad") : "";
  return (
    <tr class={isChosen ? "chosen" : undefined}>
      <th scope="row">
        <a href={changed({ metric: metric.label })} aria-current={isChosen ? "true" : undefined}>
          {metric.name}
        </a>
      </th>
      <td class="right">{pair?.base_shown ?? metric.cells[base]?.shown ?? "–"}</td>
      <td class="right">{pair?.other_shown ?? metric.cells[other]?.shown ?? "–"}</td>
      <td class={`right ${tone}`}>{change ? <b>{text(change.value)}</b> : <span class="soft">not tested</span>}</td>
      <td>
        {change && change.low !== null && change.high !== null && (
          <div class="with-bar">
            <DifferenceBar low={change.low} high={change.high} value={change.value} gain={metric.is_ranked ? gain! : 0} span={span} />
            <span class="soft">
              {text(change.low)} to {text(change.high)}
            </span>
          </div>
        )}
      </td>
      <td class="right">
        {pair && pair.p_value !== null && (pair.p_value < 0.001 ? "< 0.001" : pair.p_value.toFixed(3))}
        <span class="star">{isSignificant ? "*" : ""}</span>
      </td>
      <td class="right">{pair && count(pair.n)}</td>
    </tr>
  );
}

function ByQuestion({ rows, metric, base, other }: { rows: Rows; metric: MetricView; base: number; other: number }) {
  const ready = rows.have([metric.column!], ["question"]);
  const found = useMemo(() => (ready ? paired(rows, metric, base, other) : null), [rows, metric, base, other, ready]);
  if (!found) return <p class="soft">reading …</p>;
  const { systems } = rows.view;
  const open = (q: number) => go(href("questions", { id: rows.ids[q]!, metric: metric.label }));
  return (
    <section>
      <h2>
        {metric.name}, {noun(rows.view, "question")} by {noun(rows.view, "question")}{" "}
        <span class="soft">
          {metric.is_ranked ? (
            <>
              {systems[other]} is better on {count(found.wins)}, equal on {count(found.ties)}, worse on {count(found.losses)}
            </>
          ) : (
            <>{counted(found.points.length, noun(rows.view, "question"))}</>
          )}
        </span>
      </h2>
      <div class="by-question">
        <Scatter metric={metric} points={found.points} names={[systems[base]!, systems[other]!]} label={(q) => rows.ids[q]!} open={open} />
        <div class="changes">
          <Changes rows={rows} metric={metric} found={found} />
        </div>
      </div>
      <Unpaired rows={rows} found={found} names={[systems[base]!, systems[other]!]} metric={metric} />
    </section>
  );
}

function Changes({ rows, metric, found }: { rows: Rows; metric: MetricView; found: Paired }) {
  if (!metric.is_bounded || !metric.is_ranked) {
    const sorted = [...found.points].sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
    return <ChangeList title="Largest changes" about="" rows={rows} metric={metric} changes={sorted.filter((each) => each.after !== each.before)} />;
  }
  return (
    <>
      <ChangeList
        title="Fixed"
        about="from the worse half of the scale to the better half"
        rows={rows}
        metric={metric}
        changes={found.fixed}
      />
      <ChangeList title="Broken" about="from the better half to the worse half" rows={rows} metric={metric} changes={found.broken} />
    </>
  );
}

function ChangeList({
  title,
  about,
  rows,
  metric,
  changes,
}: {
  title: string;
  about: string;
  rows: Rows;
  metric: MetricView;
  changes: Change[];
}) {
  const [all, setAll] = useState(false);
  const listed = changes.slice(0, all ? LISTED : 8);
  return (
    <div>
      <h3>
        {title} <b>{count(changes.length)}</b> <span class="soft">{about}</span>
      </h3>
      {changes.length === 0 && <p class="soft">none</p>}
      <ul class="change-list">
        {listed.map((each) => (
          <li key={each.q}>
            <a href={href("questions", { id: rows.ids[each.q]!, metric: metric.label })}>
              <span class="id">{rows.ids[each.q]}</span>
              <span class="question-text">{String(rows.value("question", each.q, 0) ?? "")}</span>
            </a>
            <span class="numbers">
              {short(metric, each.before)} → {shown(metric, each.after, Math.min(metric.digits, 2))}
            </span>
          </li>
        ))}
      </ul>
      {listed.length < changes.length && (
        <button type="button" onClick={() => setAll(true)} disabled={all}>
          {all ? `the first ${LISTED} of ${count(changes.length)}` : `Show ${count(Math.min(changes.length, LISTED))}`}
        </button>
      )}
    </div>
  );
}

/** What could not be paired: a side lacks the question or could not score it. */
function Unpaired({ rows, found, names, metric }: { rows: Rows; found: Paired; names: [string, string]; metric: MetricView }) {
  if (!found.unpaired.length) return null;
  const groups = new Map<string, number[]>();
  for (const { q, before, after } of found.unpaired) {
    const text = `${names[0]} ${before === "ok" ? "scored" : before}, ${names[1]} ${after === "ok" ? "scored" : after}`;
    groups.set(text, [...(groups.get(text) ?? []), q]);
  }
  return (
    <div class="unpaired">
      <h3>
        Not paired <b>{count(found.unpaired.length)}</b> <span class="soft">a side lacks the {noun(rows.view, "question")} or could not score it</span>
      </h3>
      <ul class="change-list">
        {[...groups].map(([text, questions]) => (
          <li key={text}>
            <span>
              {count(questions.length)}: {text}
            </span>
            <span class="ids">
              {questions.slice(0, 5).map((q) => (
                <a key={q} href={href("questions", { id: rows.ids[q]!, metric: metric.label })}>
                  {rows.ids[q]}
                </a>
              ))}
              {questions.length > 5 && "…"}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
