const width = 96;
const height = 24;
const edge = 2;

export type SparkPoint = readonly [time: number, value: number];

/** A line without axes: how a number went. One point is a dot. */
export function Sparkline({ points, label }: { points: readonly SparkPoint[]; label: string }) {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const values = points.map(([, value]) => value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const seconds = last[0] - first[0];
  const x = (time: number) =>
    seconds === 0 ? width / 2 : edge + ((time - first[0]) / seconds) * (width - 2 * edge);
  // A value that never changed runs through the middle.
  const y = (value: number) =>
    span === 0 ? height / 2 : height - edge - ((value - low) / span) * (height - 2 * edge);
  const path = points
    .map(
      ([time, value], at) => `${at === 0 ? 'M' : 'L'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('');
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={path} />
      <circle cx={x(last[0])} cy={y(last[1])} r="1.75" />
    </svg>
  );
}
