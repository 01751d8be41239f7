import type { PanelPoint } from '../../../../schemas/dashboards/points.ts';

const width = 200;
const height = 40;
const edge = 2;

/** A line without axes: how a number went. It is as wide as there is room. */
export function Spark({ points, label }: { points: readonly PanelPoint[]; label: string }) {
  const told = points.flatMap(([time, value]) =>
    typeof value === 'number' ? [[time, value] as const] : [],
  );
  const [first] = told;
  const last = told.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const values = told.map(([, value]) => value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const x = (time: number) => ((time - first[0]) / (last[0] - first[0])) * width;
  // A value that never changed runs through the middle.
  const y = (value: number) =>
    span === 0 ? height / 2 : height - edge - ((value - low) / span) * (height - 2 * edge);
  const path = told
    .map(
      ([time, value], at) => `${at === 0 ? 'M' : 'L'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('');
  return (
    <svg
      class="panel-spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={path} />
    </svg>
  );
}
