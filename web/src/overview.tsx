import { Histogram, IntervalBar, Swatch } from "./charts";
import { report } from "./data";
import { count, counted, noun, plural } from "./numbers";
import { Slices } from "./slices";
import { href, isNarrow } from "./state";
import { Breakable, SystemTable } from "./systems";
import { Tradeoffs } from "./tradeoffs";
import type { Cell, MetricView, RunView } from "./view";
import { literal, quoted } from "./where";

export function Overview({ at }: { at: number }) {
  const run = report.runs[at]!;
  return (
    <>
      <section class="lead">
        <h1>{run.headline}</h1>
        <p class="soft">
          {run.suite} · {run.asked || counted(run.n_questions, noun(run, "question"))} · {counted(run.systems.length, noun(run, "system"))} ·{" "}
          <a href={href("questions")}>{counted(run.n_answers, noun(run, "answer"))}</a>
        </p>
      </section>
      <Problems run={run} />
      <Matrix run={run} />
      <Tradeoffs run={run} />
      <Findings run={run} />
      <Slices run={run} />
      <Distributions run={run} />
      <Facts run={run} />
    </>
  );
}

function Problems({ run }: { run: RunView }) {
  const differences = run.problems.filter((problem) => !problem.where);
  const missing = run.problems.filter((problem) => problem.where);
  return (
    <>
      {differences.length > 0 && (
        <section class="banner" aria-label="Differences between the runs">
          <h2>These runs differ in more than their systems</h2>
          <ul>
            {differences.map((problem) => (
              <li key={problem.text}>{problem.text}</li>
            ))}
          </ul>
        </section>
      )}
      {missing.length > 0 && (
        <section class="banner" aria-label="Problems">
          <h2>Some scores are missing</h2>
          <ul>
            {missing.map((problem) => (
              <li key={problem.text}>
                <a href={href("questions", { where: problem.where })}>{problem.text}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The least widths of the columns of metrics and systems. */
export function widths(): { name: number; each: number } {
  return isNarrow.value ? { name: 8.2, each: 6 } : { name: 12.5, each: 7 };
}

function families(run: RunView): [string, MetricView[]][] {
  const groups = new Map<string, MetricView[]>();
  for (const metric of run.metrics) {
    // What the data has no fields for is named below, under what was run.
    if (!metric.cells.some((cell) => cell && (cell.ok || cell.reasons.some(({ status }) => status !== "missing")))) continue;
    groups.set(metric.family, [...(groups.get(metric.family) ?? []), metric]);
  }
  return [...groups];
}

function Matrix({ run }: { run: RunView }) {
  const groups = families(run);
  if (!groups.length) return null;
  const isLong = run.metrics.some((metric) => metric.cells.some((cell) => cell && cell.shown.length > 5));
  const differs = run.metrics.some((metric) => metric.cells.some((cell) => cell?.differs));
  return (
    <section>
      <h2>Scores</h2>
      <SystemTable run={run} label="Scores by metric and system" kind={isLong ? "matrix long" : "matrix"} head="Metric" {...widths()}>
        {(shown) =>
          groups.map(([family, metrics]) => (
            <tbody key={family}>
              {family && (
                <tr class="family">
                  <th scope="rowgroup" colSpan={shown.length + 1}>
                    <span>
                      {family}
                      {run.families[family] && <span class="soft"> {run.families[family]}</span>}
                    </span>
                  </th>
                </tr>
              )}
              {metrics.map((metric) => (
                <tr key={metric.label}>
                  <th scope="row">
                    <MetricName metric={metric} />
                  </th>
                  {shown.map((s) => {
                    const cell = metric.cells[s];
                    return <td key={s}>{cell ? <MatrixCell run={run} metric={metric} cell={cell} s={s} /> : "–"}</td>;
                  })}
                </tr>
              ))}
            </tbody>
          ))
        }
      </SystemTable>
      <p class="note">
        {differs && `* ${run.mark}, p < 0.05: ${run.method}. `}
        Bars are 95 % intervals of the mean.
      </p>
    </section>
  );
}

export function MetricName({ metric }: { metric: MetricView }) {
  const direction = metric.is_ranked ? (metric.lower_is_better ? "↓" : "↑") : "";
  const title = metric.lower_is_better ? "lower is better" : "higher is better";
  return (
    <span class="metric">
      <span title={metric.label}>
        <Breakable text={metric.name} />
      </span>
      {direction && (
        <span class="soft" title={title}>
          {" "}
          <span aria-hidden="true">{direction}</span>
          <span class="hidden">{title}</span>
        </span>
      )}
      {metric.cautions.map((caution) => (
        <span key={caution} class="caution">
          caution: {caution}
        </span>
      ))}
    </span>
  );
}

function MatrixCell({ run, metric, cell, s }: { run: RunView; metric: MetricView; cell: Cell; s: number }) {
  const system = `system = ${literal(run.systems[s]!)}`;
  const field = quoted(metric.name);
  return (
    <div class="cell">
      <span class="mean">
        {cell.shown}
        <span class="star">{cell.differs ? "*" : ""}</span>
      </span>
      <IntervalBar metric={metric} cell={cell} system={s} />
      <span class="below">
        <span class="range">{cell.interval}</span>
        <a
          href={href("questions", { where: `${system} and ${field} is not null`, metric: metric.label, sort: "worst" })}
          title="List the scored answers, worst first"
        >
          {count(cell.ok)} scored
        </a>
        {unscored(cell).map(([status, n, reason]) => (
          <a
            key={status}
            href={href("questions", {
              where: `${system} and ${quoted(`${metric.name}.status`)} = "${status}"`,
              metric: metric.label,
            })}
            title={reason}
          >
            {count(n)} {status}
          </a>
        ))}
      </span>
    </div>
  );
}

/** How many scores have no value, by status, with the reasons. */
function unscored(cell: Cell): [string, number, string][] {
  const found = new Map<string, [number, string[]]>();
  for (const { status, n, reason } of cell.reasons) {
    const [sum, reasons] = found.get(status) ?? [0, []];
    found.set(status, [sum + n, [...reasons, `${count(n)}: ${reason || "no reason given"}`]]);
  }
  return [...found].map(([status, [n, reasons]]) => [status, n, reasons.join("\n")]);
}

function Findings({ run }: { run: RunView }) {
  if (!run.findings.length) return <Lowest run={run} />;
  return (
    <section>
      <h2>What to look at</h2>
      <ul class="findings">
        {run.findings.map((finding, place) => (
          <li key={place}>
            <a href={href("questions", { finding: String(place) })} class="number" title="List them">
              {count(finding.n)}
              <span class="soft"> of {count(finding.n_rows)}</span>
            </a>
            <span>
              <Swatch system={finding.system} /> <bdi>{run.systems[finding.system]}</bdi>: {finding.says}
              <span class="ids">
                {finding.ids.map((id) => (
                  <a key={id} href={href("questions", { finding: String(place), id })}>
                    {id}
                  </a>
                ))}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The lowest scores, of a suite that looks for no patterns. */
function Lowest({ run }: { run: RunView }) {
  if (!run.worst.length) return null;
  return (
    <section>
      <h2>What to look at</h2>
      <ul class="findings worst">
        {run.worst.map((each) => (
          <li key={each.text + each.id}>
            <span>
              {each.text}
              <span class="ids">
                <a href={href("questions", { id: each.id })}>{each.id}</a>
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Distributions({ run }: { run: RunView }) {
  const metrics = run.metrics.filter((metric) => metric.cells.some((cell) => cell?.ok));
  if (!metrics.length) return null;
  return (
    <section>
      <h2>Distributions</h2>
      <p class="note">How many {plural(noun(run, "answer"))} have which value; heights are square roots, so that few answers stay visible.</p>
      <SystemTable run={run} label="Distributions" kind="matrix distributions" head="Metric" {...widths()}>
        {(shown) => (
          <tbody>
            {metrics.map((metric) => {
              const most = Math.max(...metric.cells.flatMap((cell) => cell?.bins ?? [0]));
              const [low, high] = metric.range.map((end) => Number(end && end < 0.1 ? end.toPrecision(2) : (end * metric.scale).toFixed(2)));
              return (
                <tr key={metric.label}>
                  <th scope="row">
                    <Breakable text={metric.name} />{" "}
                    <span class="soft">
                      {low}–{high}
                    </span>
                  </th>
                  {shown.map((s) => {
                    const bins = metric.cells[s]?.bins;
                    return <td key={s}>{bins && <Histogram bins={bins} most={most} system={s} name={`${metric.name}, ${run.systems[s]}`} />}</td>;
                  })}
                </tr>
              );
            })}
          </tbody>
        )}
      </SystemTable>
    </section>
  );
}

function Facts({ run }: { run: RunView }) {
  return (
    <section class="facts">
      <h2>What was run</h2>
      <dl>
        {run.facts.map((fact, at) => (
          <div key={at}>
            <dt>{fact.label}</dt>
            <dd>{fact.text}</dd>
          </div>
        ))}
        <div>
          <dt>ragauge</dt>
          <dd>{report.version}</dd>
        </div>
      </dl>
      {run.notes.length > 0 && (
        <ul class="notes">
          {run.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
