// The means by the fields of the data.
import { IntervalBar } from "./charts";
import { count, counted } from "./numbers";
import { Select } from "./select";
import { widths } from "./overview";
import { changed, href, param } from "./state";
import { SystemTable } from "./systems";
import type { Cell, RunView, SliceView } from "./view";
import { literal, quoted } from "./where";

export function Slices({ run }: { run: RunView }) {
  if (!run.slices.length) return null;
  const shown = run.slices.find((slice) => slice.field === param("by")) ?? run.slices[0]!;
  return (
    <section>
      <h2>
        By{" "}
        {run.slices.length === 1 ? (
          shown.field
        ) : (
          <span class="choices">
            {run.slices.map((slice) => (
              <a key={slice.field} href={changed({ by: slice.field })} aria-current={slice === shown ? "true" : undefined}>
                {slice.field}
              </a>
            ))}
          </span>
        )}
      </h2>
      <SliceTable run={run} slice={shown} />
    </section>
  );
}

function SliceTable({ run, slice }: { run: RunView; slice: SliceView }) {
  const known = slice.metrics.filter((at) => run.metrics[at]!.cells.some((cell) => cell?.ok));
  const wanted = run.metrics.findIndex((metric) => metric.label === param("slice"));
  const metric = known.includes(wanted) ? wanted : known[0];
  if (metric === undefined) return null;
  const place = slice.metrics.indexOf(metric);
  const { name } = run.metrics[metric]!;
  return (
    <>
      <Select
        label="Metric"
        value={run.metrics[metric]!.label}
        options={known.map((at) => [run.metrics[at]!.label, run.metrics[at]!.name])}
        param="slice"
      />
      <SystemTable run={run} label={`${name} by ${slice.field}`} kind="matrix slices" head={slice.field} {...widths()}>
        {(shown) => (
          <tbody>
            {slice.values.map((value, v) => (
              <tr key={value}>
                <th scope="row">
                  <bdi>{value}</bdi>{" "}
                  <a href={href("questions", { where: sliceCondition(run, slice.field, value) })} title="List them">
                    {counted(slice.counts[v]!, "answer")}
                  </a>
                </th>
                {shown.map((s) => {
                  const system = run.systems[s]!;
                  const cell = slice.cells[v]![place]![s];
                  const view = run.metrics[metric]!;
                  return (
                    <td key={system}>
                      {cell ? (
                        <div class="cell">
                          <span class="mean">
                            {cell.shown}
                            <span class="star" />
                          </span>
                          <IntervalBar
                            metric={view}
                            cell={{ ...EMPTY, mean: cell.mean, low: null, high: null }}
                            system={s}
                          />
                          <span class="below">
                            <span class="range">{cell.interval}</span>
                            <a
                              href={href("questions", {
                                where: `system = ${literal(system)} and ${sliceCondition(run, slice.field, value)} and ${quoted(view.name)} is not null`,
                                metric: view.label,
                                sort: "worst",
                              })}
                              title="List the scored answers, worst first"
                            >
                              {count(cell.ok)} scored
                            </a>
                          </span>
                        </div>
                      ) : (
                        "–"
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        )}
      </SystemTable>
    </>
  );
}

/** The filter for the answers with this value of a field, as the page shows the value. */
export function sliceCondition(run: RunView, name: string, value: string): string {
  if (value === "(none)") return `${quoted(name)} is null`;
  const kind = run.fields.find((field) => field.name === name)?.kind;
  const text = kind === "text" ? literal(value) : value === "True" ? "true" : value === "False" ? "false" : value;
  return `${quoted(name)} = ${text}`;
}

const EMPTY: Cell = {
  shown: "",
  interval: "",
  bounds: "",
  mean: null,
  low: null,
  high: null,
  n: 0,
  ok: 0,
  differs: false,
  reasons: [],
  bins: [],
};
