// Quality against cost and time: one dot for each system with the intervals of both, and the systems that no other beats in both.
import { shown } from "./numbers";
import type { Cell, MetricView, RunView } from "./view";

const SPENT = ["cost_usd", "latency_s", "first_token_s"];
export const MEASURED = [...SPENT, "input_tokens", "output_tokens"];
const [WIDTH, HEIGHT, LEFT, BOTTOM, ROOM, LINE, WIDE] = [460, 280, 48, 40, 16, 15, 7.6];

type Dot = { system: number; spent: Cell; quality: Cell };

export function Tradeoffs({ run }: { run: RunView }) {
  const quality = run.metrics.find((each) => each.is_ranked && !MEASURED.includes(each.label) && each.cells.some((cell) => cell?.ok));
  const drawn = SPENT.flatMap((label) => {
    const spent = run.metrics.find((each) => each.label === label);
    const dots = spent && quality ? dotsOf(spent, quality) : [];
    return spent && dots.length > 1 ? [{ spent, dots }] : [];
  });
  if (!quality || !drawn.length) return null;
  return (
    <section>
      <h2>Quality against cost and time</h2>
      <div class="tradeoffs">
        {drawn.map(({ spent, dots }) => (
          <Plot key={spent.label} run={run} quality={quality} spent={spent} dots={dots} />
        ))}
      </div>
      <p class="note">
        Means with 95 % intervals. Filled dots on the line are the systems that no other one beats in both (the Pareto front); times depend on how many questions were asked at
        once.
      </p>
    </section>
  );
}

function dotsOf(spent: MetricView, quality: MetricView): Dot[] {
  return spent.cells.flatMap((cell, system) => {
    const other = quality.cells[system];
    return cell && other && cell.mean !== null && other.mean !== null ? [{ system, spent: cell, quality: other }] : [];
  });
}

/** The dots that no other one beats: as good in both, and better in one. Cheapest first. */
export function front(dots: Dot[], lowerIsBetter: boolean): Dot[] {
  const worth = ({ quality }: Dot) => (lowerIsBetter ? -quality.mean! : quality.mean!);
  const beats = (one: Dot, two: Dot) =>
    one.spent.mean! <= two.spent.mean! && worth(one) >= worth(two) && (one.spent.mean! < two.spent.mean! || worth(one) > worth(two));
  return dots.filter((dot) => !dots.some((other) => beats(other, dot))).sort((a, b) => a.spent.mean! - b.spent.mean!);
}

function Plot({ run, quality, spent, dots }: { run: RunView; quality: MetricView; spent: MetricView; dots: Dot[] }) {
  const ends = (cells: Cell[]) => cells.flatMap((cell) => [cell.mean!, cell.low ?? cell.mean!, cell.high ?? cell.mean!]);
  const most = Math.max(...ends(dots.map((dot) => dot.spent))) || 1;
  const all = ends(dots.map((dot) => dot.quality));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const [bottom, top] = low < high ? [low, high] : [low - 0.5, low + 0.5];
  const x = (value: number) => LEFT + (value / most) * (WIDTH - LEFT - ROOM);
  const y = (value: number) => HEIGHT - BOTTOM - 10 - ((value - bottom) / (top - bottom)) * (HEIGHT - BOTTOM - 30);
  const best = front(dots, quality.lower_is_better);
  const named = dots.length > 8 ? best : dots;
  const labels = placed(
    named.map((dot) => ({ x: x(dot.spent.mean!), y: y(dot.quality.mean!), text: brief(run.systems[dot.system]!) })),
    dots.map((dot) => ({ x: x(dot.spent.mean!), y: y(dot.quality.mean!) })),
  );
  return (
    <figure>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${quality.name} against ${spent.name}: ${best.map((dot) => run.systems[dot.system]).join(", ")} on the front`}>
        <path class="axis" d={`M${LEFT} 10V${HEIGHT - BOTTOM}H${WIDTH - ROOM}`} />
        {[bottom, top].map((value) => (
          <text key={value} class="soft" x={LEFT - 6} y={y(value) + 4} text-anchor="end">
            {shown(quality, value, 2)}
          </text>
        ))}
        {[0, most].map((value) => (
          <text key={value} class="soft" x={x(value)} y={HEIGHT - BOTTOM + 16} text-anchor={value ? "end" : "middle"}>
            {value ? Number(value.toPrecision(2)) : 0}
          </text>
        ))}
        <text x={(LEFT + WIDTH - ROOM) / 2} y={HEIGHT - 4} text-anchor="middle">
          {spent.name} ↓
        </text>
        <polyline class="front" points={best.map((dot) => `${x(dot.spent.mean!)},${y(dot.quality.mean!)}`).join(" ")} />
        {dots.map((dot) => {
          const [cx, cy, color] = [x(dot.spent.mean!), y(dot.quality.mean!), `s${dot.system % 6}`];
          return (
            <g key={dot.system}>
              <title>{`${run.systems[dot.system]}: ${quality.name} ${dot.quality.shown}, ${spent.name} ${dot.spent.shown}`}</title>
              <line class={`whisker ${color}`} x1={x(dot.spent.low ?? dot.spent.mean!)} x2={x(dot.spent.high ?? dot.spent.mean!)} y1={cy} y2={cy} />
              <line class={`whisker ${color}`} x1={cx} x2={cx} y1={y(dot.quality.low ?? dot.quality.mean!)} y2={y(dot.quality.high ?? dot.quality.mean!)} />
              <circle class={`${best.includes(dot) ? "dot" : "ring"} ${color}`} cx={cx} cy={cy} r={5} />
            </g>
          );
        })}
        {labels.map((label, at) => (
          <text key={at} x={label.x} y={label.y}>
            {label.text}
          </text>
        ))}
      </svg>
      <figcaption class="soft">
        {quality.name} {quality.lower_is_better ? "↓" : "↑"} against {spent.name}
      </figcaption>
    </figure>
  );
}

function brief(name: string): string {
  return name.length > 22 ? `${name.slice(0, 10)}…${name.slice(-11)}` : name;
}

type Point = { x: number; y: number };

/** Where the label of each dot begins: near it, where it covers no dot and no other label; none where there is no such place. */
export function placed(labels: (Point & { text: string })[], dots: Point[]): (Point & { text: string })[] {
  const taken = dots.map(({ x, y }) => ({ x: x - 6, y: y - 6, right: x + 6, bottom: y + 6 }));
  return labels.flatMap(({ x, y, text }) => {
    const wide = WIDE * text.length;
    const boxes = [0, 1, 2, 3, 4].flatMap((step) =>
      [y - LINE - 3 - step * LINE, y + 3 + step * LINE].flatMap((top) =>
        [x + 9, x - 9 - wide].map((left) => ({ x: left, y: top, right: left + wide, bottom: top + LINE })),
      ),
    );
    const box = boxes.find(
      (each) =>
        each.x > LEFT && each.right < WIDTH && each.y > 0 && each.bottom < HEIGHT - BOTTOM &&
        taken.every((other) => each.right < other.x || each.x > other.right || each.bottom < other.y || each.y > other.bottom),
    );
    if (!box) return [];
    taken.push(box);
    return [{ x: box.x, y: box.bottom - 4, text }];
  });
}
