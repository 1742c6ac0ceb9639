// Small charts as SVG: no library, no inline style that the policy would refuse.
import type { Cell, MetricView } from "./view";

/** A position in a range as a percentage. */
function percent(value: number, [low, high]: [number, number]): number {
  return Math.max(0, Math.min(100, (100 * (value - low)) / (high - low)));
}

const WIDTH = 120;

/** A mean as a dot on the metric's range, with its interval as a bar. */
export function IntervalBar({ metric, cell, system }: { metric: MetricView; cell: Cell; system: number }) {
  if (cell.mean === null) return null;
  const x = (value: number) => 4 + (percent(value, metric.range) / 100) * (WIDTH - 8);
  const [low, high] = [cell.low ?? cell.mean, cell.high ?? cell.mean];
  return (
    <svg class="interval" viewBox={`0 0 ${WIDTH} 12`} width={WIDTH} height={12} aria-hidden="true">
      <line class="axis" x1={4} x2={WIDTH - 4} y1={6} y2={6} />
      <line class={`bar s${system % 6}`} x1={x(low)} x2={x(high)} y1={6} y2={6} />
      <circle class={`dot s${system % 6}`} cx={x(cell.mean)} cy={6} r={3.5} />
    </svg>
  );
}

/** How many answers have which value, in 20 parts of the range. */
export function Histogram({
  bins,
  most,
  system,
  name,
}: {
  bins: number[];
  most: number;
  system: number;
  name: string;
}) {
  const height = 36;
  const total = bins.reduce((sum, n) => sum + n, 0);
  if (!total) return <span class="soft">no value</span>;
  const width = WIDTH / bins.length;
  return (
    <svg
      class="histogram"
      viewBox={`0 0 ${WIDTH} ${height + 2}`}
      width={WIDTH}
      height={height + 2}
      role="img"
      aria-label={`Distribution of ${name}`}
    >
      <line class="axis" x1={0} x2={WIDTH} y1={height + 1} y2={height + 1} />
      {bins.map((n, at) => {
        // A square root keeps few answers visible beside many.
        const size = n ? Math.max(2, height * Math.sqrt(n / most)) : 0;
        return (
          <rect key={at} class={`fill s${system % 6}`} x={at * width + 0.5} width={width - 1} y={height - size} height={size} />
        );
      })}
    </svg>
  );
}

/** A difference with its interval, around 0; `gain` is positive if it is for the better, 0 if neither. */
export function DifferenceBar({ low, high, value, gain, span }: { low: number; high: number; value: number; gain: number; span: number }) {
  const width = 220;
  const x = (each: number) => width / 2 + Math.max(-1, Math.min(1, each / span)) * (width / 2 - 6);
  const tone = gain > 0 ? "good" : gain < 0 ? "bad" : "even";
  return (
    <svg class="difference" viewBox={`0 0 ${width} 16`} width={width} height={16} aria-hidden="true">
      <line class="axis" x1={6} x2={width - 6} y1={8} y2={8} />
      <line class="zero" x1={width / 2} x2={width / 2} y1={0} y2={16} />
      <line class={`bar ${tone}`} x1={x(low)} x2={x(high)} y1={8} y2={8} />
      <circle class={`dot ${tone}`} cx={x(value)} cy={8} r={4} />
    </svg>
  );
}

/** A system's colour, beside its name. There are six colours; after them come rings, then squares. */
export function Swatch({ system }: { system: number }) {
  return (
    <svg class="swatch" viewBox="0 0 10 10" width={10} height={10} aria-hidden="true">
      {system < 6 || system >= 18 ? (
        <circle class={`dot s${system % 6}`} cx={5} cy={5} r={4.5} />
      ) : system < 12 ? (
        <circle class={`ring s${system % 6}`} cx={5} cy={5} r={3.5} />
      ) : (
        <rect class={`dot s${system % 6}`} x={1} y={1} width={8} height={8} />
      )}
    </svg>
  );
}
