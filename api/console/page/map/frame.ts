import type { Spot } from './projection.ts';

/** The part of the map that is seen: its middle, and the pixels of a degree. */
export type Frame = Spot & { scale: number };
export type Size = { width: number; height: number };

const wholeDegrees = 360;
/** Nearer than that the outlines have nothing to tell where one is. */
const fittedDegreesMin = 12;
const nearestDegrees = 0.01;
/** The share of the map that spots fill. */
const filled = 0.8;

/** Shows all spots; the inhabited world where there are none. */
export function frameOf(spots: readonly Spot[], { width, height }: Size): Frame {
  if (spots.length === 0) return { x: 5, y: -20, scale: width / wholeDegrees };
  const [left, right] = endsOf(spots.map(({ x }) => x));
  const [top, bottom] = endsOf(spots.map(({ y }) => y));
  const fitting = Math.min(
    (width * filled) / Math.max(right - left, Number.EPSILON),
    (height * filled) / Math.max(bottom - top, Number.EPSILON),
  );
  const frame = { x: (left + right) / 2, y: (top + bottom) / 2, scale: fitting };
  return bounded(frame, { width, height }, fittedDegreesMin);
}

function endsOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function bounded(frame: Frame, { width, height }: Size, degreesMin: number): Frame {
  const nearest = Math.min(width, height) / degreesMin;
  return { ...frame, scale: Math.min(nearest, Math.max(width / wholeDegrees, frame.scale)) };
}

/** Nearer by a factor; what is at these pixels from the middle stays where it is. */
export function zoomedFrame(
  frame: Frame,
  factor: number,
  size: Size,
  { x, y }: Spot = { x: 0, y: 0 },
): Frame {
  const near = bounded({ ...frame, scale: frame.scale * factor }, size, nearestDegrees);
  const by = 1 / frame.scale - 1 / near.scale;
  return { ...near, x: frame.x + x * by, y: frame.y + y * by };
}

/** The frame after its content was dragged by so many pixels. */
export function draggedFrame(frame: Frame, x: number, y: number): Frame {
  return { ...frame, x: frame.x - x / frame.scale, y: frame.y - y / frame.scale };
}

/** Where a spot is drawn. */
export function pixelsOf(spot: Spot, frame: Frame, { width, height }: Size): Spot {
  return {
    x: (spot.x - frame.x) * frame.scale + width / 2,
    y: (spot.y - frame.y) * frame.scale + height / 2,
  };
}

export type Cluster<Placed> = { at: Spot; members: Placed[] };

/** Spots that would cover each other become one. */
export function clustersOf<Placed extends { spot: Spot }>(
  all: readonly Placed[],
  frame: Frame,
  size: Size,
  apart: number,
): Cluster<Placed>[] {
  const clusters: Cluster<Placed>[] = [];
  for (const one of all) {
    const at = pixelsOf(one.spot, frame, size);
    const near = clusters.find((other) => Math.hypot(other.at.x - at.x, other.at.y - at.y) < apart);
    if (near === undefined) clusters.push({ at, members: [one] });
    else near.members.push(one);
  }
  return clusters;
}
