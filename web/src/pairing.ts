// What a pair of systems did question by question: the definitions of ragauge's comparisons.
import type { Rows } from "./rows";
import type { MetricView, Pair } from "./view";

export interface Change {
  q: number;
  before: number;
  after: number;
}

export interface Paired {
  /** The questions that both have scored. */
  points: Change[];
  wins: number;
  ties: number;
  losses: number;
  /** Questions that moved from the worse half of the scale to the better one, largest change first. */
  fixed: Change[];
  /** Questions that moved back. */
  broken: Change[];
  /** Questions that a side lacks or could not score, with the status of both. */
  unpaired: { q: number; before: string; after: string }[];
}

const NOT_APPLICABLE = ["absent", "undefined", "missing"];

/** Pair the scores of two systems; positive gains are the other system's. */
export function paired(rows: Rows, metric: MetricView, base: number, other: number): Paired {
  const { values, statuses } = rows.of(metric.column!);
  const width = rows.view.systems.length;
  const found: Paired = { points: [], wins: 0, ties: 0, losses: 0, fixed: [], broken: [], unpaired: [] };
  const middle = (metric.range[0] + metric.range[1]) / 2;
  // The middle itself counts as the better half.
  const isGood = (value: number) => (metric.lower_is_better ? value <= middle : value >= middle);
  const status = (row: number) => rows.view.statuses[statuses[row]!] ?? "absent";
  for (let q = 0; q < rows.view.n_questions; q++) {
    const [before, after] = [values[q * width + base]!, values[q * width + other]!];
    if (Number.isNaN(before) || Number.isNaN(after)) {
      const [one, two] = [status(q * width + base), status(q * width + other)];
      if (!(NOT_APPLICABLE.includes(one) && NOT_APPLICABLE.includes(two))) found.unpaired.push({ q, before: one, after: two });
      continue;
    }
    const change = { q, before, after };
    found.points.push(change);
    const gain = metric.lower_is_better ? before - after : after - before;
    if (gain > 0) found.wins += 1;
    else if (gain < 0) found.losses += 1;
    else found.ties += 1;
    if (!metric.is_bounded || !metric.is_ranked) continue;
    if (!isGood(before) && isGood(after)) found.fixed.push(change);
    else if (isGood(before) && !isGood(after)) found.broken.push(change);
  }
  const size = (each: Change) => -Math.abs(each.after - each.before);
  const order = (a: Change, b: Change) => size(a) - size(b) || (rows.ids[a.q]! < rows.ids[b.q]! ? -1 : 1);
  found.fixed.sort(order);
  found.broken.sort(order);
  return found;
}

/** The test of two systems, turned so that the difference is other minus base. */
export function pairOf(metric: MetricView, base: number, other: number): Pair | null {
  const pair = metric.pairs.find((each) => [each.base, each.other].includes(base) && [each.base, each.other].includes(other));
  if (!pair || base === other) return null;
  if (pair.base === base) return pair;
  const turned = (value: number | null) => (value === null ? null : 0 - value);
  const means = { base_shown: pair.other_shown, other_shown: pair.base_shown };
  return { ...pair, base, other, ...means, difference: 0 - pair.difference, low: turned(pair.high), high: turned(pair.low), ratio: inverse(pair.ratio) };
}

function inverse(ratio: Pair["ratio"]): Pair["ratio"] {
  const over = (value: number | null) => (value === null ? null : 1 / value);
  return ratio && [1 / ratio[0], over(ratio[2]), over(ratio[1])];
}

/** What is tested of a pair: the difference, or of times and costs the logarithm of the ratio. */
export function changeOf(pair: Pair): { value: number; low: number | null; high: number | null } {
  if (!pair.ratio) return { value: pair.difference, low: pair.low, high: pair.high };
  const [value, low, high] = pair.ratio;
  return { value: Math.log(value), low: low && Math.log(low), high: high && Math.log(high) };
}
