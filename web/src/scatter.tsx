// One dot for each question: the baseline's value across, the other's upwards. Drawn on a canvas, since
// there may be tens of thousands; the lists beside it have the same questions for the keyboard.
import { useEffect, useRef, useState } from "preact/hooks";
import { shown } from "./numbers";
import type { Change } from "./pairing";
import { theme } from "./state";
import type { MetricView } from "./view";

const SIZE = 380;
const EDGE = 14;
const REACH = 8;

export function Scatter({
  metric,
  points,
  names,
  label,
  open,
}: {
  metric: MetricView;
  points: Change[];
  names: [string, string];
  label: (q: number) => string;
  open: (q: number) => void;
}) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [near, setNear] = useState<Change | null>(null);
  const [low, high] = metric.range;
  const x = (value: number) => EDGE + ((value - low) / (high - low)) * (SIZE - 2 * EDGE);
  const y = (value: number) => SIZE - x(value);
  // Equal values would hide each other: each dot is moved a little, always the same way.
  const place = (point: Change): [number, number] => {
    const [dx, dy] = shift(point.q);
    return [x(point.before) + dx, y(point.after) + dy];
  };

  useEffect(() => {
    const element = canvas.current!;
    const ratio = devicePixelRatio || 1;
    element.width = element.height = SIZE * ratio;
    const pen = element.getContext("2d")!;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(element);
    const color = (name: string) => style.getPropertyValue(name).trim();
    pen.clearRect(0, 0, SIZE, SIZE);
    pen.strokeStyle = color("--line");
    pen.strokeRect(0.5, 0.5, SIZE - 1, SIZE - 1);
    pen.beginPath();
    pen.moveTo(x(low), y(low));
    pen.lineTo(x(high), y(high));
    pen.stroke();
    pen.globalAlpha = points.length > 5000 ? 0.25 : points.length > 500 ? 0.45 : 0.75;
    const radius = points.length > 5000 ? 1.8 : points.length > 500 ? 2.6 : 4;
    for (const point of points) {
      const gain = metric.lower_is_better ? point.before - point.after : point.after - point.before;
      pen.fillStyle = color(gain > 0 ? "--good" : gain < 0 ? "--bad" : "--soft");
      const [left, top] = place(point);
      pen.beginPath();
      pen.arc(left, top, radius, 0, 7);
      pen.fill();
    }
    if (near) {
      pen.globalAlpha = 1;
      pen.strokeStyle = color("--text");
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.arc(...place(near), radius + 3, 0, 7);
      pen.stroke();
    }
  }, [points, metric, theme.value, near]);

  const closest = (event: MouseEvent): Change | null => {
    const box = canvas.current!.getBoundingClientRect();
    const scale = SIZE / box.width; // on a narrow screen it is drawn smaller
    const [left, top] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best: Change | null = null;
    let distance = REACH * REACH;
    for (const point of points) {
      const [px, py] = place(point);
      const d = (px - left) ** 2 + (py - top) ** 2;
      if (d < distance) [best, distance] = [point, d];
    }
    return best;
  };

  return (
    <figure class="scatter">
      <span class="y soft">
        <bdi>{names[1]}</bdi> ↑, both from {shown(metric, low, 2).replace(/\.00$/, "")} to {shown(metric, high, 2).replace(/\.00$/, "")}
      </span>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${metric.name} of each question: ${names[0]} across, ${names[1]} upwards`}
        onMouseMove={(event) => setNear(closest(event))}
        onMouseLeave={() => setNear(null)}
        onClick={(event) => {
          const found = closest(event);
          if (found) open(found.q);
        }}
        class={near ? "near" : undefined}
      />
      <figcaption>
        <span class="soft">{names[0]} →</span>
        <span>{near ? `${label(near.q)}: ${shown(metric, near.before)} → ${shown(metric, near.after)}` : "Click a dot to open it."}</span>
      </figcaption>
    </figure>
  );
}

/** A small move, by the question's position, of at most 3 pixels. */
function shift(q: number): [number, number] {
  const mixed = Math.imul(q + 1, 2654435761) >>> 0;
  return [((mixed & 255) / 255 - 0.5) * 6, (((mixed >> 8) & 255) / 255 - 0.5) * 6];
}
