// Tables with a column for each system: all of them, side by side; on a narrow screen those that are chosen.
import { useEffect, useRef, useState } from "preact/hooks";
import { Swatch } from "./charts";
import { count } from "./numbers";
import { Select } from "./select";
import { isNarrow, param } from "./state";
import type { RunView } from "./view";

const CHOICES = ["first", "second"];

/** The systems that have a column: all, or on a narrow screen the `most` that are chosen. */
function columnsOf({ systems }: RunView, most: number): number[] {
  const all = systems.map((_, s) => s);
  if (!isNarrow.value || all.length <= most) return all;
  const chosen: number[] = [];
  for (const name of CHOICES.slice(0, most)) {
    const wanted = systems.indexOf(param(name));
    chosen.push(wanted >= 0 && !chosen.includes(wanted) ? wanted : all.find((s) => !chosen.includes(s))!);
  }
  return chosen;
}

/** A table whose columns are systems; `name` and `each` are the least widths of the first column and the others in rem. */
export function SystemTable({
  run,
  label,
  kind,
  head,
  name,
  each,
  most = 2,
  children,
}: {
  run: RunView;
  label: string;
  kind: string;
  head: string;
  name: number;
  each: number;
  most?: number;
  children: (shown: number[]) => preact.ComponentChildren;
}) {
  const shown = columnsOf(run, most);
  const isChosen = shown.length < run.systems.length;
  return (
    <Wide label={label} all={`all ${count(run.systems.length)} systems`}>
      <table class={kind} style={{ minWidth: `${name + each * shown.length}rem` }}>
        <colgroup>
          <col style={{ width: `${name}rem` }} />
          <col span={shown.length} />
        </colgroup>
        <thead>
          <tr>
            {head ? (
              <th scope="col">
                <Breakable text={head} />
              </th>
            ) : (
              <td />
            )}
            {shown.map((s, at) => (
              <th key={at} scope="col">
                <span class={isChosen ? "system chosen" : "system"}>
                  <Swatch system={s} />
                  <bdi>
                    <Breakable text={run.systems[s]!} />
                  </bdi>
                  {isChosen && (
                    <Select
                      label={`System, column ${at + 1} of ${shown.length}`}
                      isQuiet
                      value={run.systems[s]!}
                      options={run.systems.filter((_, other) => other === s || !shown.includes(other)).map((system) => [system, system])}
                      param={CHOICES[at]!}
                    />
                  )}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        {children(shown)}
      </table>
    </Wide>
  );
}

/** Something that may be wider than its place: then a shadow and a hint say so. */
export function Wide({ label, all, children }: { label: string; all: string; children: preact.ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  const [sides, setSides] = useState("");
  const look = () => {
    if (!box.current) return; // the view has changed
    const { scrollLeft, clientWidth, scrollWidth } = box.current;
    setSides(`${scrollLeft > 1 ? "left" : ""} ${scrollLeft + clientWidth < scrollWidth - 1 ? "right" : ""}`.trim());
  };
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(box.current!);
    observer.observe(box.current!.firstElementChild!);
    return () => observer.disconnect();
  }, []);
  const move = (by: number) => () => box.current!.scrollBy({ left: by * 0.75 * box.current!.clientWidth });
  return (
    <div class="scroller">
      {sides && (
        <p class="hint soft">
          Scroll sideways to see {all}
          <button type="button" aria-label="Scroll to the left" disabled={!sides.includes("left")} onClick={move(-1)}>
            ←
          </button>
          <button type="button" aria-label="Scroll to the right" disabled={!sides.includes("right")} onClick={move(1)}>
            →
          </button>
        </p>
      )}
      <div class="shadows" data-more={sides}>
        <div ref={box} class="wide" tabIndex={0} role="region" aria-label={label} onScroll={look}>
          {children}
        </div>
      </div>
    </div>
  );
}

/** A name that may be broken after its separators. */
export function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=[_/+:@])/).map((part, at) => (
        <span key={at}>
          {at > 0 && <wbr />}
          {part}
        </span>
      ))}
    </>
  );
}
