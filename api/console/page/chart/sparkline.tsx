import { type SparkPoint, strokesOf } from './strokes.ts';

const edge = 2;
const small = { width: 96, height: 24, margin: edge };
const wide = { width: 200, height: 40, margin: 0 };

/**
 * A line without axes: how a number went. It is broken where nothing was told for long; one point is a dot. A wide one takes the
 * room that there is.
 */
export function Sparkline({
  points,
  label,
  isWide = false,
  isOfIntervals = false,
}: {
  points: readonly SparkPoint[];
  label: string;
  isWide?: boolean;
  /** Its points are aggregates. */
  isOfIntervals?: boolean;
}) {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
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
  const place = ([time, value]: SparkPoint) => `${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
  const strokes = strokesOf(points, isOfIntervals);
  const lines = strokes.filter((stroke) => stroke.length > 1);
  // A line of no length is a dot in a wide one too, which stretches a circle.
  const dots = strokes.filter((stroke) => stroke.length === 1).flat();
  return (
    <svg
      class="sparkline"
      data-wide={isWide}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio={isWide ? 'none' : 'xMidYMid'}
      role="img"
      aria-label={label}
    >
      <path d={lines.map((stroke) => `M${stroke.map(place).join('L')}`).join('')} />
      <path class="dots" d={dots.map((point) => `M${place(point)}h0`).join('')} />
      {/* It would be stretched with a wide one. */}
      {!isWide && <circle cx={x(last[0])} cy={y(last[1])} r="1.75" />}
    </svg>
  );
}
