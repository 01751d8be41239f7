const edge = 2;
const small = { width: 96, height: 24, margin: edge };
const wide = { width: 200, height: 40, margin: 0 };

export type SparkPoint = readonly [time: number, value: number];

/** A line without axes: how a number went. One point is a dot. A wide one takes the room that there is. */
export function Sparkline({
  points,
  label,
  isWide = false,
}: {
  points: readonly SparkPoint[];
  label: string;
  isWide?: boolean;
}) {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || (isWide && first === last)) return null;
  const { width, height, margin } = isWide ? wide : small;
  const values = points.map(([, value]) => value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const seconds = last[0] - first[0];
  const x = (time: number) =>
    seconds === 0 ? width / 2 : margin + ((time - first[0]) / seconds) * (width - 2 * margin);
  // A value that never changed runs through the middle.
  const y = (value: number) =>
    span === 0 ? height / 2 : height - edge - ((value - low) / span) * (height - 2 * edge);
  const path = points
    .map(
      ([time, value], at) => `${at === 0 ? 'M' : 'L'}${x(time).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join('');
  return (
    <svg
      class="sparkline"
      data-wide={isWide}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio={isWide ? 'none' : 'xMidYMid'}
      role="img"
      aria-label={label}
    >
      <path d={path} />
      {/* It would be stretched with a wide one. */}
      {!isWide && <circle cx={x(last[0])} cy={y(last[1])} r="1.75" />}
    </svg>
  );
}
